"""The commands `kinematics`, `equilibrium`, `modes` and `export`, and starts that close loops."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import whippletree as wt
from whippletree.cli import app as cli
from whippletree.cli import simulate as cli_simulate

RUNNER = CliRunner()

HANGING = """<robot name="hanging"><link name="rod"><inertial><mass value="2"/><origin xyz="0 0 -1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    result = RUNNER.invoke(cli.app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result.stdout, result.stderr


def test_kinematics_of_one_turn(tmp_path: Path) -> None:
    picture = tmp_path / "turn.png"
    words = ("kinematics", "crank-slider", "--drive", "crank=2", "--steps", 8, "--plot", picture)
    told = json.loads(run(*words, "--json")[0])
    m = wt.examples.load("crank-slider")
    motion = wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 9))
    slider = motion.joint("slider")
    assert told["positions"] == 9
    assert told["joints"]["slider"]["least"] == float(slider.min())
    assert told["joints"]["slider"]["fastest"] == float(np.abs(motion.qd[:, 2]).max())
    assert told["driving_force"]["crank"]["greatest"] == float(motion.driving_force.max())
    assert [round(point["t"], 6) for point in told["dead_centres"]] == [1.107149, 2.677945]
    assert picture.read_bytes().startswith(b"\x89PNG")
    out, _ = run(*words)
    assert out.startswith("crank-slider: 9 positions in 3.14159 s, driven by crank=2\n")
    assert "  dead centre of slider at 1.10715 s\n" in out
    assert f"  written {picture}\n" in out


