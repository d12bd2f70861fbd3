"""The viewer without a browser: what is drawn where, what sliders mean, how sessions go on."""

import socket
import sys
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

import robots
import whippletree as wt
from whippletree.display import charts, playback, skeleton, solids, stage
from whippletree.display import gltf as meshes
from whippletree.display.scene import Scene
from whippletree.display.session import Session
from whippletree.display.strokes import strokes
from whippletree.display.viewer import view
from whippletree.spatial.rotation import from_rpy, log

JOINTS = [
    wt.Revolute((0.2, -0.4, 0.7)),
    wt.Prismatic("x"),
    wt.Helical("y", 0.3),
    wt.Cylindrical("z"),
    wt.Planar("y"),
    wt.Universal("x", "y"),
    wt.Spherical(),
    wt.SphericalEuler(),
    wt.SphericalExponential(),
    wt.Translation(),
    wt.RackPinion(0.2),
    wt.Free(),
    wt.Fixed(),
    wt.Reversed(wt.Revolute("y")),
    wt.Reversed(wt.Free()),
    wt.Reversed(wt.Spherical()),
]


def name(joint: wt.Joint) -> str:
    inside = f" of {type(joint.of).__name__}" if isinstance(joint, wt.Reversed) else ""
    return type(joint).__name__ + inside


def mechanism(joint: wt.Joint, **properties: Any) -> wt.Mechanism:
    m = wt.Mechanism("one")
    inertia = wt.Inertia(1.4, (0.2, 0.1, -0.3), (0.3, 0.31, 0.2))
    m.add_body("body", joint, placement=wt.Placement((0.1, 0.4, 0.2)), inertia=inertia, **properties)
    return m


# Charts


@pytest.mark.parametrize("joint", JOINTS, ids=name)
def test_numbers_of_a_joint_lead_back_to_its_position(joint):
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = joint.random(rng)
        values = joint.numbers(q)
        assert values.shape == (joint.nv,)
        assert_allclose(joint.difference(q, joint.from_numbers(values)), 0.0, atol=1e-14)


@pytest.mark.parametrize("joint", JOINTS, ids=name)
def test_every_freedom_has_a_slider(joint):
    m = mechanism(joint)
    found = charts.sliders(m, 2.0)
    assert [slider.entry for slider in found] == list(range(joint.nv))
    assert len({slider.label for slider in found}) == joint.nv
    session = Session(m)
    for k, slider in enumerate(found):
        values = np.random.default_rng(k).uniform(-0.9, 0.9, joint.nv)
        session.move(slider, values)
        assert_allclose(session.value(slider), values[k], rtol=1e-13)
        assert session.describes(0, values)
        assert not session.describes(0, values + 1e-3)


def test_a_free_body_is_moved_by_its_place_and_its_rotation_vector():
    m = mechanism(wt.Free())
    session = Session(m)
    values = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])
    session.move(charts.sliders(m, 1.0)[0], values)
    pose = wt.forward_kinematics(m, session.q)[0]
    assert_allclose(pose[:3, 3], values[:3] + np.array([0.1, 0.4, 0.2]), rtol=1e-14)
    assert_allclose(log(pose[:3, :3]), values[3:], rtol=1e-13)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (wt.Limits(-0.3, 1.7), (-0.3, 1.7)),
        (wt.Limits(), (-np.pi, np.pi)),
        (wt.Limits(lower=0.5), (0.5, 0.5 + 2 * np.pi)),
        (wt.Limits(upper=9.0), (-np.pi, 9.0)),
        (wt.Limits(lower=20.0), (20.0, 20.0 + 2 * np.pi)),
        (wt.Limits(0.4, 0.4), (0.4, 0.4 + 1e-6)),
    ],
)
def test_sliders_end_at_the_limits(limits, expected):
    slider = charts.sliders(mechanism(wt.Revolute("x"), limits=limits), 1.0)[0]
    assert (slider.lower, slider.upper) == pytest.approx(expected, rel=1e-15)
    assert slider.unit == "rad"
    # Full turns lead back; other numbers are shown as they are.
    shown = slider.shown(55.5)
    assert slider.lower <= shown <= slider.upper if slider.turns else shown == 55.5
    assert slider.step > 0.0


