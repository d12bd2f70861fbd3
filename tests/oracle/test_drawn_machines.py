"""Machines drawn as graphs, from Python and from their files, against geometry and virtual work."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import whippletree as wt
from overconstrained import bennett, sarrus

P = wt.Placement


def rod(length: float, mass: float) -> wt.Inertia:
    return wt.Inertia.rod((0.0, 0.0, 0.0), (length, 0.0, 0.0), mass=mass)


def scissor_lift(stages: int) -> wt.Graph:
    """Crossed bars of 1 m, stage on stage, between a foot and a slide below and a platform above."""
    g = wt.Graph("scissor-lift", gravity=(0.0, -9.81, 0.0))
    for k in range(stages):
        for side in "ab":
            g.add_body(f"{side}{k}", rod(1.0, 1.2))
        g.add_joint(f"mid{k}", wt.Revolute("z"), f"a{k}", f"b{k}", P((0.5, 0, 0)), P((0.5, 0, 0)))
        for below, above in (("b", "a"), ("a", "b")) if k else ():
            joined = f"{below}{k - 1}", f"{above}{k}"
            g.add_joint(f"{below}-{above}{k}", wt.Revolute("z"), *joined, P((1.0, 0, 0)))
    g.add_joint("foot", wt.Revolute("z"), "ground", "a0")
    g.add_body("slide", wt.Inertia(0.3))
    g.add_joint("rail", wt.Prismatic("x"), "ground", "slide")
    g.add_joint("slide-pin", wt.Revolute("z"), "slide", "b0")
    g.add_body("platform", wt.Inertia(20.0, (0.4, 0.05, 0.0), (0.5, 1.0, 1.0)))
    g.add_joint("hinge", wt.Revolute("z"), f"b{stages - 1}", "platform", P((1.0, 0, 0)))
    g.add_body("shoe", wt.Inertia(0.2))
    g.add_joint("track", wt.Prismatic("x"), "platform", "shoe")
    g.add_joint("shoe-pin", wt.Revolute("z"), f"a{stages - 1}", "shoe", P((1.0, 0, 0)))
    return g


def raised(m: wt.Mechanism, stages: int, angle: float) -> Any:
    """The lift with its bars at an angle, rad, found from where its bodies are to be."""
    s, c = np.sin(angle), np.cos(angle)
    wanted: dict[str, Any] = {"platform.origin": P((0.0, stages * s, 0.0))}
    for k in range(stages):
        wanted[f"a{k}.origin"] = P((0.0, k * s, 0.0), rpy=(0, 0, angle))
        wanted[f"b{k}.origin"] = P((c, k * s, 0.0), rpy=(0, 0, np.pi - angle))
    found = wt.inverse_kinematics(m, wanted)
    assert found.solved
    return found.q


def test_a_scissor_lift_rises_and_takes_the_force_of_virtual_work(tmp_path: Path) -> None:
    stages = 2
    wt.save(scissor_lift(stages), tmp_path / "lift.toml")
    m = wt.load(tmp_path / "lift.toml")
    q = raised(m, stages, 0.6)
    assert wt.mobility(m, q).mobility == 1
    t = np.linspace(0.0, 3e-5, 4)
    motion = wt.kinematics(m, {"rail": -1e-3}, t, q)
    x = motion.frame("slide").position[:, 0]
    height = motion.frame("platform").position[:, 1]
    assert_allclose(x, np.cos(0.6) - 1e-3 * t, rtol=0, atol=1e-13)
    assert_allclose(height, stages * np.sqrt(1.0 - x**2), rtol=0, atol=1e-13)
    # F dx = g Σ m dh; the centres of bars are at (k + ½) of a stage's height. Hardly anything accelerates.
    weight = 20.0 * stages + 0.2 * stages + sum(2.0 * 1.2 * (k + 0.5) for k in range(stages))
    slope = -x / np.sqrt(1.0 - x**2)
    assert_allclose(motion.driving_force[:, 0], 9.81 * weight * slope, rtol=1e-5)


def test_a_scissor_lift_falls_through_its_flat_position() -> None:
    """As M(θ) θ'' + M' θ'² / 2 + V' = 0, θ being the angle of its bars; at θ = 0 all lie in one line."""
    m = scissor_lift(1).mechanism()
    run = wt.simulate(m, raised(m, 1, 0.6), duration=1.0, rtol=1e-10, atol=1e-12)

    def rate(t: float, y: np.ndarray) -> list[float]:
        s, c = np.sin(y[0]), np.cos(y[0])
        M, slope = 1.0 + 0.3 * s * s + 20.0 * c * c, 2.0 * (0.3 - 20.0) * s * c
        return [y[1], -(0.5 * slope * y[1] ** 2 + 9.81 * 21.4 * c) / M]

    expected = solve_ivp(rate, (0.0, 1.0), [0.6, 0.0], "DOP853", run.t, rtol=1e-13, atol=1e-13).y[0]
    assert expected[-1] < -np.pi
    assert_allclose(run.q[:, m.joint_names.index("foot")], expected, rtol=0, atol=1e-8)


