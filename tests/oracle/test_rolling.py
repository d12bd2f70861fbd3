"""Wheels that roll, against closed forms, published numbers and a free body held by constraint forces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.examples.vehicles import bicycle_velocity

PUBLISHED = {
    0.0: (3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393),
    2.0: (2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735),
    5.0: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    8.0: (-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394569),
}
"""Speed, m/s: weave, capsize and castering of the benchmark, 1/s (Meijaard et al. 2007, table 2)."""

M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
"""The benchmark's equations of lean and steer, M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0 (ibid., §5)."""


def growing(values):
    """Eigenvalues but for the zeros of where it is and how fast it goes, one of each pair, in order."""
    kept = [value for value in values if abs(value) > 1e-3 and value.imag >= 0.0]
    return np.sort_complex(np.array(kept, dtype=complex))


@pytest.mark.parametrize("speed", PUBLISHED)
def test_the_bicycle_has_its_published_eigenvalues(speed):
    m = wt.examples.load("bicycle")
    found = wt.linearize(m, m.neutral(), bicycle_velocity(m, speed)).eigenvalues
    assert len(found) == 7 + 3  # seven coordinates, three velocities
    expected = np.sort_complex(np.array(PUBLISHED[speed], dtype=complex))
    assert_allclose(growing(found), expected, rtol=0, atol=1e-12)
    stiffness, damping = 9.81 * K0 + speed**2 * K2, speed * C1
    A = np.block(
        [[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, stiffness), -np.linalg.solve(M, damping)]]
    )
    assert_allclose(growing(np.linalg.eigvals(A)), expected, rtol=0, atol=1e-12)


def test_the_bicycle_balances_by_itself():
    m, start = wt.examples.load("bicycle"), wt.examples.start("bicycle")
    run = wt.simulate(m, start.q, start.qd, start.duration)
    lean, steer = run.q[:, 3], run.q[:, 6]
    assert np.max(np.abs(lean)) > 0.03
    assert max(abs(lean[-1]), abs(steer[-1])) < 2e-3
    assert_allclose(run.energy, run.energy[0], rtol=1e-7)
    assert_allclose(run.constraint_error, 0.0, atol=1e-13)


def disc(rim: float = 0.0) -> wt.Mechanism:
    m = wt.Mechanism("disc")
    m.add_body(
        "disc",
        wt.RollingDisc(0.4, rim),
        placement=wt.Placement((0, 0, 0.4)),
        inertia=wt.Inertia(1.7, about_com=(0.07, 0.12, 0.07)),
    )
    return m


def test_a_disc_stays_upright_above_its_critical_speed():
    """(A + m r²) φ̈ + (C (C + m r²) ω²/A - m g r) φ = 0; Routh, Advanced Rigid Dynamics, art. 244."""
    m, mass, r, A, C = disc(), 1.7, 0.4, 0.07, 0.12
    for spin in (2.0, 9.0):
        found = wt.linearize(m, m.neutral(), np.array([0.0, 0.0, spin])).eigenvalues
        square = (mass * 9.81 * r - C * (C + mass * r * r) * spin**2 / A) / (A + mass * r * r)
        assert_allclose(found[np.argmax(np.abs(found))] ** 2, square, rtol=1e-12)


