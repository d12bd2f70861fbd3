"""Rigid bodies that touch, from event to event, against closed forms."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import whippletree as wt

G = 9.81
POINT = 1e-12
"""m: the radius of balls that stand for points."""

FINE: Any = {"rtol": 1e-11, "atol": 1e-12, "contacts": "rigid"}


def upright(name: str, inertia: wt.Inertia, slope: float = 0.0) -> wt.Mechanism:
    """A body in the plane of x and z, on a floor that falls along x: q is its turn from x to z, x and z."""
    m = wt.Mechanism(name, gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    m.add_body(name, wt.Planar(), placement=wt.Placement(rpy=(np.pi / 2, 0, 0)), inertia=inertia)
    m.add_shape("floor", wt.Plane())
    return m


def add_point(m: wt.Mechanism, name: str, x: float, z: float, on: str = "floor", **properties: Any) -> None:
    m.add_shape(name, wt.Sphere(POINT), m.bodies[0].name, wt.Placement((x, z, 0)))
    m.add_contact(f"{name} on {on}", name, on, **properties)


def in_body(angle: float, w: float, v: Any) -> np.ndarray:
    """qd of a planar joint at an angle that turns at w and moves with v in the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([w, c * v[0] + s * v[1], -s * v[0] + c * v[1]])


def rod() -> wt.Inertia:
    return wt.Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0)


def disc(friction: float, slope: float = 0.0, radius: float = 0.13, mass: float = 0.7) -> wt.Mechanism:
    m = upright("disc", wt.Inertia(mass, (0, 0, 0), np.diag([0.25, 0.25, 0.5]) * mass * radius**2), slope)
    m.add_shape("rim", wt.Sphere(radius), "disc")
    m.add_contact("roll", "rim", "floor", friction=friction)
    return m


def balance(run: wt.Trajectory) -> Any:
    """Energy with all that impacts and friction have taken; friction by the trapezoidal rule."""
    rubbed = np.diff(run.t) * 0.5 * (run.lost_power[1:] + run.lost_power[:-1])
    return run.energy + np.cumsum(run.contacts.impact_loss) + np.concatenate([[0.0], np.cumsum(rubbed)])


def test_a_ball_bounces_ever_lower_and_comes_to_rest():
    h, e, mass = 0.7, 0.8, 0.3
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=mass))
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor", restitution=e)
    run = wt.simulate(m, [0.1 + h], duration=4.0, contacts="rigid")
    hits, v = np.array(run.contacts.times("impact")), np.sqrt(2 * G * h)
    hops = 2 * v / G * e ** np.arange(1, len(hits))
    np.testing.assert_allclose(hits, v / G + np.concatenate([[0.0], np.cumsum(hops)]), atol=1e-11)
    rest = v / G + 2 * v / G * e / (1 - e)
    np.testing.assert_allclose(run.contacts.times("rests"), [rest], atol=1e-11)
    # The last hop would have been lower than 1 nm, the one before was not.
    assert (v * e ** len(hits)) ** 2 / (2 * G) < 1e-9 <= (v * e ** (len(hits) - 1)) ** 2 / (2 * G)
    at = np.flatnonzero(run.t == hits[0])
    np.testing.assert_allclose(run.qd[at, 0], [-v, e * v], atol=1e-11)
    np.testing.assert_allclose(run.contacts.impulse[at, 0, 0], [0.0, mass * (1 + e) * v], atol=1e-11)
    assert run.contacts.gap.min() > -1e-12
    assert np.ptp(balance(run)) < 1e-11
    assert run.q[-1, 0] == pytest.approx(0.1, abs=1e-12)
    assert run.qd[-1, 0] == 0.0
    np.testing.assert_allclose(run.contacts.force[-1], [[mass * G, 0, 0]], atol=1e-12)


