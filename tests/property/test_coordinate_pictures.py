"""Pictures of special coordinates: what moves in them is what the coordinates say.

Source of truth: the maps of section 6 of Deepak & Ghosal, their equation 47, and joints that hold
bodies together.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from viewer_client import client, until
from whippletree.display.coordinate_motions import (
    displaced,
    joint_motions,
    subtree_motions,
    velocities,
    visible_amount,
)

special = wt.formulations.special_coordinates


def arm(rng):
    """A spatial arm of various joints, one of them with a rotor."""
    m = randoms.tree(rng, ["revolute", "universal", "prismatic", "spherical"], branching=0.0)
    for name in ("b0", "b1", "b3"):
        m.change(name, armature=0.0)
    return m, m.random(rng)


def test_what_moves_is_what_the_map_says():
    m, q = arm(np.random.default_rng(3))
    bodies, T, _, columns = special.subtree_coordinates(m, q, "b1")
    rows = np.concatenate([np.arange(6), 6 + np.arange(6), 13 + np.arange(6)])  # b2 has a rotor
    motions = subtree_motions(m, q, "b1")
    labels = ["b1 x", "b1 y", "b1 z", "b1 turn x", "b1 turn y", "b1 turn z", "b2", "b3 rx", "b3 ry", "b3 rz"]
    assert [motion.label for motion in motions] == labels
    origin = wt.forward_kinematics(m, q)[1, :3, 3]
    twists = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.cross(origin, np.eye(3))]])
    expected = np.concatenate([T[rows, :6] @ twists.T, T[rows, 6:]], axis=1).T
    assert bodies == [1, 2, 3]
    assert columns[-1].stop == 10
    for motion, column in zip(motions, expected, strict=True):
        found = velocities(m, q, motion, motion.special)
        assert_allclose(found[1:].ravel(), column, atol=1e-12)
        assert not np.any(found[0])
        # The ordinary coordinate leaves all joints at rest but its own.
        assert np.count_nonzero(motion.ordinary) == (not np.any(motion.twist))
        assert not np.any(motion.special[m.v_index[1]])


@pytest.mark.parametrize("motions", [subtree_motions, joint_motions])
def test_a_step_goes_where_velocities_lead_and_joints_hold(motions):
    m, q = arm(np.random.default_rng(8))
    start = wt.forward_kinematics(m, q)
    for motion in motions(m, q, "b1"):
        for qd in (motion.special, motion.ordinary):
            ahead, back = (displaced(m, q, motion, qd, amount) for amount in (1e-5, -1e-5))
            rate = (ahead - back)[:, :3, 3] / 2e-5
            twist = velocities(m, q, motion, qd)
            assert_allclose(rate, twist[:, 3:] + np.cross(twist[:, :3], start[:, :3, 3]), atol=1e-8)
            amount = visible_amount(m, q, motion)
            moved = displaced(m, q, motion, qd, amount)
            assert 0.0 < amount < 10.0
            # The ball joint of b3 stays where b2 has it.
            at = moved[2, :3, :3] @ m.bodies[3].placement.position + moved[2, :3, 3]
            assert_allclose(moved[3, :3, 3], at, atol=1e-12)


def test_turns_in_the_plane_are_the_printed_ones():
    m = wt.Mechanism("pair")
    rod, bob = (
        wt.Inertia(2.0, (0.1, 0.0, -0.4), (0.1, 0.1, 0.1)),
        wt.Inertia(1.5, (0.2, 0, -0.35), (0.3, 0.2, 0.1)),
    )
    m.add_body("j", wt.Revolute("y"), inertia=rod)
    m.add_body("k", wt.Revolute("y"), "j", wt.Placement((0.0, 0.0, -0.8)), bob)
    q = np.array([0.5, 0.6])
    motions = subtree_motions(m, q, "j")
    assert [motion.label for motion in motions] == ["j x", "j z", "j turn y", "k"]
    # (47) with the pin at -com of body k, and x, z in place of x, y: a turn about y takes z to x.
    com = wt.forward_kinematics(m, q)[1, :3, :3] @ bob.com
    arm = 0.2 + 1.5 * (com @ com)
    turns = [velocities(m, q, motion, motion.special)[1, 1] for motion in motions]
    pin = wt.forward_kinematics(m, q)[1, :3, 3]
    alpha, beta = -1.5 * com[2] / arm, 1.5 * com[0] / arm
    assert_allclose(turns, [alpha, beta, alpha * pin[2] - beta * pin[0], 1.0], rtol=1e-12)
    # The same of body k alone: the pin's own shifts (figure 4).
    alone = joint_motions(m, q, "k")
    assert [motion.label for motion in alone] == ["joint x", "joint z", "k"]
    assert_allclose(
        [velocities(m, q, one, one.special)[1, 1] for one in alone], [alpha, beta, 1.0], rtol=1e-12
    )
    assert_allclose([velocities(m, q, one, one.ordinary)[1, 1] for one in alone], [0.0, 0.0, 1.0], atol=1e-15)


def test_a_plane_that_is_no_coordinate_plane_has_directions_of_its_own():
    m = wt.Mechanism("tilted", gravity=(0.0, 0.0, 0.0))
    body = wt.Inertia(1.2, (0.3, 0.1, 0.0), (0.1, 0.2, 0.3))
    m.add_body("a", wt.Revolute((0.0, 1.0, 1.0)), inertia=body)
    m.add_body("b", wt.Revolute((0.0, 1.0, 1.0)), "a", wt.Placement((0.5, 0.0, 0.0)), body)
    q = np.array([0.4, 0.3])
    assert [motion.label for motion in subtree_motions(m, q, "a")] == ["a across", "a along", "a turn", "b"]


def test_figures_have_a_panel_for_each_coordinate(tmp_path):
    m = wt.examples.load("double-pendulum")
    figure = wt.draw_special_coordinates(m, [0.5, 0.6], "upper", tmp_path / "special.png")
    titles = [axis.get_title("left") for axis in figure.axes]
    assert titles == ["upper x", "", "upper z", "", "upper turn y", "", "lower", ""]
    assert figure.axes[1].get_xlabel() == "turn y: upper +0.00, lower +0.00"
    assert figure.axes[7].get_xlabel() == "turn y: upper +0.00, lower +1.00"
    assert figure.axes[0].get_xlabel() != figure.axes[1].get_xlabel()
    assert (tmp_path / "special.png").stat().st_size > 10_000
    spatial, q = arm(np.random.default_rng(1))
    assert len(wt.draw_joint_coordinates(spatial, q, "b3").axes) == 2 * 6
    assert all(hasattr(axis, "zaxis") for axis in wt.draw_special_coordinates(spatial, q, "b2").axes)


def test_what_cannot_be_drawn_is_told(tmp_path, monkeypatch):
    m, loop = wt.examples.load("double-pendulum"), wt.examples.load("four-bar")
    with pytest.raises(
        wt.ModelError, match="special coordinates are those of a tree: 'four-bar' has loops, "
    ):
        wt.draw_special_coordinates(loop, np.zeros(3), "crank")
    with pytest.raises(wt.InputError, match=r"q has shape \(1,\), expected \(2,\)"):
        wt.draw_joint_coordinates(m, [0.1], "upper")
    with pytest.raises(wt.InputError, match=r"a picture cannot be written as '\.doc'"):
        wt.draw_special_coordinates(m, [0.1, 0.2], "upper", tmp_path / "special.doc")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(wt.InputError, match=r"^figures need matplotlib: pip install whippletree\[plot\]$"):
        wt.draw_special_coordinates(m, [0.1, 0.2], "upper")


def test_the_ghost_of_the_viewer_shows_a_coordinate():
    m = wt.examples.load("double-pendulum")
    with wt.view(m) as viewer, client(viewer.url) as browser:
        tab = viewer._controls._coordinates
        assert tab is not None
        ghost = tab._ghost._bodies
        q = np.array([0.5, 0.6])
        viewer.show(q)
        assert [node.visible for node in ghost] == [False, False]
        browser.set(tab._shown, "special")
        until(lambda: all(node.visible for node in ghost), "the ghost")
        assert tab._coordinate.options == ("upper x", "upper z", "upper turn y", "lower")
        motion = subtree_motions(m, q, "upper")[0]
        expected = displaced(m, q, motion, motion.special, visible_amount(m, q, motion))
        assert_allclose([node.position for node in ghost], expected[:, :3, 3], atol=1e-6)
        browser.set(tab._shown, "ordinary")
        browser.set(tab._amount, -0.5)
        expected = displaced(m, q, motion, motion.ordinary, -0.5 * visible_amount(m, q, motion))
        until(
            lambda: np.allclose(ghost[1].position, expected[1, :3, 3], atol=1e-6), "the ordinary coordinate"
        )
        browser.set(tab._body, "lower")
        until(lambda: not ghost[0].visible, "the ghost of the lower body alone")
        assert tab._coordinate.options == ("lower x", "lower z", "lower turn y")
        browser.set(tab._of, "it on its joint")
        until(lambda: tab._coordinate.options == ("joint x", "joint z", "lower"), "the joint's coordinates")
        browser.set(tab._shown, "nothing")
        until(lambda: not ghost[1].visible, "no ghost")


def test_loops_have_no_page_on_special_coordinates():
    with wt.view(wt.examples.load("four-bar")) as viewer:
        assert viewer._controls._coordinates is None
