"""The error for what cannot be recorded; it shows the line of the user's function that tried."""

from __future__ import annotations

import linecache
import sys
from types import FrameType

from ...errors import OURS, WhippletreeError


class TraceError(WhippletreeError, TypeError):
    """A traced function did something that cannot be recorded."""


def user_line() -> str:
    """File, line number and text of the innermost line that is neither ours nor NumPy's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return "" if frame is None else _show(frame, frame.f_lineno)


def failed_line(error: BaseException) -> str:
    """The same for the line at which an error came up."""
    shown, traceback = "", error.__traceback__
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(OURS):
            shown = _show(traceback.tb_frame, traceback.tb_lineno)
        traceback = traceback.tb_next
    return shown


def _show(frame: FrameType, line: int) -> str:
    file = frame.f_code.co_filename
    source = linecache.getline(file, line, frame.f_globals).strip()
    return f"{file}, line {line}:\n    {source}\n" if source else f"{file}, line {line}: "


def refusal(use: str) -> TraceError:
    """The error for a use of a traced value that needs the value itself."""
    return TraceError(
        f"{user_line()}{use} needs a value that is known only when the kernel runs. Instead of a branch use "
        "`wt.where(condition, a, b)`, `wt.minimum` or `wt.maximum`, the condition of scalars; instead of the "
        "module math use NumPy's functions; keep traced values in arrays with dtype=object"
    )


def decides_by_values(function: str, instead: str, error: TypeError) -> TraceError | None:
    """The error for a function of this library that looks at values; None if `error` is another one.

    Args:
        function: Its name.
        instead: What to do.
        error: What came up when it was called with traced scalars.
    """
    # NumPy's linear algebra takes no objects, and says so.
    if not isinstance(error, TraceError) and "dtype('O')" not in str(error):
        return None
    return TraceError(
        f"{user_line()}{function} cannot be compiled: what it does depends on the numbers it is given"
        + (f"; {instead}" if instead else "")
    )


def not_for_traced(error: Exception) -> TraceError | None:
    """The error for a function of NumPy that met traced scalars; None if `error` is another one."""
    text = str(error)
    if "of type Scalar which has no callable" in text or "'Scalar' object has no attribute" in text:
        way = f"a kernel has no such function: write it with {_FUNCTIONS}"
    elif "which has no callable" in text:
        way = (
            "an object array holds plain numbers beside traced ones; apply the function entry by entry, or "
            "before the arrays are joined"
        )
    elif "dtype('O')" in text or "not supported for the input types" in text:
        way = (
            "this function takes numbers only. For linear equations there are solve_spd, factor_spd and "
            f"solve_3x3 in whippletree.spatial; else a kernel is made of arithmetic and {_FUNCTIONS}"
        )
    else:
        return None
    return TraceError(f"{failed_line(error)}{text}: {way}")


_FUNCTIONS = (
    "sqrt, exp, log, sin, cos, tan, arcsin, arccos, arctan, arctan2, hypot, abs and floor of NumPy and "
    "where, minimum, maximum and repeat of whippletree"
)
