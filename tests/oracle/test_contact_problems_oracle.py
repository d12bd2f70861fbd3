"""Contact forces against enumeration of all cases, and friction forces against Pinocchio's ADMM solver."""

import importlib
from itertools import product
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.contact.problems.natural_map import natural_residual
from whippletree.spatial import Array

pin: Any = importlib.import_module("pinocchio")  # it has no type information


def enumerated(M: Array, d: Array) -> Array | None:
    """Accelerations of the first of the 2ⁿ choices of contacts that carry that solves the problem."""
    for carries in product((False, True), repeat=len(d)):
        on = np.flatnonzero(carries)
        force = np.zeros(len(d))
        force[on] = np.linalg.lstsq(M[np.ix_(on, on)], -d[on], rcond=1e-10)[0]
        acceleration = M @ force + d
        if np.all(force >= -1e-9) and np.all(acceleration >= -1e-9) and abs(force @ acceleration) < 1e-9:
            return acceleration
    return None


def test_normal_forces_against_enumeration() -> None:
    rng = np.random.default_rng(2)
    solvable = 0
    for _ in range(60):
        R, d = rng.normal(size=(int(rng.integers(1, 5)), 5)), rng.normal(size=5)
        expected, found = enumerated(R.T @ R, d), wt.contact.gauss_form(R, d)
        assert (expected is None) == isinstance(found, wt.contact.Unsolvable)
        if isinstance(found, wt.contact.ContactForces) and expected is not None:
            np.testing.assert_allclose(found.acceleration, expected, atol=1e-8)
            solvable += 1
    assert 15 < solvable < 55


def admm(M: Array, d: Array, friction: Array) -> Array:
    """The same problem by Pinocchio, whose cones have the normal last."""
    nc = len(d)
    order = np.array([3 * i + k for i in range(nc) for k in (1, 2, 0)])
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in friction:
        point: Any = pin.PointContactConstraintModel(model, 1, pin.SE3.Identity(), 0, pin.SE3.Identity())
        point.setFriction(mu)
        models.append(pin.ConstraintModel(point))
        datas.append(models[-1].createData())
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = 1e-12
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.max_iterations = 5000
    matrix = M.reshape(3 * nc, 3 * nc)[np.ix_(order, order)]
    delassus = pin.DelassusOperatorDense(matrix)
    pin.ADMMConstraintSolver(3 * nc).solve(delassus, d.ravel()[order], models, datas, settings, result)
    force = np.zeros(3 * nc)
    force[order] = np.array(result.retrieveConstraintImpulses())
    return force.reshape(nc, 3)


def test_friction_forces_against_admm() -> None:
    """Definite problems, whose velocities and forces are unique as far as the residual tells."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        nc = int(rng.integers(1, 5))
        R, friction = rng.normal(size=(3 * nc + 6, 3 * nc)), rng.uniform(0.1, 0.9, nc)
        M, d = (R.T @ R).reshape(nc, 3, nc, 3), rng.normal(size=(nc, 3))
        force, expected = wt.contact.coulomb(M, d, friction), admm(M, d, friction)
        assert natural_residual(M, d, friction, expected) < 1e-8
        assert natural_residual(M, d, friction, force) <= 1e-12
        np.testing.assert_allclose(force, expected, atol=1e-8)
