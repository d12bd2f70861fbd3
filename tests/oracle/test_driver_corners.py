"""Where the speed of a driver jumps: the blow to what is not driven, against closed forms and balances."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import whippletree as wt
from whippletree.api.prescribed import course_of, drivers_of
from whippletree.examples.bars import Linkage, block, thin_rod
from whippletree.model.driver_part import Driver
from whippletree.simulation.driven_acting import DrivenActing
from whippletree.simulation.unbroken import corners_of

FINE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}


def zigzag(t: Any) -> Any:
    """Speeds 0.7, -0.5 and 1.1 with corners at 0.31 and 0.64 s, and a swing with none."""
    rises = 0.7 * t - 1.2 * wt.maximum(t - 0.31, 0.0) + 1.6 * wt.maximum(t - 0.64, 0.0)
    return rises + 0.05 * np.sin(5.0 * t)


CORNERS, JUMPS = (0.31, 0.64), (-1.2, 1.6)


def integrated(
    slope: Callable[[float, Any], Any], y: Any, blow: Callable[[int, Any], Any], end: float
) -> Any:
    """The last state of another motion that is struck at the corners, by SciPy."""
    times = (0.0, *CORNERS, end)
    for k, span in enumerate(pairwise(times)):
        if k:
            y = blow(k - 1, y)
        y = solve_ivp(slope, span, y, method="DOP853", **FINE).y[:, -1]
    return y


def struck(run: wt.Trajectory) -> list[int]:
    """Numbers of the states right before blows; those right behind have the same time."""
    return np.flatnonzero(np.diff(run.t) == 0.0).tolist()


@pytest.mark.parametrize(
    "given",
    [
        FINE,
        {"method": "rk6", "dt": 4e-3},
        {"method": "rk4", "dt": 1e-3, "sample": 0.1},
        {"sample": 0.1, **FINE},
    ],
    ids=["DOP853", "rk6", "rk4", "sampled"],
)
def test_a_pendulum_is_struck_by_the_corner_of_its_cart(given):
    """I ω̇ = -m l (v̇ cos θ + g sin θ): as the speed v of the cart jumps, so does the pendulum's ω."""
    m = wt.examples.load("cart-pole")
    I, ml, g = 1.0 / 12.0 + 0.25, 0.5, 9.81
    run = wt.simulate(m, [0.0, 0.4], [0.0, 0.0], duration=1.0, drive={"cart": zigzag}, **given)

    def slope(t: float, y: Any) -> Any:
        v_rate = -1.25 * np.sin(5.0 * t)
        return [y[1], (ml * v_rate * np.cos(y[0]) - ml * g * np.sin(y[0])) / I]

    def blow(k: int, y: Any) -> Any:
        return [y[0], y[1] + ml * np.cos(y[0]) * JUMPS[k] / I]

    wanted = integrated(slope, [0.4, 0.0], blow, 1.0)
    accuracy = 1e-10 if given is FINE or "dt" not in given or given["method"] == "rk6" else 1e-8
    assert_allclose([run.q[-1, 1], run.qd[-1, 1]], wanted, rtol=0, atol=accuracy)
    places = struck(run)
    assert run.t[places].tolist() == list(CORNERS) == [told.t for told in run.blows]
    for k, jump, told in zip(places, JUMPS, run.blows, strict=True):
        before, after, c = run.qd[k], run.qd[k + 1], np.cos(run.q[k, 1])
        assert_allclose(after - before, [jump, ml * c * jump / I], rtol=0, atol=1e-12)
        assert told.drivers == ("cart",)
        assert_allclose(told.impulse, [(2.5 - ml * ml * c * c / I) * jump], rtol=0, atol=1e-12)
    if "sample" in given:
        assert_allclose(
            np.delete(run.t, [k for place in places for k in (place, place + 1)]), np.linspace(0, 1, 11)
        )


def slider_crank_with_a_mass() -> wt.Mechanism:
    m = wt.examples.load("crank-slider")
    m.add_body("mass", wt.Prismatic("x"), "slider", inertia=block(0.35), stiffness=80.0)
    return m


