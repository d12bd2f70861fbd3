"""MJCF files. Source of truth: MuJoCo, which compiles the same text and moves it by itself."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from mjcf_text import EQUALITIES, LINKAGE, MACHINE

mujoco: Any = importlib.import_module("mujoco")  # compiled, carries no types


def moved_by(model: Any, m: wt.Mechanism, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """MuJoCo's state after mj_forward at random, and q, qd, tau there."""
    c, rng = wt.Convention("mujoco", m), np.random.default_rng(seed)
    q = m.random(rng)
    qd, tau = rng.normal(size=(2, m.nv))
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qfrc_applied = c.to_position(q), c.to_velocity(q, qd), c.to_force(q, tau)
    mujoco.mj_forward(model, data)
    return data, q, qd, tau


def unbounded(m: wt.Mechanism) -> wt.Mechanism:
    """Without what MuJoCo holds by constraints: friction and stops."""
    return m.with_parts(
        bodies=[replace(b, friction=0.0, limits=replace(b.limits, stiffness=0.0)) for b in m.bodies],
        contacts=[],
    )


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_and_places(seed):
    model = mujoco.MjModel.from_xml_string(MACHINE)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    m = unbounded(wt.loads(MACHINE))
    data, q, qd, tau = moved_by(model, m, seed)
    ours = wt.Convention("mujoco", m).to_acceleration(q, qd, wt.forward_dynamics(m, q, qd, tau))
    np.testing.assert_allclose(ours, data.qacc, atol=1e-12 * np.max(np.abs(data.qacc)))
    for name in ("base", "plate", "arm.origin", "ball.origin", "kite"):
        place = wt.frame_pose(m, q, name)
        body = data.body(name.removesuffix(".origin"))
        np.testing.assert_allclose(place[:3, 3], body.xpos, atol=1e-14)
        np.testing.assert_allclose(place[:3, :3], body.xmat.reshape(3, 3), atol=1e-14)
    for name in ("hook", "plate.site", "tip"):
        place, site = wt.frame_pose(m, q, name), data.site(name.removesuffix(".site"))
        np.testing.assert_allclose(place[:3, 3], site.xpos, atol=1e-14)
        np.testing.assert_allclose(place[:3, :3], site.xmat.reshape(3, 3), atol=1e-14)


@pytest.mark.parametrize("kind", EQUALITIES)
def test_equalities_are_what_they_are_when_stiff(kind):
    """MuJoCo's accelerations are smooth in 1 - d, d being its impedance: four of them tell the limit."""
    text = LINKAGE.replace("EQUALITY", EQUALITIES[kind])
    if kind == "sites":
        text = text.replace('<joint name="d"', '<site name="seat" pos="0.2 0 0.3"/><joint name="d"')
    m = wt.loads(text)
    assert len(m.loops) + len(m.gears) == 1
    q = wt.assemble(m, m.integrate(m.neutral(), np.full(m.nv, 0.05)))
    qd, tau = np.random.default_rng(1).normal(size=(2, m.nv))
    qd = wt.project_velocity(m, q, qd)
    model = mujoco.MjModel.from_xml_string(text)
    c, data, found = wt.Convention("mujoco", m), mujoco.MjData(model), []
    for share in (1e-4, 2e-4, 3e-4, 4e-4):  # MuJoCo allows no less
        model.eq_solimp[:, :3] = 1.0 - share, 1.0 - share, 1.0
        data.qpos, data.qvel, data.qfrc_applied = c.to_position(q), c.to_velocity(q, qd), c.to_force(q, tau)
        mujoco.mj_forward(model, data)
        assert data.nefc > 0
        assert np.max(np.abs(data.efc_pos)) < 1e-12  # where our loop is closed, so is MuJoCo's
        found.append(np.array(data.qacc))
    ours = c.to_acceleration(q, qd, wt.forward_dynamics(m, q, qd, tau))
    size = np.max(np.abs(ours))
    assert np.max(np.abs(found[0] - ours)) < 1e-2 * size
    assert np.max(np.abs(np.array([4.0, -6.0, 4.0, -1.0]) @ found - ours)) < 1e-6 * size


def test_stops_are_as_stiff_as_limits():
    text = """<mujoco><option gravity="0 0 0"/><compiler angle="radian"/><worldbody><body>
      <joint name="j" range="-1 0.5" solreflimit="0.03 0.8" solimplimit="0.9 0.9 0.001"/>
      <inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>"""
    m, model = wt.loads(text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos = 0.52
    mujoco.mj_forward(model, data)
    limits = m.bodies[0].limits
    assert (limits.lower, limits.upper) == (-1.0, 0.5)
    assert limits.stiffness * 0.02 == pytest.approx(-data.qfrc_constraint[0], rel=1e-12)


def test_shapes_sit_where_geoms_do(tmp_path: Path):
    corners = np.array([(0.1, 0.2, 0.3), (1.1, 0.2, 0.3), (0.1, 0.7, 0.3), (0.1, 0.2, 2.3)])
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    lines = [f"v {x} {y} {z}\n" for x, y, z in corners]
    lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces]
    (tmp_path / "wedge.obj").write_text("".join(lines))
    path = tmp_path / "model.xml"
    geom = '<geom type="mesh" mesh="wedge" pos="1 2 3" euler="20 30 40"/>'
    path.write_text(f"""<mujoco><asset><mesh file="wedge.obj" scale="0.1 0.2 -0.3"/></asset>
      <worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>""")
    m = wt.load(path)
    (shape,) = m.shapes
    assert isinstance(shape.shape, wt.Mesh)
    assert Path(shape.shape.file).samefile(tmp_path / "wedge.obj")
    model = mujoco.MjModel.from_xml_path(str(path))
    R = wt.Placement(quaternion=model.geom_quat[0]).rotation
    theirs = model.mesh_vert @ R.T + model.geom_pos[0]
    ours = (corners * shape.shape.scale) @ shape.placement.rotation.T + shape.placement.position
    for corner in ours:  # MuJoCo keeps corners in single precision, in an order of its own
        assert np.min(np.linalg.norm(theirs - corner, axis=1)) < 1e-6


def test_heights_are_where_rays_meet_them():
    m, model = wt.loads(MACHINE), mujoco.MjModel.from_xml_string(MACHINE)
    land = m.shapes[m.number("shape", "land")]
    assert isinstance(land.shape, wt.Heights)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    down, geom = np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
    for x, y in ((-0.6, -0.4), (0.0, 0.4), (0.6, 0.4), (0.6, -0.4)):  # corners of the grid, a little inside
        start = np.array([4.0 + 0.999999 * x, 0.999999 * y, 2.0])
        away = mujoco.mj_ray(model, data, start, down, None, 1, -1, geom)
        assert 2.0 - away == pytest.approx(land.shape.height(x, y), abs=1e-5)
