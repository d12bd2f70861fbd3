"""Closed loops against Pinocchio's constrained dynamics: points and frames held together."""

import importlib
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt

pin: Any = importlib.import_module("pinocchio")  # compiled, carries no types


def se3(placement):
    return pin.SE3(placement.rotation, placement.position)


def model_of(m):
    """The tree in Pinocchio: joints of one axis each, in the same order."""
    model = pin.Model()
    model.gravity.linear = np.array(m.gravity)
    for i, body in enumerate(m.bodies):
        kind = pin.JointModelRevoluteUnaligned if isinstance(body.joint, wt.Revolute) else None
        joint = (kind or pin.JointModelPrismaticUnaligned)(*body.joint.axis)
        number = model.addJoint(m.parents[i] + 1, joint, se3(body.placement), body.joint_name)
        inertia = pin.Inertia(body.inertia.m, body.inertia.com, body.inertia.about_com)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        model.armature[number - 1] = body.armature
    return model


def constraints_of(m, model):
    found = []
    for loop in m.loops:
        kind = pin.ContactType.CONTACT_6D if isinstance(loop.joint, wt.Fixed) else pin.ContactType.CONTACT_3D
        ends = m.body_number(loop.predecessor) + 1, m.body_number(loop.successor) + 1
        placements = se3(loop.placement_p), se3(loop.placement_s)
        found.append(
            pin.RigidConstraintModel(
                kind, model, ends[0], placements[0], ends[1], placements[1], pin.ReferenceFrame.LOCAL
            )
        )
    return found


def random_case(rng, joints, loops):
    """Axes without direction to mind, as Pinocchio has no reversed joints."""
    m = wt.Mechanism("random", gravity=rng.normal(size=3) * 5.0)
    for i in range(joints):
        kind = wt.Revolute if rng.uniform() < 0.7 else wt.Prismatic
        # Pinocchio wants the bodies of a branch to follow each other.
        parent = "ground" if i == 0 else closed.body_name(int(rng.choice(m.support(i - 1)[-2:])))
        axis = tuple(rng.normal(size=3))
        m.add_body(
            f"b{i}",
            kind(axis),
            parent,
            randoms.placement(rng),
            randoms.inertia(rng),
            armature=float(rng.uniform(0.0, 0.3)),
        )
    q = m.random(rng)
    for number, kind in enumerate(loops):
        p, s = (int(i) for i in rng.choice(joints + 1, 2, replace=False) - 1)
        placement_p = randoms.placement(rng)
        turn = wt.Placement(quaternion=rng.normal(size=4)) if kind == "spherical" else wt.Placement()
        placement_s = closed.pose(m, q, s).inverse() @ closed.pose(m, q, p) @ placement_p @ turn
        joint = wt.Spherical() if kind == "spherical" else wt.Fixed()
        m.add_loop(f"loop{number}", joint, closed.body_name(p), closed.body_name(s), placement_p, placement_s)
    return m, q


@pytest.mark.parametrize(
    "loops", [["spherical"], ["fixed"], ["spherical", "spherical"], ["fixed", "spherical"]]
)
@pytest.mark.parametrize("seed", range(4))
def test_accelerations_agree_with_constraint_dynamics(seed, loops):
    rng = np.random.default_rng([seed, len(loops[0]), len(loops)])
    m, q = random_case(rng, 14, loops)
    while np.linalg.matrix_rank(K := wt.constraint_jacobian(m, q), tol=1e-3) < len(K):
        m, q = random_case(rng, 14, loops)  # Pinocchio wants independent constraints
    qd, tau = closed.velocity(rng, m, q), rng.normal(size=m.nv)
    model = model_of(m)
    data = model.createData()
    constraints = constraints_of(m, model)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for constraint in constraints:
        models.append(constraint)
        datas.append(constraint.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 1)
    expected = pin.constraintDynamics(model, data, q, qd, tau, models, datas, settings)
    scale = 1.0 + np.abs(expected).max()
    for method in wt.methods(m):
        try:
            actual = wt.forward_dynamics(m, q, qd, tau, method)
        except wt.SingularError:
            assert method in ("rcr", "gcl")  # they refuse where the last coordinates are not a valid choice
        else:
            assert_allclose(actual, expected, atol=1e-8 * scale, err_msg=method)
