"""Rollouts: each trajectory is what a simulation gives, whatever others are computed beside it."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.kernels.run import build
from whippletree.kernels.run.iterate import Iteration, Series
from whippletree.kernels.trace.recording import trace
from whippletree.simulation import locally as blocks


def jumble() -> wt.Mechanism:
    """Joints of many kinds, springs, dampers, friction, stops, effort limits."""
    rng = np.random.default_rng(5)
    tree = randoms.tree(rng, ["free", "revolute", "spherical", "universal", "planar"])
    m = wt.Mechanism("jumble")
    for body in tree.bodies:
        one = body.joint.nv == 1
        limits = wt.Limits(-0.4, 0.3, effort=0.8, stiffness=50.0) if one else wt.Limits(effort=5.0)
        m.add_body(
            body.name,
            body.joint,
            body.parent,
            body.placement,
            body.inertia,
            limits=limits,
            damping=0.4,
            friction=0.2,
        )
    m.add_spring("s", "ground", (0.1, 0.2, 0.3), "b3", (0.3, 0.1, 0.2), 20.0, 0.4, 0.5)
    return m


def starts(m: wt.Mechanism, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.array([m.random(rng) for _ in range(count)]), rng.normal(size=(count, m.nv))


def test_each_trajectory_is_that_of_a_simulation():
    m = jumble()
    q0, qd0 = starts(m, 11)
    tau = np.random.default_rng(1).normal(size=(11, 20, m.nv))
    q, qd = wt.rollout(m, q0, qd0, tau, dt=0.01)
    assert q.shape == (11, 20, m.nq)
    for k in (0, 7, 8, 10):

        def control(t, q, qd, held=tau[k]):
            return held[min(round(t / 0.01), 19)]

        run = wt.simulate(m, q0[k], qd0[k], 0.2, control=control, method="euler", dt=0.01)
        np.testing.assert_allclose(q[k], run.q[1:], rtol=0, atol=1e-11)
        np.testing.assert_allclose(qd[k], run.qd[1:], rtol=0, atol=1e-11)


def test_rk4_is_that_of_a_simulation():
    m = jumble()
    q0, qd0 = starts(m, 9)
    tau = np.linspace(-1, 1, m.nv)
    q, qd = wt.rollout(m, q0, qd0, tau, steps=15, dt=0.01, method="rk4")
    run = wt.simulate(m, q0[8], qd0[8], 0.15, control=lambda t, q, qd: tau, method="rk4", dt=0.01)
    np.testing.assert_allclose(q[8], run.q[1:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(qd[8], run.qd[1:], rtol=0, atol=1e-11)


def test_the_same_bits_in_every_company():
    m = jumble()
    q0, qd0 = starts(m, 37)
    tau = np.random.default_rng(1).normal(size=(37, 12, m.nv))
    q, qd = wt.rollout(m, q0, qd0, tau, dt=0.01)
    for threads in (2, 3):
        again = wt.rollout(m, q0, qd0, tau, dt=0.01, threads=threads)
        assert (again[0].tobytes(), again[1].tobytes()) == (q.tobytes(), qd.tobytes())
    for k in (0, 5, 36):
        alone = wt.rollout(m, q0[k], qd0[k], tau[k], dt=0.01)
        assert alone[0].shape == (12, m.nq)
        assert (alone[0].tobytes(), alone[1].tobytes()) == (q[k].tobytes(), qd[k].tobytes())
    order = np.random.default_rng(2).permutation(37)
    assert wt.rollout(m, q0[order], qd0[order], tau[order], dt=0.01)[0].tobytes() == q[order].tobytes()
    for every in (3, 5, 12):
        some = wt.rollout(m, q0, qd0, tau, dt=0.01, every=every)
        assert some[0].tobytes() == np.ascontiguousarray(q[:, every - 1 :: every]).tobytes()
        assert some[1].tobytes() == np.ascontiguousarray(qd[:, every - 1 :: every]).tobytes()
    assert wt.rollout(m, q0, qd0, tau[..., :0, :], dt=0.01)[0].shape == (37, 0, m.nq)


def test_long_programs_give_the_same(monkeypatch):
    m = wt.examples.load("double-pendulum")
    q0, qd0 = starts(m, 10)
    expected = wt.rollout(m, q0, qd0, steps=30, every=4)
    monkeypatch.setattr(build, "_LONGEST_STRAIGHT", 10)
    renamed = wt.add_payload(m, "tip", wt.Inertia(1e-300))  # compiled anew, and the same
    got = wt.rollout(renamed, q0, qd0, steps=30, every=4)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-13, atol=1e-14)


def test_forces_of_all_shapes():
    m = wt.examples.load("double-pendulum")
    q0, qd0 = starts(m, 12)
    rng = np.random.default_rng(3)
    per_step = rng.normal(size=(9, 2))
    whole = np.broadcast_to(per_step, (12, 9, 2))
    expected = wt.rollout(m, q0, qd0, np.ascontiguousarray(whole))[0]
    doubled = np.repeat(np.ascontiguousarray(whole), 2, axis=2)[:, :, ::2]
    turned = np.asfortranarray(whole)
    for tau in (per_step, per_step.tolist(), whole, doubled, turned, per_step[None]):
        assert wt.rollout(m, q0, qd0, tau)[0].tobytes() == expected.tobytes()
    grid = wt.rollout(m, q0.reshape(3, 4, 2), qd0.reshape(3, 4, 2), whole.reshape(3, 4, 9, 2))[0]
    assert grid.tobytes() == expected.tobytes()
    assert grid.shape == (3, 4, 9, 2)
    outer = wt.rollout(m, q0[:3, None], qd0[:4], per_step)[0]
    assert outer.shape == (3, 4, 9, 2)
    assert outer[1, 2].tobytes() == wt.rollout(m, q0[1], qd0[2], per_step)[0].tobytes()
    still = wt.rollout(m, q0[0], qd0, None, steps=9)[0]
    assert still.tobytes() == wt.rollout(m, q0[0], qd0, np.zeros(2), steps=9)[0].tobytes()


def law(t, q, qd):
    return np.array([0.3 * np.sin(20.0 * t) - 2.0 * q[0], wt.minimum(0.4, 0.1 - qd[1])])


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_function_is_compiled_along(method):
    m = wt.examples.load("double-pendulum")
    q0, qd0 = starts(m, 9)
    q, qd = wt.rollout(m, q0, qd0, law, steps=40, dt=0.01, method=method)
    run = wt.simulate(m, q0[3], qd0[3], 0.4, control=law, method=method, dt=0.01)
    np.testing.assert_allclose(q[3], run.q[1:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(qd[3], run.qd[1:], rtol=0, atol=1e-12)


def test_functions_see_unit_quaternions():
    """At every stage of a step: they may ask for positions of frames, or for differences of attitudes."""
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, (0.1, 0, -0.3), (0.1, 0.2, 0.15)))
    norms = []

    def control(t, q, qd):
        if q.dtype == float:
            norms.append(q @ q)
        return 2.0 * m.difference(q, m.neutral()) - 0.3 * wt.frame_pose(m, q, "ball")[:3, 0] * q[0] * q[0]

    q0, qd0 = [0.6, 0.0, 0.8, 0.0], [3.0, -2.0, 1.0]
    run = wt.simulate(m, q0, qd0, 1.0, control=control, method="rk4", dt=0.05)
    wt.simulate(m, q0, qd0, 1.0, control=control, method="Radau", rtol=1e-4)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-14)
    q, _ = wt.rollout(m, q0, qd0, control, steps=20, dt=0.05, method="rk4")
    np.testing.assert_allclose(q, run.q[1:], rtol=0, atol=1e-13)


def test_a_function_is_read_anew_at_every_call():
    m, strength = wt.examples.load("pendulum"), [1.0]
    first = wt.rollout(m, [0.1], [0.0], lambda t, q, qd: strength[0] * np.cos(q), steps=5)[0]
    strength[0] = 2.0
    assert not np.array_equal(
        wt.rollout(m, [0.1], [0.0], lambda t, q, qd: strength[0] * np.cos(q), steps=5)[0], first
    )


def test_linear_feedback_is_the_function_written_out():
    m = jumble()
    rng = np.random.default_rng(4)
    q0, qd0 = starts(m, 10)
    gain, q_ref, qd_ref = rng.normal(size=(m.nv, 2 * m.nv)) * 0.3, m.random(rng), rng.normal(size=m.nv)
    forward = rng.normal(size=(10, 6, m.nv))
    q, _ = wt.rollout(m, q0, qd0, wt.Feedback(gain, q_ref, qd_ref, forward), dt=0.01)

    def written(row):
        def control(t, q, qd):
            error = np.concatenate([m.difference(q_ref, q), qd - qd_ref])
            return forward[row, min(round(t / 0.01), 5)] - gain @ error

        return control

    for k in (0, 9):
        run = wt.simulate(m, q0[k], qd0[k], 0.06, control=written(k), method="euler", dt=0.01)
        np.testing.assert_allclose(q[k], run.q[1:], rtol=0, atol=1e-11)
    gains, refs = np.broadcast_to(gain, (6, *gain.shape)), np.broadcast_to(q_ref, (6, m.nq))
    many = wt.rollout(m, q0, qd0, wt.Feedback(gains, refs, qd_ref, forward), dt=0.01)[0]
    assert many.tobytes() == q.tobytes()


def test_quaternions_keep_their_norm():
    m = jumble()
    q0, qd0 = starts(m, 8)
    for method in ("euler", "rk4"):
        q, _ = wt.rollout(m, q0, qd0, steps=500, every=50, dt=0.002, method=method)
        np.testing.assert_allclose(np.linalg.norm(q[..., 3:7], axis=-1), 1.0, rtol=0, atol=1e-14)


def test_gears_hold():
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", "upper", "lower", ratio=-2.0)
    q0 = np.linspace(0.1, 1.0, 9)[:, None] * [1.0, -2.0]
    q, _ = wt.rollout(m, q0, np.zeros(2), steps=200)
    np.testing.assert_allclose(q[..., 1], -2.0 * q[..., 0], rtol=0, atol=1e-12)
    with pytest.raises(wt.InputError, match=r"q0 of trajectory 1 has 5 for joint 'lower'.* holds at -2"):
        wt.rollout(m, [[1.0, -2.0], [1.0, 5.0]], np.zeros(2), steps=3)
    with pytest.raises(wt.InputError, match="qd0 has 1 for joint 'lower', which gear 'belt' holds at -2"):
        wt.rollout(m, [1.0, -2.0], [1.0, 1.0], steps=3)


def test_one_that_leaves_all_bounds_harms_no_other():
    m = wt.examples.load("double-pendulum")
    q0, qd0 = starts(m, 9)
    expected = wt.rollout(m, q0, qd0, steps=20)[0]
    wild = qd0.copy()
    wild[4] = 1e200
    with pytest.warns(wt.NotFiniteWarning, match="1 of 9 trajectories of .* number 4 by t ="):
        q = wt.rollout(m, q0, wild, steps=20)[0]
    assert np.isnan(q[4, -1]).all()
    others = np.arange(9) != 4
    assert q[others].tobytes() == expected[others].tobytes()


def test_blocks_give_the_same(monkeypatch):
    """However many trajectories are computed between two looks at the outside."""
    m = wt.examples.load("double-pendulum")
    q0, qd0 = starts(m, 700)
    rng = np.random.default_rng(3)
    whole, per_step = rng.normal(size=(700, 6, 2)), rng.normal(size=(6, 2))
    feedback = wt.Feedback(np.ones((2, 4)), [0.1, 0.2], forward=whole)
    expected = [wt.rollout(m, q0, qd0, tau)[0] for tau in (whole, per_step, feedback)]
    calls = []
    true = Iteration.__call__

    def counted(self, own, series, outs, **options):
        if options["steps"] > 1:  # else it is a look at the first one
            calls.append(len(outs[0]))
        true(self, own, series, outs, **options)

    monkeypatch.setattr(Iteration, "__call__", counted)
    monkeypatch.setattr(blocks, "WORK", 1)
    for tau, wanted in zip((whole, per_step, feedback), expected, strict=True):
        assert wt.rollout(m, q0, qd0, tau)[0].tobytes() == wanted.tobytes()
        assert calls == [128] * 5 + [60]
        calls.clear()
    assert wt.rollout(m, q0[0], qd0, per_step, threads=2)[0].shape == (700, 6, 2)
    assert calls == [256, 256, 188]


def test_results_go_where_they_are_asked_to():
    m = wt.examples.load("pendulum")
    q0 = np.linspace(0, 1, 5)[:, None]
    out = np.full((5, 6, 1), 7.0), np.full((5, 6, 1), 7.0)
    got = wt.rollout(m, q0, [0.0], steps=6, out=out)
    assert got[0] is out[0]
    assert got[1] is out[1]
    assert out[0].tobytes() == wt.rollout(m, q0, [0.0], steps=6)[0].tobytes()


def test_memory_is_that_of_the_output():
    m = wt.examples.load("double-pendulum")
    count, steps = 4000, 400
    tau = np.zeros((steps, 2))
    wt.rollout(m, np.zeros((9, 2)), np.zeros(2), tau, every=steps)  # compiled
    tracemalloc.start()
    wt.rollout(m, np.zeros(2), np.zeros((count, 2)), tau, every=40)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    output = 2 * count * (steps // 40) * 2 * 8
    assert peak < output + 4 * count * 2 * 8 + 200_000


RESIDENT = """
import resource, numpy as np, whippletree as wt
def peak():  # of this process until now, in bytes
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
m, count = wt.examples.load("double-pendulum"), 2000
q0 = np.random.default_rng(0).normal(size=(count, 2))
def control(t, q, qd):
    return 0.1 * np.cos(5 * t) - 0.2 * qd
