"""Random mechanisms with every joint type, for tests: general values, no zeros or ones."""

from collections.abc import Callable

import numpy as np

import whippletree as wt

Rng = np.random.Generator


def direction(rng: Rng) -> tuple[float, float, float]:
    x, y, z = rng.normal(size=3)
    return (x, y, z)


def _rack_pinion(rng: Rng) -> wt.RackPinion:
    axis, other = rng.normal(size=(2, 3))
    return wt.RackPinion(radius=rng.uniform(0.1, 0.5), axis=tuple(axis), rack=tuple(np.cross(axis, other)))


JOINTS: dict[str, Callable[[Rng], wt.Joint]] = {
    "revolute": lambda rng: wt.Revolute(direction(rng)),
    "revolute-z": lambda rng: wt.Revolute("z"),
    "prismatic": lambda rng: wt.Prismatic(direction(rng)),
    "helical": lambda rng: wt.Helical(direction(rng), pitch=rng.uniform(0.1, 0.4)),
    "cylindrical": lambda rng: wt.Cylindrical(direction(rng)),
    "universal": lambda rng: wt.Universal(direction(rng), direction(rng)),
    "planar": lambda rng: wt.Planar(direction(rng)),
    "spherical": lambda rng: wt.Spherical(),
    "spherical-zyx": lambda rng: wt.SphericalEuler("zyx"),
    "spherical-zxz": lambda rng: wt.SphericalEuler("zxz"),
    "spherical-exponential": lambda rng: wt.SphericalExponential(),
    "translation": lambda rng: wt.Translation(),
    "free": lambda rng: wt.Free(),
    "fixed": lambda rng: wt.Fixed(),
    "rack-pinion": _rack_pinion,
    "rolling-disc": lambda rng: wt.RollingDisc(rng.uniform(0.3, 0.6), rim=rng.uniform(0.05, 0.2)),
}
"""Every joint type, by name, with general axes."""


def joint(rng: Rng, name: str) -> wt.Joint:
    """A joint of the named type, reversed in one case of three."""
    made = JOINTS[name](rng)
    return wt.Reversed(made) if rng.uniform() < 1 / 3 else made


def placement(rng: Rng) -> wt.Placement:
    return wt.Placement(rng.normal(size=3), quaternion=rng.normal(size=4))


def inertia(rng: Rng) -> wt.Inertia:
    """The inertia of a handful of point masses: always physical, in general position."""
    masses, points = rng.uniform(0.2, 1.0, 6), rng.normal(size=(6, 3)) * 0.4 + rng.normal(size=3) * 0.2
    com = masses @ points / masses.sum()
    about = sum(
        mass * ((p - com) @ (p - com) * np.eye(3) - np.outer(p - com, p - com))
        for mass, p in zip(masses, points, strict=True)
    )
    return wt.Inertia(masses.sum(), com, about)


def tree(rng: Rng, joints: list[str], branching: float = 0.5) -> wt.Mechanism:
    """A mechanism with these joints in a row or, in a share `branching` of the cases, on any body before."""
    m = wt.Mechanism("random", gravity=rng.normal(size=3) * 5.0)
    for i, name in enumerate(joints):
        parent = i - 1 if rng.uniform() > branching else int(rng.integers(-1, i)) if i else -1
        m.add_body(
            f"b{i}",
            joint(rng, name),
            parent="ground" if parent == -1 else f"b{parent}",
            placement=placement(rng),
            inertia=inertia(rng),
            armature=float(rng.uniform(0.0, 0.3)),
        )
    return m


def state(rng: Rng, m: wt.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """A position and a velocity."""
    return m.random(rng), rng.normal(size=m.nv)


def floating_tree(rng: Rng, joints: list[str], branching: float = 0.5) -> wt.Mechanism:
    """A free body that carries all others by these joints."""
    m = wt.Mechanism("floating", gravity=rng.normal(size=3) * 5.0)
    m.add_body("base", wt.Free(), placement=placement(rng), inertia=inertia(rng))
    for i, name in enumerate(joints):
        parent = i if rng.uniform() > branching else int(rng.integers(0, i + 1))
        m.add_body(
            f"b{i + 1}",
            joint(rng, name),
            parent="base" if parent == 0 else f"b{parent}",
            placement=placement(rng),
            inertia=inertia(rng),
            armature=float(rng.uniform(0.0, 0.3)),
        )
    return m


def geared_tree(rng: Rng, joints: list[str], branching: float = 0.5) -> wt.Mechanism:
    """A tree in which about half of the joints of one variable are driven by others, chains included."""
    m = tree(rng, joints, branching)
    single = [body.joint_name for body in m.bodies if body.joint.nv == 1]
    order = [str(name) for name in rng.permutation(single)]
    for k in range(1, len(order)):
        if rng.uniform() < 0.5:
            driver = order[int(rng.integers(0, k))]
            m.add_gear(f"g{k}", driver, order[k], ratio=rng.normal(), offset=rng.normal())
    return m


def geared_state(rng: Rng, m: wt.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """A position and a velocity that agree with the gears."""
    free = wt.Mechanism("free")
    driven = {gear.driven for gear in m.gears}
    for i, body in enumerate(m.bodies):
        if body.joint_name not in driven:
            free.add_body(f"b{i}", body.joint)
    G = wt.gear_matrix(m)
    return wt.gear_positions(m, free.random(rng)), G @ rng.normal(size=G.shape[1])
