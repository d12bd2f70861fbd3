"""Stops of URDF files: joints stay within their limits, at steps of 1 ms, whatever they carry."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import robots
import whippletree as wt
from whippletree.cli import app as cli
from whippletree.io.stops import RATE

UR5 = robots.HOME / "ur_description/urdf/ur5_robot.urdf"
PANDA = robots.HOME / "panda_description/urdf/panda.urdf"


def arm(lower: float = -0.4, upper: float = 0.3, mass: float = 2.0) -> str:
    """An arm that hangs sideways, and a finger of a thousandth of its mass at the end."""
    link = (
        '<link name="{name}"><inertial><origin xyz="{length} 0 0"/><mass value="{mass}"/><inertia ixx="{i}" '
        'iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    joint = (
        '<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        '<axis xyz="0 1 0"/><origin xyz="{x} 0 0"/>'
        '<limit lower="{lower}" upper="{upper}" effort="9" velocity="9"/></joint>'
    )
    return (
        '<robot name="arm"><link name="base"/>'
        + link.format(name="upper", length=0.4, mass=mass, i=0.02 * mass)
        + link.format(name="finger", length=0.03, mass=1e-3 * mass, i=1e-7 * mass)
        + joint.format(name="shoulder", parent="base", child="upper", x=0, lower=lower, upper=upper)
        + joint.format(name="knuckle", parent="upper", child="finger", x=0.8, lower=-0.2, upper=0.5)
        + "</robot>"
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(arm())
    return tmp_path / "arm.urdf"


def test_stops_are_as_stiff_as_the_inertia_asks(file: Path) -> None:
    m = wt.load(file, stops=True)
    moved = 1.0 / np.diag(np.linalg.inv(wt.crba(m, m.neutral())))
    for body, inertia in zip(m.bodies, moved, strict=True):
        assert body.limits.stiffness == pytest.approx(1e4 * inertia, rel=1e-9)
        assert body.limits.dissipation == 0.5
    assert all(body.limits.stiffness == 0.0 for body in wt.load(file).bodies)


@pytest.mark.parametrize("method", ["euler", "rk4", "DOP853"])
def test_an_arm_falls_onto_its_stop_and_stays(file: Path, method: str) -> None:
    dt = None if method == "DOP853" else 1e-3
    free = wt.simulate(wt.load(file), duration=1.0, method=method, dt=dt)
    assert np.max(np.abs(free.q[:, 0])) > 1.0
    run = wt.simulate(wt.load(file, stops=True), duration=4.0, method=method, dt=dt)
    # The finger is whipped against its stop: without losses it goes as deep as speed / rate, plus its sag.
    deepest = np.max(np.abs(run.qd), axis=0) / RATE + (run.q[-1] - (0.3, 0.5))
    assert np.all(np.max(run.q, axis=0) - (0.3, 0.5) < deepest)
    assert np.max(run.q[:, 0]) < 0.35
    rest = run.t > 3.0
    assert np.max(np.abs(run.qd[rest])) < 0.5
    assert np.max(run.energy) <= run.energy[0] + 1e-3


@pytest.mark.parametrize("robot", [UR5, PANDA])
def test_real_arms_stay_within_their_limits_at_steps_of_a_millisecond(robot: Path) -> None:
    m = wt.load(robot, stops=True)
    q0 = np.array([np.clip(0.0, body.limits.lower, body.limits.upper) for body in m.bodies])
    q, qd = wt.rollout(m, wt.assemble(m, q0) if m.gears else q0, np.zeros(m.nv), steps=3000)
    assert np.all(np.isfinite(qd))
    past = np.maximum(q - [b.limits.upper for b in m.bodies], [b.limits.lower for b in m.bodies] - q)
    assert np.max(past) < 0.25


@pytest.mark.parametrize("bounds", [(0.0, 0.0), (-1e9, 1e9)])
def test_limits_that_bound_nothing_get_no_stop(bounds: tuple[float, float], tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(arm(*bounds))
    shoulder, knuckle = wt.load(tmp_path / "arm.urdf", stops=True).bodies
    assert shoulder.limits.stiffness == 0.0
    assert knuckle.limits.stiffness > 0.0


def test_files_that_say_their_stops_are_given_none(tmp_path: Path) -> None:
    wt.save(wt.examples.load("pendulum"), tmp_path / "p.toml")
    with pytest.raises(wt.InputError, match=r"stops: .*p\.toml says itself what it means, only URDF files"):
        wt.load(tmp_path / "p.toml", stops=True)


def test_the_command_line_has_stops_and_says_so(file: Path) -> None:
    runner = CliRunner()
    told = runner.invoke(cli.app, ["simulate", str(file), "--duration", "1"])
    assert "  stops          at the limits of 2 joints; --no-stops leaves them out\n" in told.stdout
    free = runner.invoke(cli.app, ["simulate", str(file), "--duration", "1", "--no-stops"])
    assert free.exit_code == 0
    assert "stops" not in free.stdout
    bundled = runner.invoke(cli.app, ["simulate", "pendulum", "--duration", "0.1"])
    assert "stops" not in bundled.stdout
