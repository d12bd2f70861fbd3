"""What a reader finds wrong, odd or superfluous in a file, gathered to be reported at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from ..errors import FileError

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Problem:
    """One thing found in a file.

    severity is "error" (the file cannot be loaded), "warning" (it can, but says something that is
    wrong or cannot work) or "note" (it says something the model does not carry). line counts from
    1; None if the problem belongs to no line.

    >>> str(Problem(7, "link 'arm' has no name", "error"))
    "line 7: link 'arm' has no name"
    """

    line: int | None
    message: str
    severity: Severity

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class Findings:
    """The problems of one file, gathered while it is read."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        # Errors that often follow from others are reported after those, whatever their lines.
        self._consequences: list[Problem] = []
        # What comes many times: reported once for each kind, with its first line and how often.
        self._kinds: dict[tuple[str, str, Severity], list[int]] = {}

    def error(self, line: int | None, message: str) -> None:
        self._problems.append(Problem(line, message, "error"))

    def refuse(self, error: FileError) -> None:
        """What a part of the file was refused for."""
        self.error(error.line, error.message)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What is refused inside is one of the problems, and reading goes on behind it."""
        try:
            yield
        except FileError as error:
            self.refuse(error)

    def consequence(self, line: int | None, message: str) -> None:
        """An error that need not be the fault itself: one before it may have caused it."""
        self._consequences.append(Problem(line, message, "error"))

    def warning(self, line: int | None, message: str) -> None:
        self._problems.append(Problem(line, message, "warning"))

    def not_carried(self, line: int, what: str, why: str) -> None:
        """Something of the kind `what` stands in the file and is left out of the model."""
        self._kinds.setdefault((what, why, "note"), []).append(line)

    def often(self, line: int, what: str, why: str) -> None:
        """A warning of something that comes many times in a file: told once, with its first line."""
        self._kinds.setdefault((what, why, "warning"), []).append(line)

    def first_error(self) -> Problem | None:
        """The error to begin with: the first in the file that is no consequence, if there is one."""
        errors = _by_line([problem for problem in self._problems if problem.severity == "error"])
        return next(iter(errors + _by_line(self._consequences)), None)

    def problems(self) -> list[Problem]:
        """All of them in the order of their lines, those without a line first."""
        notes = [
            Problem(min(lines), f"{what}{_often(len(lines))}: {why}", severity)
            for (what, why, severity), lines in self._kinds.items()
        ]
        return _by_line(self._problems + self._consequences + notes)


def _by_line(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line or 0)


def _often(count: int) -> str:
    return "" if count == 1 else f" ({count} times, the first here)"
