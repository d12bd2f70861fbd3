"""When states of a run are recorded, if not after every step."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..spatial import Array
from .steppers import FixedSteps


class Times(Protocol):
    """When states are recorded."""

    def __call__(self, number: int) -> float:
        """The time, s, of the state with a number, from 1."""
        ...

    def following(self, t: float) -> int:
        """The number of the first state later than t, s, before the end."""
        ...


@dataclass(frozen=True)
class SomeSteps:
    """The ends of steps of fixed length, of so many one."""

    steps: FixedSteps
    every: int

    def __call__(self, number: int) -> float:
        return self.steps.time(number * self.every)

    def following(self, t: float) -> int:
        return -(-self.steps.number(t) // self.every)

    def among(self, t: float, count: int) -> Array:
        """(count,) which of so many steps from t on end so."""
        numbers = self.steps.number(t) + np.arange(count)
        return (numbers % self.every == 0) | (numbers >= self.steps.count)


@dataclass(frozen=True)
class Spaced:
    """Multiples of a time, s."""

    spacing: float

    def __call__(self, number: int) -> float:
        return number * self.spacing

    def following(self, t: float) -> int:
        number = int(t / self.spacing)
        while self(number) <= t:
            number += 1
        return number
