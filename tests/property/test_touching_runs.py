"""Rigid bodies that touch, from event to event: what must always hold, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touching
import whippletree as wt
from touching import ball, leg
from whippletree.simulation.touching.held_motion import HeldMotion, held_kernels
from whippletree.simulation.touching.holding import STICK, held_by_factors, none_held
from whippletree.simulation.touching.touch_terms import touch_kernels, unforced

G = 9.81


def test_a_tumbling_crate_comes_to_rest_without_overlap():
    m = touching.crate(friction=0.6, restitution=0.15)
    q = np.array([0, 0, 0.5, 1, 0.2, 0.3, 0.1])
    q[3:] /= np.linalg.norm(q[3:])
    run = wt.simulate(m, q, [0.3, -1, 0.2, 1, 0.5, 0], duration=1.0, contacts="rigid")
    contacts = run.contacts
    assert contacts.gap.min() > -1e-9
    assert contacts.times("rests")
    assert np.abs(run.qd[-1]).max() < 1e-12
    mass = m.bodies[0].inertia.m
    np.testing.assert_allclose(contacts.force[-1].sum(axis=0), [mass * G, 0, 0], atol=1e-9)
    friction = np.linalg.norm(contacts.force[..., 1:], axis=-1)
    assert np.all(friction <= 0.6 * contacts.force[..., 0] + 1e-8)
    assert np.all(contacts.impact_loss > -1e-12)
    rubbed = np.diff(run.t) * 0.5 * (run.lost_power[1:] + run.lost_power[:-1])
    balance = run.energy + np.cumsum(contacts.impact_loss) + np.concatenate([[0.0], np.cumsum(rubbed)])
    assert np.ptp(balance) < 1e-5 * abs(run.energy[0])
    # States before and after an impact have one time.
    hit = np.flatnonzero(contacts.impact_loss)
    assert np.all(run.t[hit] == run.t[hit - 1])
    assert np.all(run.q[hit] == pytest.approx(run.q[hit - 1], abs=1e-9))


def test_a_ball_that_would_be_through_within_one_step_is_caught():
    m = wt.Mechanism("graze", gravity=(0, 0, 0))
    m.add_body("ball", wt.Translation(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("post", wt.Sphere(0.2))
    m.add_contact("hit", "skin", "post", friction=0.0, restitution=1.0)
    run = wt.simulate(m, [-5.0, 0.0, 0.15], [100.0, 0.0, 0.0], duration=0.1, contacts="rigid")
    # At 30 degrees to the normal: reflected by 120 degrees.
    np.testing.assert_allclose(run.qd[-1], [-50.0, 0.0, 100.0 * np.sqrt(0.75)], atol=1e-9)
    assert run.contacts.gap.min() > -1e-9


@pytest.mark.parametrize(
    ("law", "speeds"),
    [("poisson", (-1 / 3, 2 / 3, 2 / 3)), ("newton", (-1 / 3, 2 / 3, 2 / 3)), ("sequential", (0, 0, 1))],
)
def test_the_law_of_impacts_is_chosen(law, speeds):
    m = wt.Mechanism("cradle", gravity=(0, 0, 0))
    for k in range(3):
        m.add_body(f"body {k}", wt.Prismatic("x"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
        m.add_shape(f"ball {k}", wt.Sphere(0.1), f"body {k}")
    for k in range(2):
        m.add_contact(f"hit {k}", f"ball {k}", f"ball {k + 1}", friction=0.0, restitution=1.0)
    run = wt.simulate(m, [-0.5, 0.0, 0.2], [1.0, 0, 0], duration=0.6, contacts="rigid", impacts=law)
    np.testing.assert_allclose(run.qd[-1], speeds, atol=1e-9)


def test_a_linkage_lands_with_its_loops_closed():
    m, q = leg(friction=0.9)

    def hold(t, now, qd):
        return np.array([0.0, 60.0 * (q[1] - now[1]) - 6.0 * qd[1], 0.0, 0.0])

    run = wt.simulate(m, q, duration=1.5, control=hold, contacts="rigid")
    assert run.contacts.times("impact")
    assert np.abs(run.constraint_error).max() < 1e-10
    assert run.contacts.gap.min() > -1e-9
    weight = G * sum(body.inertia.m for body in m.bodies)
    assert run.contacts.force[-1, 0, 0] == pytest.approx(weight, rel=1e-2)


def test_events_and_actions_of_the_user_go_along_with_contacts():
    m = ball(wt.Translation(), friction=0.5)
    kick = wt.Event(lambda t, q, qd: t - 0.6, "kick", action=lambda t, q, qd: (q, qd + np.array([0, 0, 2.0])))
    run = wt.simulate(m, [0, 0, 0.1], duration=1.2, events=[kick], contacts="rigid")
    assert [event.name for event in run.events] == ["kick"]
    np.testing.assert_allclose(run.contacts.times("impact"), [0.6 + 4.0 / G], atol=1e-9)
    assert run.contacts.times("opens") == pytest.approx([0.6])
    sunk = wt.Event(lambda t, q, qd: t - 0.6, "sink", action=lambda t, q, qd: (q - [0, 0, 0.02], qd))
    with pytest.raises(wt.InputError, match=r"action of event 'sink' at t = 0.6: .* overlap by 0.02 m"):
        wt.simulate(m, [0, 0, 0.1], duration=1.2, events=[sunk], contacts="rigid")


@pytest.mark.parametrize(("method", "dt"), [("rk4", 0.02), ("RK45", None), ("Radau", None)])
def test_other_integrators_find_the_same_bounce(method, dt):
    m = ball(restitution=0.5)
    run = wt.simulate(m, [0.6], duration=0.8, method=method, dt=dt, contacts="rigid", sample=0.1)
    np.testing.assert_allclose(
        run.contacts.times("impact")[:2], np.sqrt(1.0 / G) * np.array([1, 2]), atol=1e-9
    )


def test_a_rod_in_painleves_situation_is_told_by_name():
    m = wt.Mechanism("rod")
    inertia = wt.Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0)
    m.add_body("rod", wt.Planar(), placement=wt.Placement(rpy=(np.pi / 2, 0, 0)), inertia=inertia)
    m.add_shape("end", wt.Sphere(1e-12), "rod", wt.Placement((-0.5, 0, 0)))
    m.add_shape("floor", wt.Plane())
    angle = np.arctan(2.0)
    q = [angle, 0.0, 0.5 * np.sin(angle)]
    for mu, sign in ((1.32, -1.0), (1.35, 1.0)):  # on either side of 4/3, and the other way
        safe = m.copy()
        safe.add_contact("drag", "end", "floor", friction=mu)
        wt.simulate(
            safe, q, [0, sign * np.cos(angle), -sign * np.sin(angle)], duration=1e-4, contacts="rigid"
        )
    m.add_contact("drag", "end", "floor", friction=1.35)
    with pytest.raises(wt.SimulationError, match=r"(?s)Painlevé.*'end' on 'floor'.*contacts='compliant'"):
        wt.simulate(m, q, [0, -np.cos(angle), np.sin(angle)], duration=0.1, contacts="rigid")


def test_an_overlap_at_the_start_is_refused_and_can_be_pushed_out():
    m, q = leg(friction=0.5)
    q[0] = 0.3
    with pytest.raises(wt.InputError, match=r"overlap by 0\.\d+ m, 'foot' on 'floor'.*push_out"):
        wt.simulate(m, q, contacts="rigid")
    apart = wt.contact.push_out(m, q)
    assert wt.contact.gaps(m, apart).min() > -1e-9
    assert np.abs(wt.loops.constraint_error(m, apart)).max() < 1e-9
    same = wt.contact.push_out(m, apart)
    np.testing.assert_array_equal(same, apart)
    wedged = wt.Mechanism("wedged")
    wedged.add_body("ball", wt.Prismatic("x"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    wedged.add_shape("skin", wt.Sphere(0.1), "ball")
    wedged.add_shape("floor", wt.Plane())
    wedged.add_contact("wedge", "skin", "floor")
    with pytest.raises(wt.SolverError, match=r"overlap by 0.1 m, and no motion .*'skin' on 'floor'"):
        wt.contact.push_out(wedged, np.zeros(1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contacts": "soft"}, "contacts is 'soft', expected 'auto', 'rigid', 'compliant', a wt.contact"),
        ({"contacts": "rigid", "impacts": "energetic"}, "impacts is 'energetic', expected one of poisson"),
        ({"contacts": "rigid", "impacts": "newton"}, "can create energy with friction, here 0.8 at 'skin'"),
        (
            {"contacts": "rigid", "method": "euler"},
            "method is 'euler', which does not follow the contacts of 'ball'",
        ),
        ({"contacts": "rigid", "dynamics": "aba"}, "dynamics is 'aba', but rigid contact finds"),
        ({"contacts": "rigid", "stabilization": 0.1}, "stabilization is 0.1, but rigid contact finds"),
    ],
)
def test_what_does_not_go_with_contacts_is_refused(options, message):
    with pytest.raises(wt.InputError, match=message):
        wt.simulate(ball(), [0.5], **options)


def test_mechanisms_without_contacts_or_with_soft_ones_are_refused():
    with pytest.raises(wt.InputError, match=r"'pendulum' has no contact: m.add_contact"):
        wt.simulate(wt.examples.load("pendulum"), contacts="rigid")
    with pytest.raises(
        wt.InputError, match=r"'skin' on 'floor' .* has a stiffness of 1000 N/m: leave it out"
    ):
        wt.simulate(ball(stiffness=1e3), [0.5], contacts="rigid")


def test_what_contacts_did_is_kept_in_a_file(tmp_path):
    run = wt.simulate(ball(restitution=0.3), [0.4], duration=0.8, contacts="rigid")
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz").contacts
    assert again.titles == run.contacts.titles
    assert again.events == run.contacts.events
    for name in ("gap", "mode", "force", "impulse", "impact_loss", "friction_power"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run.contacts, name))
    run.save(tmp_path / "run.csv")
    assert wt.load_trajectory(tmp_path / "run.csv").contacts.titles == ()
    figure = run.plot()
    assert "contact forces" in figure.axes[3].get_title("left")


@pytest.mark.parametrize(
    ("entry", "change", "message"),
    [
        ("contact_gap", lambda a: a[:-1], r"contact_gap has shape \(\d+, 1\), expected"),
        ("contact_force", lambda a: a * np.nan, "contact_force has entries that are not finite"),
        ("contact_mode", lambda a: a + 7.0, "modes or numbers that there are not"),
        ("contact_events", lambda a: a[1:], "the events of contacts do not fit together"),
    ],
)
def test_damaged_contacts_in_a_file_are_told(tmp_path, entry, change, message):
    wt.simulate(ball(restitution=0.3), [0.4], duration=0.4, contacts="rigid").save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        entries = dict(file)
    entries[entry] = change(entries[entry])
    np.savez(tmp_path / "bad.npz", **entries)
    with pytest.raises(wt.FileError, match=message):
        wt.load_trajectory(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("name", "start", "what"),
    [
        ("bouncing-ball", [0.0], "impact"),
        ("newtons-cradle", [0.5, 0.0, 0.0, 0.0, 0.0], "impact"),
        ("rimless-wheel", [-0.1, 0.1, 0.0], "impact"),
        ("rocking-block", [-0.1, 0.0, 0.0], "impact"),
        ("sliding-ladder", [0.0, 0.0, 0.0], "opens"),
    ],
)
def test_bundled_mechanisms_touch(name, start, what):
    m = wt.examples.load(name)
    assert np.all(wt.contact.gaps(m, m.neutral()) > -1e-12)
    q = wt.contact.push_out(m, np.array(start))
    run = wt.simulate(m, q, duration=0.8, contacts="rigid", impacts="sequential")
    assert run.contacts.times(what)
    assert run.contacts.gap.min() > -1e-9


def test_a_cradle_passes_the_shock_on():
    m = wt.examples.load("newtons-cradle")
    run = wt.simulate(m, [0.5, 0, 0, 0, 0], duration=0.5, contacts="rigid", impacts="sequential")
    hit = np.flatnonzero(run.contacts.impulse[:, 0, 0])
    assert run.qd[hit[0], 4] == pytest.approx(run.qd[hit[0] - 1, 0], rel=1e-5)
    assert np.abs(run.qd[hit[0], :4]).max() < 1e-5 * abs(run.qd[hit[0], 4])


def test_contacts_of_a_mechanism_count_unless_they_are_left_out():
    m = wt.examples.load("bouncing-ball")
    q0 = m.neutral()
    q0[2 if m.nq > 2 else 0] += 0.3
    held = wt.simulate(m, q0, duration=0.6)
    assert held.contacts.gap.min() > -1e-9
    assert held.contacts.times("impact")
    assert held.dynamics == "rigid contact"  # no method of forward dynamics has found its accelerations
    through = wt.simulate(m, q0, duration=0.6, contacts=None)
    assert wt.contact.gaps(m, through.q[-1]).min() < -0.5
    q, _ = wt.rollout(m, q0, np.zeros(m.nv), steps=600)
    assert wt.contact.gaps(m, q[-1]).min() > -1e-3
    q, _ = wt.rollout(m, q0, np.zeros(m.nv), steps=600, contacts=None)
    assert wt.contact.gaps(m, q[-1]).min() < -0.5


@pytest.mark.parametrize(("method", "steps"), [("auto", 150), ("Radau", 300), ("BDF", 200)])
def test_slip_begins_in_few_steps(method, steps):
    """Its direction is stiff at first, and turns within less than what derivatives are differenced by.

    Explicit steps alone are as short as it is slow.
    """
    m, mass, bound = ball(wt.Translation(), friction=0.5), 0.3, 0.5 * 0.3 * 9.81

    def push(t, q, qd):
        return np.array([2.4 * t, 1.5 * t * t, 0.0])

    run = wt.simulate(m, [0.0, 0.0, 0.1], duration=1.2, control=push, method=method, rtol=1e-9, atol=1e-11)
    (begins,) = run.contacts.times("slips")
    first = push(begins, None, None)[:2]
    assert np.linalg.norm(first) == pytest.approx(bound, rel=1e-12)
    assert np.count_nonzero(run.t > begins) < steps

    def slope(t, y):
        return [*y[2:], *((push(t, None, None)[:2] - bound * y[2:] / np.linalg.norm(y[2:])) / mass)]

    start = np.concatenate([np.zeros(2), 1e-11 * first])
    reference = solve_ivp(slope, (begins, 1.2), start, "Radau", rtol=1e-9, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(run.q[-1, :2], reference[:2], rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(run.qd[-1, :2], reference[2:], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("yaw", [0.0, 0.6, 2.5])
def test_planar_contacts_that_stick_are_held_by_one_kernel(yaw: float):
    """Across its plane nothing can be held, whichever way the tangents point: forces in it are determined."""
    m = wt.Mechanism("disc")
    m.add_body(
        "disc",
        wt.Planar(),
        placement=wt.Placement(rpy=(np.pi / 2, 0, 0)),
        inertia=wt.Inertia.sphere(0.13, mass=0.7),
    )
    m.add_shape("rim", wt.Sphere(0.13), "disc")
    m.add_shape("floor", wt.Plane(), placement=wt.Placement(rpy=(0, 0, yaw)))
    m.add_contact("roll", "rim", "floor", friction=0.3)
    q, qd, tau = np.array([0.4, 0.2, 0.13]), np.array([-1.2, 0.3, -0.5]), np.array([0.02, 0.1, -0.3])
    held = none_held(np.array([0.3]))._replace(mode=np.array([STICK]))
    found = HeldMotion(
        *held_kernels(m, False).motion(q, qd, tau, np.ones(1), np.ones(1), np.zeros((1, 2)), 1e-8)
    )
    expected = held_by_factors(unforced(touch_kernels(m, False).terms(q, qd, tau), qd), held)
    assert found.margin > 0.01
    np.testing.assert_allclose(found.slope, expected.slope, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.force, expected.force, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("rtol", "method"), [(1e-8, "Radau"), (1e-12, "DOP853")])
def test_long_runs_at_tight_tolerances_are_explicit(rtol: float, method: str):
    """Radau took 4 ms steps at rest, for what rounding errors did to its differences."""
    m = wt.Mechanism("damped")
    m.add_body("slide", wt.Prismatic("z"), inertia=wt.Inertia(0.5), damping=70.0)
    m.add_shape("foot", wt.Sphere(0.1), "slide")
    m.add_shape("floor", wt.Plane())
    m.add_contact("stand", "foot", "floor")
    run = wt.simulate(m, [0.13], [-0.2], 400.0, rtol=rtol, atol=1e-2 * rtol, sample=10.0)
    assert run.method == method
    np.testing.assert_allclose(run.q[-1], 0.1, rtol=0, atol=1e-12)


def test_feet_that_weigh_next_to_nothing_walk_at_tight_tolerances():
    """What a kernel finds with masses in a ratio of 10⁵ is too rough for 1e-12: steps were 10 µs long."""
    m = wt.examples.load("simplest-walker")
    start = wt.examples.start("simplest-walker")
    run = wt.simulate(m, start.q, start.qd, 5.5, rtol=1e-12, atol=1e-14)
    assert len(run.t) < 200


@pytest.mark.parametrize(("x", "rtol"), [(0.0, 1e-3), (0.0, 1e-5), (1000.0, 1e-8)])
@pytest.mark.parametrize("push", [(0.3, 0.5), (0.8, 0.8)])
def test_slip_ends_once_however_coarse_steps_are_and_wherever_it_is(x, rtol, push):
    """Slip beyond zero by what steps may err is rest, and does not turn to and fro in steps without end."""
    m = ball(wt.Translation(), friction=0.4)

    def run(x, rtol):
        acting = np.array([*push, 0.0]) * m.bodies[0].inertia.m / 0.3
        q, qd = [x, 0.0, 0.1], [0.1257, -0.1321, 0.0]
        named = {"contacts": "rigid", "rtol": rtol, "atol": 1e-2 * rtol}
        return wt.simulate(m, q, qd, 0.6, lambda t, q, qd: acting, **named)

    found, tight = run(x, rtol), run(0.0, 1e-10)
    assert [event.what for event in found.contacts.events] == ["closes", "slips", "sticks"]
    assert np.sum(np.diff(found.t) == 0.0) <= 2  # states at one event, which may be where a step has ended
    near = max(rtol, 1e-6)  # 1 µm/s is rest at any tolerance
    assert found.contacts.times("sticks") == pytest.approx(tight.contacts.times("sticks"), abs=near)
    assert not np.any(found.qd[-1])
