"""Gears on random trees: the projected equations against those with the gear forces as unknowns.

Source of truth: the constraint equations K qdd = 0 with multipliers (RBDA 3.17), solved by NumPy.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import randoms
import whippletree as wt
from whippletree.loops.closing.check import GEARED_START, check_gears

FAST = settings(derandomize=True, deadline=None, max_examples=40, database=None)
SEEDS = st.integers(0, 2**32 - 1)
SINGLE = ["revolute", "revolute-z", "prismatic", "helical", "rack-pinion"]
SIZES = st.integers(2, 12)


def joint_names(rng, size):
    """Types of joints, most of them of one variable."""
    return [str(name) for name in rng.choice(SINGLE * 3 + sorted(randoms.JOINTS), size=size)]


def constraint_matrix(m):
    """K, one row for each gear: driven - ratio · driver."""
    K = np.zeros((len(m.gears), m.nv))
    for row, gear in zip(K, m.gears, strict=True):
        row[m.v_index[m.joint_number(gear.driven)]] += 1.0
        row[m.v_index[m.joint_number(gear.driver)]] -= gear.ratio
    return K


@FAST
@given(size=SIZES, seed=SEEDS)
def test_geared_dynamics_solves_the_constrained_equations(size, seed):
    rng = np.random.default_rng(seed)
    m = randoms.geared_tree(rng, joint_names(rng, size))
    q, qd = randoms.geared_state(rng, m)
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    K, G = constraint_matrix(m), wt.gear_matrix(m)
    assert np.allclose(K @ G, 0.0, rtol=0, atol=1e-12)
    assert np.linalg.matrix_rank(G) == G.shape[1] == m.nv - len(m.gears)

    qdd = wt.forward_dynamics(m, q, qd, tau, f_ext=f_ext)
    n, c = m.nv, len(K)
    kkt = np.block([[wt.crba(m, q), K.T], [K, np.zeros((c, c))]])
    solution = np.linalg.solve(kkt, np.concatenate([tau - wt.bias_force(m, q, qd, f_ext), np.zeros(c)]))
    scale = np.max(np.abs(solution[:n]), initial=1e-3)
    assert np.max(np.abs(qdd - solution[:n]), initial=0.0) <= 1e-9 * scale

    for method in wt.methods(m):
        other = wt.forward_dynamics(m, q, qd, tau, method, f_ext)
        assert np.max(np.abs(other - qdd), initial=0.0) <= 1e-9 * scale

    # Any forces with the same effect on the independent joints, those at the drivers among them.
    back = wt.inverse_dynamics(m, q, qd, qdd, f_ext)
    assert np.allclose(G.T @ back, G.T @ tau, rtol=1e-8, atol=1e-8 * np.max(np.abs(G)) * max(1.0, scale))
    driven = [m.v_index[m.joint_number(gear.driven)] for gear in m.gears]
    assert all(np.all(back[index] == 0.0) for index in driven)
    again = wt.forward_dynamics(m, q, qd, back, f_ext=f_ext)
    assert np.max(np.abs(again - qdd), initial=0.0) <= 1e-8 * scale


@FAST
@given(size=SIZES, seed=SEEDS)
def test_positions_agree_with_the_gears(size, seed):
    rng = np.random.default_rng(seed)
    m = randoms.geared_tree(rng, joint_names(rng, size))
    q, _ = randoms.geared_state(rng, m)
    for gear in m.gears:
        ((driver, ratio),) = gear.terms
        turned, turns = (q[m.q_index[m.joint_number(name)]][0] for name in (gear.driven, driver))
        assert turned == pytest.approx(ratio * turns + gear.offset, rel=1e-12, abs=1e-12)


def chain_of_gears():
    m = wt.Mechanism("train")
    inertia = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    for name in ("a", "b", "c"):
        m.add_body(name, wt.Revolute("z"), inertia=inertia)
    m.add_gear("second", driver="b", driven="c", ratio=3.0, offset=0.1)
    m.add_gear("first", driver="a", driven="b", ratio=-2.0, offset=0.5)
    return m


def test_chain_of_gears_is_multiplied_out():
    m = chain_of_gears()
    assert wt.gear_matrix(m).tolist() == [[1.0], [-2.0], [-6.0]]
    assert wt.gear_positions(m, np.array([0.2])) == pytest.approx([0.2, 0.1, 0.4])


def test_gears_leave_methods_that_respect_them():
    m, one = chain_of_gears(), np.array([0.2])
    q, zero = np.array([0.2, 0.1, 0.4]), np.zeros(3)
    assert wt.methods(m)[0] == "geared"
    assert not {"aba", "crba", "divide_and_conquer"} & set(wt.methods(m))
    with pytest.raises(
        wt.ModelError, match=r"method 'aba' does not apply: 'train' has gears, 'second', 'first', .*geared"
    ):
        wt.forward_dynamics(m, q, zero, zero, method="aba")
    with pytest.raises(wt.ModelError, match=r"method 'geared' does not apply: 'pendulum' has no gears"):
        wt.forward_dynamics(wt.examples.load("pendulum"), one, one, one, method="geared")
    with pytest.raises(
        wt.ModelError, match="hybrid_dynamics: method 'aba' is for trees, and 'train' has loops"
    ):
        wt.hybrid_dynamics(m, q, zero, zero, zero, ["a"], "aba")


def test_the_first_of_many_states_that_contradicts_a_gear_is_named():
    m = chain_of_gears()
    q = np.tile([0.2, 0.1, 0.4], (2, 3, 1))
    rates = np.tile([1.0, -2.0, -6.0], (5, 1))
    check_gears(m, {"q0": q}, {"qd0": rates, "of symbols": rates.astype(object) + 1.0})
    q[1, 1, 2] += 0.3
    q[1, 2, 1] += 0.3
    with pytest.raises(
        wt.InputError,
        match=r"q0 of trajectory 4 has 0.7 for joint 'c', which gear 'second' holds at 0.4: "
        r"take positions from gear_positions, rates from gear_matrix",
    ):
        check_gears(m, {"q0": q}, {"qd0": rates})
    rates[3] += 1e-7
    check_gears(m, {}, {"qd0": rates})
    match = "qd0 of trajectory 3 has -5.9999999 for joint 'c', which gear 'second' holds at -5.9999997"
    with pytest.raises(wt.InputError, match=match):
        check_gears(m, {}, {"qd0": rates}, GEARED_START)
    wrong = np.array([1.0, -2.0, -5.0]) + 1e-30j
    with pytest.raises(wt.InputError, match="qd has -5 for joint 'c', which gear 'second' holds at -6:"):
        check_gears(m, {}, {"qd": wrong})


def test_contradiction_to_a_gear_is_refused():
    m, good, zero = chain_of_gears(), np.array([0.2, 0.1, 0.4]), np.zeros(3)
    rate = np.array([1.0, -2.0, -6.0])
    with pytest.raises(wt.InputError, match=r"q has 0.5 for joint 'c', which gear 'second' holds at 0.4:"):
        wt.forward_dynamics(m, good * [1.0, 1.0, 1.25], rate, zero)
    with pytest.raises(wt.InputError, match=r"qd has 2 for joint 'b', which gear 'first' holds at -2:"):
        wt.forward_dynamics(m, good, rate * [1.0, -1.0, -1.0], zero)
    with pytest.raises(
        wt.InputError, match=r"qdd has -3 for joint 'c', which gear 'second' holds at -6: .*gear_matrix"
    ):
        wt.inverse_dynamics(m, good, rate, rate * [1.0, 1.0, 0.5])
    with pytest.raises(
        wt.InputError, match=r"y has shape \(3,\), expected \(1,\): nq = 3 of 'train' less one"
    ):
        wt.gear_positions(m, good)


def test_a_start_off_by_little_is_told_in_digits_that_differ():
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", "upper", "lower", ratio=-2.0)
    with pytest.raises(wt.InputError, match=r"q0 has 0\.2000001 for joint 'lower', .* holds at 0\.2:"):
        wt.simulate(m, [-0.1, 0.2 + 1e-7], duration=0.1)
