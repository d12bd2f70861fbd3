"""A machine whose joints have all that joints have, and its states, whichever of them is cut."""

import numpy as np

import whippletree as wt

LENGTHS = {"crank": 0.2, "coupler": 0.6, "rocker": 0.5}
JOINTS = ("a", "b", "c", "d")


def four_bar(rng, **parts):
    """A planar four-bar as a graph, whose joints all have spring, damper, friction and stops."""
    g = wt.Graph("four-bar")
    for name, length in LENGTHS.items():
        rod = wt.Inertia(rng.uniform(1, 3), (0.4 * length, 0.0, 0.02), about_com=rng.uniform(0.04, 0.06, 3))
        g.add_body(name, rod)

    def at(x):
        return wt.Placement((x, 0.0, 0.0))

    own = {"damping": 0.3, "friction": 0.2, "stiffness": 4.0, "actuated": False}
    own["limits"] = wt.Limits(-0.4, 0.3, stiffness=30.0, dissipation=0.2)
    ends = {
        "a": ("ground", "crank", at(0.0), at(0.0)),
        "b": ("crank", "coupler", at(0.2), at(0.0)),
        "c": ("coupler", "rocker", at(0.6), at(0.5)),
        "d": ("ground", "rocker", at(0.7), at(0.0)),
    }
    for number, (name, joined) in enumerate(ends.items()):
        given = own | {"rest": (0.1 * number + 0.05,)} | parts
        g.add_joint(name, wt.Revolute("y"), *joined, **given)
    return g


def unbounded(m):
    """The mechanism without limits, so that it is assembled where stops push back."""
    free = m.copy()
    for name in (*m.joint_names, *m.names("loop")):
        free.change(name, limits=wt.Limits())
    return free


def closed_state(m):
    q = wt.assemble(unbounded(m), np.array([0.4 if name == "a" else 0.0 for name in m.joint_names]))
    qd = np.zeros(m.nv)
    qd[0] = 1.7
    return q, wt.project_velocity(m, q, qd)


def by_joint(m, q, qd):
    """Position and velocity of every joint by name, cut or not, rotors as the joints they are."""
    x = {name: (q[m.q_index[i]], qd[m.v_index[i]]) for i, name in enumerate(m.joint_names)}
    for loop in m.loops:
        place = wt.loop_joint_position(m, q, loop.name), wt.loop_joint_velocity(m, q, qd, loop.name)
        x[loop.name] = place
    return x


def same_state(m, x):
    """The state of a mechanism with another cut in which every joint is where it was."""
    q, qd = (np.concatenate([x[name][k] for name in m.joint_names]) for k in (0, 1))
    return q, qd