def test_a_scissor_lift_folded_together_swings_as_a_double_pendulum() -> None:
    """Its bars lie on each other, as they may all along: fewer constraints are independent than elsewhere."""
    m, tree = scissor_lift(1).mechanism(), wt.Mechanism("pendulum", gravity=(0.0, -9.81, 0.0))
    tree.add_body("bars", wt.Revolute("z"), inertia=rod(1.0, 2.4))
    above = wt.Inertia(20.0, (0.4, 0.05, 0.0), (0.5, 1.0, 1.0)) + wt.Inertia(0.2)
    tree.add_body("platform", wt.Revolute("z"), "bars", P((1.0, 0, 0)), above)
    q = np.array([{"foot": 0.8, "hinge": -0.7, "shoe-pin": -0.7}.get(name, 0.0) for name in m.joint_names])
    assert wt.mobility(m, q).mobility == 2
    run, free = (
        wt.simulate(machine, start, duration=1.0, rtol=1e-10, atol=1e-12, sample=0.25)
        for machine, start in ((m, q), (tree, [0.8, -0.7]))
    )
    for name, expected in (("foot", free.q[:, 0]), ("hinge", free.q[:, 1])):
        assert_allclose(run.q[:, m.joint_names.index(name)], expected, rtol=0, atol=1e-8)
    # So do its kernel, which also takes it raised, and a rollout, with the errors of Euler's steps.
    k, up, tau = m.kernel("forward_dynamics"), raised(m, 1, 0.6), np.array([0.3, -0.2, 0.7, 0.4, -0.5])
    found = k(np.stack([q, up]), np.zeros((2, 5)), tau)
    for qdd, at in zip(found, (q, up), strict=True):
        assert_allclose(qdd, wt.forward_dynamics(m, at, np.zeros(5), tau), rtol=0, atol=1e-10)
    swung, free_swung = (
        wt.rollout(machine, start, np.zeros(machine.nv), steps=50)[0][-1]
        for machine, start in ((m, q), (tree, np.array([0.8, -0.7])))
    )
    places = [m.joint_names.index(name) for name in ("foot", "hinge")]
    assert_allclose(swung[places], free_swung, rtol=0, atol=1e-10)
    assert np.all(np.isfinite(wt.rollout(m, up, np.zeros(5), steps=5)[0]))
    with pytest.raises(
        wt.SingularError, match=r"links of 'scissor-lift' lie on each other: .* Give another pos"
    ):
        wt.compile(wt.forward_dynamics, m, at=q)


def test_what_folds_flat_has_no_linear_model_there() -> None:
    """All bars in one line: they could turn one by one, and choices of coordinates hold there alone."""
    m = scissor_lift(1).mechanism()
    with pytest.raises(wt.SingularError, match=r"'scissor-lift' has no linear model at q: .* 2 freedoms"):
        wt.linearize(m, m.neutral())


def test_an_umbrella_opens_by_isosceles_triangles() -> None:
    """Ribs of 0.6 m whose struts of 0.3 m meet them half-way, a crown at 1 m and a runner below it."""
    g, count = wt.Graph("umbrella"), 3
    g.add_body("runner", wt.Inertia(0.05, about_com=(1e-4, 1e-4, 1e-4)))
    g.add_joint("pole", wt.Prismatic("z"), "ground", "runner", P((0, 0, 0.7)))
    for k in range(count):
        turn = P(rpy=(0.0, 0.0, 2.0 * np.pi * k / count))
        ring = turn @ P((0.03, 0, 0))
        g.add_body(f"rib{k}", rod(0.6, 0.03))
        g.add_body(f"strut{k}", rod(0.3, 0.01))
        g.add_joint(f"crown{k}", wt.Revolute("y"), "ground", f"rib{k}", P((0, 0, 1.0)) @ ring)
        g.add_joint(f"foot{k}", wt.Revolute("y"), "runner", f"strut{k}", ring)
        g.add_joint(f"knee{k}", wt.Revolute("y"), f"rib{k}", f"strut{k}", P((0.3, 0, 0)), P((0.3, 0, 0)))
        g.add_frame(f"tip{k}", f"rib{k}", P((0.6, 0, 0)))
    m = g.mechanism()
    first = {"c": 0.5, "f": -0.5, "p": 0.0}  # ribs hang, struts rise
    q = wt.assemble(m, np.array([first[name[0]] for name in m.joint_names]), hold=["pole"])
    motion = wt.kinematics(m, {"pole": 0.1}, np.linspace(0.0, 2.0, 5), q)
    half = 0.5 * (0.3 - 0.1 * motion.t)
    out = 2.0 * np.sqrt(0.09 - half**2)
    for k in range(count):
        tip = motion.frame(f"tip{k}").position
        assert_allclose(np.hypot(tip[:, 0], tip[:, 1]), 0.03 + out, rtol=0, atol=1e-13)
        assert_allclose(tip[:, 2], 1.0 - 2.0 * half, rtol=0, atol=1e-13)


