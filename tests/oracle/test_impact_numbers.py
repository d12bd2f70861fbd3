"""Impacts whose results are known in closed form, or were worked out by hand (RBDA §11.7)."""

import numpy as np
import pytest

import whippletree as wt


def leaning_rod(angle: float) -> wt.Inertia:
    """A thin rod, 1 m and 1 kg, its lower end at the origin."""
    return wt.Inertia.rod((0, 0, 0), (np.cos(angle), 0, np.sin(angle)), mass=1.0)


DIRECTIONS = np.concatenate([np.zeros((3, 3)), np.eye(3)])


@pytest.mark.parametrize(
    ("degrees", "side", "up", "gain"),
    [(60, 0.32475953, 0.8125, -0.40625), (45, 0.375, 0.625, -0.3125), (30, 0.32475953, 0.4375, -0.21875)],
)
def test_a_rod_that_falls_and_sticks(degrees: float, side: float, up: float, gain: float) -> None:
    """RBDA 11.72 with e = 0, v = (0, -1) m/s."""
    rod, v = leaning_rod(np.radians(degrees)), np.array([0, 0, 0, 0, 0, -1.0])
    impulse = wt.contact.sticking_impulse(None, np.zeros(6), rod, v, DIRECTIONS, 0.0)
    np.testing.assert_allclose(impulse, [side, 0.0, up], atol=1e-8)
    after = v + np.linalg.pinv(rod.matrix(), rcond=1e-13) @ (DIRECTIONS @ impulse)
    assert 0.5 * (after @ rod.matrix() @ after - v @ rod.matrix() @ v) == pytest.approx(gain, abs=1e-12)


def test_a_law_that_would_create_energy_is_refused_with_its_numbers() -> None:
    """The same rod at 60 degrees with v = (1, -1) m/s and e = 1 would gain 0.10600953 J."""
    with pytest.raises(wt.SolverError, match=r"impulse of 1.3 N s and \+0.106 J of kinetic energy"):
        wt.contact.sticking_impulse(
            None, np.zeros(6), leaning_rod(np.pi / 3), np.array([0, 0, 0, 1.0, 0, -1.0]), DIRECTIONS, 1.0
        )


def test_two_balls_in_line_exchange_their_velocities() -> None:
    """RBDA 11.65, masses 2 and 3 kg: relative velocity reversed by e, momentum kept."""
    I1, I2 = wt.Inertia.sphere(0.1, mass=2.0), wt.Inertia.sphere(0.1, mass=3.0)
    v1, v2, n = (
        np.array([0, 0, 0, 4.0, 0, 0]),
        np.array([0, 0, 0, -1.0, 0, 0]),
        np.array([0, 0, 0, 1.0, 0, 0]),
    )
    impulse = wt.contact.two_body_impulse(I1, v1, I2, v2, n, 0.6)
    assert impulse == pytest.approx(1.6 * 5.0 / (1 / 2 + 1 / 3))
    assert (-1.0 + impulse / 3.0) - (4.0 - impulse / 2.0) == pytest.approx(0.6 * 5.0)
    assert wt.contact.two_body_impulse(I1, v2, I2, v1, n, 0.6) == 0.0


def cradle(restitution: float = 1.0, balls: int = 3) -> wt.Mechanism:
    """Balls in a row that touch, free along it."""
    m = wt.Mechanism("cradle")
    for k in range(balls):
        m.add_body(f"ball {k}", wt.Prismatic("x"), inertia=wt.Inertia.sphere(0.5, mass=1.0))
        place = wt.Placement((float(k), 0, 0))
        m.add_shape(f"skin {k}", wt.Sphere(0.5), f"ball {k}", place)
        if k:
            m.add_contact(f"touch {k}", f"skin {k - 1}", f"skin {k}", friction=0.0, restitution=restitution)
    return m


def test_newtons_cradle() -> None:
    m, qd = cradle(), np.array([1.0, 0.0, 0.0])
    one_by_one = wt.contact.impact(m, np.zeros(3), qd, law="sequential")
    np.testing.assert_allclose(one_by_one.qd, [0, 0, 1], atol=1e-12)
    for law in ("newton", "poisson"):
        at_once = wt.contact.impact(m, np.zeros(3), qd, law=law)
        np.testing.assert_allclose(at_once.qd, [-1 / 3, 2 / 3, 2 / 3], atol=1e-12)
        assert at_once.energy_gain == pytest.approx(0.0, abs=1e-13)


def test_five_balls_two_of_them_moving() -> None:
    hit = wt.contact.impact(cradle(balls=5), np.zeros(5), np.array([1.0, 1, 0, 0, 0]), law="sequential")
    np.testing.assert_allclose(hit.qd, [0, 0, 0, 1, 1], atol=1e-12)


@pytest.mark.parametrize("law", ["poisson", "newton", "sequential"])
def test_a_rocking_block_loses_its_share_at_the_other_edge(law: str) -> None:
    """Half sizes 0.1 × 0.4: ω⁺/ω⁻ = 31/34 without restitution, the old edge leaving the ground."""
    m = wt.Mechanism("block")
    m.add_body("across", wt.Prismatic("x"))
    m.add_body("up", wt.Prismatic("z"), "across")
    m.add_body("block", wt.Revolute("y"), "up", inertia=wt.Inertia.box((0.2, 0.5, 0.8), mass=3.0))
    m.add_shape("hull", wt.Box((0.2, 0.5, 0.8)), "block")
    m.add_shape("floor", wt.Plane())
    friction = 0.0 if law == "newton" else 10.0
    m.add_contact("rock", "hull", "floor", friction=friction)
    q, w = np.array([0.0, 0.4, 0.0]), 0.7
    # It turns about the edge at x = -0.1, the corner at +0.1 comes down.
    qd = np.array([0.4 * w, -0.1 * w, w])
    hit = wt.contact.impact(m, q, qd, law=law)
    if law == "newton":  # without friction it slides: the height alone is stopped
        assert hit.after[:, 0].min() == pytest.approx(0.0, abs=1e-12)
    else:
        assert hit.qd[2] / w == pytest.approx(31 / 34, rel=1e-12)
        assert hit.after[:, 0].max() > 0.0


def test_a_ball_with_spin_bounces_by_coulombs_law() -> None:
    """Sliding through: friction μ(1 + e)v; else rolling after."""
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=0.5))
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor", friction=0.1, restitution=0.5)
    q = np.array([0, 0, 0.1, 1, 0, 0, 0])
    hit = wt.contact.impact(m, q, np.array([0, 0, 0, 3.0, 0, -2.0]))
    np.testing.assert_allclose(hit.qd, [0, 0.1 * 3.0 * 5 / (2 * 0.1), 0, 3.0 - 0.3, 0, 1.0], atol=1e-12)
    hit = wt.contact.impact(m, q, np.array([0, 0, 0, 0.3, 0, -2.0]))
    np.testing.assert_allclose(hit.after[0], [1.0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(hit.qd[3], 0.3 * 5 / 7, atol=1e-12)
