"""The errors Whippletree raises, one family with few members.

Every message names the thing, gives both numbers and says what to do.
"""

import contextlib
import functools
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

OURS: tuple[str, ...] = (
    *(str(Path(file).parent) for file in (__file__, np.__file__)),
    *(contextlib.__file__, functools.__file__),
)
"""How the names of files begin whose lines are none of the user's: these, and what calls them back."""


def with_article(noun: str) -> str:
    """A noun as sentences have it; those in u begin as "unit" does.

    >>> with_article("ellipsoid"), with_article("universal")
    ('an ellipsoid', 'a universal')
    """
    return f"an {noun}" if noun[:1].lower() in (*"aeio",) else f"a {noun}"


class WhippletreeError(Exception):
    """Base of every error raised on purpose by Whippletree.

    All survive pickle and copies, so that they come back from the workers of a pool.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Made again without a call of the class, whose arguments need not be those that the message is of.
        return _made_again, (type(self), self.args), vars(self).copy()


def _made_again(kind: type[WhippletreeError], args: tuple[Any, ...]) -> WhippletreeError:
    return kind.__new__(kind, *args)


class InputError(WhippletreeError, ValueError):
    """An argument has the wrong shape, type, value or name."""


class ModelError(WhippletreeError, ValueError):
    """A mechanism that cannot be: unknown or repeated names, impossible inertia, zero axis."""


class FileError(WhippletreeError):
    """A file that cannot be read or written as asked; names the file and, where known, the line."""

    def __init__(self, path: object, message: str, line: int | None = None) -> None:
        self.path: str = str(path)
        self.line = line
        self.message = message
        where = self.path if line is None else f"{self.path}, line {line}"
        super().__init__(f"{where}: {message}")


class SingularError(WhippletreeError, ArithmeticError):
    """A matrix that must be inverted has no inverse; names the joints at fault."""


class SolverError(WhippletreeError):
    """An iteration ended without a solution; says how far it came."""


class LimitsWarning(RuntimeWarning):
    """Loops close only where joints are beyond their limits."""


class OverconstrainedWarning(RuntimeWarning):
    """Loops hold a mechanism that would move if its lengths and angles were exact."""


class DryFrictionWarning(RuntimeWarning):
    """A linear model of joints that rest with dry friction, which is like no linear force; names one."""


class SimulationError(SolverError):
    """A simulation that could not continue; holds what it computed.

    Attributes:
        time: When it stopped, s.
        joint: Name of the joint at fault, or None.
        trajectory: What was computed until then, a `Trajectory`.
    """

    def __init__(self, message: str, time: float, joint: str | None, trajectory: object) -> None:
        self.time = time
        self.joint = joint
        self.trajectory = trajectory
        super().__init__(message)


class NotFiniteWarning(RuntimeWarning):
    """Trajectories that became NaN or infinite; says how many, the first of them, and when."""


class EnergyWarning(RuntimeWarning):
    """A simulation whose energy is not what went in and out; says by how much, and of how much."""


class HeldControlWarning(RuntimeWarning):
    """A control that was not asked for longer than it should have been; says when, and how long."""


class GradientWarning(RuntimeWarning):
    """A gradient of trajectories with jumps, whose moments it takes as fixed; says of what and when."""


class StepLengthWarning(RuntimeWarning):
    """Steps of fixed length, too long for what changes fastest; names joint or contact, and both lengths."""


class WorkerError(WhippletreeError, RuntimeError):
    """Work given to an executor that did not come back; says how much of it, and why."""


def tell(message: str, category: type[Warning]) -> None:
    """Warn, and name the line of the user that led here, however deep inside this is called."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)


def refuse_masked(value: Any, name: str) -> None:
    """InputError for an array with masked entries, which would count as if they were not masked."""
    if is_masked(value):
        raise InputError(f"{name} has masked entries: give numbers for them, as by filled(0.0)")


def is_masked(value: Any) -> bool:
    """Whether there is a masked entry."""
    if isinstance(value, list | tuple):
        return any(map(is_masked, value))
    if type(value) is np.ndarray or not isinstance(value, np.ndarray):
        return False  # without a look at `np.ma`, which NumPy loads when it is first named
    return bool(np.ma.is_masked(value))