def test_lengths_go_as_far_as_the_mechanism_is_large():
    slider = charts.sliders(mechanism(wt.Prismatic("x")), 2.5)[0]
    assert (slider.lower, slider.upper, slider.unit, slider.turns) == (-2.5, 2.5, "m", False)
    assert slider.step == 0.005


# Solids


def test_the_ellipsoid_of_an_inertia_is_the_one_it_came_from():
    place = wt.Placement((0.2, -0.1, 0.4), rpy=(0.3, -0.8, 1.2))
    inertia = wt.Inertia.ellipsoid((0.31, 0.12, 0.23), mass=2.7, placement=place)
    axes, directions = solids.semi_axes(inertia)
    order = np.argsort(axes)
    assert_allclose(axes[order], (0.12, 0.23, 0.31), rtol=1e-12)
    assert_allclose(np.abs(place.rotation.T @ directions[:, order]), np.eye(3)[:, [1, 2, 0]], atol=1e-12)
    assert_allclose(np.linalg.det(directions), 1.0, rtol=1e-12)


def test_rods_end_where_bodies_are_joined():
    m = wt.examples.load("stewart-platform")
    q = wt.assemble(m, m.neutral())
    X = stage.poses(m, q)
    rods = [solid for solid in skeleton.skeleton(m, 0.01) if isinstance(solid.shape, wt.Capsule)]
    tips = []
    for rod in rods:
        half = 0.5 * rod.shape.saved()["size"][1] * rod.placement.rotation[:, 2]
        foot, tip = rod.placement.position - half, rod.placement.position + half
        assert_allclose(foot, 0.0, atol=1e-15)
        tips.append(X[rod.body, :3, :3] @ tip + X[rod.body, :3, 3])
    for loop in m.loops:
        s = m.body_number(loop.successor)
        joined = X[s, :3, :3] @ loop.placement_s.position + X[s, :3, 3]
        assert min(np.linalg.norm(tip - joined) for tip in tips) < 1e-9


@pytest.mark.parametrize(
    ("joint", "kinds"),
    [
        (wt.Revolute((0.2, -0.4, 0.7)), ["cylinder"]),
        (wt.Prismatic((0.2, -0.4, 0.7)), ["cylinder", "box"]),
        (wt.Cylindrical("x"), ["cylinder"]),
        (wt.Spherical(), ["sphere"]),
        (wt.Universal("x", "y"), ["sphere"]),
        (wt.Translation(), ["box"]),
        (wt.Fixed(), ["box"]),
        (wt.Free(), []),
    ],
    ids=lambda value: name(value) if isinstance(value, wt.Joint) else None,
)
def test_a_joint_is_drawn_by_what_it_lets_move(joint, kinds):
    sides = (-1, wt.Placement((0.1, 0.2, 0.3))), (0, wt.Placement())
    found = skeleton.symbol(joint, 0.02, *sides, (-0.2, 0.5), (1, 2, 3))
    assert [solid.shape.kind for solid in found] == kinds
    if kinds and isinstance(joint, wt.Revolute | wt.Prismatic):
        for solid in found:
            assert_allclose(solid.placement.rotation[:, 2], joint.axis, rtol=1e-12)
    if isinstance(joint, wt.Prismatic):
        assert found[0].shape.saved()["size"][1] == pytest.approx(0.7)
        assert_allclose(
            found[0].placement.position, np.array([0.1, 0.2, 0.3]) + 0.15 * np.array(joint.axis), rtol=1e-12
        )


@pytest.mark.parametrize("example", wt.examples.names())
def test_the_camera_sees_all_of_every_example(example):
    m = wt.examples.load(example)
    session = Session(m)
    assert session.problems == []
    shot = stage.stage(m, session.q)
    ahead = shot.middle - shot.camera
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, np.eye(3)[shot.up])
    assert np.linalg.norm(right) > 0.3  # up in the world is up in the picture
    right = right / np.linalg.norm(right)
    rays = stage.points(m, session.q) - shot.camera
    depth = rays @ ahead
    assert np.all(depth > 0.0)
    assert np.max(np.abs(rays @ np.cross(right, ahead)) / depth) < np.tan(np.radians(20.0))
    assert np.max(np.abs(rays @ right) / depth) < np.tan(np.radians(20.0))
    lowest = np.min(stage.points(m, session.q)[:, shot.up])
    assert shot.floor <= lowest + 1e-9
    # And all that is drawn of it is there, in space and as lines.
    assert all(np.all(np.isfinite(solid.placement.position)) for solid in skeleton.skeleton(m, 0.01))
    for line in strokes(m, stage.poses(m, session.q)[None, : len(m)]):
        gaps = np.isnan(line.points).all(axis=2)  # between the edges of a shape
        assert np.all(np.isfinite(line.points[~gaps]))
        assert line.kind == "shape" or not np.any(gaps)