def test_a_rod_between_balls_spins_and_that_is_told() -> None:
    """RSSR: with a universal joint for one ball, crank and rocker keep the rod's length."""

    def linkage(second: wt.Joint) -> wt.Mechanism:
        g = wt.Graph("rssr")
        for name, length in (("crank", 0.2), ("coupler", 1.0), ("rocker", 0.6)):
            g.add_body(name, rod(length, 1.0))
        g.add_joint("motor", wt.Revolute("z"), "ground", "crank", actuated=True)
        g.add_joint("ball", wt.Spherical(), "crank", "coupler", P((0.2, 0, 0)))
        g.add_joint("other", second, "coupler", "rocker", P((1.0, 0, 0)), P((0.6, 0, 0)))
        across = P(rpy=(0.0, 0.5 * np.pi, 0.0))
        g.add_joint("swing", wt.Revolute("x"), "ground", "rocker", P((0.6, 0.7, 0.0)), across)
        return g.mechanism()

    m = linkage(wt.Spherical())
    q = wt.assemble(m, m.neutral())
    with pytest.raises(wt.InputError) as raised:
        wt.kinematics(m, {"motor": 1.0}, [0.0, 0.1], q)
    assert "'rssr' has 2 freedoms and 1 driver: drive 'ball' as well" in str(raised.value)
    assert "'ball' has several velocities and cannot be driven; if it lets a rod between two balls spin" in (
        str(raised.value)
    )
    m = linkage(wt.Universal("y", "z"))
    motion = wt.kinematics(m, {"motor": 1.0}, np.linspace(0.0, 6.0, 7), wt.assemble(m, m.neutral()))
    crank, swing = (motion.joint(name)[:, 0] for name in ("motor", "swing"))
    a = np.array([0.2 * np.cos(crank), 0.2 * np.sin(crank), 0.0 * crank]).T
    rocker = motion.frame("rocker.origin")
    b = rocker.position + 0.6 * rocker.rotation[:, :, 0]
    assert_allclose(np.linalg.norm(b - a, axis=1), 1.0, rtol=0, atol=1e-12)
    assert np.ptp(swing) > 0.3


def test_kinematics_tells_where_limits_are_left() -> None:
    m = wt.examples.load("crank-slider")
    m.change("slider", limits=wt.Limits(-0.1, 0.5))
    with pytest.warns(
        wt.LimitsWarning, match=r"'slider' is at -0.20\d+ at t = 0.785398 s, outside of -0.1 … 0.5"
    ):
        wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 5))


def hoberman_ring(count: int, arm: float, sigma: float) -> tuple[wt.Graph, dict[str, Any]]:
    """Pairs of bent bars that cross on rays of a star, and where bodies are when outer arms stand at sigma.

    A bar bent by α = 2π/count, crossed with its mirror image on the ray kα, reaches the rays half-way to the
    next ones with both ends (C. Hoberman, US patent 4942700, 1990). Three crossings slide on their rays.
    """
    alpha, g, where = 2.0 * np.pi / count, wt.Graph("hoberman-ring", gravity=(0.0, 0.0, 0.0)), {}
    b = arm * np.sin(sigma - 0.5 * alpha) / np.sin(0.5 * alpha)
    for k in range(count):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            g.add_body(f"{side}{k}", wt.Inertia(0.7, about_com=(0.01, 0.02, 0.03)))
            pose = P(rpy=(0, 0, k * alpha)) @ P((b, 0, 0), rpy=(0, 0, sign * sigma))
            where[f"{side}{k}.origin"] = pose
        g.add_joint(f"cross{k}", wt.Revolute("z"), f"left{k}", f"right{k}")
    ends = {
        (kind, side): P((arm * np.cos(turn), sign * arm * np.sin(turn), 0.0))
        for kind, turn in (("outer", 0.0), ("inner", np.pi - alpha))
        for side, sign in (("left", 1.0), ("right", -1.0))
    }
    for k in range(count):
        after = (k + 1) % count
        for kind, one, other in (("outer", "left", "right"), ("inner", "right", "left")):
            places = ends[kind, one], ends[kind, other]
            g.add_joint(f"{kind}{k}", wt.Revolute("z"), f"{one}{k}", f"{other}{after}", *places)
        if k < 3:
            g.add_body(f"shoe{k}", wt.Inertia(0.4))
            g.add_joint(f"ray{k}", wt.Prismatic("x"), "ground", f"shoe{k}", P(rpy=(0, 0, k * alpha)))
            g.add_joint(f"pin{k}", wt.Revolute("z"), f"shoe{k}", f"left{k}")
            where[f"shoe{k}.origin"] = P(rpy=(0, 0, k * alpha)) @ P((b, 0, 0))
    g.add_frame("rim", "left0", ends["outer", "left"])
    g.add_frame("hub", "left0", ends["inner", "left"])
    return g, where


