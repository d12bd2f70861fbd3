"""Simulations by every method of forward dynamics, by Baumgarte's stabilization, with implicit damping."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import robots
import whippletree as wt
from closed import massless_coupler, scotch_yoke
from whippletree.api.forward_methods import METHODS, reserve
from whippletree.dynamics.force_laws.joint_law import SLIP_SPEED
from whippletree.simulation import law_in_use
from whippletree.simulation.equations import equations

CLOSED = {
    "four-bar": lambda: wt.examples.load("four-bar"),
    "massless-coupler": massless_coupler,
    "scotch-yoke": scotch_yoke,
}
CASES = [(mechanism, name) for mechanism, build in CLOSED.items() for name in wt.methods(build())]


def start(m):
    q = wt.assemble(m, m.neutral())
    return q, wt.project_velocity(m, q, np.array([2.0, 0.0, 0.0]), hold=["crank"])


@pytest.mark.parametrize(("mechanism", "name"), CASES)
def test_simulations_agree_by_every_method(mechanism, name):
    m = CLOSED[mechanism]()
    q, qd = start(m)
    expected = wt.simulate(m, q, qd, duration=0.8, sample=0.2)
    assert expected.dynamics == wt.methods(m)[0]
    run = wt.simulate(m, q, qd, duration=0.8, sample=0.2, dynamics=name)
    assert run.dynamics == name
    assert np.max(np.abs(run.q[-1] - run.q[0])) > 0.5
    assert_allclose(run.q, expected.q, rtol=0, atol=1e-7)
    assert np.max(np.abs(run.constraint_error)) < 1e-12


@pytest.mark.parametrize(("mechanism", "name"), CASES)
def test_rollouts_agree_by_every_method(mechanism, name):
    m = CLOSED[mechanism]()
    q, qd = start(m)
    # A step of rk4 that errs by 1e-5 in a second, whichever way its accelerations were found.
    expected = wt.simulate(m, q, qd, duration=0.8, method="rk4", dt=1e-3, sample=0.1)
    found, _ = wt.rollout(m, q, qd, method="rk4", dynamics=name, steps=800, every=100)
    assert_allclose(found, expected.q[1:], rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", ["aba", "crba", "aba-variant-1", "divide-and-conquer", "floating-crba"])
def test_trees_take_every_method(name):
    m = wt.Mechanism("pair")
    heavy = wt.Inertia(1.3, com=(0.1, 0.0, -0.2), about_com=(0.2, 0.25, 0.3))
    m.add_body("base", wt.Free(), inertia=heavy)
    m.add_body("arm", wt.Revolute("y"), parent="base", placement=wt.Placement((0.3, 0, 0)), inertia=heavy)
    rng = np.random.default_rng(2)
    q, qd = m.random(rng), rng.normal(size=m.nv)
    expected = wt.simulate(m, q, qd, duration=0.5, sample=0.25)
    run = wt.simulate(m, q, qd, duration=0.5, sample=0.25, dynamics=name)
    assert run.dynamics == name
    assert_allclose(run.q, expected.q, rtol=0, atol=1e-8)
    found, _ = wt.rollout(m, q, qd, dt=1e-3, steps=500, every=250, method="rk4", dynamics=name)
    assert_allclose(found, expected.q[1:], rtol=0, atol=1e-8)


def test_methods_that_do_not_apply_are_refused():
    m = wt.examples.load("four-bar")
    q, qd = start(m)
    for call in (wt.simulate, lambda *args, **options: wt.rollout(*args, steps=2, **options)):
        with pytest.raises(wt.ModelError, match="dynamics 'aba' does not apply: 'four-bar' has loops"):
            call(m, q, qd, dynamics="aba")
        with pytest.raises(wt.InputError, match="dynamics is 'magic': give one of auto, grcr"):
            call(m, q, qd, dynamics="magic")


def test_a_crank_turns_past_where_every_choice_is_worn():
    """A rollout's choice of dependent coordinates is made once; where it fails, constraint forces step in."""
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, np.array([12.0, 0.0, 0.0]), hold=["crank"])
    expected = wt.simulate(m, q, qd, duration=2.0, method="rk4", dt=5e-4, sample=0.1)
    assert np.ptp(expected.q[:, 0]) > 2.0 * np.pi
    by_forces, _ = wt.rollout(m, q, qd, dt=5e-4, steps=4000, every=200, method="rk4", dynamics="lambda-first")
    for name in ("grcr", "rcr", "projection", "kkt"):
        found, _ = wt.rollout(m, q, qd, dt=5e-4, steps=4000, every=200, method="rk4", dynamics=name)
        assert_allclose(found, expected.q[1:], rtol=0, atol=1e-6)
        assert_allclose(found, by_forces, rtol=0, atol=1e-6)


