"""Pictures of machines: what is drawn where, read back from the figures and lines themselves."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.display.driven_plots import plot_motion
from whippletree.display.gearing import wheels
from whippletree.display.playback import state_at
from whippletree.display.session import Session, check
from whippletree.display.skeleton import skeleton
from whippletree.display.smooth import smooth
from whippletree.display.strokes import strokes, traces

P = wt.Placement
A, B, C, D = (1.0, 1.1, 0.0), (1.2, 1.3, 0.0), (1.9, 1.5, 0.0), (2.0, 1.0, 0.0)


def graph() -> wt.Mechanism:
    """A four-bar far from the origin, whose bodies all have the world's frame, with a spring and a gear."""
    g = wt.Graph("far four-bar", gravity=(0.0, -9.81, 0.0))
    for name, a, b in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        g.add_body(name, wt.Inertia.rod(a, b, mass=1.0))
    pins = (("a", "ground", "crank", A), ("b", "crank", "coupler", B), ("c", "coupler", "rocker", C))
    for name, p, s, at in (*pins, ("d", "ground", "rocker", D)):
        g.add_joint(name, wt.Revolute("z"), p, s, P(at), P(at))
    m = g.mechanism()
    m.add_frame("pen", "coupler", P((0.4, 0.4, 0.0)))
    m.add_spring("s", "ground", (1.5, 0.8, 0.0), "coupler", (0.3, 0.1, 0.0), stiffness=50.0, length=0.3)
    m.add_body(
        "wheel", wt.Revolute("z"), placement=P((0.6, 1.1, 0.0)), inertia=wt.Inertia.sphere(0.1, mass=1.0)
    )
    m.add_gear("mesh", driver="a", driven="wheel", ratio=-3.0)
    return m


@pytest.fixture(scope="module")
def run() -> wt.Trajectory:
    m = graph()
    return wt.simulate(m, m.neutral(), duration=0.3, method="rk4", dt=0.01)


def test_bodies_of_a_graph_are_drawn_between_their_joints(run):
    m = run.mechanism
    poses = np.asarray(wt.forward_kinematics(m, m.neutral()))[None]
    drawn = strokes(m, poses)
    bars = [tuple(map(tuple, stroke.points[0].round(9))) for stroke in drawn if stroke.kind == "bar"]
    for bar in ((A, B), (B, C), (D, C)):
        assert bar in bars
    assert not any(np.linalg.norm(point) < 0.5 for bar in bars for point in bar)
    rods: list[Any] = [solid for solid in skeleton(m, 0.01) if solid.shape.kind == "capsule"]
    assert max(solid.shape.length for solid in rods) < 0.8
    assert "crank.origin" not in traces(m, poses)


def test_springs_gears_and_wheels_are_drawn(run):
    m = run.mechanism
    drawn = {
        stroke.kind: stroke for stroke in strokes(m, np.asarray(wt.forward_kinematics(m, run.q[0]))[None])
    }
    assert_allclose(drawn["spring"].points[0, 0], (1.5, 0.8, 0.0), atol=1e-12)
    assert_allclose(drawn["spring"].points[0, -1], np.add(B, (0.3, 0.1, 0.0)), atol=1e-9)
    # Pitch circles: their radii are as 3 to 1, and they touch.
    assert [(wheel.body, round(wheel.radius, 9)) for wheel in wheels(m)] == [(0, 0.3), (3, 0.1)]
    assert_allclose(np.linalg.norm(drawn["gear"].points[0, 1:] - (0.6, 1.1, 0.0), axis=1), 0.1, rtol=1e-12)
    discs: list[Any] = [
        solid for solid in skeleton(m, 0.01) if solid.shape.kind == "cylinder" and solid.opacity < 1.0
    ]
    assert [disc.shape.radius for disc in discs] == pytest.approx([0.3, 0.1])
    bicycle = wt.examples.load("bicycle")
    assert [wheel.radius for wheel in wheels(bicycle)] == [0.3, 0.35]
    m = wt.Mechanism("belt", gravity=(0.0, 0.0, 0.0))
    for name, x in (("a", 0.0), ("b", 0.5)):
        m.add_body(
            name, wt.Revolute("z"), placement=P((x, 0.0, 0.0)), inertia=wt.Inertia.sphere(0.1, mass=1.0)
        )
    m.add_gear("belt", driver="a", driven="b", ratio=1.0)
    assert sum(wheel.radius for wheel in wheels(m)) == pytest.approx(0.4 * 0.5)
    # Of a planetary set, sun and planets, which touch; the belt of an arm leads from its foot to its hand.
    planets = [(wheel.body, round(wheel.radius, 9)) for wheel in wheels(wt.examples.load("planetary-gear"))]
    assert planets == [(0, 0.024), (3, 0.021), (4, 0.021), (5, 0.021)]
    assert [(wheel.body, round(wheel.radius, 9)) for wheel in wheels(wt.examples.load("belt-arm"))] == [
        (0, 0.1),
        (2, 0.1),
    ]


