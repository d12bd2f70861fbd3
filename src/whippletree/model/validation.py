"""Everything that is wrong with a finished mechanism, in words."""

from collections.abc import Iterator

from .mechanism import Mechanism
from .physical import inertia_fault
from .singular import general_position, joints_without_inertia, without_inertia_message
from .values import expect


def problems(m: Mechanism) -> list[str]:
    """Every problem of a mechanism, each naming its body or joint; empty if there is none.

    `Mechanism.add_body` refuses most of them at once; a mechanism read from a file may have them:
    inertias no body can have, limits upside down, names with stray blanks, and joints that move no
    inertia, for which forward dynamics has no solution. The last kind is looked for at a general
    position, so that a joint is found whenever it is without inertia nearly everywhere; joints in
    loops and gears are left out, as others may hold them.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("arm")
    >>> m.add_body("link", wt.Revolute("z"), inertia=wt.Inertia(mass=1.0))
    >>> [problem.partition(":")[0] for problem in wt.problems(m)]
    ["joint 'link' of 'arm' moves no inertia"]
    """
    expect("problems", "m", m, Mechanism, "a Mechanism")
    return [*_names(m), *_inertias(m), *_limits(m), *_joints_without_inertia(m)]


def _names(m: Mechanism) -> Iterator[str]:
    for kind, names in (
        ("mechanism", [m.name]),
        ("body", [body.name for body in m.bodies]),
        ("joint", m.joint_names),
        ("frame", [frame.name for frame in m.frames]),
        ("gear", [gear.name for gear in m.gears]),
        ("spring", [spring.name for spring in m.springs]),
        ("force", [force.name for force in m.forces]),
        ("loop", [loop.name for loop in m.loops]),
    ):
        for name in names:
            if name != name.strip() or not name.isprintable():
                yield f"{kind} {name!r} has blanks at an end of its name, or signs that cannot be printed"


def _inertias(m: Mechanism) -> Iterator[str]:
    for body in m.bodies:
        fault = inertia_fault(body.inertia)
        if fault is not None:
            yield f"body {body.name!r} of {m.name!r}: {fault}"


def _limits(m: Mechanism) -> Iterator[str]:
    for body in m.bodies:
        fault = body.limits.fault()
        if fault is not None:
            yield f"joint {body.joint_name!r} of {m.name!r}: {fault}"


def _joints_without_inertia(m: Mechanism) -> Iterator[str]:
    q = general_position(m)
    coupled = _coupled(m)
    for i in sorted(joints_without_inertia(m, q)):
        if i not in coupled:
            yield without_inertia_message(m, i)


def _coupled(m: Mechanism) -> set[int]:
    """Joints in loops and gears: others may hold them or carry inertia for them."""
    found = {m.joint_number(joint) for gear in m.gears for joint in (gear.driver, gear.driven)}
    for loop in m.loops:
        p, s = (set(m.support(m.body_number(body))) for body in (loop.predecessor, loop.successor))
        found |= p ^ s
    return found
