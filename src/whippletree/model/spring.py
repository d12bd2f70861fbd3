"""Springs, and which joints can carry one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..spatial.scalar import real_numbers
from .fields import checked_name, set_numbers, set_vectors
from .wording import describe


@dataclass(frozen=True)
class Spring:
    """A spring and damper between two points, each fixed to a body or to the ground.

    It pulls the points together with stiffness · (d - length) + damping · dd/dt, d being their
    distance: N/m, N s/m and m. A length of 0 without damping pulls with stiffness · d in any position.
    """

    name: str
    body_a: str
    point_a: tuple[float, float, float]
    body_b: str
    point_b: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        title = f"spring {self.name!r}"
        set_vectors(self, title, {"point_a": "m", "point_b": "m"})
        set_numbers(self, title, ("stiffness", "damping", "length"), least=0.0)


def check_spring(m: Any, spring: Spring) -> None:
    """ModelError for a spring within one body."""
    for end in (spring.body_a, spring.body_b):
        checked_name(end, f"spring {spring.name!r}: body")
    if spring.body_a == spring.body_b:
        raise ModelError(
            f"spring {spring.name!r} has both ends on {spring.body_a!r}: it would move nothing, "
            "give two bodies, or a body and 'ground'"
        )


def joint_force_fault(body: Any) -> str | None:
    """What is wrong with the spring, the rest position or the stops of a joint, a body's or a loop's."""
    for label, value in (
        ("stiffness of the stops", body.limits.stiffness),
        ("dissipation of the stops", body.limits.dissipation),
    ):
        if not 0.0 <= value < np.inf:
            return f"{label} is {value}, must be 0 or more and finite"
    joint = describe(body.joint)
    if body.stiffness and not body.joint.carries_spring:
        return f"a {joint} joint carries no spring; put one between two points: add_spring"
    if body.limits.stiffness and not body.joint.has_rates:
        return f"a {joint} joint has no stops: its velocities are not the rates of its coordinates"
    if body.rest is None:
        return None
    try:
        rest = real_numbers(body.rest)
    except (TypeError, ValueError):
        rest = np.array(np.nan)
    if rest.shape != (body.joint.nq,) or not np.all(np.isfinite(rest)):
        wanted = "(a finite number,)" if body.joint.nq == 1 else f"{body.joint.nq} finite numbers"
        return f"rest is {body.rest!r}: give {wanted}, a position of the joint"
    return body.joint.position_fault(rest)