def rolled(steps, every):
    return wt.rollout(m, q0, np.zeros(2), control, steps=steps, every=every)
rolled(10, 10)  # compiled, and what must be loaded is loaded
before = peak()
rolled(4000, 4000)  # states of 256 MB are passed, of 64 kB are kept
passed = peak() - before
out = rolled(1000, 1)
kept = peak() - before - sum(part.nbytes for part in out)
print(passed, kept, sum(part.nbytes for part in out))
"""


def test_the_process_grows_by_the_output_alone():
    """Whatever the number of steps, by the operating system's own account."""
    done = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True)
    passed, kept, output = map(int, done.stdout.split())
    assert output == 64_000_000
    assert passed < 2_000_000
    assert kept < 2_000_000


def with_entry(shape: tuple[int, ...], index: tuple[int, ...], value: float) -> np.ndarray:
    array = np.full(shape, 0.3)
    array[index] = value
    return array


MASKED, BOTH = np.ma.masked_array([0.1, 0.2], [False, True]), np.zeros((5, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "rk5"}, "method is 'rk5'; known: euler, rk4"),
        ({"steps": None}, "the number of steps is not told: give steps"),
        ({"tau": np.zeros((4, 2))}, "the number of steps is told as 4, 5"),
        (
            {"tau": np.zeros((5, 3))},
            r"tau has shape \(5, 3\), expected \(2,\), \(steps, 2\) or \(..., steps, 2\)",
        ),
        ({"tau": "full"}, "tau is no array of numbers: 'full'"),
        ({"tau": lambda t, q, qd: q[:1]}, r"tau gives an array of shape \(1,\), expected \(2,\)"),
        ({"tau": wt.Feedback(np.ones((2, 3)), [0, 0])}, r"tau.gain has shape \(2, 3\), expected \(2, 4\)"),
        ({"q0": [0.0]}, r"q0 has shape \(1,\), expected \(..., 2\) for 'double-pendulum'"),
        ({"q0": [[0.0, 1.0], [2.0, np.inf]]}, r"q0\[1, 1\] is inf"),
        (
            {"q0": np.zeros((3, 2)), "qd0": np.zeros((4, 2))},
            "leading axes do not fit each other: q0 .3,., qd0 .4,.",
        ),
        ({"dt": 0.0}, "dt is 0.0, expected a number above 0"),
        ({"every": 0}, "every is 0, expected a whole number"),
        ({"threads": 1.5}, "threads is 1.5, expected a whole number"),
        ({"every": 6}, "^every is 6, more than the 5 steps: nothing would be recorded$"),
        ({"steps": None, "every": 4, "tau": np.zeros((3, 2))}, "every is 4, more than the 3 steps"),
        ({"tau": [0.0, np.nan]}, r"^tau\[1\] is nan: every entry must be finite$"),
        ({"tau": with_entry((3, 5, 2), (2, 4, 1), -np.inf)}, r"^tau\[2, 4, 1\] is -inf"),
        ({"tau": np.broadcast_to([0.0, np.nan], (10**7, 5, 2))[:3]}, r"^tau\[0, 0, 1\] is nan"),
        ({"tau": wt.Feedback(with_entry((2, 4), (1, 3), np.inf), [0, 0])}, r"^tau.gain\[1, 3\] is inf"),
        ({"tau": wt.Feedback(np.ones((2, 4)), with_entry((5, 2), (3, 0), np.nan))}, r"^tau.q\[3, 0\] is nan"),
        ({"tau": wt.Feedback(np.ones((2, 4)), [0, 0], [np.nan, 0])}, r"^tau.qd\[0\] is nan"),
        ({"tau": wt.Feedback(np.ones((2, 4)), [0, 0], None, [0, np.inf])}, r"^tau.forward\[1\] is inf"),
        ({"implicit_damping": [0.1, np.nan]}, r"^implicit_damping\[1\] is nan"),
        ({"implicit_damping": 1j}, "^implicit_damping has dtype complex128, expected real numbers$"),
        ({"dt": np.nan}, "dt is nan, expected a number above 0"),
        ({"q0": [0.1 + 2j, 0.0]}, "^q0 has dtype complex128, expected real numbers$"),
        ({"qd0": np.zeros(2, complex)}, "^qd0 has dtype complex128, expected real numbers$"),
        ({"tau": np.zeros((5, 2), complex)}, "^tau has dtype complex128, expected real numbers$"),
        ({"q0": [1j, None]}, "^q0 is no array of numbers"),
        ({"q0": ["0.1", "0.2"]}, "^q0 is no array of numbers"),
        ({"tau": np.zeros(2, "datetime64[s]")}, "^tau has dtype datetime64.*, expected real numbers$"),
        ({"q0": MASKED}, r"^q0 has masked entries: give numbers for them, as by filled\(0.0\)$"),
        ({"qd0": MASKED}, "^qd0 has masked entries"),
        ({"tau": MASKED}, "^tau has masked entries"),
        ({"tau": [MASKED] * 5}, "^tau has masked entries"),
        ({"tau": wt.Feedback(np.ones((2, 4)), MASKED)}, "^tau.q has masked entries"),
        ({"out": np.zeros(3)}, "out must be two arrays"),
        ({"out": (BOTH, BOTH)}, "^out for q and out for qd share memory: give each an array of its own$"),
        (
            {"out": (np.zeros((5, 2)), np.zeros((5, 3)))},
            r"out for qd is float64 \(5, 3\), expected float64 \(5, 2\)",
        ),
        ({"out": (np.zeros((2, 5)).T, np.zeros((5, 2)))}, "out for q must be writeable and in C order"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    given = {"q0": np.zeros(2), "qd0": np.zeros(2), "tau": None, "steps": 5, **arguments}
    with pytest.raises(wt.InputError, match=message):
        wt.rollout(wt.examples.load("double-pendulum"), **given)


def test_positions_without_unit_quaternions_are_refused():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.2, 0.15)))
    with pytest.raises(wt.InputError, match="q0 of trajectory 1, joint 'ball': quaternion"):
        wt.rollout(m, [[1.0, 0, 0, 0], [1.0, 1.0, 0, 0]], np.zeros(3), steps=2)


