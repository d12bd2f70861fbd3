"""What an argument of a function of a mechanism holds, told by its name: one table for all functions."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from ..model.gear import tree_gears
from ..model.mechanism import Mechanism
from ..model.values import per_coordinate, per_velocity, position, vector
from ..spatial import Array

PACKAGE = __name__.partition(".")[0]
"""The name of the whole library."""


class Argument(NamedTuple):
    """An array whose shape follows from the mechanism.

    Attributes:
        shape: For a mechanism.
        meaning: Of that shape, in words, for a mechanism.
        is_position: Whether it is a position, whose quaternions must be of unit norm.
        is_real: Whether it is only searched from, so that complex numbers would lose their imaginary parts.
    """

    shape: Callable[[Mechanism], tuple[int, ...]]
    meaning: Callable[[Mechanism], str]
    is_position: bool = False
    is_real: bool = False

    def checked(self, m: Mechanism, value: Any, name: str) -> Array:
        """The value as a finite array of the shape, or InputError saying what was expected."""
        if self.is_position:
            found = position(m, value, name)
            if self.is_real and found.dtype.kind == "c":
                raise InputError(f"{name} has dtype {found.dtype}, expected real numbers: {self.meaning(m)}")
            return found
        return vector(value, self.shape(m), name, self.meaning(m))


_POSITION = Argument(lambda m: (m.nq,), per_coordinate, is_position=True)
_VELOCITY = Argument(lambda m: (m.nv,), per_velocity)
_BODY_VELOCITY = Argument(
    lambda m: (len(m), 6), lambda m: f"one spatial vector per body of {m.name!r} (nb = {len(m)})"
)

EVERYWHERE: Mapping[str, Argument] = {
    "q": _POSITION,
    "qd": _VELOCITY,
    "qdd": _VELOCITY,
    "tau": _VELOCITY,
    "f_ext": Argument(lambda m: (len(m), 6), lambda m: f"one wrench per body of {m.name!r} (nb = {len(m)})"),
}
"""Names that mean the same in every function, those of users included."""

_SPATIAL = Argument(lambda m: (6,), lambda m: "one spatial vector, its angular part first")
_PER_LINK = Argument(lambda m: (len(m), 3), lambda m: f"three entries per body of {m.name!r} (nb = {len(m)})")

OURS: Mapping[str, Argument] = EVERYWHERE | {
    "q_guess": _POSITION._replace(is_real=True),
    "x": _VELOCITY,
    "qdd_joints": Argument(
        lambda m: (m.nv - 6,), lambda m: f"one entry per velocity of {m.name!r} behind its base"
    ),
    "c": _BODY_VELOCITY,
    "cdot": _BODY_VELOCITY,
    "y": Argument(
        lambda m: (m.nq - len(tree_gears(m)),),
        lambda m: f"nq = {m.nq} of {m.name!r} less one for each of {len(tree_gears(m))} gears",
    ),
    "v_links": _PER_LINK,
    "w_links": _PER_LINK,
    "f_links": _PER_LINK,
    "tau_links": _PER_LINK,
    "coordinates": _PER_LINK,
    "poses": Argument(lambda m: (len(m), 7), lambda m: f"one pose per body of {m.name!r} (nb = {len(m)})"),
    "points": Argument(lambda m: (len(m), 3), lambda m: f"one point per body of {m.name!r} (nb = {len(m)})"),
    "v": _SPATIAL,
    "impulse": _SPATIAL,
    "body_torques": _PER_LINK,
    "joint_torques": _PER_LINK,
}
"""Names as the functions of this library use them; in a function of a user they may mean anything."""


POSITIVE = ("stabilization", "h")
"""Arguments of the functions of this library that are numbers above 0, or None."""

NOT_NEGATIVE = ("gap_tolerance", "rate_tolerance", "damping")
"""Arguments of the functions of this library that are numbers, 0 or more."""


def known_arguments(function: Callable[..., Any]) -> Mapping[str, Argument]:
    """The arguments that are known by name in a function of this library, or in one of a user."""
    return OURS if is_ours(function) else EVERYWHERE


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function stands in this library."""
    return (getattr(function, "__module__", None) or "").partition(".")[0] == PACKAGE
