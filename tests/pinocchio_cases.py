"""The same robot, loaded by Whippletree and by Pinocchio, in the same state."""

import functools
import importlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import robots
import whippletree as wt

pin: Any = importlib.import_module("pinocchio")  # compiled, carries no types

CASES = [(name, free) for name in robots.LOADABLE for free in (False, True)]
"""Every robot that loads, on a fixed and on a free root."""

IDS = [f"{name.removesuffix('.urdf').split('/')[-1]}-{'free' if free else 'fixed'}" for name, free in CASES]

TOLERANCE = 1e-10


@dataclass(frozen=True)
class Case:
    """A robot in both libraries with one random state; `scale` is explained in `distance`."""

    name: str
    m: wt.Mechanism
    model: Any
    convention: wt.Convention
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray
    scale: np.ndarray

    # The state as Pinocchio writes it

    @property
    def pin_q(self) -> np.ndarray:
        return self.convention.to_position(self.q)

    @property
    def pin_qd(self) -> np.ndarray:
        return self.convention.to_velocity(self.q, self.qd)

    @property
    def pin_qdd(self) -> np.ndarray:
        return self.convention.to_acceleration(self.q, self.qd, self.qdd)

    @property
    def pin_tau(self) -> np.ndarray:
        return self.convention.to_force(self.q, self.tau)

    @property
    def pin_f_ext(self) -> Any:
        """One force for each joint, the universe first, in the joint's own frame."""
        forces = pin.StdVec_Force()
        forces.append(pin.Force.Zero())
        for joint in list(self.model.names)[1:]:
            wrench = self.f_ext[self.m.joint_number(joint)]
            forces.append(pin.Force(self.convention.to_spatial(wrench)))
        return forces

    def pin_inertia(self) -> np.ndarray:
        """H by Pinocchio, which fills the upper triangle only."""
        upper = np.triu(pin.crba(self.model, self.model.createData(), self.pin_q))
        return upper + np.triu(upper, 1).T


@functools.cache
def case(name: str, free: bool) -> Case:
    path = str(robots.HOME / name)
    m = wt.load(path, root=wt.Free() if free else None, keep_zero_limits=True)
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(path)
    return make(name, m, model)


def make(name: str, m: wt.Mechanism, model: Any) -> Case:
    rng = np.random.default_rng([m.nv, *name.encode()])
    qd, qdd, tau = rng.normal(size=(3, m.nv))
    made = Case(
        name,
        m,
        model,
        wt.Convention("pinocchio", m, list(model.names)[1:]),
        m.random(rng),
        qd,
        qdd,
        tau,
        rng.normal(size=(len(m), 6)),
        np.ones(m.nv),
    )
    inertia = made.pin_inertia().diagonal()
    return replace(made, scale=np.sqrt(np.where(inertia > 0, inertia, 1.0)))


def distance(value: np.ndarray, expected: np.ndarray) -> float:
    """The norm of the difference, relative to the norm of what is expected.

    Joint forces come divided by the square root of each joint's inertia, accelerations multiplied
    by it, the inertia matrix scaled to a unit diagonal: so a finger counts as much as a leg, which
    the plain norm would not see. A vector of zeros must be met exactly.
    """
    assert np.shape(value) == np.shape(expected)
    size = np.linalg.norm(expected)
    return float(np.linalg.norm(value - expected) / (size if size > 0 else np.finfo(float).tiny))