@pytest.mark.parametrize("rim", [0.0, 0.15])
def test_a_wheel_accelerates_as_a_free_body_that_its_contact_holds(rim):
    """M a + C = Jᵀ λ and J a = -J̇ v, J being the velocity of the point of the body that touches."""
    rng = np.random.default_rng(3)
    m, free = wt.Mechanism("wheel"), wt.Mechanism("free")
    joint, inertia = wt.RollingDisc(0.4, rim), randoms.inertia(rng)
    m.add_body("wheel", joint, inertia=inertia)
    free.add_body("wheel", wt.Free(), inertia=inertia)
    q, qd, tau = joint.random(rng), rng.normal(size=3), rng.normal(size=3)

    def slip(x, v):
        """(3, 6) velocity of the contact, as of a point of the body, by (ω, v) in body axes."""
        E = wt.Free().transform(x).E
        up = E @ np.array([0.0, 0.0, 1.0])
        flat = up - np.array([0.0, 1.0, 0.0]) * up[1]  # of the normal, what lies in the wheel's plane
        contact = -(0.4 - rim) * flat / np.sqrt(flat @ flat) - rim * up
        return (
            np.concatenate([-np.array([np.cross(contact, e) for e in np.eye(3)]).T @ np.eye(3), np.eye(3)], 1)
            @ v
        )

    x, v = wt.Free().position_at(joint.transform(q)), joint.motion_subspace(q) @ qd
    J = np.array([slip(x, e) for e in np.eye(6)]).T
    assert_allclose(J @ v, 0.0, atol=1e-14)
    rate = np.imag(slip(x + 1e-30j * wt.Free().rate(x, v), v)) / 1e-30
    # The force tau of the joint, as one on the body that does the same work.
    force = np.linalg.lstsq(joint.motion_subspace(q).T, tau, rcond=None)[0]
    H, C = wt.crba(free, x), wt.bias_force(free, x, v)
    system = np.block([[H, -J.T], [J, np.zeros((3, 3))]])
    a = np.linalg.solve(system, np.concatenate([force - C, -rate]))[:6]
    ours = wt.aba(m, q, qd, tau)
    assert_allclose(joint.motion_subspace(q) @ ours + joint.bias(q, qd), a, rtol=1e-11, atol=1e-11)
    # The same wheel, its contact a loop.
    free.add_loop("contact", joint, "ground", "wheel")
    assert_allclose(wt.forward_dynamics(free, x, v, force), a, rtol=1e-10, atol=1e-10)


def test_linear_models_of_what_rolls_are_slopes_of_its_motion():
    """Differences of the rates of all coordinates, about a wheel that leans and runs in a circle."""
    rng = np.random.default_rng(8)
    m = disc(0.1)
    q, qd = np.array([0.3, -0.2, 0.7, 0.4, 0.9]), rng.normal(size=3)
    found = wt.linearize(m, q, qd, outputs=lambda q, qd: q[:2] * qd[2])
    assert found.coordinates == tuple(f"disc {name}" for name in ("x", "y", "yaw", "lean", "spin"))

    def rates(z):
        return np.concatenate([m.rate(z[:5], z[5:]), wt.aba(m, z[:5], z[5:], np.zeros(3))])

    z, h = np.concatenate([q, qd]), 1e-6
    slopes = [(rates(z + h * e) - rates(z - h * e)) / (2.0 * h) for e in np.eye(8)]
    assert_allclose(found.A, np.array(slopes).T, rtol=0, atol=2e-8)
    assert_allclose(found.C[0], [qd[2], 0, 0, 0, 0, 0, 0, q[0]], atol=1e-15)
    assert_allclose(found.G, np.eye(5)[2:])


def test_a_wheel_runs_where_its_angles_lead():
    """Steady rolling, upright: a circle of radius v / yaw rate."""
    joint = wt.RollingDisc(0.4, rim=0.1)
    half = joint.integrate(np.zeros(5), np.array([np.pi, 0.0, 6.0]))
    assert_allclose(half, [0.0, 2.0 * 0.4 * 6.0 / np.pi, np.pi, 0.0, 6.0], atol=1e-14)


def test_what_is_no_wheel_is_refused():
    with pytest.raises(
        wt.ModelError, match=r"radius is 0 m, not positive: a disc without size does not roll"
    ):
        wt.RollingDisc(0.0)
    with pytest.raises(wt.ModelError, match=r"rim is 0\.5 m, not between 0 and the radius, 0\.4 m: give"):
        wt.RollingDisc(0.4, rim=0.5)
