"""A bar on the terminal for work that takes longer than a second."""

import sys
import threading
from types import TracebackType
from typing import Any

from ..model.values import flag

PATIENCE = 1.0
"""s without a sign of life."""


class Progress:
    """Shows how far some work is, and how long it will still take, once it has lasted for a second.

    Args:
        total: Length of the work, in any unit.
        wanted: Whether to show anything; never where standard error is no terminal, or is missing, as in
            programs without a console.
        what: Shown before the bar.
    """

    def __init__(self, total: float, wanted: bool, what: str = "") -> None:
        self._total, self._what, self._done = total, what, 0.0
        flag(wanted, "progress")
        self._wanted = wanted and sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None
        self._ended = False
        self._lock = threading.Lock()
        # By a clock of its own: the work may be busy compiling, and not tell how far it is for a while.
        self._clock = threading.Timer(PATIENCE, self._show) if self._wanted else None

    def at(self, done: float) -> None:
        """Tell how far the work is."""
        self._done = done
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        with self._lock:
            if self._ended:
                return
            text = [TextColumn("{task.description}")] if self._what else []
            columns = (*text, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = bar.add_task(self._what, total=self._total)
            bar.update(self._task, completed=self._done)
            bar.start()
            self._bar = bar

    def __enter__(self) -> "Progress":
        if self._clock is not None:
            self._clock.daemon = True
            self._clock.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._clock is None:
            return
        self._clock.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()