def six_bar_run(dynamics, rtol=1e-12):
    m = wt.examples.load("stephenson-six-bar")
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, 2.0 * np.random.default_rng(0).normal(size=m.nv))
    return wt.simulate(m, q, qd, 4.0, sample=0.5, rtol=rtol, atol=1e-2 * rtol, dynamics=dynamics)


def test_a_run_makes_few_choices_and_goes_on_by_constraint_forces(monkeypatch):
    """Every choice is compiled; the motion is the same, to what steps may err over many of them."""
    made = []
    monkeypatch.setattr(law_in_use, "equations", lambda *now: (made.append(now[-1]), equations(*now))[1])
    run = six_bar_run("auto")
    assert run.dynamics == "grcr, lambda-first"
    kinds = [law.method for law in dict.fromkeys(made)]
    assert kinds.count(METHODS["grcr"]) <= law_in_use.CHOICES + 1  # the last of them is not compiled
    assert kinds.count(METHODS["lambda-first"]) == 1
    made.clear()
    by_choices = six_bar_run("grcr")
    assert by_choices.dynamics == "grcr"
    assert len(dict.fromkeys(made)) > law_in_use.CHOICES + 1
    assert_allclose(run.q, by_choices.q, rtol=0, atol=1e-9)
    assert six_bar_run("auto", 1e-6).dynamics == "grcr"  # where rounding is far below what steps err


def tower(decks):
    """Parallelograms on top of each other."""
    m, below = wt.Mechanism("tower"), "ground"
    beside, up = wt.Placement((0.3, 0, 0)), wt.Placement((0, 0, 0.5))
    leg, plate = (wt.Inertia.rod((0, 0, 0), end, mass=1.0) for end in ((0, 0, 0.5), (0.3, 0, 0)))
    for k in range(decks):
        m.add_body(f"left{k}", wt.Revolute("y"), parent=below, inertia=leg)
        m.add_body(f"right{k}", wt.Revolute("y"), parent=below, placement=beside, inertia=leg)
        m.add_body(f"deck{k}", wt.Revolute("y"), parent=f"left{k}", placement=up, inertia=plate)
        m.add_loop(f"close{k}", wt.Revolute("y"), f"right{k}", f"deck{k}", up, beside)
        below = f"deck{k}"
    return m


def test_constraint_forces_are_in_reserve_where_they_apply_and_cost_little():
    assert reserve(wt.examples.load("four-bars")) == "lambda-first"
    assert reserve(massless_coupler()) is None
    assert reserve(wt.examples.load("bicycle")) is None  # as it goes by them from the start
    assert reserve(wt.examples.load("pendulum")) is None
    assert reserve(tower(4)) == "lambda-first"
    assert reserve(tower(20)) is None


def test_stabilization_pulls_loops_together():
    m = wt.examples.load("four-bar")
    q, qd = start(m)
    exact = wt.simulate(m, q, qd, duration=1.0, sample=0.5)
    run = wt.simulate(m, q, qd, duration=1.0, sample=0.5, stabilization=wt.stabilization_time(m))
    assert_allclose(run.q, exact.q, rtol=0, atol=1e-6)
    gap = np.max(np.abs(run.constraint_error))
    assert 1e-14 < gap < 1e-7  # held, but not to rounding
    open_ = q + np.array([0.0, 1e-4, 0.0])
    pulled = wt.simulate(m, open_, np.zeros(3), duration=1.0, stabilization=0.02)
    gaps = np.max(np.abs(pulled.constraint_error), axis=1)
    assert gaps[0] > 5e-5
    assert gaps[-1] < 1e-7


def test_stabilization_needs_loops():
    with pytest.raises(wt.InputError, match=r"stabilization is 0\.1, but dynamics 'crba' holds no loops"):
        wt.simulate(wt.examples.load("double-pendulum"), duration=0.1, stabilization=0.1)


