"""Recursive algorithms against the closed forms that came before them (RBDA §5.2).

Source of truth: eq 5.3, 5.5 and 5.6, written out with 6×6 matrices and sums over all pairs of joints.
"""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.spatial import crf, crm

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-11}
STEP = 1e-30


@pytest.fixture(params=range(6))
def case(request):
    """A tree of joints with one variable and constant S, and its state and accelerations."""
    rng = np.random.default_rng(request.param)
    names = [str(name) for name in rng.choice(["revolute", "prismatic", "helical"], size=7)]
    m = wt.Mechanism("tree", gravity=rng.normal(size=3) * 5.0)
    for i, name in enumerate(names):
        parent = int(rng.integers(-1, i)) if i else -1
        m.add_body(
            f"b{i}",
            randoms.JOINTS[name](rng),
            parent="ground" if parent == -1 else f"b{parent}",
            placement=randoms.placement(rng),
            inertia=randoms.inertia(rng),
        )
    return m, m.random(rng), rng.normal(size=m.nv), rng.normal(size=m.nv)


def base_quantities(m, q):
    """Joint axes and inertias of all bodies in the ground's coordinates, as matrices."""
    X, s, I = [], [], []
    for i, body in enumerate(m.bodies):
        local = body.joint.transform(q[m.q_index[i]]).matrix() @ body.placement.transform().matrix()
        X.append(local if m.parents[i] == -1 else local @ X[m.parents[i]])
        s.append(np.linalg.solve(X[i], body.joint.motion_subspace(q[m.q_index[i]]))[:, 0])
        I.append(X[i].T @ body.inertia.matrix() @ X[i])
    return s, I


def test_inverse_dynamics(case):
    m, q, qd, qdd = case
    s, I = base_quantities(m, q)
    force = []
    for i in range(len(m)):
        path = m.support(i)
        v = np.sum([s[j] * qd[j] for j in path], axis=0)  # 5.3
        a = -np.array([0, 0, 0, *m.gravity]) + sum(s[j] * qdd[j] for j in path)
        for n, j in enumerate(path):  # 5.5
            for k in path[:n]:
                a = a + crm(s[k] * qd[k]) @ (s[j] * qd[j])
        force.append(I[i] @ a + crf(v) @ I[i] @ v)
    tau = [s[i] @ sum(force[j] for j in m.subtree(i)) for i in range(len(m))]
    assert_allclose(wt.rnea(m, q, qd, qdd), tau, **TIGHT)
    assert_allclose(wt.dynamics.rnea_base(m, q, qd, qdd), tau, **TIGHT)


def test_inertia_matrix(case):
    m, q, _, _ = case
    s, I = base_quantities(m, q)
    H = np.zeros((m.nv, m.nv))
    for k in range(len(m)):
        for i in m.support(k):
            for j in m.support(k):
                H[i, j] += s[i] @ I[k] @ s[j]  # 6.8: kinetic energy, body by body
    assert_allclose(wt.crba(m, q), H, **TIGHT)


def test_coriolis_force_by_christoffel_symbols(case):
    """Eq 5.6, with C_ijk from the derivatives of H."""
    m, q, qd, _ = case
    dH = np.array([np.imag(wt.crba(m, q + 1j * STEP * step)) / STEP for step in np.eye(m.nv)])
    C = 0.5 * (np.einsum("kij->ijk", dH) + np.einsum("jik->ijk", dH) - np.einsum("ijk->ijk", dH))
    assert_allclose(wt.coriolis_force(m, q, qd), np.einsum("ijk,j,k->i", C, qd, qd), **TIGHT)


def test_gravity_force_is_the_gradient_of_potential_energy(case):
    m, q, _, _ = case

    def potential(q):
        energy = 0.0
        X = []
        for i, body in enumerate(m.bodies):
            local = body.joint.transform(q[m.q_index[i]]) @ body.placement.transform()
            X.append(local if m.parents[i] == -1 else local @ X[m.parents[i]])
            com = X[i].E.T @ body.inertia.com + X[i].r
            energy = energy - body.inertia.m * (com @ np.array(m.gravity))
        return energy

    gradient = [np.imag(potential(q + 1j * STEP * step)) / STEP for step in np.eye(m.nv)]
    assert_allclose(wt.gravity_force(m, q), gradient, **TIGHT)