def test_a_block_slides_down_a_slope_to_rest_and_stays():
    slope, mu, v0, mass = 0.3, 0.5, 1.3, 6.0
    m = upright("block", wt.Inertia.box((0.4, 0.16, 0.3), mass=mass), slope)
    m.add_shape("hull", wt.Box((0.4, 0.16, 0.3)), "block")
    m.add_contact("rest", "hull", "floor", friction=mu)
    run = wt.simulate(m, [0.0, 0.0, 0.08], [0.0, v0, 0.0], duration=3.0, contacts="rigid", sample=0.05)
    slowing = G * (mu * np.cos(slope) - np.sin(slope))
    np.testing.assert_allclose(run.contacts.times("sticks"), v0 / slowing, atol=1e-9)
    np.testing.assert_allclose(run.q[-1], [0.0, v0**2 / (2 * slowing), 0.08], atol=1e-9)
    after = run.t > v0 / slowing + 1e-6
    assert np.abs(run.qd[after]).max() < 1e-13
    assert np.ptp(run.q[after], axis=0).max() < 1e-13
    force = run.contacts.force[after].sum(axis=1)
    np.testing.assert_allclose(force[:, 0], mass * G * np.cos(slope), rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(force[:, 1:], axis=1), mass * G * np.sin(slope), rtol=1e-11)
    each = run.contacts.force
    assert np.all(np.linalg.norm(each[..., 1:], axis=-1) <= mu * each[..., 0] * (1 + 1e-9) + 1e-9)
    assert np.abs(run.contacts.gap[run.contacts.mode > 0]).max() < 1e-12


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_disc_on_a_slope_slips_below_the_critical_friction_and_rolls_above(share):
    slope, radius, t = 0.35, 0.13, 0.8
    mu = share * np.tan(slope) / 3.0
    run = wt.simulate(disc(mu, slope, radius), [0.4, 0.0, radius], duration=t, **FINE)
    slips = share < 1.0
    a = G * (np.sin(slope) - mu * np.cos(slope)) if slips else 2 / 3 * G * np.sin(slope)
    w = -2 * mu * G * np.cos(slope) / radius if slips else -a / radius
    np.testing.assert_allclose(run.q[-1], [0.4 + 0.5 * w * t**2, 0.5 * a * t**2, radius], atol=1e-8)
    np.testing.assert_allclose(run.qd[-1], in_body(run.q[-1, 0], w * t, (a * t, 0.0)), atol=1e-8)
    assert np.all(run.contacts.mode[:, 0] == (2 if slips else 1))


def test_a_disc_that_slides_begins_to_roll():
    mu, v0, radius = 0.2, 2.0, 0.13
    run = wt.simulate(disc(mu, radius=radius), [0.0, 0.0, radius], [0.0, v0, 0.0], duration=1.0, **FINE)
    t = v0 / (3.0 * mu * G)
    np.testing.assert_allclose(run.contacts.times("sticks"), [t], atol=1e-9)
    x = v0 * t - 0.5 * mu * G * t**2 + 2 / 3 * v0 * (1.0 - t)
    assert run.q[-1, 1] == pytest.approx(x, abs=1e-8)
    assert run.energy[0] - run.energy[-1] == pytest.approx(0.7 * v0**2 / 6.0, abs=1e-8)


@pytest.mark.parametrize(
    ("degrees", "impulse", "loss"),
    [(60, (0.8125, 0.32475953), 0.40625), (45, (0.625, 0.375), 0.3125), (30, (0.4375, 0.32475953), 0.21875)],
)
def test_a_falling_rod_hits_the_floor_with_one_end(degrees, impulse, loss):
    m = upright("rod", rod())
    m.gravity = (0, 0, 0)
    add_point(m, "end", -0.5, 0.0, friction=5.0)
    angle, drop = np.radians(degrees), 0.3
    q = [angle, 0.2, 0.5 * np.sin(angle) + POINT + drop]
    run = wt.simulate(m, q, in_body(angle, 0.0, (0.0, -1.0)), duration=0.5, contacts="rigid")
    (hit,) = np.flatnonzero(run.contacts.impact_loss)
    assert run.t[hit] == pytest.approx(drop, abs=1e-12)
    assert run.contacts.impact_loss[hit] == pytest.approx(loss, abs=1e-10)
    np.testing.assert_allclose(run.contacts.impulse[hit, 0, :2], impulse, atol=1e-8)


def test_a_ladder_loses_the_wall():
    m, start = upright("ladder", rod()), np.radians(70)
    m.add_shape("wall", wt.Plane(), placement=wt.Placement(rpy=(0, np.pi / 2, 0)))
    add_point(m, "foot", 0.5, 0.0, friction=0.0)
    add_point(m, "head", -0.5, 0.0, "wall", friction=0.0)
    q = [-start, 0.5 * np.cos(start) + POINT, 0.5 * np.sin(start) + POINT]
    run = wt.simulate(m, q, duration=0.6, **FINE)
    (lost,) = run.contacts.times("opens")
    assert lost == pytest.approx(0.422515963620442, abs=1e-10)
    at = np.searchsorted(run.t, lost)
    assert np.sin(-run.q[at, 0]) == pytest.approx(2 / 3 * np.sin(start), abs=1e-10)
    assert run.qd[at, 0] == pytest.approx(3.036179278288712, abs=1e-10)
    assert run.contacts.gap.min() > -1e-12