@pytest.mark.parametrize(
    "joint", [wt.Free(), wt.Planar("z"), wt.Reversed(wt.Free()), wt.Reversed(wt.Planar("x"))], ids=str
)
def test_a_spinning_body_keeps_its_velocity(joint):
    m = wt.Mechanism("disc", gravity=(0, 0, 0))
    m.add_body("disc", joint, inertia=wt.Inertia(1.3, about_com=(0.2, 0.2, 0.2)))
    rng = np.random.default_rng(5)
    q0, turning = m.random(rng), joint.nv // 2
    spin, speed = rng.normal(size=turning), rng.normal(size=joint.nv - turning)
    qd0 = np.concatenate([30.0 * spin / np.linalg.norm(spin), 5.0 * speed / np.linalg.norm(speed)])
    velocity, place = in_world(m, q0, qd0)
    run = wt.simulate(m, q0, qd0, duration=1.0, method="euler", dt=1e-3)
    found = wt.rollout(m, q0, qd0, steps=1000, dt=1e-3)
    for q, qd in ((run.q[-1], run.qd[-1]), (found[0][-1], found[1][-1])):
        end_velocity, end_place = in_world(m, q, qd)
        assert_allclose(end_velocity, velocity, rtol=0, atol=1e-12 * max(1.0, np.max(np.abs(velocity))))
        assert_allclose(end_place, place + velocity[3:], rtol=0, atol=1e-11)


def in_world(m, q, qd):
    """Velocity, angular and linear, and place of the first body, in the world's axes."""
    pose, velocity = wt.frame_pose(m, q, "disc"), wt.frame_velocity(m, q, qd, "disc")
    return np.kron(np.eye(2), pose[:3, :3]) @ velocity, pose[:3, 3]


def test_a_humanoid_under_damping_needs_implicit_steps():
    """The links of its wrists are so light that kd = 5 N m s/rad is too much for explicit steps of 1 ms."""
    name = next(name for name in robots.LOADABLE if "g1_29dof" in name)
    m = wt.load(robots.HOME / name, root=wt.Free())
    for body in m.bodies:
        m.change(body.joint_name, damping=0.0, friction=0.0, limits=wt.Limits())
    rng, q0 = np.random.default_rng(0), m.neutral()
    kd = np.where(np.arange(m.nv) < 6, 0.0, 5.0)
    hold = wt.Feedback(np.hstack([np.zeros((m.nv, m.nv)), np.diag(kd)]), q0)
    qd0 = np.concatenate([np.zeros(6), 0.3 * rng.normal(size=m.nv - 6)])
    with (
        pytest.warns(wt.StepLengthWarning, match="joint '.*' of 'g1.*' changes at a rate of about 2.4e"),
        pytest.warns(wt.NotFiniteWarning, match="1 of 1 trajectories of .* number 0 by t = 0"),
    ):
        wild, _ = wt.rollout(m, q0, qd0, hold, dt=1e-3, steps=1000)
    assert not np.all(np.isfinite(wild))
    q, qd = wt.rollout(m, q0, qd0, hold, dt=1e-3, steps=1000, implicit_damping=kd)
    # In free fall, with joints that the dampers hold still.
    assert np.max(np.abs(qd[:, 6:])) < np.max(np.abs(qd0)) * 1.5
    assert np.max(np.abs(qd[-1, 6:])) < 0.02
    assert np.all(np.isfinite(q))


