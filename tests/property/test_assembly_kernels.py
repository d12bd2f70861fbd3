"""Assembly and mobility of many poses at once find what the functions find, pose by pose.

Source of truth: the functions themselves, and the gaps that are left.
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import whippletree as wt


def guesses(m: wt.Mechanism, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([m.integrate(m.neutral(), 0.3 * rng.normal(size=m.nv)) for _ in range(count)])


@pytest.mark.parametrize(("example", "hold"), [("four-bar", ["crank"]), ("watt-six-bar", [])])
def test_poses_are_those_of_the_function(example, hold):
    m = wt.examples.load(example)
    k = m.kernel("assemble", hold=hold)
    q = guesses(m, 6)
    found = k(q.reshape(2, 3, m.nq))
    assert found.shape == (2, 3, m.nq)
    for one, guess in zip(found.reshape(6, m.nq), q, strict=True):
        assert_allclose(one, wt.assemble(m, guess, hold), rtol=0, atol=1e-8)
        assert np.abs(wt.constraint_error(m, one)).max() < 1e-14
        assert_array_equal(k(guess), one)
    assert_array_equal(pickle.loads(pickle.dumps(k))(q, threads=2).reshape(found.shape), found)
    out = np.empty((6, m.nq))
    assert k(q, out=out) is out
    assert_array_equal(out.reshape(found.shape), found)
    if hold:
        assert_array_equal(found[..., 0], q[:, 0].reshape(2, 3))


def test_a_linkage_in_one_line_is_left_by_a_nudge():
    """Bars that all lie in one line, apart: no small step closes the gap."""
    m = wt.examples.load("four-bar")
    stretched = np.array([np.pi / 2, 0.0, np.pi / 2])
    q = m.kernel("assemble")(np.array([stretched, m.neutral()]))
    assert_allclose(q[0], wt.assemble(m, stretched), rtol=0, atol=1e-7)


def test_what_cannot_be_assembled_is_named_by_its_number():
    m = wt.examples.load("four-bar")
    m = wt.with_parameters(m, ["rocker.position.x"], np.array([9.0]))
    q = np.array([m.neutral(), m.neutral()])
    k = m.kernel("assemble")
    with pytest.raises(wt.SolverError, match=r"guess 0: 'four-bar' cannot be assembled .* 'pin' by"):
        k(q)
    with pytest.raises(wt.SolverError, match=r"^'four-bar' cannot be assembled"):
        k(q[0])


def test_mobility_is_that_of_the_function():
    m = wt.examples.load("watt-six-bar")
    q = m.kernel("assemble")(guesses(m, 4))
    k = pickle.loads(pickle.dumps(m.kernel("mobility")))
    expected = [wt.mobility(m, row) for row in q]
    assert k(q, threads=2) == expected
    assert k(q.reshape(2, 2, m.nq)) == [expected[:2], expected[2:]]
    assert k(q[3]) == expected[3]
    assert expected[3].mobility == 1


def test_wrong_calls():
    m = wt.examples.load("four-bar")
    with pytest.raises(wt.InputError, match=r"q_guess has shape \(2,\), expected \(\.\.\., 3\)"):
        m.kernel("assemble")(np.zeros(2))
    with pytest.raises(wt.InputError, match="q_guess holds numbers that are not finite"):
        m.kernel("assemble")([0.0, np.nan, 0.0])
    with pytest.raises(wt.InputError, match="q_guess is not an array of numbers: could not convert"):
        m.kernel("assemble")(["a", "b", "c"])
    with pytest.raises(wt.InputError, match=r"out has shape \(3,\), expected \(2, 3\)"):
        m.kernel("assemble")(np.zeros((2, 3)), out=np.zeros(3))
    with pytest.raises(wt.InputError, match="assemble has no argument 'frame' to be fixed; it has hold"):
        wt.compile(wt.assemble, m, frame="tool")