def test_driven_motions_and_modes_are_played(tmp_path):
    m = wt.examples.load("crank-slider")
    motion = wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 40))
    shown: Any = Session(*check(motion)).trajectory
    assert_allclose(shown.q, motion.q)
    assert_allclose(shown.energy, np.sum(m.kernel("energy")(motion.q, motion.qd), axis=0))
    assert len(motion.plot().axes) == 4
    motion.animate(tmp_path / "turn.gif", fps=2)
    m = wt.examples.load("double-pendulum")
    modes = wt.modes(m, np.zeros(2))
    assert repr(modes) == "<Modes of 'double-pendulum': 0.4266 Hz, 1.144 Hz>"
    run: Any = Session(*check(modes)).trajectory
    assert [event.name.split(":")[0] for event in run.events] == ["mode 0", "mode 1"]
    # A second each swing, with velocities that are its rates.
    assert_allclose(run.q[15::60][:3], 0.0, atol=1e-12)
    assert_allclose(run.qd[15], -2.0 * np.pi * 0.2 * modes.shapes[0], rtol=2e-3)
    with pytest.raises(wt.InputError, match="mode is 5, expected 0 … 1"):
        modes.animate(tmp_path / "mode.gif", mode=5)


def test_gears_of_several_drivers_are_drawn():
    m = wt.examples.load("planetary-gear")
    expected = [("sun", 0.024), *((f"planet{k}", 0.021) for k in (1, 2, 3))]  # of 24 and 21 teeth
    assert [(m.bodies[wheel.body].name, round(wheel.radius, 9)) for wheel in wheels(m)] == expected
    m.add_loop("rim", wt.Revolute("x"), "ground", "ring")
    m.add_gear("idle", driver="sun", driven="rim", ratio=1.0)
    assert len(wheels(m)) == 4  # a loop joint's wheel is not drawn


def test_shapes_are_drawn_where_their_bodies_are():
    m = wt.Mechanism("crate")
    m.add_body("crate", wt.Free(), inertia=wt.Inertia.box((0.4, 0.3, 0.2), mass=5.0))
    m.add_shape("hull", wt.Box((0.4, 0.3, 0.2)), "crate", P((0.1, 0.0, 0.0)))
    m.add_shape("knob", wt.Ellipsoid((0.3, 0.02, 0.01)), "crate")
    m.add_shape("floor", wt.Plane(), placement=P((0.0, 0.0, -0.5)))
    m.add_shape("far", wt.Mesh("far.stl"), "crate")  # only its file knows it
    q = m.integrate(m.neutral(), [0.2, 0.5, -0.3, 1.0, 2.0, 3.0])
    pose = wt.frame_pose(m, q, "crate")
    drawn = [stroke for stroke in strokes(m, pose[None, None]) if stroke.kind in ("shape", "floor")]
    assert [(stroke.kind, stroke.body) for stroke in drawn] == [("shape", 0), ("shape", 0), ("floor", -1)]
    corners = np.unique(np.round((drawn[0].points[0] - pose[:3, 3]) @ pose[:3, :3], 9), axis=0)
    corners = corners[np.isfinite(corners[:, 0])]
    assert_allclose(np.abs(corners - [0.1, 0.0, 0.0]), np.tile([0.2, 0.15, 0.1], (8, 1)), atol=1e-8)
    knob = (drawn[1].points[0] - pose[:3, 3]) @ pose[:3, :3] / [0.3, 0.02, 0.01]
    assert_allclose(np.linalg.norm(knob[np.isfinite(knob[:, 0])], axis=1), 1.0, rtol=1e-9)
    assert_allclose(drawn[2].points[0, :, 2], -0.5, atol=1e-12)


def test_frames_leave_traces(run, tmp_path):
    m = run.mechanism
    expected = run.frame("pen").position
    figure: Any = run.plot()
    paths = next(axis for axis in figure.axes if axis.get_title(loc="left").startswith("paths"))
    x, y = paths.lines[0].get_data()
    assert_allclose([x[-1], y[-1]], expected[-1, :2], rtol=1e-12)
    assert [text.get_text() for text in paths.get_legend().get_texts()] == ["pen"]
    shown = Session(m, run).traces()
    assert len(shown) == 1
    assert_allclose(shown[0][[0, -1]], expected[[0, -1]], atol=1e-12)
    assert Session(m).traces() == []
    run.animate(tmp_path / "run.gif", fps=5)
    assert (tmp_path / "run.gif").read_bytes().startswith(b"GIF89a")


