"""Several states at a time, for ways across singular positions: as one by one, wherever they are."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.forward_methods import find
from whippletree.examples.linkages import four_bars
from whippletree.simulation.acting import Acting
from whippletree.simulation.closing import Closing
from whippletree.simulation.equations import Law, common, equations
from whippletree.simulation.passage import collocate
from whippletree.simulation.several import CLEAR, Several, each
from whippletree.simulation.systems import Compiled

MECHANISMS = {
    "four-bar": lambda: wt.examples.load("four-bar"),
    "stewart-platform": lambda: wt.examples.load("stewart-platform"),
    "four-bars": lambda: four_bars(3, raised=-1.0),
}


def several(m, q, control=None, external=None):
    """What looks at states of a mechanism around q, and what looks at one."""
    law = Law(find(m, "auto", "dynamics")[1])
    now = equations(m, external is not None, law if law.method.choose is None else law.at(m, q))
    system, closing = Compiled(now, Acting(m, control, external)), Closing(m, common(m))
    closing.begin(np.concatenate([q, np.zeros(m.nv)]), np.ones(m.nv))

    def settle(t, y):
        return closing(t, y).y

    return Several(system, closing, settle), system, closing, settle


def around(m, q, far, count=7):
    """States with loops open by some share of `far`, moving, and times."""
    rng = np.random.default_rng(11)
    states = []
    for _ in range(count):
        near = m.integrate(q, far * rng.normal(size=m.nv))
        states.append(np.concatenate([near, rng.normal(size=m.nv)]))
    return np.linspace(0.0, 0.7, count), np.array(states)


@pytest.mark.parametrize("far", [1e-9, 1e-4, 0.03])
@pytest.mark.parametrize("name", MECHANISMS)
def test_states_are_brought_back_as_one_by_one(name, far):
    m = MECHANISMS[name]()
    q = wt.assemble(m, m.neutral())
    found, _, _, settle = several(m, q)
    t, y = around(m, q, far)
    settled, expected = found.settled(t, y), each(settle)(t, y)
    # Both go to the nearest closed state to first order, positions by Newton's steps and velocities by
    # constraints next to where they end.
    for part, room in zip(np.split(settled - expected, [m.nq], axis=1), (far**2, far), strict=True):
        assert np.abs(part).max() < 1e-13 + 10.0 * room
    K, gaps = m.kernel("constraint_jacobian"), m.kernel("constraint_error")
    assert np.abs(gaps(settled[:, : m.nq])).max() < 1e-13
    rates = np.einsum("kij,kj->ki", K(settled[:, : m.nq]), settled[:, m.nq :])
    assert np.abs(rates).max() < 1e-12


def test_next_to_a_singular_position_states_are_brought_back_one_by_one():
    m = four_bars(3)
    q = np.tile([0.4, -0.4], 4)[: m.nq]
    found, _, closing, settle = several(m, q)
    angles = np.array([0.4, 0.1, 1e-5, 1e-8, 0.0])
    states = np.zeros((len(angles), 2 * m.nv))
    for state, angle in zip(states, angles, strict=True):
        state[: m.nq : 2], state[1 : m.nq : 2] = angle, -angle
        state[m.nq :] = np.sin(np.arange(m.nv))
    t = np.zeros(len(angles))
    settled, expected = found.settled(t, states), each(settle)(t, states)
    margins = found.margins(states)
    clear = margins >= CLEAR
    assert clear.tolist() == [True, True, False, False, False]
    np.testing.assert_array_equal(settled[~clear], expected[~clear])
    np.testing.assert_allclose(settled[clear], expected[clear], rtol=0, atol=1e-12)
    # Margins vanish like the distance, by the measure of one position as well, which is another one.
    one = np.array([closing.margin_at(state[: m.nq]) for state in states[:4]])
    for measure in (margins[:4], one):
        np.testing.assert_allclose(measure[2:] / measure[1], np.sin(angles[2:4]) / np.sin(0.1), rtol=0.01)


def test_slopes_are_asked_at_their_times():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    compiled = wt.compile(lambda m, t, q, qd: np.array([0.1, 0.2, -0.3]) * t - 0.1 * qd, m, inputs={"t": ()})

    def external(t, q, qd):
        return np.outer(np.arange(1.0, 4.0) * t, np.arange(6.0))

    for forces in ((None, None), (compiled, None), (lambda t, q, qd: t * q[:3], None), (compiled, external)):
        found, system, _, _ = several(m, q, *forces)
        t, y = around(m, q, 1e-3)
        np.testing.assert_array_equal(found.slopes(t, y), each(system.slope)(t, y))


def test_what_a_function_of_the_user_raises_is_raised():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())

    def control(t, q, qd):
        if t > 0.3:
            raise RuntimeError("broken")
        return np.zeros(3)

    found, *_ = several(m, q, control)
    with pytest.raises(RuntimeError, match="broken"):
        found.slopes(*around(m, q, 1e-3))


def test_a_repetition_that_runs_away_ends():
    """Its last change may be so many times the one before that no power of that is a number."""
    slopes = iter([0.0, 1.0, 1.1, 1.11, 1e30])

    def slope(t, y):
        return np.full_like(y, next(slopes))

    start = np.array([0.3, -0.2])
    assert collocate(slope, lambda t, y: y, 0.0, start, 0.1, lambda t: start + 0.1, 8) is None