def test_the_picture_has_room_for_a_path():
    m = wt.examples.load("cart-pole")
    run = wt.simulate(m, [0.0, 0.4], [0.6, 0.0], 1.5, sample=0.1)
    shot, still = stage.stage(m, run.q[0], run.q), stage.stage(m, run.q[0])
    assert shot.size > 1.3 * still.size
    ahead = (shot.middle - shot.camera) / np.linalg.norm(shot.middle - shot.camera)
    for q in run.q:
        rays = stage.points(m, q) - shot.camera
        rays = rays / np.linalg.norm(rays, axis=1)[:, None]
        assert np.all(rays @ ahead > np.cos(np.radians(20.0)))


# Meshes


def loaded(data: bytes) -> trimesh.Scene:
    return trimesh.load_scene(trimesh.util.wrap_as_stream(data), file_type="glb")


def colors(scene: trimesh.Scene) -> list[list[int]]:
    return [list(part.visual.material.main_color) for part in scene.geometry.values()]


def test_a_mesh_without_colour_gets_that_of_the_body(tmp_path):
    trimesh.creation.box((0.2, 0.3, 0.7)).export(tmp_path / "box.stl")
    scene = loaded(meshes.glb(str(tmp_path / "box.stl"), (10, 130, 250), 0.5))
    assert_allclose(scene.extents, (0.2, 0.3, 0.7), rtol=1e-6)
    assert colors(scene) == [[10, 130, 250, 128]]
    (part,) = scene.geometry.values()
    assert len(part.vertices) == 24  # edges of a box stay sharp


DAE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="inch" meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
    <diffuse><color>1 0.2 0 1</color></diffuse></lambert></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="9">0 0 0 10 0 0 0 20 0</float_array><technique_common>
      <accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
      <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p>
    </triangles></mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material>
    <technique_common><instance_material symbol="m" target="#red"/></technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def test_collada_keeps_its_colour_and_its_unit_is_heeded(tmp_path):
    (tmp_path / "part.dae").write_text(DAE)
    scene = loaded(meshes.glb(str(tmp_path / "part.dae"), (0, 0, 255)))
    assert_allclose(scene.extents, (0.254, 0.508, 0.0), rtol=1e-6, atol=1e-12)
    assert colors(scene) == [[255, 51, 0, 255]]


def test_meshes_that_cannot_be_drawn_are_named(tmp_path):
    for file in ("broken.stl", "broken.dae", "broken.obj", "broken.xyzzy"):
        (tmp_path / file).write_bytes(b"\x00nothing of use")
        with pytest.raises(wt.FileError, match=rf"{file}: this mesh cannot be read"):
            meshes.glb(str(tmp_path / file), (1, 2, 3))
    with pytest.raises(wt.FileError, match=r"lost\.stl: no such mesh file"):
        meshes.glb(str(tmp_path / "lost.stl"), (1, 2, 3))


def test_a_body_without_its_mesh_is_drawn_by_its_inertia():
    m = wt.load(robots.HOME / "romeo_description/urdf/romeo_laas_small.urdf")
    with view(m) as viewer:
        assert len(viewer.warnings) == 20
        told = "TrunkYaw.mesh: no such mesh file; 'ground' is drawn without it"
        assert sum(warning.endswith(told) for warning in viewer.warnings) == 1
        told = "Torso.mesh: no such mesh file; 'torso' is drawn by its inertia"
        assert sum(warning.endswith(told) for warning in viewer.warnings) == 1


