"""A bar on the terminal for runs that take longer than a second."""

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0
"""s without a sign of life."""


class Progress:
    """Shows how far a run of a given length is, once it has lasted for a second.

    Args:
        total: Length of the run, in any unit.
        wanted: Whether to show anything; never where standard error is no terminal.
        what: Shown before the bar.
    """

    def __init__(self, total: float, wanted: bool, what: str = "") -> None:
        self._total, self._what = total, what
        self._wanted = wanted and sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def at(self, done: float) -> None:
        """Tell how far the run is."""
        if not self._wanted or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 0.1
        if self._bar is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )

            text = [TextColumn("{task.description}")] if self._what else []
            columns = (*text, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=self._total)
        self._bar.update(self._task, completed=done)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
