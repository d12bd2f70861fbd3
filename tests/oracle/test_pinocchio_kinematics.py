"""Kinematics, energy and momentum of real robots on fixed and free roots. Source of truth: Pinocchio."""

from typing import Any

import numpy as np
import pytest

import whippletree as wt
from pinocchio_cases import CASES, IDS, TOLERANCE, Case, case, distance, pin
from whippletree.dynamics.jacobian import Reference

every_robot = pytest.mark.parametrize(("name", "free"), CASES, ids=IDS)

REFERENCES: dict[Reference, Any] = {"body": pin.LOCAL, "world": pin.WORLD, "aligned": pin.LOCAL_WORLD_ALIGNED}

RENAMED = {"ground_link": "ground"}
"""Links that have another name here than in their file."""


def frame_number(c: Case, link: str) -> int:
    """Pinocchio's frame of a link, which may have the same name as that of a joint."""
    return c.model.getFrameId(RENAMED.get(link, link), pin.FrameType.BODY)


def some_links(c: Case) -> list[str]:
    """The last link that moves and two that are merged into others, if there are so many."""
    rng = np.random.default_rng(len(c.m.frames))
    frames = [frame.name for frame in c.m.frames]
    merged = list(rng.choice(frames, size=min(2, len(frames)), replace=False))
    return [body.name for body in c.m.bodies[-1:]] + [str(name) for name in merged]


@every_robot
def test_every_link_is_where_it_should_be(name, free):
    c = case(name, free)
    data = c.model.createData()
    pin.framesForwardKinematics(c.model, data, c.pin_q)
    links = [body.name for body in c.m.bodies] + [frame.name for frame in c.m.frames]
    assert len(links) == sum(frame.type == pin.FrameType.BODY for frame in c.model.frames)
    poses = wt.forward_kinematics(c.m, c.q)
    for link in links:
        place = c.m.frame(link)
        body = c.m.body_number(place.body)
        pose = np.eye(4) if body == -1 else poses[body]
        placed = pose @ place.placement.transform().homogeneous()
        assert distance(placed, data.oMf[frame_number(c, link)].homogeneous) < TOLERANCE


@every_robot
def test_jacobians_and_their_rates(name, free):
    c = case(name, free)
    if not c.m.nv:  # Pinocchio stops the process
        assert wt.jacobian(c.m, c.q, c.m.frames[0].name).shape == (6, 0)
        return
    data = c.model.createData()
    T = c.convention.velocity_matrix(c.q)
    pin.computeJointJacobiansTimeVariation(c.model, data, c.pin_q, c.pin_qd)
    pin.updateFramePlacements(c.model, data)
    for link in some_links(c):
        number = frame_number(c, link)
        for reference, frame in REFERENCES.items():
            J = c.convention.to_spatial(wt.jacobian(c.m, c.q, link, reference)) @ T.T
            assert distance(J, pin.getFrameJacobian(c.model, data, number, frame)) < TOLERANCE
            Jd = c.convention.to_spatial(wt.jacobian_rate(c.m, c.q, c.qd, link, reference)) @ T.T
            expected = pin.getFrameJacobianTimeVariation(c.model, data, number, frame)
            # A rate may vanish, for a link on the first joint say: measure it with J and qd.
            size = np.linalg.norm(J) * np.linalg.norm(c.qd) + np.finfo(float).tiny
            assert np.linalg.norm(Jd - expected) < TOLERANCE * size


@every_robot
def test_center_of_mass(name, free):
    c = case(name, free)
    if not c.m.bodies:
        with pytest.raises(wt.SingularError, match="no mass"):
            wt.center_of_mass(c.m, c.q)
        return
    data = c.model.createData()
    assert distance(wt.center_of_mass(c.m, c.q), pin.centerOfMass(c.model, data, c.pin_q)) < TOLERANCE


@every_robot
def test_energies(name, free):
    c = case(name, free)
    data = c.model.createData()
    kinetic, potential = wt.energy(c.m, c.q, c.qd)
    expected = pin.computeKineticEnergy(c.model, data, c.pin_q, c.pin_qd)
    assert kinetic == pytest.approx(expected, rel=TOLERANCE, abs=0.0)
    expected = pin.computePotentialEnergy(c.model, data, c.pin_q)
    assert potential == pytest.approx(expected, rel=TOLERANCE, abs=0.0)


@every_robot
def test_momentum_and_centroidal_matrix(name, free):
    c = case(name, free)
    data = c.model.createData()
    if not c.m.bodies:
        assert np.array_equal(wt.momentum(c.m, c.q, c.qd), np.zeros(6))
        return
    expected = pin.computeCentroidalMomentum(c.model, data, c.pin_q, c.pin_qd)
    # Pinocchio tells the momentum about the centre of mass.
    h, center = wt.momentum(c.m, c.q, c.qd), wt.center_of_mass(c.m, c.q)
    about_center = np.concatenate([h[:3] - np.cross(center, h[3:]), h[3:]])
    assert distance(c.convention.to_spatial(about_center), expected.vector) < TOLERANCE

    A = c.convention.to_spatial(wt.centroidal_momentum_matrix(c.m, c.q))
    T = c.convention.velocity_matrix(c.q)
    assert distance(A @ T.T, pin.computeCentroidalMap(c.model, data, c.pin_q)) < TOLERANCE