def test_a_body_with_other_shapes_is_drawn_by_these():
    box, lost = wt.Geometry(wt.Box((0.2, 0.1, 0.3))), wt.Geometry(wt.Mesh("lost.stl"))
    with view(mechanism(wt.Revolute("y"), visuals=(lost, box))) as viewer:
        assert viewer.warnings == ["lost.stl: no such mesh file; 'body' is drawn without it"]


@pytest.mark.parametrize("robot", ["ur_description/urdf/ur5_robot.urdf", "pr2_description/urdf/pr2.urdf"])
def test_robots_are_drawn_whole(robot):
    with view(wt.load(robots.HOME / robot)) as viewer:
        assert viewer.warnings == []


def test_named_shapes_of_every_kind_are_drawn():
    m = mechanism(wt.Revolute("y"))
    hills = wt.Heights.of(lambda x, y: 0.1 * x * y, (-1, 1), (-1, 1), (4, 5))
    round_ones = [wt.Sphere(0.1), wt.Cylinder(0.1, 0.2), wt.Capsule(0.1, 0.3), wt.Ellipsoid((0.1, 0.2, 0.3))]
    for k, shape in enumerate([wt.Box((0.2, 0.1, 0.3)), *round_ones, wt.Plane(), hills]):
        at = wt.Placement((0.1 * k, 0.0, 0.2))
        m.add_shape(f"shape{k}", shape, m.bodies[0].name if k < 5 else "ground", at, (1.0, 0.5, 0.0, 0.5))
    found = solids.visual_solids(m)
    assert [(solid.body, solid.shape, solid.placement) for solid in found] == [
        (m.body_number(part.body), part.shape, part.placement) for part in m.shapes
    ]
    assert {(solid.color, solid.opacity) for solid in found} == {((255, 128, 0), 0.5)}
    with view(m) as viewer:
        assert viewer.warnings == []
    far = stage.points(m, m.neutral())
    assert any(np.allclose(point, (0.6, 0.0, 0.2)) for point in far)


def test_shapes_are_kept_by_edits_and_files(tmp_path):
    m = wt.load(robots.HOME / "ur_description/urdf/ur5_robot.urdf")
    before = solids.visual_solids(m)
    assert len(before) == 7
    wt.save(m, tmp_path / "ur5.toml")
    assert solids.visual_solids(wt.load(tmp_path / "ur5.toml")) == before
    locked = wt.lock(m, {"elbow_joint": 0.4})
    assert sorted(str(s.shape) for s in solids.visual_solids(locked)) == sorted(str(s.shape) for s in before)


# Sessions


def test_a_slider_moves_one_joint_of_a_tree_and_no_other():
    m = wt.load(robots.HOME / "ur_description/urdf/ur5_robot.urdf")
    session = Session(m)
    slider = charts.sliders(m, 1.0)[2]
    before = session.q
    session.move(slider, [0.83])
    assert_allclose(session.q - before, 0.83 * np.eye(6)[2], atol=1e-15)


def test_the_first_position_is_within_limits():
    m = wt.load(robots.HOME / "panda_description/urdf/panda.urdf")
    q = Session(m).q
    for body, index in zip(m.bodies, m.q_index, strict=True):
        assert body.limits.lower <= q[index][0] <= body.limits.upper
    assert q[3] == m.bodies[3].limits.upper < 0.0


@pytest.mark.parametrize(
    ("example", "joint", "turn"),
    [("four-bar", 0, 2.9), ("stewart-platform", 1, 0.11), ("linkage-quadruped", 2, 0.2)],
)
def test_a_loop_follows_a_slider(example, joint, turn):
    m = wt.examples.load(example)
    session = Session(m)
    slider = next(slider for slider in charts.sliders(m, 1.0) if slider.body == joint)
    index = m.q_index[joint]
    values = m.bodies[joint].joint.numbers(session.q[index]) + turn * np.eye(m.bodies[joint].joint.nv)[0]
    before = session.q
    session.move(slider, values)
    assert session.describes(joint, values)
    assert np.max(np.abs(wt.constraint_error(m, session.q))) < 1e-10
    moved = np.abs(m.difference(before, session.q))
    moved[m.v_index[joint]] = 0.0
    assert np.max(moved) > 0.01