def slider(angle: Any) -> Any:
    """The position of the slider and its first two derivatives by the angle of the crank."""
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(0.25 - 0.0225 * s * s)
    first = -0.15 * s - 0.0225 * s * c / root
    second = -0.15 * c - 0.0225 * (c * c - s * s) / root - 0.0225**2 * s * s * c * c / root**3
    return 0.15 * c + root, first, second


def test_a_mass_on_the_slider_of_a_crank_keeps_its_velocity():
    """ü = -k u / m - s̈: no blow reaches it through its spring, so that u̇ jumps back by what ṡ jumps."""
    start = np.arctan2(0.12, 0.09)
    run = wt.simulate(
        slider_crank_with_a_mass(), [0.0, 0.0, 0.0, 0.03], duration=0.9, drive={"crank": zigzag}, **FINE
    )

    def slope(t: float, y: Any) -> Any:
        speed = 0.7 + sum(JUMPS[: int(y[2])]) + 0.25 * np.cos(5.0 * t)  # y[2] blows have been
        _, first, second = slider(start + zigzag(t))
        s_rate = second * speed**2 - 1.25 * np.sin(5.0 * t) * first
        return [y[1], -80.0 / 0.35 * y[0] - s_rate, 0.0]

    def blow(k: int, y: Any) -> Any:
        return [y[0], y[1] - slider(start + zigzag(CORNERS[k]))[1] * JUMPS[k], k + 1]

    wanted = integrated(slope, [0.03, run.qd[0, 3], 0], blow, 0.9)
    assert_allclose([run.q[-1, 3], run.qd[-1, 3]], wanted[:2], rtol=0, atol=1e-10)
    for k in struck(run):
        assert_allclose(np.sum(run.qd[k + 1, 2:]), np.sum(run.qd[k, 2:]), rtol=0, atol=1e-13)
    assert_energy(run)


def assert_energy(run: wt.Trajectory) -> None:
    """A blow's work is its impulse times the mean of the speeds before and after."""
    places = struck(run)
    assert len(places) == len(run.blows) == 2
    for number, (k, blow) in enumerate(zip(places, run.blows, strict=True)):
        speed = 0.7 + sum(JUMPS[:number]) + 0.5 * JUMPS[number] + 0.25 * np.cos(5.0 * blow.t)
        work = run.kinetic[k + 1] - run.kinetic[k]
        assert abs(work) > 1e-3
        assert_allclose(blow.impulse * speed, work, rtol=1e-11)
        assert_allclose(run.potential[k + 1], run.potential[k], rtol=1e-14)


def four_bar_with_a_pendulum() -> wt.Mechanism:
    linkage = Linkage("swinging")
    a, b, c, d, e, f = (0.0, 0.0), (0.12, 0.16), (0.72, 0.5), (0.7, 0.0), (0.5, 0.6), (0.55, 0.35)
    linkage.bar("crank", a, b, mass=0.4)
    linkage.plate("coupler", (b, c, e), parent="crank", mass=1.1)
    linkage.bar("rocker", d, c, mass=0.9)
    linkage.body("pendulum", wt.Revolute("z"), e, "coupler", thin_rod(e, f, 0.7))
    linkage.pin("pin", c, "coupler", "rocker")
    linkage.m.add_frame("middle", "pendulum", wt.Placement((0.025, -0.125, 0.0)))
    return linkage.m


