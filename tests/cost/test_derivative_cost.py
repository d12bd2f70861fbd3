"""Operations of derivatives: exact counts, and which road was taken."""

import numpy as np
import pytest

import whippletree as wt


def operations(k: wt.Kernel) -> int:
    return sum(k.cost.values())


@pytest.fixture(scope="module")
def arm() -> wt.Mechanism:
    return wt.examples.load("seven-axis-arm")


@pytest.fixture(scope="module")
def four_legs() -> wt.Mechanism:
    return wt.examples.load("quadruped")


def test_recursions_are_taken_where_trees_are_deep(four_legs):
    for function, recursion, wrt in (
        (wt.rnea, wt.rnea_derivatives, ("q", "qd", "qdd")),
        (wt.aba, wt.aba_derivatives, ("q", "qd", "tau")),
        (wt.forward_dynamics, wt.aba_derivatives, ("q", "qd", "tau")),
    ):
        taken = wt.derivative(function, four_legs, wrt=wrt)
        assert taken.cost == wt.compile(recursion, four_legs).cost


def test_the_shorter_of_two_roads_is_taken(arm):
    for function, recursion, wrt in (
        (wt.rnea, wt.rnea_derivatives, ("q", "qd", "qdd")),
        (wt.aba, wt.aba_derivatives, ("q", "qd", "tau")),
    ):
        taken = wt.derivative(function, arm, wrt=wrt)
        assert operations(taken) <= operations(wt.compile(recursion, arm))


def test_products_cost_little_more_than_twice_the_function(arm):
    limits = {wt.rnea: (2.5, ("q", "qd", "qdd")), wt.aba: (2.2, ("q", "qd", "tau"))}
    for function, (limit, wrt) in limits.items():
        for product in (wt.vjp, wt.jvp):
            cost = operations(product(function, arm, wrt=wrt))
            assert cost < limit * operations(wt.compile(function, arm))


def test_products_of_closed_loops():
    m = wt.examples.load("quick-return")
    q = wt.assemble(m, m.neutral())
    k = wt.vjp(wt.forward_dynamics, m, wrt=("q", "qd", "tau"), at=q)
    assert operations(k) < 3.0 * operations(wt.compile(wt.forward_dynamics, m, at=q))


def test_second_derivatives(arm):
    k = wt.hvp(wt.rnea, arm, wrt=("q", "qd"))
    assert operations(k) < 6.5 * operations(wt.compile(wt.rnea, arm))


def test_the_inverse_inertia_takes_fewer_operations_than_solving_for_it(arm):
    by_solving = wt.compile(lambda m, q: wt.dynamics.factor_ltl(m, q).solve(np.eye(m.nv)), arm)
    assert operations(wt.compile(wt.inverse_inertia, arm)) < 0.8 * operations(by_solving)
