"""Assembly, projections and mobility: what they promise holds, and failures name what is at fault."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt
from whippletree.loops.equations.loop_sizes import loop_size


@pytest.mark.parametrize("kind", closed.LOOP_JOINTS)
def test_assembly_closes_loops_of_every_type_and_keeps_held_joints(kind):
    for seed in range(3):
        rng = np.random.default_rng([seed, closed.LOOP_JOINTS.index(kind)])
        m = randoms.tree(rng, ["revolute", "prismatic", "free"], branching=0.0)
        q = m.random(rng)
        closed.close(rng, m, q, "loop", kind, -1, 2)
        guess = m.integrate(q, 0.3 * rng.normal(size=m.nv))
        found = wt.assemble(m, guess, hold=["b0"])
        assert_allclose(wt.constraint_error(m, found), 0.0, atol=1e-12)
        assert_allclose(found[m.q_index[0]], guess[m.q_index[0]], rtol=0)


@pytest.mark.parametrize("seed", range(5))
def test_projections_are_nearest_and_leave_good_states_alone(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, ["revolute"] * 8, branching=0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "loop", "universal", -1, 7)
    qd = closed.velocity(rng, m, q)
    assert_allclose(wt.project_position(m, q), q, atol=1e-12)
    assert_allclose(wt.project_velocity(m, q, qd), qd, atol=1e-12)
    off = qd + rng.normal(size=m.nv)
    back = wt.project_velocity(m, q, off)
    K = wt.constraint_jacobian(m, q)
    assert_allclose(K @ back, 0.0, atol=1e-12 * (1 + np.abs(K).max()))
    assert_allclose(closed.velocity(rng, m, q) @ (off - back), 0.0, atol=1e-11)  # at right angles
    near = m.integrate(q, 1e-3 * rng.normal(size=m.nv))
    assert_allclose(wt.constraint_error(m, wt.project_position(m, near)), 0.0, atol=1e-13)


def test_no_assembly_names_the_loop_and_its_gap():
    m = wt.examples.load("four-bar")
    crank = m.bodies[0]
    far = wt.Mechanism("stretched", gravity=m.gravity)
    far.append(crank)
    far.append(m.bodies[1])
    far.add_body(
        "rocker", wt.Revolute("z"), placement=wt.Placement((3.0, 0.0, 0.0)), inertia=m.bodies[2].inertia
    )
    loop = m.loops[0]
    far.add_loop("pin", loop.joint, "coupler", "rocker", loop.placement_p, loop.placement_s)
    with pytest.raises(wt.SolverError, match=r"'stretched' cannot be assembled.*'pin' by 1\.\d+"):
        wt.assemble(far, far.neutral())


def test_contradictory_closures_are_both_named():
    m = wt.Mechanism("contradiction")
    m.add_body("slider", wt.Prismatic("x"), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    for name, x in (("left", 0.0), ("right", 1.0)):
        m.add_loop(name, wt.Fixed(), "ground", "slider", wt.Placement((x, 0.0, 0.0)))
    with pytest.raises(wt.SolverError, match=r"'(left|right)' by 0\.5, '(left|right)' by 0\.5"):
        wt.assemble(m, m.neutral())


def test_a_hinge_upside_down_does_not_pass_for_closed():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.2, 0.3)))
    m.add_loop("hinge", wt.Revolute("z"), "ground", "ball")
    upside_down = np.array([np.cos(1.4), np.sin(1.4), 0.0, 0.0])  # a turn by 2.8 rad about x
    q = wt.assemble(m, upside_down)
    assert_allclose(wt.frame_pose(m, q, "ball")[:3, 2], [0.0, 0.0, 1.0], atol=1e-12)


def test_a_locked_mechanism_is_reported_with_names():
    m = wt.examples.load("four-bar")
    m.add_loop("weld", wt.Fixed(), "ground", "rocker", wt.Placement((0.7, 0.0, 0.0)))
    report = wt.mobility(m, m.neutral())
    assert report.mobility == 0
    assert report.locked == ["crank", "coupler", "rocker"]
    assert report.redundant == {"pin": 3, "weld": 5}
    assert "locked: crank, coupler, rocker" in str(report)
    for method in wt.methods(m):
        qdd = wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.ones(3), method)
        assert_allclose(qdd, 0.0, atol=1e-12)


def test_open_loops_are_refused_by_forward_and_inverse_dynamics():
    m = wt.examples.load("four-bar")
    q, zero = m.neutral(), np.zeros(3)
    with pytest.raises(wt.InputError, match="q leaves loop 'pin' of 'four-bar' open by"):
        wt.forward_dynamics(m, np.array([0.3, 0.0, 0.0]), zero, zero)
    with pytest.raises(wt.InputError, match="qd opens loop 'pin' of 'four-bar'"):
        wt.forward_dynamics(m, q, np.ones(3), zero)
    with pytest.raises(wt.InputError, match="qdd opens loop 'pin' of 'four-bar'"):
        wt.inverse_dynamics(m, q, zero, np.ones(3))


def test_tree_methods_refuse_loops_and_loop_methods_refuse_trees():
    m, tree = wt.examples.load("four-bar"), wt.examples.load("double-pendulum")
    with pytest.raises(wt.ModelError, match="has loops, 'pin', and they would not be kept closed"):
        wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3), "aba")
    with pytest.raises(wt.ModelError, match="has neither loops nor gears"):
        wt.forward_dynamics(tree, tree.neutral(), np.zeros(2), np.zeros(2), "grcr")
    with pytest.raises(
        wt.ModelError, match="hybrid_dynamics: method 'crba' is for trees, and 'four-bar' has"
    ):
        wt.hybrid_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3), np.zeros(3), ["crank"], "crba")


def test_coupled_loops_with_different_bases_are_solved_together():
    rng = np.random.default_rng(0)
    m = randoms.tree(rng, ["revolute"] * 8, branching=0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "outer", "spherical", -1, 7)
    closed.close(rng, m, q, "inner", "universal", 2, 6)
    tau = rng.normal(size=8)
    expected = wt.loops.kkt(m, q, np.zeros(8), tau)
    assert_allclose(wt.loops.grcr(m, q, np.zeros(8), tau), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", [name for name in wt.examples.names() if wt.examples.load(name).loops])
def test_examples_with_loops_assemble_and_compile(name):
    """One state, a batch and the interpreted functions agree on every bundled mechanism.

    Machine code is made of one method: what is recorded of the others is interpreted, which takes less time.
    """
    m = wt.examples.load(name)
    if name == "four-bars":
        m = wt.examples.linkages.four_bars(3)
    rng = np.random.default_rng(len(name))
    q = wt.assemble(m, m.integrate(m.neutral(), 0.2 * rng.normal(size=m.nv)))
    qd, tau = wt.project_velocity(m, q, rng.normal(size=m.nv)), rng.normal(size=m.nv)
    expected = wt.loops.projection(m, q, qd, tau)
    scale = np.abs(expected).max()
    reduction = wt.loops.choose_reduction(m, q)
    kernel = wt.compile(wt.loops.grcr, m, reduction=reduction)
    assert_allclose(kernel(q, qd, tau), expected, atol=1e-8 * scale)
    batch = kernel(np.tile(q, (5, 1)), qd, tau)
    assert_allclose(batch, np.tile(kernel(q, qd, tau), (5, 1)), rtol=0)
    rows = np.flatnonzero(_independent(wt.constraint_jacobian(m, q)))
    forces_first = wt.compile(wt.loops.lambda_first, m, rows=tuple(rows)).program
    assert_allclose(forces_first(q, qd, tau), expected, atol=1e-7 * scale)
    assert_allclose(wt.compile(wt.constraint_error, m).program(q), 0.0, atol=1e-12)
    K = wt.constraint_jacobian(m, q)
    assert_allclose(wt.compile(wt.constraint_jacobian, m).program(q), K, atol=1e-13 * np.abs(K).max())


def _independent(K):
    """Which rows are independent of those before them, by Gram-Schmidt."""
    basis, kept = [], []
    for row in K:
        rest = row - sum((row @ b) * b for b in basis)
        rest = rest - sum((rest @ b) * b for b in basis)
        size = np.linalg.norm(rest)
        kept.append(size > 1e-9 * np.abs(K).max())
        if kept[-1]:
            basis.append(rest / size)
    return np.array(kept)


def test_bars_in_one_line_are_no_obstacle():
    """The way a first linkage is often written: every bar along x, and gaps that no small turn closes."""
    m, P = wt.Mechanism("four-bar"), wt.Placement
    for name, parent, at, length in (
        ("crank", "ground", 0.0, 0.2),
        ("coupler", "crank", 0.2, 0.5),
        ("rocker", "ground", 0.6, 0.4),
    ):
        inertia = wt.Inertia.rod((0.0, 0.0, 0.0), (length, 0.0, 0.0), mass=1.0)
        m.add_body(name, wt.Revolute("z"), parent=parent, placement=P((at, 0.0, 0.0)), inertia=inertia)
    m.add_loop("pin", wt.Revolute("z"), "coupler", "rocker", P((0.5, 0.0, 0.0)), P((0.4, 0.0, 0.0)))
    q = wt.assemble(m, m.neutral())
    assert np.abs(wt.constraint_error(m, q)).max() < 1e-12
    held = wt.assemble(m, m.neutral(), hold=["crank"])
    assert held[0] == 0.0
    assert np.abs(wt.constraint_error(m, held)).max() < 1e-12


def four_bar(length: float) -> wt.Mechanism:
    """A linkage whose longest link has this length, m."""
    m, rod = wt.Mechanism("linkage"), wt.Inertia.rod
    crank, end, top = (length * np.array(point) for point in ([0.3, 0, 0], [0.8, 0, 0.6], [0.1, 0, 0.6]))
    m.add_body("crank", wt.Revolute("y"), inertia=rod((0, 0, 0), crank, mass=1.1))
    m.add_body("coupler", wt.Revolute("y"), "crank", wt.Placement(crank), rod((0, 0, 0), end, mass=0.3))
    base = wt.Placement((0.8 * length, 0, 0))
    m.add_body("rocker", wt.Revolute("y"), "ground", base, rod((0, 0, 0), top, mass=2.3))
    m.add_loop("pin", wt.Revolute("y"), "rocker", "coupler", wt.Placement(top), wt.Placement(end))
    return m


@pytest.mark.parametrize("length", [1e3, 1.0, 1e-3, 1e-6])
def test_what_is_open_is_judged_by_the_size_of_the_loop(length):
    m, zero = four_bar(length), np.zeros(3)
    assert loop_size(m, m.loops[0]) == pytest.approx(length, rel=1e-15)
    q, aside = wt.assemble(m, np.array([0.5, -0.5, 0.1]), hold=["crank"]), np.array([0.0, 1.0, 0.0])
    assert np.max(np.abs(wt.constraint_error(m, q))) < 1e-15 * length
    assert np.all(np.isfinite(wt.forward_dynamics(m, q + 1e-4 * aside, zero, zero)))
    words = r"^{} loop 'pin' of 'linkage' {} .*, more than {}.*: take"
    for state, told in (
        ((q + 0.01 * aside, zero), words.format("q leaves", "open by", f"{1e-3 * length:.3g} rad or m")),
        ((q, 0.01 * aside), words.format("qd opens", "at a rate of", "")),
    ):
        with pytest.raises(wt.InputError, match=told):
            wt.forward_dynamics(m, *state, zero)
        with pytest.raises(wt.InputError, match=r"of trajectory 0 (leaves|opens) loop 'pin' .*, more than"):
            wt.rollout(m, *state, steps=2)
    with pytest.raises(wt.SolverError, match=r"still open, in rad or m, are 'pin' by "):
        wt.assemble(m, q + 1e-3 * aside, hold=["crank", "coupler"])


def of_another_size(m: wt.Mechanism, factor: float) -> wt.Mechanism:
    """The same mechanism with all lengths multiplied."""
    m = m.copy()

    def larger(placement: wt.Placement) -> wt.Placement:
        return wt.Placement(factor * placement.position, rotation=placement.rotation)

    for body in m.bodies:
        m.change(body.name, placement=larger(body.placement), inertia=wt.Inertia(0.0))
    for loop in m.loops:
        m.change(loop.name, placement_p=larger(loop.placement_p), placement_s=larger(loop.placement_s))
    return m


@pytest.mark.parametrize("factor", [1e-9, 1e6])
@pytest.mark.parametrize("name", ["crank-slider", "bricard", "quick-return"])
def test_a_mechanism_of_any_size_is_assembled_alike(name: str, factor: float) -> None:
    """Sliders, loops of turns and shifts in space, and a slider's loop with an inclined axis."""
    m = wt.examples.load(name)
    other = of_another_size(m, factor)
    lengths = np.array([u == "m" for body in m.bodies for u in body.joint.units])
    units = np.where(lengths, factor, 1.0)
    change = 0.1 * np.random.default_rng(1).normal(size=m.nv)
    q = wt.assemble(m, change)
    for found in (wt.assemble(other, change * units), wt.compile(wt.assemble, other)(change * units)):
        assert found / units == pytest.approx(q, abs=1e-12)
    rates = [wt.project_velocity(m, q, change), wt.project_velocity(other, q * units, change * units) / units]
    assert rates[1] == pytest.approx(rates[0], abs=1e-12)
    assert wt.mobility(other, q * units).rank == wt.mobility(m, q).rank


def test_a_slider_of_a_loop_never_adds_radians_to_metres() -> None:
    T = wt.Prismatic((1.0, 3.0, 0.0)).constraint_subspace(np.zeros(1))
    assert not np.any(np.any(T[:3], axis=0) & np.any(T[3:], axis=0))
    assert np.allclose(T.T @ T, np.eye(5), atol=1e-15)
    assert np.allclose(T[3:].T @ [1.0, 3.0, 0.0], 0.0, atol=1e-15)