@pytest.mark.parametrize("joint", ["crank", "pin"])
def test_a_pendulum_on_a_driven_four_bar_keeps_its_angular_momentum_about_its_pin(joint):
    """The blow acts on it at the pin alone. Positions and speeds of the four-bar are its kinematics'."""
    m = four_bar_with_a_pendulum()
    run = wt.simulate(m, duration=0.8, drive={joint: zigzag}, **FINE)
    lone = wt.kinematics(wt.lock(m, {"pendulum": 0.0}), {joint: zigzag}, np.array([0.0, 0.5, 0.8]))
    assert_allclose(run.q[-1, :3], lone.q[-1], rtol=0, atol=1e-12)
    assert_allclose(run.qd[-1, :3], lone.qd[-1], rtol=0, atol=1e-11)
    middle = run.frame("middle")
    r = middle.position - run.frame("pendulum").position
    spin = 0.7 * (0.05**2 + 0.25**2) / 12.0 * middle.velocity[:, 2]
    momentum = spin + 0.7 * np.cross(r, middle.velocity[:, 3:])[:, 2]
    for k in struck(run):
        assert_allclose(momentum[k + 1], momentum[k], rtol=0, atol=1e-13)
        assert abs(run.qd[k + 1, 3] - run.qd[k, 3]) > 0.1
    assert_energy(run)


def test_a_polygon_of_many_corners_is_followed_and_kept(tmp_path):
    """A mass on a spring on a slider that goes to and fro: between corners it swings about its rest."""
    m = wt.Mechanism("shaken")
    m.add_body("table", wt.Prismatic("x"), inertia=block(1.2))
    m.add_body("mass", wt.Prismatic("x"), "table", inertia=block(0.5), stiffness=30.0)
    t, v = np.arange(81) * 0.03, np.where(np.arange(80) % 3, 0.4, -0.7)
    x = np.concatenate([[0.0], np.cumsum(0.03 * v)])
    polygon = wt.MotionSpline(t, [v, x[:-1]])
    run = wt.simulate(m, [0.0, 0.1], duration=2.4, drive={"table": polygon}, **FINE)
    w = np.sqrt(60.0)
    c, s = np.cos(0.03 * w), np.sin(0.03 * w)
    u, rate = 0.1, run.qd[0, 1]
    for k, jump in enumerate([*np.diff(v), 0.0]):
        u, rate = c * u + s * rate / w, c * rate - w * s * u
        if jump:
            place = int(np.flatnonzero(np.abs(run.t - t[k + 1]) < 1e-12)[-1])
            rate = rate - jump
            assert_allclose([run.q[place, 1], run.qd[place, 1]], [u, rate], rtol=0, atol=1e-11)
    assert_allclose([run.q[-1, 1], run.qd[-1, 1]], [u, rate], rtol=0, atol=1e-11)
    assert len(run.blows) == np.count_nonzero(np.diff(v))
    assert_allclose([blow.impulse[0] for blow in run.blows], 1.2 * np.diff(v)[np.diff(v) != 0.0], rtol=1e-10)
    run.save(tmp_path / "run.npz")
    kept = wt.load_trajectory(tmp_path / "run.npz").blows
    assert [(b.t, b.drivers, *b.impulse) for b in kept] == [(b.t, b.drivers, *b.impulse) for b in run.blows]


def test_an_event_that_a_blow_takes_through_zero_is_found_there():
    still = wt.Event(lambda t, q, qd: qd[1], "still", terminal=True)
    m = wt.examples.load("cart-pole")
    drive = {"cart": lambda t: 2.5 * wt.maximum(t - 0.2, 0.0)}
    run = wt.simulate(m, [0.0, 0.4], [0.0, -0.3], duration=1.0, drive=drive, events=[still])
    assert run.qd[struck(run)[0], 1] < -0.3
    assert run.events[0].name == "still"
    assert_allclose([run.events[0].t, run.t[-1]], 0.2, rtol=0, atol=1e-12)


def test_a_blow_at_the_end_is_told_and_one_at_the_start_refused():
    m = wt.examples.load("cart-pole")
    run = wt.simulate(m, [0.0, 0.4], duration=0.5, drive={"cart": lambda t: wt.where(t < 0.5, t, 0.5)})
    assert run.t[-2:].tolist() == [0.5, 0.5]
    assert_allclose(run.qd[-2:, 0], [1.0, 0.0], rtol=0, atol=1e-15)
    with pytest.raises(
        wt.InputError, match=r"its velocity is 0 at t = 0 s and 2 right behind it: let it start"
    ):
        wt.simulate(m, duration=0.5, drive={"cart": lambda t: wt.where(t <= 0.0, 0.0, 2.0 * t)})


