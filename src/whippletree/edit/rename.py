"""Give a mechanism and its parts other names."""

from collections.abc import Mapping
from dataclasses import replace

from ..errors import ModelError
from ..model.mechanism import Mechanism
from ..model.values import expect
from .pieces import assemble


def rename(
    m: Mechanism,
    *,
    name: str | None = None,
    bodies: Mapping[str, str] | None = None,
    joints: Mapping[str, str] | None = None,
    frames: Mapping[str, str] | None = None,
    gears: Mapping[str, str] | None = None,
    springs: Mapping[str, str] | None = None,
    forces: Mapping[str, str] | None = None,
    loops: Mapping[str, str] | None = None,
) -> Mechanism:
    """The mechanism under other names, each given as {old: new}; all are changed at once.

    A body and its joint have names of their own, even where these are equal.

    Raises:
        ModelError: An old name that is not there, or a new one that is taken.

    >>> import whippletree as wt
    >>> m = wt.rename(wt.examples.load("pendulum"), name="clock", bodies={"rod": "bob"})
    >>> m.name, m.bodies[0].name, m.bodies[0].joint_name
    ('clock', 'bob', 'rod')
    """
    expect("rename", "m", m, Mechanism, "a Mechanism")
    bodies, joints, frames, gears, springs, forces, loops = (
        names or {} for names in (bodies, joints, frames, gears, springs, forces, loops)
    )
    for kind, given, known in (
        ("body", bodies, [body.name for body in m.bodies]),
        ("joint", joints, m.joint_names),
        ("frame", frames, [frame.name for frame in m.frames]),
        ("gear", gears, [gear.name for gear in m.gears]),
        ("spring", springs, [spring.name for spring in m.springs]),
        ("force", forces, [force.name for force in m.forces]),
        ("loop", loops, [loop.name for loop in m.loops]),
    ):
        for old in given:
            if old not in known:
                raise ModelError(
                    f"{m.name!r} has no {kind} named {old!r}; known: {', '.join(known) or 'none'}"
                )
    new_bodies = [
        replace(
            body,
            name=bodies.get(body.name, body.name),
            parent=bodies.get(body.parent, body.parent),
            joint_name=joints.get(body.joint_name, body.joint_name),
        )
        for body in m.bodies
    ]
    new_frames = [
        replace(frame, name=frames.get(frame.name, frame.name), body=bodies.get(frame.body, frame.body))
        for frame in m.frames
    ]
    new_gears = [
        replace(
            gear,
            name=gears.get(gear.name, gear.name),
            driver=joints.get(gear.driver, gear.driver),
            driven=joints.get(gear.driven, gear.driven),
        )
        for gear in m.gears
    ]
    new_springs = [
        replace(
            spring,
            name=springs.get(spring.name, spring.name),
            body_a=bodies.get(spring.body_a, spring.body_a),
            body_b=bodies.get(spring.body_b, spring.body_b),
        )
        for spring in m.springs
    ]
    new_loops = [
        replace(
            loop,
            name=loops.get(loop.name, loop.name),
            predecessor=bodies.get(loop.predecessor, loop.predecessor),
            successor=bodies.get(loop.successor, loop.successor),
        )
        for loop in m.loops
    ]
    places = {**bodies, **frames}  # no frame has the name of a body
    new_forces = [
        replace(force, name=forces.get(force.name, force.name), frame=places.get(force.frame, force.frame))
        for force in m.forces
    ]
    return assemble(m, new_bodies, new_frames, new_gears, new_springs, new_loops, name, new_forces)
