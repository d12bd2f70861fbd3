"""A planar mechanism costs what a planar code costs, without one.

Source of truth: planar vectors (RBDA §2.16), three coordinates [ω, vx, vy] and 3×3 matrices, written
out here for a chain of revolute joints and recorded by the same means.
"""

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.compiling import record
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.recording import trace
from whippletree.spatial import array

N = 6
RNG = np.random.default_rng(0)
JOINTS, COMS = RNG.normal(size=(N, 2)), RNG.normal(size=(N, 2))
MASSES, MOMENTS = RNG.uniform(1.0, 2.0, N), RNG.uniform(0.5, 0.6, N)
GRAVITY = (0.7, -9.8)


def chain() -> wt.Mechanism:
    m = wt.Mechanism("planar", gravity=(*GRAVITY, 0.0))
    for i in range(N):
        inertia = wt.Inertia(MASSES[i], (*COMS[i], 0.0), (0.3, 0.4, MOMENTS[i]))
        parent = "ground" if i == 0 else f"b{i - 1}"
        m.add_body(f"b{i}", wt.Revolute("z"), parent, wt.Placement((*JOINTS[i], 0.0)), inertia)
    return m


def transform(i, q):
    """RBDA 2.77, for a shift by the joint's place and a turn by q."""
    (x, y), c, s = JOINTS[i], np.cos(q), np.sin(q)
    return array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]) @ np.array([[1, 0, 0], [-y, 1, 0], [x, 0, 1]])


def crm(v):
    """RBDA 2.75."""
    w, x, y = v
    return array([[0.0, 0.0, 0.0], [y, 0.0, -w], [-x, w, 0.0]])


def inertia(i):
    """RBDA 2.78."""
    (x, y), m = COMS[i], MASSES[i]
    return np.array([[MOMENTS[i] + m * (x * x + y * y), -m * y, m * x], [-m * y, m, 0.0], [m * x, 0.0, m]])


S = np.array([1.0, 0.0, 0.0])


def planar_rnea(q, qd, qdd):
    X = [transform(i, q[i]) for i in range(N)]
    v, a, f = np.zeros(3), -np.array([0.0, *GRAVITY]), []
    for i in range(N):
        v = X[i] @ v + S * qd[i]
        a = X[i] @ a + S * qdd[i] + crm(v) @ (S * qd[i])
        f.append(inertia(i) @ a - crm(v).T @ (inertia(i) @ v))
    for i in reversed(range(1, N)):
        f[i - 1] = f[i - 1] + X[i].T @ f[i]
    return array([f_i[0] for f_i in f])


def planar_crba(q):
    X = [transform(i, q[i]) for i in range(N)]
    I = [inertia(i) for i in range(N)]
    H = [[0.0] * N for _ in range(N)]
    for i in reversed(range(N)):
        if i:
            I[i - 1] = I[i - 1] + X[i].T @ I[i] @ X[i]
        F = I[i] @ S
        H[i][i] = F[0]
        for j in reversed(range(i)):
            F = X[j + 1].T @ F
            H[i][j] = H[j][i] = F[0]
    return array(H)


def planar_aba(q, qd, tau):
    X = [transform(i, q[i]) for i in range(N)]
    v, c, p, I = np.zeros(3), [], [], [inertia(i) for i in range(N)]
    U, d, u = [S] * N, [0.0] * N, [0.0] * N
    for i in range(N):
        v = X[i] @ v + S * qd[i]
        c.append(crm(v) @ (S * qd[i]))
        p.append(-crm(v).T @ (I[i] @ v))
    for i in reversed(range(N)):
        U[i] = I[i] @ S
        d[i], u[i] = 1.0 / U[i][0], tau[i] - p[i][0]
        if i:
            Ia = I[i] - np.outer(U[i] * d[i], U[i])
            I[i - 1] = I[i - 1] + X[i].T @ Ia @ X[i]
            p[i - 1] = p[i - 1] + X[i].T @ (p[i] + Ia @ c[i] + U[i] * (u[i] * d[i]))
    a, qdd = -np.array([0.0, *GRAVITY]), []
    for i in range(N):
        a = X[i] @ a + c[i]
        qdd.append((u[i] - U[i] @ a) * d[i])
        a = a + S * qdd[i]
    return array(qdd)


PLANAR = {"rnea": planar_rnea, "crba": planar_crba, "aba": planar_aba}


@pytest.mark.parametrize("name", PLANAR)
def test_planar_mechanism_costs_no_more_than_planar_vectors(name):
    ours = record(getattr(wt, name), chain())
    theirs = simplify(trace(PLANAR[name], {entry.name: entry.shape for entry in ours.inputs}))
    state = [RNG.normal(size=N) for _ in ours.inputs]
    np.testing.assert_allclose(ours(*state), theirs(*state), rtol=1e-11, atol=1e-12)
    total = [sum(program.cost[kind] for kind in ("mul", "add", "div")) for program in (ours, theirs)]
    assert total[0] <= total[1]