@pytest.mark.parametrize(("friction", "share"), [(0.0, 2 / 3), (1e9, 10 / 17)])
def test_a_sphere_leaves_a_sphere(friction, share):
    R, r, start = 0.5, 0.1, 0.1
    m = upright("ball", wt.Inertia.sphere(r, mass=0.3))
    m.add_shape("skin", wt.Sphere(r), "ball")
    m.add_shape("globe", wt.Sphere(R))
    m.add_contact("roll", "skin", "globe", friction=friction)
    low = wt.Event(lambda t, q, qd: q[2] - 0.2, "low", terminal=True)
    q = [0.0, (R + r) * np.sin(start), (R + r) * np.cos(start)]
    run = wt.simulate(m, q, duration=3.0, events=[low], **FINE)
    at = np.searchsorted(run.t, run.contacts.times("opens")[-1])
    assert run.q[at, 2] / (R + r) == pytest.approx(share * np.cos(start), abs=1e-8)
    assert run.contacts.gap.min() > -1e-12
    assert run.events[-1].name == "low"


def rocking(share: float, duration: float) -> wt.Trajectory:
    """A block on two points, let go from a share of the angle at which it would tip over."""
    b, h = 0.1, 0.4
    m = upright("block", wt.Inertia.box((2 * b, 2 * h, 0.1), mass=1.0))
    add_point(m, "left", -b, -h, friction=5.0)
    add_point(m, "right", b, -h, friction=5.0)
    angle = -share * np.arctan2(b, h)
    c, s = np.cos(angle), np.sin(angle)
    return wt.simulate(m, [angle, 0.0, c * h - s * b + POINT], duration=duration, **FINE)


def test_a_block_rocks():
    run = rocking(0.5, 0.4)
    (hit,) = np.unique(run.contacts.times("impact"))
    assert hit == pytest.approx(0.312308575112622, abs=1e-9)
    at = np.searchsorted(run.t, hit)
    assert run.qd[at + 1, 0] / run.qd[at, 0] == pytest.approx(31 / 34, abs=1e-9)


def test_a_block_that_rocks_comes_to_rest():
    run = rocking(1e-6, 0.03)
    hits = np.unique(run.contacts.times("impact"))
    # From one impact to the next the velocity falls by 31/34, and so does the time: a geometric series.
    (rest,) = set(run.contacts.times("rests"))
    np.testing.assert_allclose((rest - hits[1:]) / (rest - hits[:-1]), 31 / 34, rtol=1e-3)
    assert np.abs(run.qd[run.t > rest]).max() < 1e-15
    np.testing.assert_allclose(run.q[-1, [0, 2]], [0.0, 0.4], atol=1e-9)
    assert np.ptp(balance(run)) < 1e-8


def rimless(w: float, duration: float, j: float, slope: float = 0.1, n: int = 12) -> wt.Trajectory:
    """A wheel of spokes, radius of gyration² j, that starts on two of them and turns down a slope at w."""
    inertia = wt.Inertia(1.0, (0, 0, 0), np.diag([j / 2, j / 2, j]))
    m, half = upright("wheel", inertia, slope), np.pi / n
    for k in range(n):
        add_point(m, f"spoke {k}", np.sin(2 * k * half), -np.cos(2 * k * half), friction=5.0)
    start = in_body(half, -w, (w * np.cos(half), w * np.sin(half)))
    return wt.simulate(m, [half, 0.0, np.cos(half) + POINT], start, duration=duration, **FINE)


def test_a_rimless_wheel_walks_down_a_slope():
    slope, j, half = 0.1, 0.2, np.pi / 12
    ratio = (np.cos(2 * half) + j) / (1.0 + j)
    square = 4 * G * np.sin(half) * np.sin(slope) / (1.0 + j)
    before = np.sqrt(square / (1.0 - ratio**2))
    w = ratio * before
    run = rimless(w, 1.0, j)

    def slower(angle: float) -> float:
        gained = 2 * G / (1.0 + j) * (np.cos(half - slope) - np.cos(angle))
        return 1.0 / np.sqrt(w**2 + gained)

    step, _ = quad(slower, slope - half, slope + half, epsabs=1e-13)
    hits = np.unique(run.contacts.times("impact"))
    np.testing.assert_allclose(hits, step * np.arange(1, len(hits) + 1), atol=1e-8)
    for hit in hits:
        at = np.searchsorted(run.t, hit)
        np.testing.assert_allclose(run.qd[at : at + 2, 0], [-before, -w], atol=1e-8)
    assert len(hits) == 3


def test_a_rimless_wheel_with_its_mass_in_the_hub():
    """Its step, speeds before and after an impact, and what is left of a disturbance.

    All mass in a point leaves its turn undetermined: two small inertias tell what they tend to.
    """
    w, before, step = 1.744059146844611, 2.013866035826730, 0.298440860771604

    def walked(speed: float) -> np.ndarray:
        found = []
        for j in (1e-6, 2e-6):
            run = rimless(speed, 0.3, j)
            at = int(np.flatnonzero(np.any(run.contacts.impulse[..., 0], axis=1))[0])
            found.append([run.t[at], -run.qd[at - 1, 0], -run.qd[at, 0]])
        return 2.0 * np.array(found[0]) - found[1]

    np.testing.assert_allclose(walked(w), [step, before, w], atol=1e-8)
    assert (walked(w + 1e-4)[2] - w) / 1e-4 == pytest.approx(0.75, abs=1e-4)


