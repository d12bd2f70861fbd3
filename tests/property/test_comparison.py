"""Methods compared: who applies, how far they are apart, how their operations grow."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.forward_methods import METHODS, Method
from whippletree.benchmark.comparison import compare, some_state


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method whose accelerations are off by a thousandth, and one that takes decisions by values."""

    def off(m, q, qd, tau, f_ext=None):
        return 1.001 * wt.aba(m, q, qd, tau, f_ext)

    def deciding(m, q, qd, tau, f_ext=None):
        return wt.crba(m, q) * 0.0 if q[0] > 100.0 else wt.aba(m, q, qd, tau, f_ext)

    monkeypatch.setitem(METHODS, "off", Method(off, METHODS["aba"].requirements))
    monkeypatch.setitem(METHODS, "deciding", Method(deciding, METHODS["aba"].requirements, recordable=False))


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
def test_every_method_is_there_or_refused_with_its_reason(name):
    m = wt.examples.load(name)
    found = wt.compare(m, *some_state(m))
    assert [entry.method for entry in found.methods] == wt.methods(m)
    assert set(found.refused) == set(METHODS) - set(wt.methods(m))
    assert all(m.name in why for why in found.refused.values())
    assert 0.0 <= found.largest_difference < 1e-12
    assert all(entry.operations and entry.seconds and entry.seconds > 0.0 for entry in found.methods)
    q, qd, tau = some_state(m)
    np.testing.assert_array_equal(found.qdd, wt.forward_dynamics(m, q, qd, tau))


def test_operations_are_those_of_the_kernel():
    m = wt.examples.load("double-pendulum")
    found = {entry.method: entry for entry in wt.compare(m, *some_state(m)).methods}
    assert found["aba"].operations == sum(wt.compile(wt.aba, m).cost.values())


def test_a_wrong_method_stands_out(wrong):
    m = wt.examples.load("pendulum")
    found = {entry.method: entry for entry in compare(m, *some_state(m)).methods}
    assert found["off"].difference == pytest.approx(1e-3, rel=1e-9)
    assert found["aba"].difference < 1e-15  # machine code beside plain Python
    # What takes decisions by values has no fixed program.
    assert (found["deciding"].operations, found["deciding"].seconds) == (None, None)
    assert found["deciding"].difference == 0.0


def test_a_state_in_which_a_method_fails_leaves_it_out(monkeypatch):
    def fails(m, q, qd, tau, f_ext=None):
        raise wt.SingularError("fails: not here")

    monkeypatch.setitem(METHODS, "fails", Method(fails, METHODS["aba"].requirements))
    m = wt.examples.load("pendulum")
    found = wt.compare(m, *some_state(m))
    assert found.refused["fails"] == "fails: not here"
    assert "fails" not in [entry.method for entry in found.methods]
    grown = wt.scaling("chain", (2, 3, 4, 5, 6, 7), ("aba", "crba"))
    assert list(grown.operations) == ["aba", "crba"]


def test_rounding_is_no_difference_where_forces_hold_the_balance():
    """The accelerations themselves are nothing but rounding there, of which methods have their own."""
    m, q = wt.examples.load("double-pendulum"), np.array([0.7, 0.4])
    held = wt.compare(m, q, np.zeros(2), wt.gravity_force(m, q))
    assert np.max(np.abs(held.qdd)) < 1e-12
    assert held.largest_difference < 1e-11
    cone = wt.Mechanism("cone")
    bob = wt.Inertia(1.3, (0.0, 0.0, -0.6), about_com=(0.02, 0.03, 0.025))
    cone.add_body("arm", wt.Revolute("z"), inertia=wt.Inertia(0.5, about_com=(0.3, 0.2, 0.4)))
    cone.add_body("bob", wt.Revolute("y"), "arm", None, bob)
    q, rest = np.array([0.3, 0.8]), np.zeros(2)
    push = wt.coriolis_force(cone, q, np.array([1.0, 0.0]))[1]  # grows with the square of the rate
    turning = np.array([np.sqrt(-wt.gravity_force(cone, q)[1] / push), 0.0])
    round_and_round = wt.compare(cone, q, turning, rest)
    assert np.max(np.abs(round_and_round.qdd)) < 1e-12
    assert round_and_round.largest_difference < 1e-11


