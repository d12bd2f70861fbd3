"""Changes of a mechanism carry its loops along: the changed one moves as the old one does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt


def case(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, ["revolute", "universal", "revolute", "spherical", "cylindrical"], branching=0.3)
    q = m.random(rng)
    closed.close(rng, m, q, "far", "spherical", -1, 4)
    closed.close(rng, m, q, "near", "universal", 1, 3)
    return m, q, closed.velocity(rng, m, q), rng.normal(size=m.nv), rng


@pytest.mark.parametrize("seed", range(4))
def test_a_payload_and_other_names_leave_the_loops_closed(seed):
    m, q, qd, tau, rng = case(seed)
    named = wt.rename(m, bodies={"b4": "tip"}, loops={"far": "distant"})
    assert (named.loops[0].name, named.loops[0].successor) == ("distant", "tip")
    assert_allclose(wt.forward_dynamics(named, q, qd, tau), wt.forward_dynamics(m, q, qd, tau), rtol=1e-12)
    load = randoms.inertia(rng)
    loaded = wt.add_payload(m, "b4", load)
    expected = m.bodies[4].inertia + load
    assert loaded.bodies[4].inertia == expected
    assert loaded.loops == m.loops


@pytest.mark.parametrize("seed", range(4))
def test_an_attached_mechanism_keeps_its_loops(seed):
    m, q, qd, tau, _ = case(seed)
    seat = wt.Mechanism("seat", gravity=m.gravity)
    seat.add_body("plate", wt.Fixed(), placement=wt.Placement((0.1, 0.2, 0.3)))
    both = wt.attach(seat, m, "plate", prefix="x_")
    assert_allclose(wt.constraint_error(both, q), 0.0, atol=1e-12)
    assert_allclose(wt.forward_dynamics(both, q, qd, tau), wt.forward_dynamics(m, q, qd, tau), rtol=1e-9)
    with pytest.raises(wt.ModelError, match="both have a"):
        wt.attach(both, m, "ground", prefix="x_")


@pytest.mark.parametrize("seed", range(4))
def test_a_locked_joint_takes_its_sides_of_loops_along(seed):
    m, q, _, _, _ = case(seed)
    locked = wt.lock(m, {"b2": q[m.q_index[2]]})
    rest = np.concatenate([q[index] for i, index in enumerate(m.q_index) if i != 2])
    assert_allclose(wt.constraint_error(locked, rest), 0.0, atol=1e-12)
    assert len(locked.loops) == 2


def test_a_loop_with_both_sides_on_one_body_is_left_out_if_it_is_closed():
    m = wt.examples.load("four-bar")
    m.add_loop("link", wt.Spherical(), "crank", "coupler", m.bodies[1].placement)
    locked = wt.lock(m, {"coupler": 0.3})
    assert [loop.name for loop in locked.loops] == ["pin"]
    assert locked.warnings == ["loop 'link' is left out: both of its ends are on one body now"]
    m.add_loop("bolt", wt.Spherical(), "crank", "coupler")
    with pytest.raises(wt.ModelError, match=r"loop 'bolt' would stay open by 0\.2 m,"):
        wt.lock(m, {"coupler": 0.3})


@pytest.mark.parametrize("seed", range(4))
def test_a_mechanism_on_another_root_keeps_its_loops(seed):
    rng = np.random.default_rng(seed)
    free = randoms.tree(rng, ["free", "revolute", "spherical", "universal", "revolute"], branching=0.4)
    q = free.random(rng)
    closed.close(rng, free, q, "loop", "revolute", 2, 4)
    turned = wt.reroot(free, "b4")
    where = closed.pose(free, q, 4)
    parts = {"root": wt.Free().position_at(where.transform())}
    parts |= {body.joint_name: q[free.q_index[i]] for i, body in enumerate(free.bodies)}
    position = np.concatenate([parts[name] for name in turned.joint_names])
    assert_allclose(wt.constraint_error(turned, position), 0.0, atol=1e-12)


def test_the_summary_names_the_loops():
    summary = wt.examples.load("four-bar").summary()
    assert "pin: Revolute z from coupler at (0.6, 0.34, 0) to rocker at (0.02, 0.5, 0)" in summary
