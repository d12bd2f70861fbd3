"""Forward dynamics of loops as one kernel: whichever choice answers, the accelerations are the same.

Source of truth: the function itself, which chooses anew at every call.
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import whippletree as wt
from whippletree.api.closed_kernel import ClosedKernel


def states(m: wt.Mechanism, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed states far and wide, as the mechanism can be assembled."""
    rng = np.random.default_rng(2)
    search = m.kernel("assemble").search  # type: ignore[attr-defined]
    q, gaps = search(m.integrate(m.neutral(), 2.0 * rng.normal(size=(2 * count, m.nv))))
    q = q[~gaps.any(axis=1)][:count]
    assert len(q) == count
    qd = np.array([wt.project_velocity(m, row, rng.normal(size=m.nv)) for row in q])
    return q, qd, rng.normal(size=(len(q), m.nv))


@pytest.mark.parametrize("example", ["stephenson-six-bar", "peaucellier"])
def test_it_is_right_wherever_loops_are_closed(example):
    m = wt.examples.load(example)
    k = m.kernel("forward_dynamics")
    assert isinstance(k, ClosedKernel)
    q, qd, tau = states(m, 10)
    found = k(q, qd, tau)
    for row in zip(found, q, qd, tau, strict=True):
        expected = wt.forward_dynamics(m, *row[1:])
        assert_allclose(row[0], expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        assert_array_equal(k(*row[1:]), row[0])
    assert_array_equal(k(q, qd, tau, threads=2), found)
    assert_array_equal(pickle.loads(pickle.dumps(k))(q, qd, tau), found)


def test_springs_and_dampers_act_whichever_choice_answers():
    """The parallelogram lies flat, where no choice holds, and a little further, where one does."""
    m = wt.examples.load("four-bars")
    m.change(m.bodies[0].name, stiffness=30.0, damping=2.0)
    k = m.kernel("forward_dynamics")
    q = np.array([k * angle * np.resize([1.0, -1.0], m.nq) for k, angle in ((0.0, 1.0), (1.0, 0.7))])
    for row in q:
        state = row, np.zeros(m.nv), np.linspace(-1.0, 2.0, m.nv)
        expected = wt.forward_dynamics(m, *state)
        assert_allclose(k(*state), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_the_first_choice_does_not_hold_everywhere():
    """Or the test above would not see the others."""
    m = wt.examples.load("peaucellier")
    first = wt.Kernel(m.kernel("forward_dynamics").program)
    assert 0 < np.isnan(first(*states(m, 10))[:, 0]).sum() < 10


def test_a_turn_of_the_crank_in_a_grid_with_an_array_to_write_into():
    m = wt.examples.load("four-bar")
    k = wt.compile(wt.forward_dynamics, m, inputs={"f_ext": (3, 6)}, parameters=["crank.mass"])
    q = [m.neutral()]
    for _ in range(23):
        moved = m.integrate(q[-1], 0.27 * wt.project_velocity(m, q[-1], np.ones(3), hold=["crank"]))
        q.append(wt.project_position(m, moved))
    q = np.array(q).reshape(4, 6, 3)
    rng = np.random.default_rng(0)
    tau, f_ext, mass = rng.normal(size=3), rng.normal(size=(3, 6)), np.array([[1.7]])
    out = np.empty((4, 6, 3))
    assert k(q, np.zeros(3), tau, f_ext, mass, out=out) is out
    heavier = wt.with_parameters(m, ["crank.mass"], mass[0])
    for index in np.ndindex(4, 6):
        expected = wt.forward_dynamics(heavier, q[index], np.zeros(3), tau, f_ext=f_ext)
        assert_allclose(out[index], expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_what_is_changed_later_has_no_say():
    m = wt.examples.load("peaucellier")
    k, state = wt.compile(wt.forward_dynamics, m), states(m, 4)
    expected = m.kernel("forward_dynamics")(*state)
    m.change(m.bodies[0].name, inertia=wt.Inertia(9.0))
    assert_array_equal(k(*state), expected)
    assert not np.allclose(m.kernel("forward_dynamics")(*state), expected)


def test_what_is_not_finite_stays_so():
    m = wt.examples.load("four-bar")
    k = m.kernel("forward_dynamics")
    q = np.array([m.neutral(), [np.nan, 0.0, 0.0], m.neutral()])
    found = k(q, np.zeros(3), np.zeros(3))
    assert np.isnan(found[1]).all()
    assert_array_equal(found[0], found[2])
    assert np.isfinite(found[0]).all()


def test_redundant_constraints_that_are_violated_are_seen():
    """Bricard's linkage moves although six constraints tie six joints: one of them depends on the others."""
    m = wt.examples.load("bricard")
    q = wt.assemble(m, m.neutral())
    k = wt.compile(wt.forward_dynamics, m, at=q)
    qd = wt.project_velocity(m, q, np.ones(m.nv))
    expected = wt.forward_dynamics(m, q, qd, np.ones(m.nv))
    assert_allclose(k(q, qd, np.ones(m.nv)), expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert np.isnan(k(q, qd + 0.1 * np.arange(m.nv), np.ones(m.nv))).all()