def test_a_loop_goes_as_far_as_it_can():
    m = wt.examples.load("four-bar")
    session = Session(m)
    rocker = charts.sliders(m, 1.0)[2]
    with pytest.raises(wt.SolverError, match="cannot be assembled from this guess"):
        session.move(rocker, [3.0])
    reached = session.value(rocker)
    assert 0.05 < reached < 3.0
    assert np.max(np.abs(wt.constraint_error(m, session.q))) < 1e-10
    with pytest.raises(wt.SolverError):
        session.move(rocker, [reached + 0.2])
    assert reached <= session.value(rocker) < reached + 0.2


def test_a_geared_joint_follows():
    m = wt.load(robots.HOME / "panda_description/urdf/panda.urdf")
    session = Session(m)
    session.move(charts.sliders(m, 1.0)[7], [0.031])
    assert_allclose(session.q[7:9], 0.031, rtol=1e-12)
    session.spin(7, 0.02)
    assert_allclose(session.qd[7:9], 0.02, rtol=1e-12)


def test_an_impossible_mechanism_is_shown_open_and_told():
    m = wt.Mechanism("gap")
    m.add_body("rod", wt.Revolute("z"), inertia=wt.Inertia(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)))
    m.add_loop("pin", wt.Revolute("z"), "ground", "rod", wt.Placement((3, 0, 0)), wt.Placement((1, 0, 0)))
    session = Session(m)
    assert_allclose(session.q, 0.0)
    assert "still open, in rad or m, are 'pin' by 2" in session.problems[0]


def test_a_simulation_starts_from_what_is_shown():
    m = wt.examples.load("furuta-pendulum")
    session = Session(m)
    session.move(charts.sliders(m, 1.0)[1], [0.7])
    session.spin(0, 1.3)
    session.pull([1.0, -2.0, -5.0])
    m.gravity = (1.0, -2.0, -5.0)
    expected = wt.simulate(m, [0.0, 0.7], [1.3, 0.0], 1.0, sample=1 / 60)
    session.take(session.simulated(1.0))
    assert session.trajectory is not None
    assert_allclose(session.trajectory.q, expected.q, rtol=1e-13)
    assert session.energies() == pytest.approx((expected.kinetic[0], expected.potential[0]), rel=1e-12)
    session.reset()
    assert session.trajectory is None
    assert session.m.gravity == (0.0, 0.0, -9.81)
    assert_allclose([*session.q, *session.qd], 0.0)


def test_a_loop_is_simulated_from_between_two_recorded_states():
    m = wt.examples.load("four-bar")
    session = Session(m)
    session.take(session.simulated(0.5))
    session.seek(0.2571)
    shown = session.q
    assert np.max(np.abs(wt.constraint_error(m, shown))) > 1e-9  # open, if only by little
    run = session.simulated(0.2)
    assert_allclose(run.q[0], shown, atol=1e-5)
    assert_allclose(run.energy, run.energy[0], rtol=1e-7)
    assert np.max(np.abs(run.constraint_error)) < 1e-9


def test_time_goes_on_repeats_and_ends():
    session = Session(wt.examples.load("pendulum"))
    session.advance(1.0)
    assert session.time == 0.0  # nothing to play
    session.take(session.simulated(2.0))
    session.speed = 0.5
    session.advance(1.0)
    assert (session.time, session.playing) == (0.5, True)
    session.speed = 2.0
    session.advance(1.0)
    assert session.time == pytest.approx(0.5)  # 2.5 s of 2 s
    session.repeat = False
    session.advance(5.0)
    assert (session.time, session.playing) == (2.0, False)
    session.play()
    assert (session.time, session.playing) == (0.0, True)
    session.move(charts.sliders(session.m, 1.0)[0], [0.4])
    assert not session.playing


# Playback


