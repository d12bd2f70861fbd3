"""Collision meshes of robots against the ground: hulls of files, and what is told of them."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

import robots
import whippletree as wt

URDF = """<robot name="stone"><link name="stone"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.1 0 0"/><geometry><mesh filename="{}" scale="1 2 1"/></geometry></collision>
</link></robot>"""


def stone(path: Path, surface: trimesh.Trimesh) -> wt.Mechanism:
    surface.export(path)
    return wt.loads(URDF.format(path), root=wt.Free())


def on_floor(m: wt.Mechanism) -> wt.Mechanism:
    m.add_shape("floor", wt.Plane())
    m.add_contact("lie", "stone", "floor", friction=0.5)
    return m


def test_the_corners_of_a_file_touch_the_ground(tmp_path: Path) -> None:
    plain = stone(tmp_path / "box.stl", trimesh.creation.box((0.4, 0.3, 0.2)))
    m = on_floor(wt.hull_collisions(plain))
    q = np.array([0, 0, 0.5, 0.9, 0.3, -0.1, 0.2])
    q[3:] /= np.linalg.norm(q[3:])
    simple = wt.Mechanism("stone")
    simple.add_body("stone", wt.Free(), inertia=wt.Inertia(2.0, (0, 0, 0), np.eye(3)))
    simple.add_shape("hull", wt.Box((0.4, 0.6, 0.2)), "stone", wt.Placement((0.1, 0, 0)))
    assert m.warnings == []
    np.testing.assert_allclose(
        np.sort(wt.contact.gaps(m, q)), np.sort(wt.contact.gaps(on_floor(simple), q)), atol=1e-8
    )
    with pytest.raises(wt.ModelError, match=r"box.stl' has no vertices, .*wt.hull_collisions\(m\)"):
        wt.contact.gaps(on_floor(plain), q)


def test_a_mesh_that_is_not_convex_is_told_by_name(tmp_path: Path) -> None:
    bowl = trimesh.creation.annulus(0.1, 0.2, 0.1)
    m = wt.hull_collisions(stone(tmp_path / "ring.stl", bowl))
    (told,) = m.warnings
    assert "ring.stl' is not convex: its hull touches in its place, which has 0.0" in told
    assert wt.contact.gaps(on_floor(m), np.array([0, 0, 0.3, 1, 0, 0, 0])).min() == pytest.approx(0.25)


def test_a_mesh_with_holes_is_told_by_name(tmp_path: Path) -> None:
    box = trimesh.creation.box((0.4, 0.3, 0.2))
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-2])
    assert "open.stl' has holes" in wt.hull_collisions(stone(tmp_path / "open.stl", open_box)).warnings[0]


def test_few_corners_are_those_that_lie_farthest_out(tmp_path: Path) -> None:
    ball = stone(tmp_path / "ball.stl", trimesh.creation.icosphere(3, 0.1))
    count, within = [], []
    for corners in (12, 40, None):
        m = on_floor(wt.hull_collisions(ball, corners))
        count.append(len(wt.contact.candidates(m)))
        within.append(0.2 - wt.contact.gaps(m, np.array([0, 0, 0.3, 1, 0, 0, 0])).min())
    assert count[:2] == [12, 40]
    assert count[2] == 642
    assert abs(within[2]) < 1e-8  # single precision in the file
    assert abs(within[1]) < abs(within[0]) < 0.1
    told = wt.hull_collisions(ball, 12).warnings[-1]
    assert "ball.stl' touches with 12 of the 642 corners of its hull, up to 0." in told


def test_kernels_of_meshes_with_other_corners_are_others(tmp_path: Path) -> None:
    """Meshes of one file are equal: what is compiled for one must not serve the other."""
    ball = stone(tmp_path / "ball.stl", trimesh.creation.icosphere(1, 0.1))
    few, many = (on_floor(wt.hull_collisions(ball, corners)) for corners in (5, 9))
    q = np.array([0, 0, 0.3, 1.0, 0, 0, 0])
    for m, corners in ((few, 5), (many, 9)):
        run = wt.simulate(m, q, duration=1e-3)
        assert run.contacts.gap.shape[1] == corners
        np.testing.assert_allclose(run.contacts.gap[0], wt.contact.gaps(m, q), rtol=1e-12)


def test_bad_calls_and_files_are_told(tmp_path: Path) -> None:
    m = stone(tmp_path / "box.stl", trimesh.creation.box((0.4, 0.3, 0.2)))
    for corners in (3, True, 7.5, "few"):
        with pytest.raises(wt.InputError, match=r"corners is .*, expected a whole number, 4 or more"):
            wt.hull_collisions(m, corners)  # pyright: ignore[reportArgumentType]
    with pytest.raises(wt.InputError, match=r"hull_collisions: m is 'box.stl', expected a Mechanism"):
        wt.hull_collisions("box.stl")  # pyright: ignore[reportArgumentType]
    (tmp_path / "box.stl").unlink()
    with pytest.raises(wt.FileError, match=r"no such mesh file"):
        wt.hull_collisions(m)


@pytest.mark.parametrize("name", ["solo_description/robots/solo12.urdf", "go2_description/urdf/go2.urdf"])
def test_a_real_robot_touches_the_ground_with_its_own_meshes(name: str) -> None:
    plain = wt.load(robots.HOME / name, root=wt.Free())
    m = wt.hull_collisions(plain)
    shanks = [body for body in m.bodies if body.collisions][-1:]
    m.add_shape("floor", wt.Plane())
    for body in shanks:
        m.add_contact(f"{body.name} on floor", body.name, "floor", friction=0.8)
    q = m.random(np.random.default_rng(3))
    lowest = []
    for solid in plain.bodies[plain.body_number(shanks[0].name)].collisions:
        assert isinstance(solid.shape, wt.Mesh)
        corners = trimesh.load_mesh(solid.shape.file).vertices * np.array(solid.shape.scale)
        pose = wt.frame_pose(plain, q, shanks[0].name)
        on_body = corners @ solid.placement.rotation.T + solid.placement.position
        lowest.append((on_body @ pose[:3, :3].T + pose[:3, 3])[:, 2].min())
    assert wt.contact.gaps(m, q).min() == pytest.approx(min(lowest), abs=1e-9)


def test_the_trunk_of_a_robot_comes_to_rest_on_its_mesh() -> None:
    m = wt.hull_collisions(wt.load(robots.HOME / "go2_description/urdf/go2.urdf", root=wt.Free()), corners=8)
    trunk = wt.Mechanism("trunk")
    trunk.add_body("trunk", wt.Free(), inertia=m.bodies[0].inertia)
    trunk.change("trunk", collisions=m.bodies[0].collisions)
    trunk.add_shape("floor", wt.Plane())
    trunk.add_contact("lie", "trunk", "floor", friction=0.8)
    q = np.array([0, 0, 0.2, 1, 0, 0, 0])
    run = wt.simulate(trunk, q, duration=1.5, rtol=1e-6, atol=1e-8)
    assert np.abs(run.qd[-1]).max() < 1e-9
    assert run.contacts.force[-1, :, 0].sum() == pytest.approx(9.81 * trunk.bodies[0].inertia.m, rel=1e-9)