def test_every_curve_has_a_name_that_hides_nothing():
    m = wt.Mechanism("stones")
    for name in ("left", "middle", "right"):
        m.add_body(name, wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=1.0))
    run = wt.simulate(m, m.neutral(), duration=0.02, method="rk4", dt=0.01)
    figure: Any = run.plot()
    renderer = figure.canvas.get_renderer()  # pyright: ignore[reportAttributeAccessIssue]
    figure.draw(renderer)
    assert len(figure.axes[0].get_legend().get_texts()) == 21
    others = [axis.get_window_extent(renderer) for axis in figure.axes]
    for axis in figure.axes:
        legend = axis.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent(renderer)
        titles = [other._left_title.get_window_extent(renderer) for other in figure.axes]
        assert not any(box.overlaps(other) for other in (*others, *titles))
        assert box.x1 <= figure.bbox.x1 + 1


def test_a_free_fall_is_drawn_as_a_parabola_from_few_steps():
    m = wt.Mechanism("stone")
    m.add_body("stone", wt.Free(), inertia=wt.Inertia.box((0.1, 0.2, 0.3), mass=2.0))
    run = wt.simulate(m, m.neutral(), [0.0, 0.0, 3.0, 0.4, 0.0, 2.0], duration=1.0)
    drawn = smooth(run)
    assert len(run) < 40 < len(drawn.t)
    assert_allclose(drawn.q[:, 2], 2.0 * drawn.t - 4.905 * drawn.t**2, rtol=0, atol=1e-10)
    assert_allclose(drawn.qd[:, 2], 3.0, rtol=1e-3)  # though its quaternion turns
    assert_allclose(drawn.energy, run.energy[0], rtol=0, atol=1e-9)
    figure: Any = run.plot()
    curve = figure.axes[0].lines[2]
    assert len(curve.get_xdata()) == len(drawn.t)


def test_between_states_that_were_picked_lines_are_straight():
    m = wt.examples.load("pendulum")
    run = wt.simulate(m, [1.0], duration=2.0, method="rk4", dt=0.01, sample=0.5)
    assert_allclose(smooth(run).t, run.t)


def test_what_rolls_is_played_where_it_was_recorded():
    m, start = wt.examples.load("bicycle"), wt.examples.start("bicycle")
    run = wt.simulate(m, start.q, start.qd, 0.5)
    for k in (1, len(run) // 2):
        q, _ = state_at(m, run, float(run.t[k]) - 1e-9)
        assert_allclose(q, run.q[k], atol=1e-7)
        q, _ = state_at(m, run, 0.5 * float(run.t[k] + run.t[k + 1]))
        assert_allclose(q[0], 0.5 * (run.q[k, 0] + run.q[k + 1, 0]), atol=2e-3)
    assert Session(m).describes(0, m.neutral()[:5])
    assert not Session(m).describes(0, m.neutral()[:5] + 0.1 * np.eye(5)[0])


def test_a_driven_motion_names_its_curves_and_dead_centres():
    m = wt.examples.load("crank-slider")
    figure: Any = plot_motion(wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 13)))
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["crank", "rod", "slider"]
    assert len(figure.axes[0].lines) == 3 + 2


def test_only_what_slides_along_a_line_has_a_rail():
    """A body that falls in a plane hangs on nothing: no line leads to it from where its joint sits."""
    m = wt.Mechanism("two")
    m.add_body("plate", wt.Planar(), inertia=wt.Inertia.box((0.2, 0.3, 0.1), mass=1.0))
    m.add_body(
        "cart", wt.Reversed(wt.Prismatic("x")), placement=wt.Placement((0.1, 0.2, 0.3), rpy=(0, 0, 0.5))
    )
    q = np.array([[0.3, 0.4, 0.5, 0.2], [0.1, 0.5, 0.7, -0.6], [0.2, 0.6, 0.9, 0.3]])
    poses = np.array([wt.forward_kinematics(m, state) for state in q])
    drawn = strokes(m, poses)
    for stroke in drawn:
        if stroke.body == 0:  # all of the plate's points keep their place in it
            apart = np.einsum("fji,fnj->fni", poses[:, 0, :3, :3], stroke.points - poses[:, 0, None, :3, 3])
            assert_allclose(apart - apart[0], 0.0, atol=1e-12)
    (rail,) = [stroke for stroke in drawn if stroke.kind == "rail"]
    assert_allclose(rail.points[1], poses[[2, 1], 1, :3, 3], atol=1e-12)  # from one end to the other