@pytest.mark.parametrize("example", ["double-pendulum", "asymmetric-top", "spinning-top"])
def test_states_between_recorded_ones_are_close_to_the_motion(example):
    m = wt.examples.load(example)
    qd = 2.0 * np.random.default_rng(5).normal(size=m.nv)
    fine = wt.simulate(m, None, qd, 0.6, method="rk4", dt=0.001)
    coarse = wt.simulate(m, None, qd, 0.6, method="rk4", dt=0.001, sample=0.02)
    worst = linear = 0.0
    for t, q in zip(fine.t, fine.q, strict=True):
        between, _ = playback.state_at(m, coarse, t)
        k = min(int(t / 0.02), len(coarse) - 2)
        line = m.integrate(coarse.q[k], (t / 0.02 - k) * m.difference(coarse.q[k], coarse.q[k + 1]))
        worst = max(worst, float(np.max(np.abs(m.difference(q, between)))))
        linear = max(linear, float(np.max(np.abs(m.difference(q, line)))))
    assert worst < 0.1 * linear
    for k in (0, 7, len(coarse) - 1):
        q, v = playback.state_at(m, coarse, coarse.t[k])
        assert_allclose(m.difference(q, coarse.q[k]), 0.0, atol=1e-14)
        assert_allclose(v, coarse.qd[k], rtol=1e-13)
    assert np.array_equal(playback.state_at(m, coarse, -1.0)[0], coarse.q[0])
    assert np.array_equal(playback.state_at(m, coarse, 99.0)[0], coarse.q[-1])


def test_curves_are_thinned_to_their_last_point():
    run = wt.simulate(wt.examples.load("pendulum"), [0.4], duration=1.0, method="rk4")
    t, kinetic, potential = playback.thinned(run, 0.5, 100)
    assert len(t) <= 60
    assert t[-1] == 0.5
    assert_allclose(kinetic + potential, run.energy[0], rtol=1e-9)


def test_contact_forces_are_arrows_where_shapes_touch():
    import viser

    m = wt.examples.load("bouncing-ball")
    run = wt.simulate(m, [-0.9], duration=0.1, contacts="rigid")
    session = Session(m, run)
    arrows = session.contact_arrows(0.4)
    assert_allclose(arrows, [[[0, 0, 0], [0, 0, 0.4]]], atol=1e-12)
    apart = Session(m, wt.simulate(m, [0.0], duration=0.1, contacts="rigid"))
    assert apart.contact_arrows(0.4).shape == Session(m).contact_arrows(0.4).shape == (0, 2, 3)
    server = viser.ViserServer("127.0.0.1", 0, verbose=False)
    try:
        scene = Scene(server, m, stage.stage(m, m.neutral()))
        scene.show_contacts(arrows)
        assert scene._pushes.visible
        assert_allclose(scene._touched.points, [[0, 0, 0]], atol=1e-7)
        scene.show_contacts(arrows[:0])
        assert not scene._pushes.visible
        assert not scene._touched.visible
    finally:
        server.stop()


def test_the_picture_holds_shapes_from_end_to_end():
    m = wt.examples.load("rattleback")  # 0.4 m long, its place and joint at one point
    assert stage.stage(m, m.neutral()).size == pytest.approx(0.4)
    m = wt.Mechanism("floor")
    m.add_shape("floor", wt.Plane())
    assert stage.stage(m, m.neutral()).size == stage.SMALLEST


def test_a_bundled_mechanism_begins_with_its_start():
    from whippletree.cli.view import begin

    start = wt.examples.start("gripper")
    assert start.q is not None
    assert start.qd is not None
    with wt.view(wt.examples.load("gripper")) as viewer:
        begin(viewer, "gripper")
        assert_allclose(viewer.q, start.q)
        assert viewer._session.control is not None
        run = viewer._session.simulated(0.05)
        assert run.tau[-1, -1] > 0.0
        viewer.show(viewer.q + 0.0, np.ones(9))
        viewer._session.reset()
        assert_allclose(viewer.qd, start.qd)


def test_the_arrow_of_gravity_and_its_handle_agree():
    import viser

    m = wt.examples.load("four-bar")
    server = viser.ViserServer("127.0.0.1", 0, verbose=False)
    try:
        scene = Scene(server, m, stage.stage(m, m.neutral()))
        scene.show_gravity((1.5, -7.0, 3.2), True)
        assert_allclose(scene.dragged_gravity(), (1.5, -7.0, 3.2), rtol=1e-6)
        scene.gravity.position = np.asarray(scene.gravity.position) + np.array([0.0, 0.1, 0.0])
        assert scene.dragged_gravity()[1] > -7.0
    finally:
        server.stop()


