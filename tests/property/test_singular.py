"""Mechanisms with joints that move no inertia anywhere: refused by every road, by the name of the joint.

At most positions rounding leaves something to divide by, so that no division by zero tells of it.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import robots
import whippletree as wt

RNG = np.random.default_rng(4)
SOLID = wt.Inertia(2.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))


def twice_free(m: wt.Mechanism) -> wt.Mechanism:
    """The mechanism with a free root, a free body upon that, and an arm: the two free joints fight."""
    m.add_body("root", wt.Free())
    m.add_body("base", wt.Free(), "root", inertia=SOLID)
    m.add_body("arm", wt.Revolute("y"), "base", wt.Placement((0.3, 0.1, 0.2)), SOLID)
    return m


def geared() -> wt.Mechanism:
    m = twice_free(wt.Mechanism("geared"))
    m.add_body("fore", wt.Revolute("y"), "arm", wt.Placement((0.3, 0.1, 0.2)), SOLID)
    m.add_gear("belt", "arm", "fore", 2.0)
    return m


BUILD: dict[str, Callable[[], wt.Mechanism]] = {
    "tree": lambda: twice_free(wt.Mechanism("tree")),
    "loops": lambda: twice_free(wt.examples.load("four-bar")),
    "gears": geared,
}
MESSAGE = (
    "joint 'root' of {!r} moves no inertia: give 'root', or a body it carries, mass or a moment of inertia "
    "that the joint must move; or give the joint an armature"
)


def state(m: wt.Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = m.random(RNG)
    return wt.assemble(m, q) if m.loops else q, np.zeros(m.nv), RNG.normal(size=m.nv)


@pytest.mark.parametrize("kind", BUILD)
def test_every_method_refuses_a_singular_model_in_every_state(kind: str) -> None:
    m = BUILD[kind]()
    message = "^forward_dynamics: " + re.escape(MESSAGE.format(m.name)) + "$"
    for name in ["auto", *wt.methods(m)]:
        for _ in range(3):
            with pytest.raises(wt.SingularError, match=message):
                wt.forward_dynamics(m, *state(m), method=name)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (wt.aba, 3),
        (wt.dynamics.forward_dynamics_crba, 3),
        (wt.dynamics.floating_aba, 3),
        (wt.dynamics.floating_crba, 3),
        (wt.inverse_inertia, 1),
        (wt.dynamics.factor_ltl, 1),
        (wt.dynamics.factor_ltdl, 1),
    ],
)
def test_all_that_inverts_the_inertia_refuses(function: Callable[..., Any], arguments: int) -> None:
    m = BUILD["tree"]()
    told = f"^{function.__name__}: {re.escape(MESSAGE.format('tree'))}$"
    for _ in range(5):
        with pytest.raises(wt.SingularError, match=told):
            function(m, *state(m)[:arguments])
    if not function.__name__.startswith("factor"):
        with pytest.raises(wt.SingularError, match=told):
            wt.compile(function, m)


def test_frames_of_a_singular_model_have_no_inertia() -> None:
    m = BUILD["tree"]()
    for function in (wt.operational_inertia, wt.inverse_operational_inertia):
        with pytest.raises(wt.SingularError, match=f"^{function.__name__}: joint 'root' of 'tree' moves no"):
            function(m, state(m)[0], "arm")


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_a_prescribed_joint_needs_no_inertia(method: str) -> None:
    m = BUILD["tree"]()
    q, qd, tau = state(m)
    with pytest.raises(wt.SingularError, match="joint 'root' of 'tree' moves no inertia"):
        wt.hybrid_dynamics(m, q, qd, tau, 0.0 * tau, ["arm"], method=method)
    forces, qdd = wt.hybrid_dynamics(m, q, qd, tau, 0.0 * tau, ["root"], method=method)
    assert_allclose(wt.rnea(m, q, qd, qdd), forces, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", BUILD)
def test_motions_of_a_singular_model_do_not_begin(kind: str) -> None:
    m = BUILD[kind]()
    q, qd, _ = state(m)
    with pytest.raises(wt.SimulationError, match=r"joint 'root' of .* moves no inertia"):
        wt.simulate(m, q, qd, duration=0.01)
    with pytest.raises(wt.SingularError, match=r"^rollout: joint 'root' of .* moves no inertia"):
        wt.rollout(m, q, qd, steps=2)


def test_a_robot_with_a_second_free_root_is_refused() -> None:
    name = next(name for name in robots.NAMES if name.endswith("solo12.urdf"))
    m = wt.Mechanism("twice")
    m.add_body("carrier", wt.Free())
    m = wt.attach(m, wt.load(robots.HOME / name, root=wt.Free()), "carrier")
    for _ in range(4):
        q, qd = m.random(RNG), np.zeros(m.nv)
        with pytest.raises(wt.SingularError, match=r"^aba: joint 'carrier' of 'twice' moves no inertia"):
            wt.aba(m, q, qd, qd)


def test_a_joint_whose_inertia_a_loop_holds_is_no_problem() -> None:
    m = wt.Mechanism("held")
    m.add_body("hub", wt.Revolute("z"))
    m.add_body("disc", wt.Revolute("z"), "hub", inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.2)))
    assert wt.problems(m) != []  # the hub turns and the disc need not
    m.add_loop("key", wt.Fixed(), "hub", "disc")
    assert wt.problems(m) == []
    qdd = wt.forward_dynamics(m, np.array([0.3, 0.0]), np.zeros(2), np.array([0.5, 0.0]))
    assert_allclose(qdd, [2.5, 0.0], atol=1e-12)
    q, _ = wt.rollout(m, [0.3, 0.0], [0.0, 0.0], [0.5, 0.0], steps=10)
    assert_allclose(q[-1, 0], 0.3 + 2.5e-6 * 55.0, rtol=1e-12)


def test_loops_may_move_what_has_no_inertia() -> None:
    m = closed.massless_coupler()
    assert np.all(np.isfinite(wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.ones(3))))
    with pytest.raises(wt.SingularError, match=r"^aba: joint 'coupler' of .* moves no inertia"):
        wt.aba(m, m.neutral(), np.zeros(3), np.ones(3))


def test_a_pure_translation_has_no_screw_axis() -> None:
    for motion in ([0.0, 0.0, 0.0, 1.5, 2.0, -0.5], [0, 0, 0, 0, 0, 0], [0j, 0j, 0j, 1.0, 2.0, 3.0]):
        with pytest.raises(wt.InputError, match=r"^motion is \[.*\]: s = 0 is a pure translation, along s_O"):
            wt.spatial.screw(np.array(motion))


def test_numbers_that_are_left_open_are_not_judged() -> None:
    m = wt.Mechanism("bob")
    m.add_body("arm", wt.Revolute("y"))
    m.add_body("bob", wt.Revolute("y"), "arm", wt.Placement((0.5, 0, 0)), wt.Inertia(2.0, (0.3, 0, 0)))
    k = wt.compile(wt.rnea, m, parameters=["bob.position.x", "arm.armature"])
    assert np.all(np.isfinite(k(*np.full((3, 2), 0.3), [0.5, 0.1])))
    k = wt.compile(wt.aba, m, parameters=["bob.position.x"])
    assert_allclose(k(*np.full((3, 2), 0.3), [0.5]), wt.aba(m, *np.full((3, 2), 0.3)), rtol=1e-12)
