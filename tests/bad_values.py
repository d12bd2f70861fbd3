"""Values that no argument means, and what a call with one of them comes to."""

import signal
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from linecache import getline
from pathlib import Path
from typing import Any

import numpy as np

import whippletree as wt

SOURCE = str(Path(wt.__file__).parent)
SECONDS = 20.0
"""s: a call with a bad value that takes longer hangs; on a quiet machine it takes milliseconds."""


class Thing:
    """Something that is nothing a function could want."""

    def __repr__(self) -> str:
        return "<thing>"


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "thing": Thing,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "17 numbers": lambda: np.full(17, 0.1),
    "complex": lambda: 0.1j,
    "masked": lambda: np.ma.masked_array([0.1, 0.2, 0.3], [True, False, False]),
    "text": lambda: "no such thing",
    "dictionary": lambda: {"a": 1},
    "{}": dict,
    "[]": list,
    "-1": lambda: -1.0,
    "1e9": lambda: 1e9,
    "True": lambda: True,
    "matrix": lambda: np.full((2, 2), 0.1),
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "bytes": lambda: b"\xff\x00",
    "function": lambda: lambda: 0,
    "class": lambda: int,
    "10**400": lambda: 10**400,
}


def spoilt(good: Any) -> Mapping[str, Any]:
    """Values that are nearly the good one: numbers, names or a dictionary with one thing wrong."""
    found: dict[str, Any] = {}
    if isinstance(good, list | tuple) and good and isinstance(good[0], str):
        found = {"and 3": [*good, 3], "and None": [*good, None], "and []": [*good, []], "bare": good[0]}
        return found | {"twice": [*good, good[0]]}
    if isinstance(good, dict) and good:
        key = next(iter(good))
        values = (
            "None",
            "thing",
            "nan",
            "17 numbers",
            "complex",
            "text",
            "{}",
            "[]",
            "matrix",
            "ragged",
            "masked",
        )
        found = {f"value {value}": {**good, key: BAD[value]()} for value in values}
        return found | {"key 3": {3: good[key]}, "other key": {**good, "no such": good[key]}}
    try:
        numbers = np.array(good) if isinstance(good, list | tuple | np.ndarray) else np.zeros(0)
    except ValueError:  # a list of other things
        return found
    if numbers.dtype.kind not in "fi" or not numbers.size:
        return found
    numbers = numbers.astype(float)
    for name, value in (("with nan", np.nan), ("with inf", np.inf)):
        found[name] = numbers.copy()
        found[name].flat[-1] = value
    found["as complex"] = numbers + 0.1j
    found["as masked"] = np.ma.masked_array(numbers, np.arange(numbers.size).reshape(numbers.shape) == 0)
    found["as texts"] = numbers.astype(str)
    found["as batch"] = np.stack([numbers, numbers])
    found["shorter"] = numbers[:-1]
    found["with None"] = [*numbers[:-1].tolist(), None]
    found["with thing"] = [*numbers[:-1].tolist(), Thing()]
    found["as dictionary"] = dict(enumerate(numbers))
    return found


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _is_ours(error: BaseException) -> bool:
    """Whether a TypeError or ValueError was raised by this library: its last line there is a `raise`."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None or not place.tb_frame.f_code.co_filename.startswith(SOURCE):
        return False
    lines = (getline(place.tb_frame.f_code.co_filename, place.tb_lineno - back) for back in range(8))
    return any(line.strip().startswith("raise ") for line in lines)


def outcome(call: Callable[[], Any]) -> str:
    """ "refused" in words of ours, "accepted", "nan" for a result that holds one, or what went wrong."""
    try:
        with _alarm(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "nan" if _holds_nan(call()) else "accepted"
    except TimeoutError:
        return "hangs"
    except wt.WhippletreeError as error:
        return "refused" if str(error).strip() else "refused without a word"
    except Exception as error:
        told = f"{type(error).__name__}: {str(error)[:100]}"
        return "refused" if isinstance(error, TypeError | ValueError) and _is_ours(error) else told


def _holds_nan(found: Any) -> bool:
    if isinstance(found, np.ndarray):
        return found.dtype.kind in "fc" and bool(np.isnan(found).any())
    if isinstance(found, dict):
        return any(map(_holds_nan, found.values()))
    if isinstance(found, list | tuple):
        return any(map(_holds_nan, found))
    return isinstance(found, float | complex) and found != found