def test_inputs_of_iterations_may_change_from_step_to_step():
    program = trace(lambda x, a, n: x + a * n, {"x": (), "a": (), "n": ()})
    out = np.empty((3, 4))
    series = [Series(np.array(2.0), 0, 0), Series.of(np.arange(4.0)[None], ())]
    Iteration(program, 1)([np.array([0.0, 10.0, 20.0])], series, [out], steps=4, every=1, threads=1)
    np.testing.assert_array_equal(out, np.add.outer([0.0, 10.0, 20.0], [0.0, 2.0, 6.0, 12.0]))


@pytest.mark.parametrize("threads", [1, 2])
def test_results_may_be_written_over_what_they_are_computed_from(threads):
    m, rng = wt.examples.load("double-pendulum"), np.random.default_rng(4)
    q, qd = rng.normal(size=(2, 40, 6, 2))
    tau = rng.normal(size=(40, 6, 2))
    reference = rng.normal(size=(6, 2))

    def check(q0, qd0, forces, out, **options):
        expected = wt.rollout(m, q0, qd0, forces, threads=threads, **options)
        found = wt.rollout(m, q0, qd0, forces, threads=threads, out=out, **options)
        assert [a is b for a, b in zip(found, out, strict=True)] == [True, True]
        np.testing.assert_array_equal(found, expected)

    check(q[:, -1], qd[:, -1], tau.copy(), (q, qd))  # it goes on where it was
    check(q[::-1, 2], qd[0, 0], None, (q, qd), steps=6)
    check(q[0, 0].copy(), qd[0, 0].copy(), tau, (tau, qd))
    check(q[:, 0].copy(), qd[:, 0].copy(), tau[::-1], (q, tau))
    feedback = wt.Feedback(0.1 * np.ones((2, 4)), reference, forward=tau)
    check(q[:, 0].copy(), qd[:, 0].copy(), feedback, (tau, qd))
    feedback = wt.Feedback(0.1 * np.ones((2, 4)), q[3])
    check(qd[:, 0].copy(), qd[:, 1].copy(), feedback, (q, qd))


def test_masked_arrays_without_masked_entries_are_arrays():
    m = wt.examples.load("double-pendulum")
    found = wt.rollout(m, np.ma.masked_array([0.1, 0.2], [False, False]), np.zeros(2), steps=3)
    np.testing.assert_array_equal(found, wt.rollout(m, [0.1, 0.2], np.zeros(2), steps=3))


def test_a_mechanism_without_joints_stays_where_it_is():
    q, qd = wt.rollout(wt.Mechanism("nothing"), np.zeros((3, 0)), np.zeros(0), steps=5)
    assert q.shape == qd.shape == (3, 5, 0)
