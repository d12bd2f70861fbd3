"""What contact refuses, and says: bad meshes, pairs without end, overlaps; and the pairs it finds."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from whippletree.contact.geometry.contact_states import check_apart
from whippletree.contact.geometry.minimal_set import positively_independent

CUBE = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
HULL = wt.contact.convex_hull(wt.Mesh("cube.stl", vertices=CUBE))


def on_floor(shape: wt.Shape) -> wt.Mechanism:
    m = wt.Mechanism("body")
    m.add_body("body", wt.Free(), inertia=wt.Inertia.box((1, 1, 1), mass=1.0))
    m.add_shape("stone", shape, "body")
    m.add_shape("floor", wt.Plane())
    m.add_contact("lie", "stone", "floor")
    return m


def test_a_convex_mesh_is_taken() -> None:
    assert len(wt.contact.candidates(on_floor(HULL))) == 8


def test_inverted_normals_are_told() -> None:
    assert HULL.faces is not None
    inside_out = wt.Mesh("cube.stl", vertices=HULL.vertices, faces=HULL.faces[:, ::-1])
    with pytest.raises(wt.ModelError, match=r"normals inside out: its faces enclose -1 m³"):
        wt.contact.candidates(on_floor(inside_out))


def test_a_mesh_that_is_not_convex_is_told() -> None:
    """A cube with a dent: the corner of three faces pushed in."""
    assert HULL.faces is not None
    assert HULL.vertices is not None
    dent = HULL.vertices.copy()
    corner = int(np.argmax(dent.sum(axis=1)))
    dent[corner] = 0.4
    with pytest.raises(wt.ModelError, match=r"not convex: it has 0\..* m³, its hull .*convex_hull\(mesh\)"):
        wt.contact.candidates(on_floor(wt.Mesh("dent.stl", vertices=dent, faces=HULL.faces)))


def test_meshes_without_corners_or_volume_are_told() -> None:
    with pytest.raises(wt.ModelError, match=r"mesh 'far.stl' has no vertices, which contact needs"):
        wt.contact.candidates(on_floor(wt.Mesh("far.stl")))
    flat = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
    with pytest.raises(wt.ModelError, match=r"encloses no volume: its 4 corners lie in a plane"):
        wt.contact.candidates(on_floor(wt.Mesh("flat.stl", vertices=flat)))


def test_pairs_that_nobody_knows_are_told() -> None:
    heights = wt.Heights(np.zeros((3, 3)), (0.0, 1.0), (0.0, 1.0))
    m = on_floor(heights)
    with pytest.raises(
        wt.ModelError, match=r"'stone' on 'floor': there is no contact of a heights with a plane"
    ):
        wt.contact.gaps(m, m.neutral())


def test_thousands_of_pairs_are_told_with_what_to_filter() -> None:
    m = wt.Mechanism("gravel")
    for k in range(40):
        m.add_body(f"stone {k}", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=1.0))
        m.add_shape(f"a {k}", wt.Sphere(0.1), f"stone {k}")
        m.add_shape(f"b {k}", wt.Sphere(0.1), f"stone {k}")
    for contact in wt.contact.all_contacts(m, friction=0.3):
        m.add(contact)
    assert len(m.contacts) == 40 * 39 // 2
    with pytest.raises(
        wt.ModelError, match=r"has 3120 pairs of shapes.*at most 1000.*'stone 1 on stone 0' 4"
    ):
        wt.contact.candidates(m)
    with pytest.raises(wt.ModelError, match=r"has no body named 'stone'"):
        wt.contact.all_contacts(m, bodies=["stone"])


def test_neighbours_are_left_out_and_loops_join_them_too() -> None:
    m = wt.examples.load("four-bar")
    for body in m.bodies:
        m.add_shape(f"bar {body.name}", wt.Capsule(0.01, 0.1), body.name)
    a, b, c = (body.name for body in m.bodies)
    assert [contact.name for contact in wt.contact.all_contacts(m)] == [f"{c} on {a}"]
    assert len(wt.contact.all_contacts(m, neighbours=True)) == 3
    assert [x.friction for x in wt.contact.all_contacts(m, bodies=[a, c], friction=0.2)] == [0.2]
    assert b not in [contact.a for contact in wt.contact.all_contacts(m)]


def test_a_side_without_shapes_is_told() -> None:
    m = on_floor(wt.Sphere(0.1))
    m.add_body("bare", wt.Free(), inertia=wt.Inertia(1.0))
    m.add_contact("nothing", "bare", "floor")
    with pytest.raises(wt.ModelError, match="contact 'nothing': 'bare' has no shape that may touch"):
        wt.contact.gaps(m, m.neutral())


def test_collisions_of_urdf_files_touch(tmp_path: Path) -> None:
    path = tmp_path / "leg.urdf"
    path.write_text("""<robot name="leg"><link name="world"/>
      <link name="shank"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.02"/></geometry></collision></link>
      <joint name="slide" type="prismatic"><parent link="world"/><child link="shank"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>""")
    m = wt.load(path)
    m.add_shape("floor", wt.Plane())
    m.add_contact("step", "shank", "ground")
    assert wt.contact.gaps(m, np.array([0.5]))[0] == pytest.approx(0.5 - 0.3 - 0.02)
    assert wt.contact.candidates(m)[0].a.name == "collision 0 of shank"


# Overlaps


def test_an_overlap_is_told_with_depth_and_pair() -> None:
    m = touching.crate()
    q = np.array([0.1, 0.2, 0.07, 1, 0, 0, 0])
    with pytest.raises(
        wt.InputError, match=r"overlap by 0.03 m, 'hull' on 'floor' .*, and 3 more: .*push_out"
    ):
        check_apart(m, q)
    check_apart(m, q + np.array([0, 0, 0.03, 0, 0, 0, 0]))
    assert [overlap.candidate.number for overlap in wt.contact.overlaps(m, q)] == [0, 2, 4, 6]


def test_forces_are_not_those_of_a_free_fall_where_shapes_overlap_or_hit() -> None:
    """Neither is a state of rest, and to leave such contacts out lets the crate fall through."""
    m, rest = touching.crate(), np.array([0.1, 0.2, 0.1, 1, 0, 0, 0])
    still, down = np.zeros(6), np.array([0, 0, 0, 0, 0, -0.7])
    with pytest.raises(wt.InputError, match=r"overlap by 2e-08 m, 'hull' on 'floor' .*push_out"):
        wt.contact.contact_forces(m, rest - np.array([0, 0, 2e-8, 0, 0, 0, 0]), still, still)
    with pytest.raises(
        wt.InputError, match=r"qd of '.*': 'hull' on 'floor' .* closes at 0.7 m/s.*impact.*rows"
    ):
        wt.contact.contact_forces(m, rest, down, still)
    named = wt.contact.contact_forces(m, rest, down, still, rows=[0, 2, 4, 6])
    assert named.force[:, 0].sum() == pytest.approx(9.81 * 5.0)


def test_forces_of_a_rollout_need_tolerances_that_fit_it() -> None:
    """Its steps along a curve leave gaps of some 1e-8 m: by default nothing touches there."""
    m = wt.Mechanism("ball on a hill")
    m.add_body("ball", wt.Translation(), inertia=wt.Inertia(0.6))
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("hill", wt.Sphere(0.9))
    m.add_contact("roll", "skin", "hill", friction=0.0)
    start, speed = np.array([0, 0, 1.0]), np.array([0.4, 0.3, 0.0])
    q, qd = (x[-1] for x in wt.rollout(m, start, speed, steps=300, every=300, contacts="rigid"))
    assert 1e-9 < abs(wt.contact.gaps(m, q)[0]) < 1e-6
    still = np.zeros(3)
    assert wt.contact.contact_forces(m, q, qd, still).rows == []
    found = wt.contact.contact_forces(m, q, qd, still, gap_tolerance=1e-6, rate_tolerance=1e-3)
    push = 0.6 * (9.81 * q[2] - qd @ qd)  # m (g cos θ - v²/r) with r = 1 m
    assert found.force[0, 0] == pytest.approx(push, rel=1e-4)
    crate, flat = touching.crate(friction=0.5), np.array([0.1, 0.2, 0.1 - 3e-7, 1, 0, 0, 0])
    with pytest.raises(wt.InputError, match=r"overlap by 3e-07 m"):
        wt.contact.contact_forces(crate, flat, np.zeros(6), np.zeros(6))
    within = wt.contact.contact_forces(crate, flat, np.zeros(6), np.zeros(6), gap_tolerance=1e-6)
    assert within.force[:, 0].sum() == pytest.approx(9.81 * 5.0, rel=1e-9)


@pytest.mark.parametrize("rows", [[0.5], "a", [True], 3, [[0]]])
def test_rows_that_are_no_whole_numbers_are_told(rows: Any) -> None:
    m, rest = touching.crate(), np.array([0.1, 0.2, 0.1, 1, 0, 0, 0])
    with pytest.raises(wt.InputError, match=r"rows is .*, expected whole numbers, as \[0, 2\]: 0 … 7"):
        wt.contact.contact_forces(m, rest, np.zeros(6), np.zeros(6), rows=rows)
    with pytest.raises(wt.InputError, match=r"rows is .*, expected whole numbers, as \[0, 2\]: 0 … 7"):
        wt.contact.impact(m, rest, np.zeros(6), rows=rows)


@pytest.mark.parametrize("name", ["gap_tolerance", "rate_tolerance"])
@pytest.mark.parametrize("value", [-1e-6, np.nan, "small"])
def test_tolerances_that_are_none_are_told(name: str, value: Any) -> None:
    m, rest = touching.crate(), np.array([0.1, 0.2, 0.1, 1, 0, 0, 0])
    with pytest.raises(wt.InputError, match=rf"{name} is .*, expected a number, 0 or more"):
        wt.contact.contact_states(m, rest, np.zeros(6), **{name: value})
    with pytest.raises(wt.InputError, match=rf"{name} is .*, expected a number, 0 or more"):
        wt.contact.contact_forces(m, rest, np.zeros(6), np.zeros(6), **{name: value})


def test_overlaps_are_pushed_out() -> None:
    rng = np.random.default_rng(6)
    m = touching.crate()
    for _ in range(5):
        q = m.random(rng)
        q[2] = 0.05
        free = wt.contact.push_out(m, q)
        assert np.min(wt.contact.gaps(m, free)) >= -1e-9
        assert np.linalg.norm(m.difference(q, free)) < 1.0
    apart = np.array([0.1, 0.2, 0.7, 1, 0, 0, 0])
    np.testing.assert_array_equal(wt.contact.push_out(m, apart), apart)


def test_loops_stay_closed_when_a_linkage_is_pushed_out() -> None:
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    body = m.bodies[1].name
    pose, up = wt.frame_pose(m, q, body), -np.array(m.gravity) / np.linalg.norm(m.gravity)
    side = np.cross(up, [0.6, 0.64, 0.48])
    side = side / np.linalg.norm(side)
    axes = np.stack([side, np.cross(up, side), up], axis=1)
    m.add_shape("ball", wt.Sphere(0.05), body)
    m.add_shape("floor", wt.Plane(), placement=wt.Placement(pose[:3, 3] - 0.04 * up, rotation=axes))
    m.add_contact("touch", "ball", "floor")
    free = wt.contact.push_out(m, q)
    assert np.min(wt.contact.gaps(m, free)) >= -1e-9
    assert np.max(np.abs(wt.constraint_error(m, free))) < 1e-12


def test_a_ball_that_fits_nowhere_is_told() -> None:
    m = wt.Mechanism("vice", gravity=(0, 0, 0))
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia(1.0))
    m.add_shape("skin", wt.Sphere(0.2), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_shape("ceiling", wt.Plane(), placement=wt.Placement((0, 0, 0.3), rpy=(np.pi, 0, 0)))
    m.add_contact("low", "skin", "floor")
    m.add_contact("high", "skin", "ceiling")
    with pytest.raises(wt.SolverError, match=r"'skin' on 'floor'.*'skin' on 'ceiling'"):
        wt.contact.push_out(m, np.array([0.12]))


# Minimal sets


def test_minimal_sets_are_the_corners_of_hulls() -> None:
    """RBDA §11.6: points of a disc, of which the boundary is left, and of an edge, its two ends."""
    turn = 2.0 * np.pi * np.arange(12) / 12
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = np.concatenate([0.5 * rim[::2], [[0.0, 0.0]], rim])
    normals = np.stack([points[:, 1], -points[:, 0], np.ones(len(points))], axis=1)
    assert positively_independent(normals) == list(range(7, 19))
    edge = np.stack([np.linspace(-1, 1, 7), np.ones(7)], axis=1)
    assert positively_independent(edge) == [0, 6]
    y = np.linspace(-0.7, 0.7, 24)  # on z = x tan y no contact can be spared
    ruled = np.stack([y, np.zeros(24), y * np.tan(y), -np.tan(y), np.zeros(24), np.ones(24)], axis=1)
    assert positively_independent(ruled, 1e-12) == list(range(24))


def test_equal_normals_at_different_points_count() -> None:
    m = touching.crate()
    q = np.array([0.3, 0.2, 0.1, np.cos(0.2), 0, 0, np.sin(0.2)])
    assert wt.contact.minimal_contacts(m, q, [0, 2, 4, 6]) == [0, 2, 4, 6]


# Libraries that need not be there


def test_without_coal_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coal", None)
    m = touching.pair(wt.Cylinder(0.2, 0.4), wt.Box((0.1, 0.2, 0.3)))
    with pytest.raises(wt.ModelError, match="contact of a cylinder with a box needs the library coal"):
        wt.contact.gaps(m, m.neutral())
    assert wt.contact.gaps(touching.crate(), touching.crate().neutral()).shape == (8,)


def test_without_daqp_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(wt.ModelError, match=r"need the solver daqp: pip install 'whippletree\[contact\]'"):
        wt.contact.gauss_form(np.eye(2), -np.ones(2))
    found = wt.contact.least_distance(np.eye(2), -np.ones(2))
    assert isinstance(found, wt.contact.ContactForces)
    np.testing.assert_allclose(found.force, 1.0)