def test_corners_in_line_and_in_rollouts_are_refused():
    """Flat, a parallelogram may go on in two ways; a rollout's steps do not end at corners."""
    linkage = Linkage("parallelogram")
    a, b, c, d = (0.0, 0.0), (0.1, 0.2), (0.6, 0.2), (0.5, 0.0)
    linkage.bar("crank", a, b)
    linkage.bar("coupler", b, c, parent="crank")
    linkage.bar("rocker", d, c)
    linkage.pin("pin", c, "coupler", "rocker")
    flat = -float(np.arctan2(0.2, 0.1))
    m = linkage.m

    def drive(near: float) -> dict[str, Any]:
        return {"crank": lambda t: flat * t + wt.maximum(t - 1.0 + near, 0.0)}

    message = (
        "reaches a singular position, .* before the speed of a driver jumps at t = 1 s: let it jump else"
    )
    with pytest.raises(wt.SimulationError, match=message):
        wt.simulate(m, duration=1.5, drive=drive(0.0))
    run = wt.simulate(m, duration=1.5, drive=drive(1e-3))  # struck next to it, it goes on through it
    assert_allclose(run.q[-1], (1.5 * flat + 0.501) * np.array([1.0, -1.0, 1.0]), rtol=0, atol=1e-7)
    forces = DrivenActing(m, drivers_of(m, drive(0.0)), None, None)
    forces.start(None, None, 1.5)
    assert forces.drive is not None
    assert forces.drive.struck(1.1, flat * np.array([1.0, -1.0, 1.0]), np.zeros(3)) is None
    m = wt.examples.load("cart-pole")
    m.add_driver("cart", "abs(t - 0.3)")
    with pytest.raises(
        wt.InputError, match=r"jumps at t = 0.3 s, which is a blow to joints .* use wt.simulate"
    ):
        wt.rollout(m, [0.3, 0.4], [0.0, 0.0], steps=500)
    m.add_driver("pole", "sin(t)")
    wt.rollout(m, [0.3, 0.0], [0.0, 0.0], steps=5)  # nothing is left to be struck


@pytest.mark.parametrize(
    ("motion", "duration", "wanted"),
    [
        ("abs(t - 0.51234)", 1.0, [0.51234]),
        ("0.1 * t**3 + 1e-7 * abs(t - 0.7)", 1.0, [0.7]),
        ("100 * sin(1000 * t) + 0.1 * abs(t - 0.3)", 1.0, [0.3]),
        ("abs(t - 0.3) + 0.5 * abs(t - 0.3000001)", 1.0, [0.3, 0.3000001]),
        ("abs(sin(3 * t))", 4.0, [np.pi / 3.0, 2.0 * np.pi / 3.0, np.pi]),
        ("0.1 * sin(1e4 * t)", 1.0, []),
        ("where(t < 0.4, t * t, 0.8 * t - 0.16)", 1.0, []),
        (wt.MotionSpline([0.0, 0.25, 1.0], [[4.0, -4.0 / 3.0], [0.0, 1.0]], periodic=True), 2.1, "periodic"),
        (wt.MotionTable([0.0, 0.5, 1.0, 1.7], [0.0, 0.3, 0.1, 0.9]), 1.5, []),
    ],
)
def test_corners_are_found_to_the_last_digit(motion, duration, wanted):
    course = course_of(Driver("x", "x", motion), 0.0, 0.0)
    if wanted == "periodic":
        wanted = [0.25, 1.0, 1.25, 2.0]
    found = corners_of([course], duration)
    assert_allclose([corner.t for corner in found], wanted, rtol=5e-16, atol=0)
    for corner in found:
        before, after = (course(np.array([at])).xd for at in (corner.before, corner.after))
        assert abs(after - before) > 1e-8
        assert 0.0 < corner.after - corner.before < 1e-14
