"""What runs keep for those after them, and what they leave out, changes no result."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.model.snapshot import Snapshot
from whippletree.simulation import law_in_use as laws
from whippletree.simulation import run as runs
from whippletree.simulation.acting import Acting
from whippletree.simulation.equations import Law, equations
from whippletree.simulation.integrators import dop853
from whippletree.simulation.strides import fused_steps, plain_steps
from whippletree.simulation.strides.first_step import FirstStep
from whippletree.simulation.strides.motion import Motion
from whippletree.simulation.strides.shelf import Shelf
from whippletree.simulation.systems import Compiled

SHORT = {"duration": 0.2, "progress": False}


def test_the_mechanism_of_a_trajectory_is_its_own():
    m = wt.examples.load("double-pendulum")
    first, second = (wt.simulate(m, [1.0, 0.5], **SHORT) for _ in range(2))
    own = first.mechanism
    assert own is not None
    assert own is first.mechanism
    own.gravity = (0.0, 0.0, -1.6)
    own.add_body("more", wt.Revolute("y"), inertia=wt.Inertia.sphere(0.1, mass=1.0))
    m.gravity = (0.0, 0.0, -3.7)
    copies: list[Any] = [second, pickle.loads(pickle.dumps(second))]
    for run in copies:
        other = run.mechanism
        assert (other.gravity, len(other)) == ((0.0, 0.0, -9.81), 2)
    m.gravity = (0.0, 0.0, -9.81)
    np.testing.assert_array_equal(wt.simulate(m, [1.0, 0.5], **SHORT).q, second.q)
    assert (own.gravity, len(own)) == ((0.0, 0.0, -1.6), 3)


def test_a_trajectory_may_be_without_a_mechanism():
    run = wt.simulate(wt.examples.load("pendulum"), [0.3], **SHORT)
    numbers = {name: getattr(run, name) for name in ("t", "q", "qd", "tau", "kinetic", "potential", "step")}
    more = ("constraint_error", "elastic", "lost_power", "external_power")
    assert wt.Trajectory(**numbers, **{name: getattr(run, name) for name in more}).mechanism is None


def test_equal_mechanisms_share_their_key():
    first, second, other = (wt.examples.load("four-bar") for _ in range(3))
    other.gravity = (0.0, 0.0, -1.0)
    assert Snapshot(first)._key is Snapshot(second)._key
    assert Snapshot(first) == Snapshot(second) != Snapshot(other)


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("name", ["spinning-top", "four-bar", "five-bar"])
def test_steps_in_one_piece_are_those_piece_by_piece(monkeypatch, name, method):
    options = {"duration": 0.5, "method": method, "dt": 1e-3, "progress": False}
    m, names = wt.examples.load(name), set[str]()
    made = fused_steps._made
    monkeypatch.setattr(fused_steps, "_made", lambda of, *a, **k: names.add(of.__name__) or made(of, *a, **k))
    for kept in (fused_steps._whole, fused_steps._with_loops):
        kept.cache_clear()
    found = []
    for largest in (fused_steps.LARGEST, -1):
        monkeypatch.setattr(fused_steps, "LARGEST", largest)
        monkeypatch.setattr(plain_steps, "SHELF", Shelf())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wt.EnergyWarning)
            found.append(wt.simulate(m, **options))
    assert names == ({"step_and_closer", "settled"} if m.loops else {"whole_step"})
    for part in ("t", "q", "qd", "step", "kinetic", "constraint_error"):
        one, other = (getattr(run, part) for run in found)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["five-bar", "andrews-squeezer"])
def test_a_regular_start_is_that_of_any_other(monkeypatch, name):
    m = wt.examples.load(name)
    q = wt.assemble(m, m.neutral())
    # Within rounding of closed it is taken as it is; further away it is closed, velocities with it.
    assert np.abs(wt.simulate(m, q, duration=1e-4, progress=False).q[0] - q).max() < 1e-15
    q = m.integrate(q, 1e-5 * np.sin(np.arange(m.nv) + 1.0))
    qd = wt.project_velocity(m, wt.assemble(m, q), np.cos(np.arange(m.nv)))
    found = [wt.simulate(m, q, qd, duration=1e-4, progress=False)]
    with monkeypatch.context() as patch:
        patch.setattr(runs, "regular_start", lambda *_: None)
        found.append(wt.simulate(m, q, qd, duration=1e-4, progress=False))
    assert np.abs(found[0].q[0] - q).max() > 1e-7
    for run in found:
        assert np.abs(run.constraint_error).max() < 1e-13
    np.testing.assert_allclose(found[0].q[0], found[1].q[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found[0].qd[0], found[1].qd[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("exponent", [4, 8])
def test_the_first_length_in_machine_code_is_that_of_numbers(exponent):
    m = wt.examples.load("double-pendulum")
    system = Compiled(equations(m, False, Law(METHODS["aba"])), Acting(m, None, None))
    motion, f = Motion(system, ()), np.zeros(4)
    first = FirstStep(motion, f, exponent)
    for y in ([0.7, -0.3, 2.0, 0.1], [0.0, 0.0, 0.0, 0.0], [1e-7, 0.0, 0.0, 3e3]):
        motion.y[:] = y
        found = first.length(3.0, 1e-8, 1e-10)
        slope = system.slope(0.0, np.array(y))
        np.testing.assert_array_equal(f, slope)
        asked = np.array(y), slope, 3.0, 1e-8, 1e-10, exponent
        np.testing.assert_allclose(found, dop853.first_length(system.slope, *asked), rtol=1e-12)


def test_what_is_known_of_a_start_is_not_that_of_a_changed_mechanism():
    m, chosen = wt.examples.load("double-pendulum"), []
    for damping in (0.0, 500.0, 0.1, 500.0):
        for body in m.bodies:
            m.change(body.name, damping=damping)
        chosen.append(wt.simulate(m, [1.0, 0.5], **SHORT).method)
    assert chosen == ["DOP853", "Radau", "DOP853", "Radau"]


def test_steps_that_are_too_long_are_told_every_time():
    m = wt.examples.load("double-pendulum")
    for _ in range(2):
        with pytest.warns() as told, suppress(wt.SimulationError):
            wt.simulate(m, [0.1, 0.1], duration=0.5, method="rk4", dt=0.5, progress=False)
        assert sum(warning.category is wt.StepLengthWarning for warning in told) == 1


def test_runs_side_by_side_are_those_one_after_the_other():
    m = wt.examples.load("four-bar")

    def run(k: int) -> np.ndarray:
        return wt.simulate(m, duration=0.3 + 0.01 * k, method=("auto", "rk4")[k % 2], progress=False).q

    alone = [run(k) for k in range(6)]
    with ThreadPoolExecutor(4) as pool:
        for k, q in enumerate(pool.map(run, [*range(6)] * 5)):
            np.testing.assert_array_equal(q, alone[k % 6])


def test_runs_from_new_starts_choose_nothing_by_numbers(monkeypatch):
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    wt.simulate(m, q, **SHORT)
    monkeypatch.setattr(Law, "at", lambda *_: pytest.fail("a choice was looked for"))
    ways = np.linalg.svd(wt.constraint_jacobian(m, q))[2][-1]
    for share in (0.0, 1e-7, 2e-7):
        wt.simulate(m, m.integrate(q, share * ways), **SHORT)


@pytest.mark.parametrize("rtol", [1e-8, 1e-12])
def test_choices_at_a_start_do_not_depend_on_runs_before(rtol):
    starts, found = np.random.default_rng(3), []
    m = wt.examples.load("five-bar")
    positions = [wt.assemble(m, m.random(starts)) for _ in range(4)]
    for order in (range(4), reversed(range(4))):
        m = wt.examples.load("five-bar")
        laws.usual.cache_clear()
        runs_of = {k: wt.simulate(m, positions[k], rtol=rtol, atol=0.01 * rtol, **SHORT) for k in order}
        found.append([runs_of[k].q for k in range(4)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_choice_at_a_start_is_good_enough_for_the_tolerance():
    m = wt.examples.load("jansen-leg")
    rng = np.random.default_rng(4)
    for _ in range(3):
        q = wt.assemble(m, m.random(rng))
        fine = wt.simulate(m, q, duration=0.05, rtol=1e-12, atol=1e-14, progress=False)  # by the best choice
        run = wt.simulate(m, q, duration=0.05, progress=False)
        assert np.abs(run.q[-1] - fine.q[-1]).max() < 1e-7


def test_a_stop_that_is_only_touched_counts_for_the_length_of_steps():
    m = wt.Mechanism("ram")
    stops = wt.Limits(lower=0.0, upper=1.0, stiffness=4e8)
    m.add_body("ram", wt.Prismatic("x"), inertia=wt.Inertia(mass=1.0), limits=stops)
    with pytest.warns() as told, suppress(wt.SimulationError):
        wt.simulate(m, [0.0], duration=0.01, method="rk4", dt=1e-3, progress=False)
    assert any(warning.category is wt.StepLengthWarning for warning in told)
