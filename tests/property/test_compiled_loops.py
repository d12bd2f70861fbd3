"""Functions of loops that choose by numbers, compiled with a position at which they choose.

Source of truth: the same functions, called with numbers, which choose anew at every call.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.api.forward_methods import METHODS, applicable
from whippletree.examples.linkages import four_bars

reduction = wt.formulations.reduction
SINGLE = ["four-bar", "five-bar"]


def states(m, seed=0, count=3):
    rng = np.random.default_rng(seed)
    q = wt.assemble(m, m.integrate(m.neutral(), 0.1 * rng.normal(size=m.nv)))
    for _ in range(count):
        yield q, wt.project_velocity(m, q, rng.normal(size=m.nv)), rng.normal(size=m.nv)
        q = wt.project_position(m, m.integrate(q, 0.2 * wt.project_velocity(m, q, rng.normal(size=m.nv))))


@pytest.mark.parametrize(
    ("example", "method"),
    [(name, method) for name in SINGLE for method in applicable(wt.examples.load(name))],
)
def test_every_method_compiles_through_forward_dynamics(example, method):
    m = wt.examples.load(example)
    (first, *_), *_ = every = list(states(m))
    k = wt.compile(wt.forward_dynamics, m, method=method, at=first)
    for q, qd, tau in every:
        expected = wt.forward_dynamics(m, q, qd, tau, method="kkt")
        assert_allclose(k(q, qd, tau), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_auto_on_a_tree_chooses_nothing():
    m = wt.examples.load("double-pendulum")
    k = wt.compile(wt.forward_dynamics, m, at=np.zeros(2))
    q, zero = np.array([0.3, 0.5]), np.zeros(2)
    assert_allclose(k(q, zero, zero), wt.aba(m, q, zero, zero), rtol=1e-13)


@pytest.mark.parametrize("example", ["four-bar", "quick-return"])
def test_forces_of_constraints_and_joints_compile(example):
    """Constraints of both are redundant; λ is the one of least norm all the same."""
    m = wt.examples.load(example)
    (first, *_), *_ = every = list(states(m, count=2))
    forces = wt.compile(wt.constraint_forces, m, at=first)
    both = wt.compile(wt.reactions, m, at=first, inputs={"f_ext": (len(m), 6)})
    rng = np.random.default_rng(1)
    for q, qd, tau in every:
        expected = wt.constraint_forces(m, q, qd, tau)
        assert_allclose(forces(q, qd, tau), expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        f_ext = rng.normal(size=(len(m), 6))
        for found, known in zip(both(q, qd, tau, f_ext), wt.reactions(m, q, qd, tau, f_ext), strict=True):
            assert_allclose(found, known, rtol=0, atol=1e-10 * np.abs(known).max())


def test_forces_by_given_rows_are_those_found_without():
    m = wt.examples.load("four-bar")
    q, qd, tau = next(states(m))
    rows = wt.method_choice(m, q, "augmented")["rows"]
    assert_allclose(
        wt.constraint_forces(m, q, qd, tau, rows=rows),
        wt.constraint_forces(m, q, qd, tau),
        rtol=1e-10,
        atol=1e-12,
    )


@pytest.mark.parametrize("function", [wt.loops.grcr, reduction.gcl])
def test_where_the_choice_does_not_hold_the_kernel_says_so(function):
    """Upright, bar 2 of the five-bar leaves q2 and q3 nothing to determine; a choice of them ends there."""
    m = wt.examples.load("five-bar")
    start = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    k = wt.compile(function, m, at=start)
    height, seen = np.sqrt(2.0), []
    for lean in (0.3, 0.1, 1e-2, 1e-5):
        second = np.pi / 2 + lean
        first = np.arcsin(height - np.sin(second))
        q = np.array([first, second - first, np.pi / 4 - second, 0.0])
        assert np.abs(wt.constraint_error(m, q)).max() < 1e-12
        found, expected = k(q, np.zeros(4), np.ones(4)), wt.forward_dynamics(m, q, np.zeros(4), np.ones(4))
        if np.all(np.isnan(found)):
            seen.append(lean)
        else:
            assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    assert seen == [1e-5]


def test_batches_have_their_nans_by_themselves():
    m = wt.examples.load("five-bar")
    start = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    k = wt.compile(reduction.gcl, m, at=start)
    first = np.arcsin(np.sqrt(2.0) - 1.0)
    upright = np.array([first, np.pi / 2 - first, -np.pi / 4, 0.0])
    found = k(np.array([start, upright, start]), np.zeros(4), np.zeros(4))
    assert_allclose(np.isnan(found), [[False] * 4, [True] * 4, [False] * 4])
    assert_allclose(found[0], found[2], rtol=0, atol=0)


def test_the_printed_reductions_compile_by_names_and_at_a_position():
    m = wt.examples.load("five-bar")
    (first, *_), *_ = every = list(states(m, count=2))
    named = wt.compile(reduction.acs, m, dependents=["q2", "q3", "q5"])
    forces = wt.compile(reduction.reduced_reactions, m, at=first)
    for q, qd, tau in every:
        expected = wt.forward_dynamics(m, q, qd, tau, method="kkt")
        assert_allclose(named(q, qd, tau), expected, rtol=0, atol=1e-11 * np.abs(expected).max())
        for found, known in zip(forces(q, qd, tau), reduction.reduced_reactions(m, q, qd, tau), strict=True):
            assert_allclose(found, known, rtol=0, atol=1e-10 * np.abs(known).max())


def test_a_singular_position_is_no_place_to_choose():
    m = four_bars(2)
    with pytest.raises(wt.SingularError) as caught:
        wt.compile(wt.loops.kkt, m, at=np.zeros(m.nv))  # all bars in one line
    assert str(caught.value) == (
        "at is a singular position of 'four-bars': 2 constraints are independent there, 4 next to it. Give "
        "one in which as many are as where the kernel is to run"
    )


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            wt.aba,
            {},
            "aba chooses nothing by numbers: leave out at",
        ),
        (wt.loops.kkt, {"choice": 1}, "'choice' has a value, and at would choose another: give one of them"),
        (wt.loops.kkt, {"at": np.zeros(4)}, "at has shape"),
    ],
)
def test_what_at_cannot_mean(function, options, message):
    m = wt.examples.load("four-bar" if function is not wt.aba else "double-pendulum")
    with pytest.raises(wt.InputError, match=message):
        wt.compile(function, m, **{"at": m.neutral()} | options)


def test_every_method_has_its_choice():
    m = wt.examples.load("four-bar")
    for name in wt.methods(m):
        assert [*wt.method_choice(m, m.neutral(), name)] == [METHODS[name].choice]
    assert wt.method_choice(wt.examples.load("double-pendulum"), np.zeros(2)) == {}
