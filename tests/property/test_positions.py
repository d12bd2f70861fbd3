"""Positions moved and compared through the public door: checked, one or many at a time.

Source of truth: the joints' own maps, row by row, and the identity difference(q, integrate(q, d)) = d.
"""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.model import positions


@pytest.fixture
def m() -> wt.Mechanism:
    """Free, planar, spherical and revolute joints: nq = 15, nv = 13."""
    return randoms.tree(np.random.default_rng(5), ["free", "planar", "spherical", "revolute"])


def test_batches_are_row_by_row(m: wt.Mechanism) -> None:
    rng = np.random.default_rng(6)
    q = np.array([[m.random(rng) for _ in range(2)] for _ in range(3)])
    d = 0.3 * rng.normal(size=(3, 2, m.nv))
    moved = m.integrate(q, d)
    assert moved.shape == (3, 2, m.nq)
    assert np.array_equal(moved[2, 1], positions.integrate(m, q[2, 1], d[2, 1]))
    assert_allclose(m.difference(q, moved), d, rtol=1e-11, atol=1e-12)
    assert np.array_equal(m.rate(q, d)[1, 0], positions.rate(m, q[1, 0], d[1, 0]))


def test_leading_axes_broadcast(m: wt.Mechanism) -> None:
    rng = np.random.default_rng(7)
    q, d = np.array([m.random(rng) for _ in range(3)]), 0.3 * rng.normal(size=(4, 1, m.nv))
    moved = m.integrate(q, d)
    assert moved.shape == (4, 3, m.nq)
    assert np.array_equal(moved[3, 1], m.integrate(q[1], d[3, 0]))
    assert m.difference(q[0], moved).shape == (4, 3, m.nv)


def test_empty_batches_have_their_shape(m: wt.Mechanism) -> None:
    q, qd = np.zeros((0, m.nq)), np.zeros((0, m.nv))
    assert m.integrate(q, qd).shape == m.rate(q, qd).shape == (0, m.nq)
    assert m.difference(q, q).shape == (0, m.nv)
    nothing = wt.Mechanism("nothing")
    assert nothing.integrate([], []).shape == nothing.difference([], []).shape == (0,)


def test_lists_and_fractions_are_numbers() -> None:
    m = wt.examples.load("double-pendulum")
    assert m.integrate([0.25, Fraction(1, 2)], [10**20, 1]).tolist() == [1e20, 1.5]


def test_complex_steps_and_recording_pass(m: wt.Mechanism) -> None:
    rng = np.random.default_rng(8)
    q, d = m.random(rng), rng.normal(size=m.nv)
    moved = m.integrate(q, 1e-30j * d)
    assert_allclose(np.imag(moved) / 1e-30, m.rate(q, d), rtol=1e-12, atol=1e-12)

    def closer(m: wt.Mechanism, q: Any, qd: Any) -> Any:
        return m.difference(m.neutral(), m.integrate(q, 0.1 * qd))

    assert_allclose(wt.compile(closer, m)(q, d), closer(m, q, d), rtol=1e-12, atol=1e-13)


MASKED = np.ma.masked_array(np.ones(13), [True] + 12 * [False])

REFUSED: list[tuple[str, tuple[Any, Any], str]] = [
    (
        "integrate",
        (np.ones(14), np.ones(13)),
        "q has shape (14,), expected (15,) or (..., 15): one entry per coordinate of 'random' (nq = 15)",
    ),
    (
        "integrate",
        (None, np.ones((7, 12))),
        "dq has shape (7, 12), expected (13,) or (..., 13): one entry per velocity of 'random' (nv = 13)",
    ),
    ("integrate", (None, 0.5), "dq has shape (), expected (13,) or (..., 13): one entry per velocity of "),
    ("integrate", (None, ["1"] * 13), "dq holds <U1, expected numbers: one entry per velocity of 'random'"),
    ("integrate", (None, [None] * 13), "dq holds None, expected numbers: one entry per velocity of 'random'"),
    ("integrate", (None, [[0.1], [0.1, 0.2]]), "dq is not an array: expected shape (..., 13), one entry per"),
    ("integrate", (None, MASKED), "dq has masked entries: give numbers for them, as by filled(0.0)"),
    ("rate", (None, [np.nan] * 13), "qd[0] is nan: every entry must be finite"),
    ("rate", (None, np.full((2, 13), [[0.1], [np.inf]])), "qd[1, 0] is inf: every entry must be finite"),
    (
        "difference",
        (None, np.ones(15)),
        "q1[0:7] of joint 'b0': quaternion (w, x, y, z) has norm 2, expected 1: normalize it, w first",
    ),
    ("difference", (np.ones((2, 15)), None), "q0[0, 0:7] of joint 'b0': quaternion (w, x, y, z) has norm"),
]


@pytest.mark.parametrize(("method", "arguments", "message"), REFUSED)
def test_what_is_no_position_is_refused(
    m: wt.Mechanism, method: str, arguments: tuple[Any, Any], message: str
) -> None:
    given = [m.neutral() if value is None else value for value in arguments]
    with pytest.raises(wt.InputError, match="^" + re.escape(message)):
        getattr(m, method)(*given)


def test_batches_that_do_not_fit_are_refused(m: wt.Mechanism) -> None:
    q = np.array([m.neutral()] * 3)
    message = r"^q has leading axes \(3,\), dq has leading axes \(2,\): lengths must be equal or 1$"
    with pytest.raises(wt.InputError, match=message):
        m.integrate(q, np.zeros((2, m.nv)))