def test_a_hoberman_ring_opens_as_a_whole() -> None:
    """Crossings are at b = l sin(σ - α/2) / sin(α/2), ends on their rays; the power by the energy."""
    count, arm, start = 4, 0.5, 1.1
    alpha = 2.0 * np.pi / count
    g, where = hoberman_ring(count, arm, start)
    m = g.mechanism()
    found = wt.inverse_kinematics(m, where)
    assert found.solved
    assert wt.mobility(m, found.q).mobility == 1
    t = np.linspace(0.0, 0.5, 6)
    motion = wt.kinematics(m, {"ray0": 0.2}, t, found.q)
    b = arm * np.sin(start - 0.5 * alpha) / np.sin(0.5 * alpha) + 0.2 * t
    sigma = 0.5 * alpha + np.arcsin(b * np.sin(0.5 * alpha) / arm)
    outer, inner = b + arm * np.cos(sigma), b - arm * np.cos(sigma - alpha)
    for k in range(count):
        place = motion.frame(f"right{k}.origin").position
        ray = np.array([np.cos(k * alpha), np.sin(k * alpha), 0.0])
        assert_allclose(place, b[:, None] * ray, rtol=0, atol=1e-12)
    for name, x, half in (("rim", outer, 0.5 * alpha), ("hub", inner, -0.5 * alpha)):
        expected = np.stack([x, x * np.tan(half), 0.0 * x], axis=1)
        assert_allclose(motion.frame(name).position, expected, rtol=0, atol=1e-12)
    # T = ½ M(σ) σ̇². The crossings move evenly: db/dσ σ̈ = -d²b/dσ² σ̇² = b σ̇².
    along = arm * np.cos(sigma - 0.5 * alpha) / np.sin(0.5 * alpha)
    rate = 0.2 / along
    bend = b * rate**2 / along
    M = 2 * count * (0.7 * along**2 + 0.03) + 3 * 0.4 * along**2
    slope = -2.0 * (2 * count * 0.7 + 3 * 0.4) * along * b
    assert_allclose(motion.power, M * rate * bend + 0.5 * slope * rate**3, rtol=1e-9)


def test_a_bennett_linkage_turns_by_bennetts_ratio() -> None:
    """tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β - α)/2), G. T. Bennett, Engineering 76, 1903."""
    m, q = bennett()
    motion = wt.kinematics(m, {"one": 1.0}, np.linspace(0.0, 1.8, 7), q)
    ratio = np.sin(0.5 * (1.1 + 0.6)) / np.sin(0.5 * (1.1 - 0.6))
    turned = np.tan(0.5 * motion.q[:, 0]) * np.tan(0.5 * motion.q[:, 1])
    assert_allclose(turned, ratio, rtol=1e-12)
    assert_allclose(motion.q[:, 2], -motion.q[:, 0], rtol=0, atol=1e-12)
    # With the ratio kept, dθ₂ sin θ₁ = -dθ₁ sin θ₂.
    assert_allclose(
        motion.qd[:, 1] * np.sin(motion.q[:, 0]), -motion.qd[:, 0] * np.sin(motion.q[:, 1]), atol=1e-12
    )


def test_a_sarrus_linkage_rises_straight() -> None:
    """Its plate keeps its direction, above where it began, at twice the height of a hinged plate."""
    m = sarrus()
    motion = wt.kinematics(m, {"a": -0.3}, np.linspace(0.0, 1.2, 5))
    top = motion.frame("top")
    assert_allclose(top.rotation, np.broadcast_to(np.eye(3), (5, 3, 3)), rtol=0, atol=1e-12)
    height = 2.0 * 0.5 * np.cos(0.5 + motion.joint("a")[:, 0])
    expected = np.stack([np.full(5, 0.6), np.zeros(5), height], axis=1)
    assert_allclose(top.position, expected, rtol=0, atol=1e-12)