def test_what_is_not_finite_never_agrees(monkeypatch):
    """Machine code may answer NaN where plain Python does not; `max` would drop it."""

    def lost(m, q, qd, tau, f_ext=None):
        return wt.aba(m, q, qd, tau, f_ext) + wt.where(q[0] > 0.0, np.nan, 0.0)

    monkeypatch.setitem(METHODS, "lost", Method(lost, METHODS["aba"].requirements))
    m = wt.examples.load("double-pendulum")
    found = wt.compare(m, np.array([0.3, 0.5]), np.array([1.0, -0.4]), np.array([0.2, 0.1]))
    assert found.methods[-1].method == "lost"
    assert found.methods[-1].difference == np.inf
    assert found.largest_difference == np.inf


def test_a_program_too_long_is_counted_and_not_timed(monkeypatch):
    monkeypatch.setattr("whippletree.benchmark.comparison.LARGEST", 10)
    m = wt.examples.load("double-pendulum")
    found = wt.compare(m, *some_state(m))
    assert all(entry.operations and entry.seconds is None for entry in found.methods)
    assert "—" in str(found)


def test_growth_tells_a_line_from_a_cube():
    found = wt.scaling("chain", methods=("aba", "crba", "divide-and-conquer"))
    assert [found.order(name) for name in found.operations] == [1, 3, 1]
    assert found.exponent("aba") < 1.1 < 2.0 < found.exponent("crba")
    loops = wt.scaling("four-bars", (4, 8, 12, 16, 20, 24), ("grcr", "projection"))
    assert (loops.order("grcr"), loops.order("projection")) == (1, 3)


def test_what_grows_may_be_ones_own():
    def row(n: int) -> tuple[wt.Mechanism, np.ndarray]:
        m = wt.Mechanism("row")
        for i in range(n):
            link = wt.Inertia(1.0 + i, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
            m.add_body(f"b{i}", wt.Revolute("z"), "ground", None, link)
        return m, m.neutral()

    found = wt.scaling(row, (2, 3, 4, 5, 6, 8), ["aba"])
    assert (found.family, found.order("aba")) == ("row", 1)
    assert found.data()["methods"]["aba"]["operations"] == list(found.operations["aba"])


def test_bad_questions_are_refused():
    with pytest.raises(
        wt.InputError, match=r"build is 'ring': give one of chain, four-bars, or a function of"
    ):
        wt.scaling("ring")
    with pytest.raises(
        wt.InputError, match=r"sizes are \(4, 8\): give at least 6 whole numbers, from small to lar"
    ):
        wt.scaling("chain", (4, 8))
    with pytest.raises(wt.InputError, match=r"methods has 'kkt', not for 'GU\(2\)': give some of crba, aba"):
        wt.scaling("chain", (2, 3, 4, 5, 6, 8), ["kkt"])
    with pytest.raises(wt.InputError, match=r"methods is 'aba', expected a list of names, as \['crba'\]"):
        wt.scaling("chain", (2, 3, 4, 5, 6, 8), "aba")
    with pytest.raises(wt.InputError, match=r"sizes are \(2.5, 3, .*: give at least 6 whole numbers"):
        wt.scaling("chain", (2.5, 3, 4, 5, 6, 8))  # pyright: ignore[reportArgumentType]
    with pytest.raises(wt.InputError, match=r"build gave Mechanism for n = 2, expected a mechanism and"):
        wt.scaling(
            lambda n: wt.examples.load("pendulum"),  # pyright: ignore[reportArgumentType]
            (2, 3, 4, 5, 6, 8),
        )
    with pytest.raises(wt.InputError, match=r"there are no counts of 'kkt'; known: aba"):
        wt.scaling("chain", (2, 3, 4, 5, 6, 8), ["aba"]).order("kkt")
    m = wt.examples.load("pendulum")
    with pytest.raises(wt.InputError, match=r"tau has shape \(2,\), expected \(1,\)"):
        wt.compare(m, np.zeros(1), np.zeros(1), np.zeros(2))