# The door


def test_what_cannot_be_shown_is_told():
    with pytest.raises(wt.InputError, match=r"view: 3 is none of Mechanism, Trajectory, DrivenMotion"):
        view(3)  # pyright: ignore[reportArgumentType]


def test_a_trajectory_without_mechanism_is_told(tmp_path: Path):
    wt.simulate(wt.examples.load("pendulum"), [0.4], duration=0.1, method="rk4").save(tmp_path / "run.csv")
    with pytest.raises(wt.InputError, match=r"no mechanism; tables carry none, save it as \.npz"):
        wt.load_trajectory(tmp_path / "run.csv").view()


@pytest.mark.parametrize("module", ["viser", "trimesh"])
def test_a_missing_extra_is_told_in_one_line(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(wt.InputError, match=rf"^the viewer needs {module}: pip install whippletree\[view\]$"):
        view(wt.examples.load("pendulum"))


def test_a_port_in_use_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(wt.InputError, match=rf"port {port} of 127.0.0.1 cannot be used \(.*in use\)"):
            view(wt.examples.load("pendulum"), port=port)


def test_a_strange_host_and_a_strange_port_are_told():
    m = wt.examples.load("pendulum")
    with pytest.raises(wt.InputError, match=r"host '203\.0\.113\.7' cannot be used"):
        view(m, host="203.0.113.7")
    with pytest.raises(wt.InputError, match="port is 70000, expected a number from 0 to 65535"):
        view(m, port=70000)


def test_a_viewer_shows_what_it_is_told_and_ends():
    m = wt.examples.load("spinning-top")
    run = wt.simulate(m, None, [0.1, 0.2, 9.0], 0.5, method="rk4", dt=0.01)
    with wt.view(run) as viewer:
        q = m.random(np.random.default_rng(1))
        viewer.show(q, [0.3, 0.1, 0.2])
        assert_allclose(viewer.q, q)
        assert_allclose(viewer.qd, (0.3, 0.1, 0.2))
        with pytest.raises(wt.InputError, match=r"q has shape \(3,\), expected \(4,\)"):
            viewer.show([1.0, 0.0, 0.0])
        with urlopen(viewer.url) as page:
            assert b"<!doctype html>" in page.read(200).lower()
    viewer.stop()
    viewer.wait()  # over already
    with pytest.raises(URLError, match="refused"):
        urlopen(viewer.url, timeout=2.0)


def test_a_placement_along_an_axis_is_a_rotation():
    for axis in np.vstack([np.eye(3), -np.eye(3), from_rpy(np.array([0.4, 1.1, -0.3]))]):
        R = skeleton.along(2.5 * axis).rotation
        assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
        assert_allclose(R[:, 2], axis, atol=1e-15)
        assert np.linalg.det(R) > 0.0


# Numbers in the panel


def test_numbers_beyond_a_slider_are_shown_as_they_are():
    m = wt.Mechanism("thrown")
    m.add_body("stone", wt.Free(), inertia=wt.Inertia(1.2, (0.0, 0.0, 0.0), (0.1, 0.11, 0.12)))
    m.add_body(
        "door",
        wt.Revolute("z"),
        inertia=wt.Inertia(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1)),
        limits=wt.Limits(-0.4, 0.7),
    )
    with wt.view(m) as viewer:
        panel = viewer._controls
        labels = [handle.label for handle in panel._positions]
        height, door = panel._positions[labels.index("stone z")], panel._positions[labels.index("door")]
        ends = height.min, height.max
        q, v = m.neutral(), np.zeros(m.nv)
        q[2], q[7], v[5] = -44.1, 1.3, -29.43
        viewer.show(q, v)
        assert (height.value, height.min, height.max) == (-44.1, -44.1, ends[1])
        assert (door.value, door.min, door.max) == (1.3, -0.4, 1.3)
        speed = panel._velocities[5]
        assert (speed.value, speed.min) == (-29.43, -29.43)
        viewer.show(m.neutral())
        assert (height.value, height.min, height.max) == (0.0, *ends)
        assert (door.value, door.min, door.max) == (0.0, -0.4, 0.7)
        assert (speed.value, speed.min) == (0.0, -10.0)