def on_table(name: str, inertia: wt.Inertia) -> wt.Mechanism:
    """A body in the plane of x and z, on a table that ends at x = 1."""
    m = upright(name, inertia)
    m.add_shape("table", wt.Box((2.0, 1.0, 0.6)), placement=wt.Placement((0, 0, -0.3)))
    return m


@pytest.mark.parametrize(("radius", "speed"), [(0.05, 0.3), (0.05, 0.69), (0.05, 0.71), (1e-12, 0.3)])
def test_a_ball_slides_over_the_edge_of_a_table(radius, speed):
    """It falls off at once from v² = g r on, as points always do; slower, it goes round the rim."""
    m = on_table("ball", wt.Inertia(0.7, (0, 0, 0), np.diag([1e-3, 1e-3, 1e-3])))
    m.add_shape("skin", wt.Sphere(radius), "ball")
    m.add_contact("slide", "skin", "table", friction=0.0)
    run = wt.simulate(m, [0.0, 0.8, radius], [0.0, speed, 0.0], duration=0.2 / speed + 0.15, **FINE)
    (left,) = run.contacts.times("opens")
    at = int(np.searchsorted(run.t, left))
    cosine = min(1.0, (2.0 + speed**2 / (G * radius)) / 3.0)
    if cosine == 1.0:
        assert left == pytest.approx(0.2 / speed, abs=1e-9)
        fallen = run.t[-1] - left
        np.testing.assert_allclose(
            run.q[-1, 1:], [1.0 + speed * fallen, radius - 0.5 * G * fallen**2], atol=1e-9
        )
    else:
        np.testing.assert_allclose(
            run.q[at, 1:], [1.0 + radius * np.sqrt(1.0 - cosine**2), radius * cosine], atol=1e-9
        )
        assert np.linalg.norm(run.qd[at, 1:]) ** 2 == pytest.approx(G * radius * cosine, abs=1e-8)
    assert np.ptp(run.energy) < 1e-9
    assert run.contacts.gap.min() > -1e-9


def test_a_sledge_loses_the_table_with_one_foot_and_then_with_the_other():
    m, speed = on_table("sledge", wt.Inertia(2.0, (0, 0, 0), np.diag([0.1, 0.1, 0.05]))), 1.2
    add_point(m, "front", 0.2, -0.05, "table", friction=0.0)
    add_point(m, "back", -0.2, -0.05, "table", friction=0.0)
    run = wt.simulate(m, [0.0, 0.5, 0.05 + POINT], [0.0, speed, 0.0], duration=0.4, **FINE)
    opens = [event for event in run.contacts.events if event.what == "opens"]
    assert opens[0].row == 0
    assert opens[0].t == pytest.approx(0.3 / speed, abs=1e-9)
    late = run.t > opens[0].t + 1e-6
    assert np.all(run.qd[late, 0] < 0.0)  # it tips over the foot that is left
    assert run.contacts.gap.min() > -1e-9
    assert np.ptp(run.energy) < 1e-8


def test_a_dragged_rod_jams_at_painleves_friction():
    """4/3 at atan 2 = 63.43494882292201°: there a force along n - μ t̂ no longer lifts the end."""
    m, angle = upright("rod", rod()), np.radians(63.43494882292201)
    start = [angle, 0.0, 0.5 * np.sin(angle) + POINT], in_body(angle, 0.0, (-1.0, 0.0))
    add_point(m, "end", -0.5, 0.0, friction=4 / 3 - 1e-5)
    assert wt.simulate(m, *start, duration=1e-12, **FINE).contacts.mode[0, 0] == 2
    m.change("end on floor", friction=4 / 3 + 1e-5)
    with pytest.raises(wt.SimulationError, match=r"t = 0 s .*Painlevé"):
        wt.simulate(m, *start, duration=1e-12, **FINE)


def test_a_box_at_rest_stays_where_it_is_for_a_minute():
    m = wt.Mechanism("box")
    m.add_body("box", wt.Free(), inertia=wt.Inertia.box((0.4, 0.3, 0.2), mass=5.0))
    m.add_shape("hull", wt.Box((0.4, 0.3, 0.2)), "box")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "hull", "floor", friction=0.6)
    q = np.array([0.1, -0.2, 0.1, 1, 0, 0, 0])
    run = wt.simulate(m, q, duration=60.0)
    assert np.abs(run.q - q).max() < 1e-9
    np.testing.assert_allclose(run.contacts.force[-1].sum(axis=0), [5.0 * G, 0, 0], atol=1e-9)
