"""Loops and contacts held together by machine code: the same as by factors of all that is held."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.closing import Closing
from whippletree.simulation.equations import common
from whippletree.simulation.touching import touching_system
from whippletree.simulation.touching.held_motion import HeldMotion, held_kernels
from whippletree.simulation.touching.holding import OPEN, SLIP, STICK, held_by_factors, none_held
from whippletree.simulation.touching.touch_terms import touch_kernels, unforced


def standing_robot():
    """A robot with loops in its legs, a state that keeps them closed, and constraints that do so."""
    name = "standing-linkage-quadruped"
    m, q = wt.examples.load(name), wt.examples.start(name).q
    assert q is not None
    qd = wt.project_velocity(m, q, np.random.default_rng(3).normal(size=m.nv))
    closing = Closing(m, common(m))
    assert closing.begin(np.concatenate([q, qd]), qd)[1] is False
    return m, q, qd, closing.independent(q)


@pytest.mark.parametrize(
    "mode", [(STICK, SLIP, OPEN, STICK), (SLIP, SLIP, SLIP, SLIP), (STICK,) * 4, (OPEN,) * 4]
)
def test_loops_and_contacts_are_held_by_one_kernel(mode: tuple[int, ...]):
    """The same accelerations and forces as by factors of all constraints, dependent ones among them."""
    m, q, qd, rows = standing_robot()
    assert len(rows) == 8
    rng = np.random.default_rng(4)
    tau, angle = rng.normal(size=m.nv), rng.uniform(-3.0, 3.0, 4)
    held = none_held(np.full(4, 0.7))._replace(mode=np.array(mode))
    slips = held.mode == SLIP
    held.along[slips] = np.stack([np.cos(angle), np.sin(angle)], axis=1)[slips]
    now = (held.mode > 0).astype(float), (held.mode == STICK).astype(float), held.along, held.faint
    found = HeldMotion(*held_kernels(m, False, rows).motion(q, qd, tau, *now))
    expected = held_by_factors(unforced(touch_kernels(m, False).terms(q, qd, tau), qd), held)
    assert found.margin > 1e-3
    for name in ("slope", "force", "velocity", "gap", "felt", "push", "scale", "turning"):
        size = np.max(np.abs(getattr(expected, name)), initial=1e-3)
        atol = 1e-12 * size
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=atol)


def test_loops_and_contacts_are_closed_by_one_kernel():
    """Newton steps lead from a state next to it to one with loops and closed contacts without gaps."""
    m, q, qd, rows = standing_robot()
    rng, together = np.random.default_rng(5), held_kernels(m, False, rows).together
    closed, sticks = np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0])
    q = m.integrate(q, 1e-3 * rng.normal(size=m.nv))
    for _ in range(4):
        q = together(q, qd, closed, sticks)[0]
    kept, worst, margin = together(q, qd, closed, sticks)[1:]
    error, K, gap, J = touch_kernels(m, False).geometry(q)
    velocity = J @ kept
    assert margin > 1e-3
    assert worst < 1e-15
    np.testing.assert_allclose(error, 0.0, atol=1e-14)
    np.testing.assert_allclose(gap[[0, 2, 3]], 0.0, atol=1e-15)
    np.testing.assert_allclose(K @ kept, 0.0, atol=1e-13)
    np.testing.assert_allclose(velocity[[0, 2, 3], 0], 0.0, atol=1e-14)
    np.testing.assert_allclose(velocity[[0, 3]], 0.0, atol=1e-14)
    assert np.abs(velocity[2, 1:]).max() > 1e-2


def test_robots_with_loops_stand_by_machine_code(monkeypatch: pytest.MonkeyPatch):
    """After the first questions, none is answered piece by piece; nor does that change the motion."""
    name = "standing-linkage-quadruped"
    m, begin = wt.examples.load(name), wt.examples.start(name)
    asked = []

    def counted(*parts):
        asked.append(0)
        return held_by_factors(*parts)

    monkeypatch.setattr(touching_system, "held_by_factors", counted)
    quick = wt.simulate(m, begin.q, begin.qd, 0.4, rtol=1e-11, atol=1e-13)
    few = len(asked)
    assert few <= 4 * touching_system.PAYS + 4 * m.nv + 2  # the choice of an integrator asks 4 nv times
    monkeypatch.setattr(touching_system, "MOST", 3)
    pieces = wt.simulate(m, begin.q, begin.qd, 0.4, rtol=1e-11, atol=1e-13)
    assert len(asked) - few > 2 * few
    np.testing.assert_allclose(quick.q[-1], pieces.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(quick.contacts.force[-1], pieces.contacts.force[-1], rtol=0, atol=1e-7)
    assert np.max(np.abs(quick.constraint_error)) < 1e-14