def test_implicit_damping_converges_to_the_same_motion():
    m = wt.Mechanism("damped")
    rod = wt.Inertia.rod((0, 0, 0), (0, 0, -0.7), mass=1.2)
    m.add_body("upper", wt.Revolute("y"), inertia=rod, damping=0.3)
    at = wt.Placement((0, 0, -0.7))
    m.add_body("lower", wt.Revolute("y"), parent="upper", placement=at, inertia=rod, damping=0.2)
    exact = wt.simulate(m, [1.0, -0.4], duration=0.5, rtol=1e-10).q[-1]
    errors = []
    for dt in (2e-3, 1e-3):
        run = wt.simulate(m, [1.0, -0.4], duration=0.5, method="euler", dt=dt, implicit_damping=0.0)
        out, _ = wt.rollout(m, [1.0, -0.4], [0.0, 0.0], dt=dt, steps=round(0.5 / dt), implicit_damping=0.0)
        assert_allclose(out[-1], run.q[-1], rtol=0, atol=1e-12)
        errors.append(np.max(np.abs(run.q[-1] - exact)))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    # The damping of joints is taken so in any case.
    default = wt.simulate(m, [1.0, -0.4], duration=0.5, method="euler", dt=1e-3).q[-1]
    assert_allclose(default, run.q[-1], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("value", "method", "message"),
    [
        (1.0, "rk4", "implicit_damping is given, but method is 'rk4'"),
        ([1.0], "euler", r"implicit_damping has shape \(1,\), expected \(2,\)"),
        (-1.0, "euler", "implicit_damping of joint 'upper' is .*must not be negative"),
    ],
)
def test_wrong_implicit_damping_is_refused(value, method, message):
    m = wt.examples.load("double-pendulum")
    for call in (
        lambda **options: wt.simulate(m, duration=0.1, **options),
        lambda **options: wt.rollout(m, np.zeros(2), np.zeros(2), steps=2, **options),
    ):
        with pytest.raises(wt.InputError, match=message):
            call(method=method, implicit_damping=value)


def test_friction_stops_a_block_however_light_it_is():
    """It slides for v²m/2F = 5e-5 m; a step of 1 ms is a hundred times longer than that takes."""
    m = wt.Mechanism("block", gravity=(0, 0, 0))
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(1e-3), friction=10.0)
    q, qd = wt.rollout(m, [0.0], [1.0], steps=1000)
    assert 0.0 < q[-1, 0] < 2e-4
    assert np.all(np.diff(q[:, 0]) >= 0.0)  # it never turns round
    assert abs(qd[-1, 0]) < 1e-12
    fine, _ = wt.rollout(m, [0.0], [1.0], dt=1e-7, steps=3000, every=3000)
    assert fine[-1, 0] == pytest.approx(5e-5, rel=0.02)


@pytest.mark.parametrize("pattern", ["allegro_left", "talos_left_arm", "hyq_no_sensors", "icub_reduced"])
def test_robots_with_dampers_roll_out_with_defaults(pattern):
    """Explicit steps of 1 ms turn these into NaN, or into other motions than `simulate` finds."""
    m = wt.load(robots.HOME / next(name for name in robots.LOADABLE if pattern in name))
    assert any(body.damping or body.friction for body in m.bodies)
    run = wt.simulate(m, m.neutral(), duration=0.1, sample=0.1)
    ends = [
        wt.rollout(m, m.neutral(), np.zeros(m.nv), dt=dt, steps=round(0.1 / dt))[0][-1] for dt in (1e-3, 5e-4)
    ]
    creep = 0.1 * 10.0 * SLIP_SPEED  # by `simulate`, of joints that friction just holds
    errors = [np.max(np.abs(end - run.q[-1])) for end in ends]
    assert errors[0] < 0.1 * np.max(np.abs(run.q[-1])) + creep
    assert errors[1] < 0.7 * errors[0] + creep  # of first order


def on_a_table(friction, mass=1.0):
    m = wt.Mechanism("table", gravity=(0, 0, 0))
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(mass), friction=friction)
    return m


@pytest.mark.parametrize("mass", [1e-4, 1.3, 200.0])
def test_a_joint_held_by_friction_does_not_creep(mass):
    m = on_a_table(2.0, mass)
    q, _ = wt.rollout(m, [0.3], [0.0], np.array([1.9]), steps=1000)
    assert np.max(np.abs(q - 0.3)) < 1e-8
    run = wt.simulate(m, [0.3], duration=1.0, control=lambda t, q, qd: [-1.9], method="euler")
    assert np.max(np.abs(run.q - 0.3)) < 1e-8


@pytest.mark.parametrize("mass", [1e-4, 1.3, 200.0])
def test_a_joint_breaks_away_at_once(mass):
    """A force that grows: at rest until it is as large as friction, then moved by what is more."""
    m, h, n = on_a_table(2.0, mass), 1e-3, 500
    force = 0.013 * np.arange(n)  # above 2 N from step 154 on
    _, qd = wt.rollout(m, [0.0], [0.0], force[:, None], dt=h, steps=n)
    expected = np.cumsum(h * np.maximum(force - 2.0, 0.0) / mass)
    assert_allclose(qd[:, 0], expected, rtol=0, atol=1e-8 + 1e-12 * expected[-1])


