"""What a method asks of a mechanism: each function says in words what is missing, or None."""

from collections.abc import Callable

import numpy as np

from ..spatial import known
from .mechanism import Mechanism
from .singular import can_be_inverted, fault_without_inertia

Requirement = Callable[[Mechanism], str | None]


def without_gears(m: Mechanism) -> str | None:
    """No gears, as most methods do not look at them."""
    if m.gears:
        names = ", ".join(repr(gear.name) for gear in m.gears[:4])
        more = f", … ({len(m.gears)} in all)" if len(m.gears) > 4 else ""
        return f"{m.name!r} has gears, {names}{more}, and they would not be respected"
    return None


def without_loops(m: Mechanism) -> str | None:
    """No loops, as the methods for trees do not look at them."""
    if m.loops:
        names = ", ".join(repr(loop.name) for loop in m.loops[:4])
        more = f", … ({len(m.loops)} in all)" if len(m.loops) > 4 else ""
        return f"{m.name!r} has loops, {names}{more}, and they would not be kept closed"
    return None


def with_constraints(m: Mechanism) -> str | None:
    """At least one loop or gear."""
    return None if m.loops or m.gears else f"{m.name!r} has neither loops nor gears"


def with_gears(m: Mechanism) -> str | None:
    """At least one gear."""
    return None if m.gears else f"{m.name!r} has no gears"


def invertible_inertias(m: Mechanism) -> str | None:
    """Every single body has an inertia that can be inverted: no point masses, thin rods, massless links."""
    for body in m.bodies:
        inertia = body.inertia
        if np.array([inertia.m, *inertia.h, *inertia.I]).dtype.kind != "f":
            continue  # symbolic parameters have no value yet
        if not can_be_inverted(inertia):
            a, b, c = np.linalg.eigvalsh(inertia.about_com)
            return (
                f"body {body.name!r} of {m.name!r} has mass {inertia.m:g} kg and principal moments "
                f"({a:.4g}, {b:.4g}, {c:.4g}) kg m², an inertia that cannot be inverted: all must be positive"
            )
    return None


def floating_base(m: Mechanism) -> str | None:
    """Body 0 moves freely and carries all others."""
    if not m.bodies:
        return f"{m.name!r} has no bodies: a floating base needs one, carried by Free()"
    base = m.bodies[0]
    if not base.joint.moves_freely:
        return f"the first body of {m.name!r}, {base.name!r}, is carried by {base.joint!r}, expected Free()"
    roots = [body.name for body, parent in zip(m.bodies, m.parents, strict=True) if parent == -1]
    if len(roots) > 1:
        return (
            f"{m.name!r} has {len(roots)} bodies on the ground ({', '.join(roots[:4])}), expected 1, the base"
        )
    if base.armature != 0:
        name = base.joint_name
        return f"joint {name!r} of {m.name!r} has an armature of {base.armature:g}, expected 0 for a base"
    return None


def moving_inertias(m: Mechanism) -> str | None:
    """Every joint of the tree moves some inertia, loops left out: H can be inverted."""
    fault = fault_without_inertia(m)
    return fault and f"{fault}. Methods that do not invert the inertia matrix know the answer"


def velocities_are_rates(m: Mechanism) -> str | None:
    """Every joint's velocities are the rates of its coordinates, qd = dq/dt: no quaternions."""
    for body in m.bodies:
        if not body.joint.has_rates:
            return (
                f"joint {body.joint_name!r} of {m.name!r}, {body.joint!r}, has velocities that are not the "
                f"rates of its coordinates (nq = {body.joint.nq}, nv = {body.joint.nv}): take a joint with "
                "qd = dq/dt, as SphericalEuler or SphericalExponential, or several in a row"
            )
    return None


def centers_of_mass(m: Mechanism) -> str | None:
    """Every body has a centre of mass, unless it has nothing at all: no first moment without a mass."""
    for body in m.bodies:
        if known(body.inertia.m) == 0.0 and any(known(h) != 0.0 for h in body.inertia.h):
            moment = ", ".join(f"{h:.4g}" for h in body.inertia.h)
            return (
                f"body {body.name!r} of {m.name!r} has a first moment of ({moment}) kg m and a mass of 0 kg, "
                "and so no centre of mass: give the inertias that the bodies have of themselves"
            )
    return None