def test_drivers_of_a_file_are_followed(tmp_path: Path) -> None:
    m = wt.examples.load("crank-slider")
    m.add_driver("motor", "0.3 * sin(t)", joint="crank")
    wt.save(m, tmp_path / "driven.toml")
    movie = tmp_path / "swing.gif"
    words = ("kinematics", tmp_path / "driven.toml", "--steps", 4, "--duration", 0.1, "--gif", movie)
    out, _ = run(*words)
    assert out.startswith("crank-slider: 5 positions in 0.1 s, driven by motor\n")
    assert movie.read_bytes().startswith(b"GIF89a")
    assert json.loads(run(*words[:6], "--json")[0])["driving_force"].keys() == {"motor"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kinematics", "crank-slider"], "--drive is missing: name joints and speeds, as --drive crank=6.28"),
        (["kinematics", "crank-slider", "--drive", "5"], "--drive: '5' names no joint: give joint=value"),
        (["kinematics", "crank-slider", "--drive", "crank=fast"], "--drive: 'fast' is not a number"),
        (["kinematics", "crank-slider", "--drive", "knob=1"], "has no joint named 'knob' to drive; known:"),
        (["kinematics", "pendulum", "--drive", "rod=1", "--plot", "x.doc"], "x.doc: has the suffix '.doc'"),
        (["equilibrium", "pendulum", "--hold", "bob"], "no joint named 'bob'"),
        (["modes", "pendulum", "--floating"], "--floating: pendulum has its own root, only URDF files"),
        (["export", "pendulum", "--function", "abacus"], "there is no function 'abacus' of a mechanism"),
        (["export", "pendulum", "--c", "--llvm"], "--c and --llvm are two languages: choose one"),
        (["simulate", "pendulum", "--drive", "rod"], "--drive: 'rod' names no joint"),
        (["simulate", "pendulum", "--rtol", "-1"], "rtol is -1"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: list[str], message: str) -> None:
    out, err = run(*words, code=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_equilibrium_and_modes(tmp_path: Path) -> None:
    m = wt.examples.load("double-pendulum")
    m.change("lower", stiffness=3.0, rest=(0.8,))
    path = tmp_path / "bent.toml"
    wt.save(m, path)
    rest = wt.equilibrium(m, np.array([0.1, 0.2]))
    told = json.loads(run("equilibrium", path, "--q0", "upper=0.1, lower=0.2", "--json")[0])
    assert told["stable"] is True
    np.testing.assert_allclose(told["q"], rest.q, rtol=1e-9)
    out, _ = run("equilibrium", path, "--hold", "upper")
    assert out.startswith("double-pendulum rests, stable, at\n")
    assert "\nupper   0 " in out
    told = json.loads(run("modes", path, "--json")[0])
    found = wt.modes(m, rest.q)
    np.testing.assert_allclose([mode["frequency"] for mode in told["modes"]], found.frequency, rtol=1e-8)
    np.testing.assert_allclose(np.array(told["modes"][1]["shape"])[:, 0], found.shapes[1], rtol=1e-6)
    out, _ = run("modes", path)
    assert out.startswith("double-pendulum: 2 modes about its stable rest at q = ")
    assert "frequency [Hz]   damping   what moves most" in out
    assert f"{found.frequency[0]:.6g}         0   upper 1, lower" in " ".join(out.split("\n"))


def test_rest_that_is_not_stable_is_told() -> None:
    out, _ = run("equilibrium", "flyball-governor")
    assert out.startswith("flyball-governor rests, and falls away if pushed, at\n")
    assert "--q0 begins elsewhere, and may find another rest" in out
    told = json.loads(run("equilibrium", "flyball-governor", "--json")[0])
    assert (told["stable"], told["unstable"]) == (False, True)
    out, _ = run("equilibrium", "flyball-governor", "--q0", "arm1=1.5, arm2=1.5")
    assert out.startswith("flyball-governor rests, and goes on as it is pushed, at\n")
    assert run("equilibrium", "toggle-press")[0].startswith("toggle-press rests, stable, at\n")


def test_export_writes_what_the_kernel_is(tmp_path: Path) -> None:
    m = wt.examples.load("double-pendulum")
    assert run("export", "double-pendulum", "--c")[0] == m.kernel("forward_dynamics").source("c") + "\n"
    path = tmp_path / "tool.py"
    words = ("--function", "frame_pose", "--frame", "tip", "--python", "--out", path)
    out, _ = run("export", "double-pendulum", *words)
    text = path.read_text()
    assert text == m.kernel("frame_pose", frame="tip").source("python")
    assert out == f"frame_pose of double-pendulum in {len(text.splitlines())} lines, written {path}\n"


def test_velocities_of_a_loop_follow_the_named_joint() -> None:
    m = wt.examples.load("four-bar")
    q = cli_simulate.position(m, "crank=0.5")
    assert q is not None
    for qd in (cli_simulate.velocity(m, "crank=5", q), cli_simulate.velocity(m, "crank=5", None)):
        assert qd is not None
        assert qd[0] == 5.0
    np.testing.assert_allclose(
        wt.constraint_jacobian(m, q) @ cli_simulate.velocity(m, "crank=5", q), 0.0, atol=1e-13
    )
    told = json.loads(run("simulate", "four-bar", "--qd0", "crank=5", "--duration", 0.02, "--json")[0])
    assert told["largest_constraint_error"] < 1e-14


def test_a_driven_run_and_its_tolerances() -> None:
    words = ("simulate", "four-bar", "--drive", "crank=5", "--duration", 0.1, "--json")
    fine = json.loads(run(*words)[0])
    coarse = json.loads(run(*words, "--rtol", 1e-3, "--atol", 1e-3)[0])
    assert coarse["states"] < fine["states"]
    assert fine["q"][0] == pytest.approx(0.5, abs=1e-8)
    assert fine["qd"][0] == pytest.approx(5.0, abs=1e-8)


def test_the_root_of_a_urdf_floats(tmp_path: Path) -> None:
    path = tmp_path / "hanging.urdf"
    path.write_text(HANGING)
    told = json.loads(run("info", path, "--floating", "--json")[0])
    assert (told["nq"], told["nv"]) == (7, 6)
    end = json.loads(run("simulate", path, "--floating", "--duration", 0.1, "--method", "rk4", "--json")[0])
    np.testing.assert_allclose(end["q"][:3], [0.0, 0.0, -0.5 * 9.81 * 0.01], atol=1e-13)
