"""Methods of forward dynamics, recorded with a choice made at one position and used at others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from closed import massless_coupler, scotch_yoke
from whippletree.api.forward_methods import METHODS, applicable

MECHANISMS = {
    "four-bar": lambda: wt.examples.load("four-bar"),
    "quick-return": lambda: wt.examples.load("quick-return"),
    "delta-robot": lambda: wt.examples.load("delta-robot"),
    "massless-coupler": massless_coupler,
    "scotch-yoke": scotch_yoke,
}


def states(m, count=4):
    """Closed positions along a small motion, with velocities that keep loops closed, and forces."""
    rng = np.random.default_rng(3)
    q = wt.assemble(m, m.neutral())
    step = wt.project_velocity(m, q, rng.normal(size=m.nv))
    for _ in range(count):
        yield q, wt.project_velocity(m, q, rng.normal(size=m.nv)), rng.normal(size=m.nv)
        q = wt.project_position(m, m.integrate(q, 0.03 * step / np.max(np.abs(step))))


CASES = [(mechanism, name) for mechanism, build in MECHANISMS.items() for name in applicable(build())]


@pytest.mark.parametrize(("mechanism", "name"), CASES)
def test_a_choice_serves_other_positions(mechanism, name):
    m, method = MECHANISMS[mechanism](), METHODS[name]
    assert method.quality is not None
    all_states = list(states(m))
    choice = method.chosen(m, all_states[0][0])
    fast = wt.compile(method.accelerations, m, **choice).program  # interpreted: machine code takes longer
    quality = wt.compile(method.quality, m, **choice).program
    for q, qd, tau in all_states:
        expected = wt.forward_dynamics(m, q, qd, tau, method="kkt")
        scale = np.max(np.abs(expected))
        # Pivots that were best elsewhere lose some digits here; nothing near the quality's inverse.
        assert_allclose(fast(q, qd, tau), expected, rtol=0, atol=1e-11 * scale / quality(q))
        assert quality(q) > 0.01


@pytest.mark.parametrize("build", [massless_coupler, scotch_yoke])
def test_joints_without_inertia_have_the_same_answer_by_every_method(build):
    m = build()
    for q, qd, tau in states(m):
        expected = wt.forward_dynamics(m, q, qd, tau, method="kkt")
        assert np.max(np.abs(expected)) > 1.0
        for name in ["auto", *wt.methods(m)]:
            assert_allclose(wt.forward_dynamics(m, q, qd, tau, method=name), expected, rtol=1e-11)


def test_methods_that_invert_the_inertia_of_the_tree_do_not_apply_without_any():
    m = massless_coupler()
    assert "lambda-first" not in wt.methods(m)
    assert wt.method_reason(m).startswith("grcr: ")
    with pytest.raises(wt.ModelError, match="'coupler' of 'massless-coupler' moves no inertia"):
        wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3), method="lambda-first")
