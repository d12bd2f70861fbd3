"""What tests let another process do: in a module of its own, which that process can import."""

from typing import Any

import whippletree as wt


class OwnError(wt.InputError):
    """As a user derives one, with arguments that are no message."""

    def __init__(self, *, number: int, of: str) -> None:
        self.number, self.of = number, of
        super().__init__(f"{of} has {number}")


def raise_it(error: Exception) -> None:
    raise error


def results(m: wt.Mechanism, kernel: Any, convention: wt.Convention, run: wt.Trajectory) -> Any:
    """The mechanism, and numbers by everything else that came along with it."""
    q = run.q[-1]
    return m, kernel(q, run.qd[-1], run.tau[-1]), convention.to_position(q), run.energy