def test_a_joint_turns_round_without_overshoot():
    """Thrown against a force that is larger than friction, it slows down by both and comes back by one."""
    m, h = on_a_table(2.0, 0.5), 1e-3
    _, qd = wt.rollout(m, [0.0], [1.0], np.array([-3.0]), dt=h, steps=400)
    t = h * np.arange(1, 401)
    expected = np.where(t < 0.1, 1.0 - 10.0 * t, -2.0 * (t - 0.1))
    assert_allclose(qd[:, 0], expected, rtol=0, atol=1.1 * h * 10.0)  # within a step


def test_a_chain_with_friction_comes_to_rest_and_stays():
    """Links that push each other stop one after the other. Energy never grows; at the end nothing moves."""
    m = wt.Mechanism("chain")
    rod = wt.Inertia.rod((0, 0, 0), (0, 0, -0.4), mass=0.7)
    for k in range(3):
        at = wt.Placement((0, 0, -0.4 if k else 0.0))
        m.add_body(f"l{k}", wt.Revolute("y"), f"l{k - 1}" if k else "ground", at, rod, friction=1.1)
    q, qd = wt.rollout(m, [0.9, -0.5, 0.7], [1.0, 3.0, -2.0], dt=1e-3, steps=5000, every=10)
    energy = np.array([sum(wt.energy(m, a, b)) for a, b in zip(q, qd, strict=True)])
    assert np.max(np.diff(energy)) < 1e-9
    assert np.max(np.abs(qd[-20:])) < 2e-9
    held = np.abs(wt.rnea(m, q[-1], np.zeros(3), np.zeros(3)))
    assert 0.01 < np.max(held) < 1.1  # by friction: it does not hang


def stiff_pair():
    m = wt.Mechanism("pair")
    heavy, light = wt.Inertia(2.0), wt.Inertia(1e-3)
    m.add_body("cart", wt.Prismatic("x"), inertia=heavy, stiffness=3.0)
    m.add_body("tip", wt.Prismatic("y"), parent="cart", inertia=light, stiffness=2e4)  # 4472 rad/s
    return m


@pytest.mark.parametrize("method", ["euler", "rk4", "rk6"])
def test_steps_too_long_for_the_start_are_told(method):
    m = stiff_pair()
    told = "dt is 0.001 s, but joint 'tip' of 'pair' changes at a rate of about .* at the start"
    with pytest.warns(
        wt.StepLengthWarning, match=f"{told} of trajectory 0, which '{method}' follows in steps"
    ):
        wt.rollout(m, np.full((2, 2), 0.1), np.zeros(2), steps=1, method=method)
    with (
        pytest.warns(wt.StepLengthWarning, match=f"{told}, which '{method}' follows in steps of up to 0.000"),
        pytest.raises(wt.SimulationError, match="its energy has grown by"),
    ):
        wt.simulate(m, [0.1, 0.1], duration=1e-3, method=method)
    # Short enough, and of a method that any step suits: not a word.
    wt.rollout(m, [0.1, 0.1], np.zeros(2), steps=1, method=method, dt=2e-4)
    wt.simulate(m, [0.1, 0.1], duration=1e-3, method=method, dt=2e-5)  # energy wants shorter ones
    wt.simulate(m, [0.1, 0.1], duration=1e-3, method="midpoint")


def test_the_fastest_trajectory_is_looked_at():
    """Gyroscopic forces are as fast as the spin."""
    m = wt.Mechanism("top", gravity=(0, 0, 0))
    m.add_body("top", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.15, 0.2)))
    qd = np.array([[1.0, 0.2, 0.1], [1.0, 2.0, 9000.0], [0.3, 0.2, 1.0]])
    with pytest.warns(wt.StepLengthWarning, match="joint 'top' .* of trajectory 1"):
        wt.rollout(m, m.neutral(), qd, steps=1)


def test_feedback_that_is_too_stiff_is_told_unless_it_is_implicit():
    m = on_a_table(0.0, mass=0.01)
    hold = wt.Feedback(np.array([[0.0, 30.0]]), [0.0])  # 3000/s
    with pytest.warns(wt.StepLengthWarning, match="rate of about 3e\\+03/s .* in steps of up to 0.0005 s"):
        wt.rollout(m, [0.0], [1.0], hold, steps=1)
    wt.rollout(m, [0.0], [1.0], hold, steps=1, implicit_damping=30.0)
