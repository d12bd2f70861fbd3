"""Dynamics of real robots on fixed and free roots. Source of truth: Pinocchio."""

import dataclasses

import numpy as np
import pytest

import robots
import whippletree as wt
from pinocchio_cases import CASES, IDS, TOLERANCE, Case, case, distance, make, pin

every_robot = pytest.mark.parametrize(("name", "free"), CASES, ids=IDS)


@pytest.mark.parametrize("name", robots.REFUSED)
@pytest.mark.parametrize("root", [None, wt.Free()])
def test_a_file_at_fault_is_refused_with_the_reason(name, root):
    line, message = robots.REFUSED[name]
    with pytest.raises(wt.FileError) as caught:
        wt.load(robots.HOME / name, root=root)
    assert caught.value.path == str(robots.HOME / name)
    assert caught.value.line == line
    assert message in str(caught.value)


def test_there_are_as_many_robots_as_expected():
    assert len(robots.NAMES) >= 69
    assert set(robots.REFUSED) <= set(robots.NAMES)


@every_robot
def test_rnea_with_external_forces(name, free):
    c = case(name, free)
    expected = pin.rnea(c.model, c.model.createData(), c.pin_q, c.pin_qd, c.pin_qdd, c.pin_f_ext)
    tau = c.convention.to_force(c.q, wt.rnea(c.m, c.q, c.qd, c.qdd, c.f_ext))
    assert distance(tau / c.scale, expected / c.scale) < TOLERANCE


@every_robot
def test_bias_force(name, free):
    c = case(name, free)
    expected = pin.nonLinearEffects(c.model, c.model.createData(), c.pin_q, c.pin_qd)
    bias = c.convention.to_force(c.q, wt.bias_force(c.m, c.q, c.qd))
    assert distance(bias / c.scale, expected / c.scale) < TOLERANCE


@every_robot
def test_crba(name, free):
    c = case(name, free)
    T, scale = c.convention.velocity_matrix(c.q), np.outer(c.scale, c.scale)
    assert distance(T @ wt.crba(c.m, c.q) @ T.T / scale, c.pin_inertia() / scale) < TOLERANCE


@every_robot
def test_aba_with_external_forces(name, free):
    c = case(name, free)
    if name in robots.WITHOUT_INERTIA:
        assert np.linalg.eigvalsh(c.pin_inertia())[0] < 1e-12  # no acceleration can be told
        joint = robots.WITHOUT_INERTIA[name]
        with pytest.raises(wt.SingularError, match=f"joint '{joint}' .* moves no inertia"):
            wt.aba(c.m, c.q, c.qd, c.tau, c.f_ext)
    elif name in robots.ILL_CONDITIONED:
        # What rounding of H alone can do to the result. In 40 digits one sees that Pinocchio is off
        # by 4e-10 and Whippletree by 1e-11; with armature, below, both are right to 1e-10.
        condition = np.linalg.cond(c.pin_inertia() / np.outer(c.scale, c.scale))
        check_aba(c, c.m.nv * np.finfo(float).eps * condition)
    else:
        check_aba(c)


@every_robot
def test_aba_with_armature(name, free):
    c = case(name, free)
    armature = np.random.default_rng(0).uniform(0.05, 0.2, size=len(c.m))
    m = wt.Mechanism(c.m.name)
    for body, inertia in zip(c.m.bodies, armature, strict=True):
        m.append(dataclasses.replace(body, armature=float(inertia)))
    model = c.model.copy()
    joints = list(model.names)[1:]
    repeated = [np.full(nv, armature[m.joint_number(j)]) for j, nv in zip(joints, model.nvs[1:], strict=True)]
    model.armature = np.concatenate([np.zeros(0), *repeated])
    check_aba(make(name, m, model))


def check_aba(c: Case, tolerance: float = TOLERANCE) -> None:
    expected = pin.aba(c.model, c.model.createData(), c.pin_q, c.pin_qd, c.pin_tau, c.pin_f_ext)
    qdd = c.convention.to_acceleration(c.q, c.qd, wt.aba(c.m, c.q, c.qd, c.tau, c.f_ext))
    assert distance(qdd * c.scale, expected * c.scale) < tolerance


@every_robot
def test_limits_and_joint_friction(name, free):
    c = case(name, free)
    model = c.model
    for j, joint in enumerate(model.names):
        if j == 0 or joint == "root_joint":
            continue
        body = c.m.bodies[c.m.joint_number(joint)]
        v, q = model.idx_vs[j], model.idx_qs[j]
        assert body.limits.effort == model.upperEffortLimit[v]
        assert body.limits.velocity == model.upperVelocityLimit[v]
        assert (body.damping, body.friction) == (model.damping[v], model.upperDryFrictionLimit[v])
        if model.nqs[j] == 1:
            lower, upper = model.lowerPositionLimit[q], model.upperPositionLimit[q]
            assert (body.limits.lower, body.limits.upper) == (lower, upper)
        else:
            assert (body.limits.lower, body.limits.upper) == (-np.inf, np.inf)


def test_planar_root():
    name = "tiago_description/robots/tiago_no_hand.urdf"
    path = str(robots.HOME / name)
    m = wt.load(path, root=wt.Planar("z"), keep_zero_limits=True)
    c = make(name, m, pin.buildModelFromUrdf(path, pin.JointModelPlanar()))
    expected = pin.rnea(c.model, c.model.createData(), c.pin_q, c.pin_qd, c.pin_qdd, c.pin_f_ext)
    tau = c.convention.to_force(c.q, wt.rnea(c.m, c.q, c.qd, c.qdd, c.f_ext))
    assert distance(tau / c.scale, expected / c.scale) < TOLERANCE
    check_aba(c)
