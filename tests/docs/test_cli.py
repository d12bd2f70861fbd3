"""The command line: what it prints, where, and its exit codes."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import whippletree as wt
from whippletree.benchmark.comparison import time_text
from whippletree.cli import app as cli
from whippletree.cli import printing
from whippletree.cli import tour as demo
from whippletree.cli import tour_motion as demo_motion
from whippletree.io import FORMATS

RUNNER = CliRunner()

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <mass value="2.0"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <transmission name="t"/>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    """Output and errors of the command, which must end with this exit code and without a traceback."""
    result = RUNNER.invoke(cli.app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result.stdout, result.stderr


def words(line: str) -> str:
    return " ".join(line.split())


# info


def test_info_of_an_example() -> None:
    out, err = run("info", "cart-pole")
    lines = [words(line) for line in out.splitlines()]
    assert lines[0] == (
        "cart-pole: 2 bodies, nq = 2, nv = 2, 2.5 kg, centre of mass (0, 0, -0.2) m at the neutral position, "
        "gravity (0, 0, -9.81) m/s²"
    )
    assert lines[1] == "# body joint type parent q mass [kg] centre of mass [m]"
    assert lines[3:5] == [
        "0 cart cart Prismatic x ground 0 1.5 (0, 0, 0)",
        "1 pole pole Revolute y cart 1 1 (0, 0, -0.5)",
    ]
    assert lines[-2:] == ["frames:", "tip on pole at (0, 0, -1)"]
    assert err == ""


def test_info_of_a_file_shows_its_warnings(arm: Path) -> None:
    out, _ = run("info", arm)
    assert "0   upper   shoulder   Revolute x   ground   0   2" in out
    warnings = out[out.index("warnings:") :].splitlines()
    assert warnings[1].startswith("  line 10: <transmission>")


def test_info_does_not_take_names_for_markup(arm: Path) -> None:
    arm.write_text(ARM.replace('"upper"', '"[red]upper[/red]"').replace('"arm"', '"[bold]arm"'))
    out, _ = run("info", arm)
    assert out.startswith("[bold]arm: 1 body")
    assert " [red]upper[/red] " in out


def test_info_as_json() -> None:
    out, _ = run("info", "furuta-pendulum", "--json")
    data = json.loads(out)
    m = wt.examples.load("furuta-pendulum")
    assert (data["name"], data["nq"], data["nv"]) == (m.name, m.nq, m.nv)
    assert data["gravity"] == [0.0, 0.0, -9.81]
    assert data["mass"] == pytest.approx(0.38, rel=1e-14)
    assert data["center_of_mass_at_neutral"] == pytest.approx(wt.center_of_mass(m, m.neutral()), rel=1e-14)
    arm_, rod = data["bodies"]
    assert (arm_["joint"]["name"], arm_["joint"]["armature"], arm_["joint"]["damping"]) == (
        "motor",
        1.2e-3,
        5e-4,
    )
    assert (rod["name"], rod["parent"], rod["joint"]["type"]) == ("rod", "arm", "Revolute x")
    assert (rod["joint"]["q"], rod["joint"]["qd"]) == ([1, 2], [1, 2])
    assert rod["joint"]["position"] == [0.22, 0.0, 0.0]
    assert rod["joint"]["quaternion"] == [1.0, 0.0, 0.0, 0.0]
    assert rod["joint"]["lower"] is None  # infinite
    assert rod["center_of_mass"] == [0.0, 0.0, -0.17]
    np.testing.assert_allclose(
        rod["inertia_about_center_of_mass"], m.bodies[1].inertia.about_com, rtol=0, atol=1e-18
    )
    assert data["frames"] == [
        {"name": "tip", "body": "rod", "position": [0.0, 0.0, -0.34], "quaternion": [1.0, 0.0, 0.0, 0.0]}
    ]
    assert data["warnings"] == []


def test_json_has_the_limits_gears_and_warnings_of_a_file(arm: Path) -> None:
    limit = '<axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/>'
    second = '<joint name="b" type="revolute"><parent link="upper"/><child link="c"/>{}{}</joint>'
    mimic = '<mimic joint="shoulder" multiplier="0.5" offset="0.25"/>'
    arm.write_text(ARM.replace("</robot>", f'<link name="c"/>{second.format(limit, mimic)}</robot>'))
    data = json.loads(run("info", arm, "--json")[0])
    joint = data["bodies"][1]["joint"]
    assert [joint[key] for key in ("lower", "upper", "velocity", "effort")] == [-1.0, 2.0, 3.0, 4.0]
    assert data["bodies"][1]["center_of_mass"] is None
    assert data["gears"] == [{"name": "b", "driver": "shoulder", "driven": "b", "ratio": 0.5, "offset": 0.25}]
    assert any("transmission" in warning for warning in data["warnings"])


def test_json_has_loops_and_springs() -> None:
    data = json.loads(run("info", "four-bar", "--json")[0])
    (loop,) = data["loops"]
    assert (loop["name"], loop["type"]) == ("pin", "Revolute z")
    assert (loop["predecessor"]["body"], loop["successor"]["body"]) == ("coupler", "rocker")
    assert loop["predecessor"]["position"] == pytest.approx([0.6, 0.34, 0.0])
    springs = json.loads(run("info", "flyball-governor", "--json")[0])["springs"]
    assert [spring["name"] for spring in springs] == [
        spring.name for spring in wt.examples.load("flyball-governor").springs
    ]
    assert springs


# check


def test_check_of_something_sound(arm: Path) -> None:
    assert run("check", "humanoid")[0] == "humanoid: 0 errors, 0 warnings, 0 notes\n"
    arm.write_text(ARM.replace('<transmission name="t"/>', ""))
    assert run("check", arm)[0] == f"{arm}: 0 errors, 0 warnings, 0 notes\n"


def test_check_notes_do_not_count(arm: Path) -> None:
    lines = run("check", arm)[0].splitlines()
    assert lines[0].startswith(f"{arm}:10: note: <transmission>")
    assert lines[1] == f"{arm}: 0 errors, 0 warnings, 1 note"


def test_check_lists_every_problem_with_its_line(arm: Path) -> None:
    arm.write_text(ARM.replace('"2.0"', '"-2.0"').replace('parent link="base"', 'parent link="b"'))
    out, err = run("check", arm, code=1)
    lines = out.splitlines()
    assert lines[0].startswith(f"{arm}:5: error: <mass> of link 'upper' is -2 kg")
    assert lines[1].startswith(f"{arm}:9: error: parent of joint 'shoulder' is 'b'")
    assert lines[-1].startswith(f"{arm}: ")
    assert err == ""
    data = json.loads(run("check", arm, "--json", code=1)[0])
    assert (data["source"], data["ok"]) == (str(arm), False)
    assert [(p["line"], p["severity"]) for p in data["problems"]][:2] == [(5, "error"), (9, "error")]
    assert data["problems"][1]["message"].startswith("parent of joint 'shoulder' is 'b'")


def test_check_finds_what_only_the_whole_shows(arm: Path) -> None:
    """A mass on the axis of its own joint has no moment about it, though the link has an inertia."""
    arm.write_text(ARM.replace('"0.1"', '"0"').replace('"0.02"', '"0"'))
    out, _ = run("check", arm, code=1)
    assert f"{arm}: warning: joint 'shoulder' of 'arm' moves no inertia: give 'upper', or a body" in out
    assert out.splitlines()[-1] == f"{arm}: 0 errors, 1 warning, 1 note"


def test_check_finds_odd_names(tmp_path: Path) -> None:
    path = tmp_path / "clock.toml"
    wt.save(wt.rename(wt.examples.load("pendulum"), bodies={"rod": "rod "}), path)
    out, _ = run("check", path, code=1)
    assert out.startswith(f"{path}: warning: body 'rod ' has blanks at an end of its name, or signs that")
    assert out.splitlines()[-1] == f"{path}: 0 errors, 1 warning, 0 notes"


def test_check_tells_a_joint_without_inertia_once(arm: Path) -> None:
    start, end = ARM.index("<inertial>"), ARM.index("</inertial>") + len("</inertial>")
    arm.write_text(ARM[:start] + ARM[end:])
    out, _ = run("check", arm, code=1)
    assert out.count("moves no inertia") == 1
    assert "warning: joint 'shoulder' moves no inertia" in out


def test_check_tells_an_impossible_inertia_once(arm: Path) -> None:
    arm.write_text(ARM.replace('"0.02"', '"0.5"'))
    lines = run("check", arm, code=1)[0].splitlines()
    assert lines[0].startswith(
        f"{arm}:6: warning: <inertia> of link 'upper': principal moments (0.1, 0.1, 0.5)"
    )
    assert lines[-1] == f"{arm}: 0 errors, 1 warning, 1 note"


def test_check_of_a_mechanism_with_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    m = wt.Mechanism("pendulum")
    m.add_body("rod", wt.Revolute("z"))
    monkeypatch.setattr(wt.examples, "load", lambda name: m)
    out, _ = run("check", "pendulum", code=1)
    assert out.startswith("pendulum: warning: joint 'rod' of 'pendulum' moves no inertia: ")


# Wrong use


@pytest.mark.parametrize("command", ["info", "check"])
def test_files_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    missing, empty, other = tmp_path / "no.urdf", tmp_path / "empty.urdf", tmp_path / "robot.step"
    empty.touch()
    other.write_text("x")
    for path, message in (
        (missing, "no such file, and no bundled mechanism: `whippletree examples` lists those"),
        (empty, "is empty (0 bytes)"),
        (other, f"has the unknown suffix '.step'; known: {', '.join(FORMATS)}"),
        (tmp_path, "is a directory: give a file, such as 'empty.urdf'"),
    ):
        out, err = run(command, path, code=2)
        assert (out, err) == ("", f"whippletree: {path}: {message}\n")
        assert run(command, path, "--json", code=2) == (out, err)


def test_info_of_a_file_with_an_error_names_its_line(arm: Path) -> None:
    arm.write_text(ARM.replace("</robot>", ""))
    out, err = run("info", arm, code=2)
    assert out == ""
    assert err.startswith(f"whippletree: {arm}, line 12: not well-formed XML: ")
    assert err.count("\n") == 1
    run("check", arm, code=1)


@pytest.mark.parametrize("arguments", [["info"], ["check"], ["fly"], ["info", "pendulum", "--color"], []])
def test_wrong_use(arguments: list[str]) -> None:
    run(*arguments, code=2)


def test_version_and_help() -> None:
    assert run("--version")[0] == f"whippletree {wt.__version__}\n"
    out = words(run("--help")[0])
    assert (
        "Exit codes: 0 success; 1 problems found, or a simulation that could not continue; 2 wrong usage"
        in out
    )
    assert "130 interrupted." in out
    assert "--with MODULE Import a module of yours first" in out
    for command in ("info", "check", "simulate", "view", "examples", "demo", "bench", "cache"):
        assert command in out


# examples and demo


def test_examples_are_listed() -> None:
    lines = [words(line) for line in run("examples")[0].splitlines()]
    assert lines[0] == "name bodies nv what it is"
    assert len(lines) == 2 + len(wt.examples.names())
    assert "humanoid 24 29 A standing figure" in lines[2 + wt.examples.names().index("humanoid")]


def test_examples_as_json() -> None:
    found = json.loads(run("examples", "--json")[0])
    assert [entry["name"] for entry in found] == wt.examples.names()
    assert {"name": "pendulum", "bodies": 1, "nv": 1, "about": wt.examples.about("pendulum")} in found


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A demo of short motions that measures no times, and where its picture goes."""
    monkeypatch.setattr(demo, "best_time", lambda call, seconds: 0.00123)
    monkeypatch.setattr(demo_motion, "DURATION", {"double-pendulum": 0.2, "four-bar": 0.1})
    monkeypatch.setattr(demo_motion, "TRAJECTORIES", 16)
    return tmp_path / "demo.png"


def test_demo(brief: Path) -> None:
    out, err = run("demo", "--picture", brief)
    assert err == ""
    for name in demo.MECHANISMS:
        m = wt.examples.load(name)
        assert f"{name}: {len(m)} bodies" in out
        part = out[out.index(f"Forward dynamics of {name}, one state, by every method:") :]
        for method in wt.methods(m):
            assert f"\n{method} " in part
        assert f"\n{wt.methods(m)[0]}, compiled " in part
        assert "1.23 ms" in part
        assert f"{0.00123 / demo.BATCH * 1e9:.3g} ns" in part
    assert "by divide and conquer" in out
    for name, methods in demo_motion.METHODS.items():
        part = out[out.index(f" s of {name}, energy drift as a share of the kinetic energy") :]
        for method in methods:
            assert f"\n{method} " in part
    assert "16 trajectories of seven-axis-arm, 500 steps each, on one core: " in out
    assert f"Picture: {brief}\n" in out
    assert brief.read_bytes().startswith(b"\x89PNG")
    assert "All results agree to 1e-09." in out


def test_demo_as_json(brief: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "MECHANISMS", ("cart-pole", "four-bar"))
    out, err = run("demo", "--picture", brief, "--json")
    told = json.loads(out)
    assert err == ""
    assert (told["agree"], told["picture"]) == (True, str(brief))
    assert {entry["mechanism"] for entry in told["formulations"]} == set(demo.MECHANISMS)
    assert max(entry["difference"] for entry in told["formulations"]) < demo.AGREEMENT
    drift = {(entry["mechanism"], entry["method"]): entry for entry in told["integrators"]}
    assert len(drift) == sum(map(len, demo_motion.METHODS.values()))
    assert drift["double-pendulum", "euler"]["energy_drift"] > 1e-4
    assert drift["double-pendulum", "rk6"]["energy_drift"] < 1e-9
    assert drift["double-pendulum", "rk6"]["largest_gap"] is None
    assert drift["double-pendulum", "rk6"]["steps"] == 40
    assert drift["four-bar", "rk4"]["largest_gap"] < 1e-13
    assert told["rollout"]["steps_per_second"] > 0.0


def test_demo_without_matplotlib_tells_how_to_get_it(brief: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "MECHANISMS", ("cart-pole",))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out, _ = run("demo", "--picture", brief)
    assert "plots need matplotlib: pip install whippletree[plot]\n" in out
    assert not brief.exists()
    _, err = run("demo", "--picture", "demo.doc", code=2)
    assert err == "whippletree: demo.doc: has the suffix '.doc'; known: .png, .svg, .pdf, .jpg\n"


@pytest.mark.parametrize("factor", [1.0 + 1e-8, float("nan")])
def test_demo_fails_if_results_differ(brief: Path, monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    def wrong(m: wt.Mechanism, state: demo.State) -> Iterator[demo.Entry]:
        yield demo.Entry("wrong", "on purpose", lambda: factor * wt.aba(m, *state))

    monkeypatch.setattr(demo, "MECHANISMS", ("cart-pole",))
    monkeypatch.setattr(demo, "CHAPTERS", [demo.interpreted, wrong])
    out, err = run("demo", "--picture", brief, code=1)
    assert "wrong" in out
    assert "agree" not in out
    assert err == "whippletree: results differ by more than 1e-09\n"


def test_best_time_calls_at_least_once() -> None:
    calls = []
    assert demo.best_time(lambda: calls.append(1), 0.0) >= 0.0
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (0.012, "12 ms"), (3.456e-6, "3.46 µs"), (4.2e-8, "42 ns")]
)
def test_times_have_units(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


def test_a_narrow_window_gets_fewer_columns() -> None:
    m = wt.examples.load("seven-axis-arm")
    for width, left_out in ((200, ""), (100, "parent, velocity, effort, centre of mass [m]")):
        console = Console(width=width, file=io.StringIO())
        printing.print_tree(console, m)
        printed = console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
        rows = [line for line in printed.splitlines() if "Revolute z" in line]
        assert len(rows) == 7
        assert all(f"link{i + 1}" in row and f"joint{i + 1}" in row for i, row in enumerate(rows))
        assert ("left out, as the window is narrow" in printed) == bool(left_out)
        assert left_out in words(printed)


# From the outside


def test_the_command_runs_and_errors_are_one_line() -> None:
    command = [sys.executable, "-m", "whippletree"]
    done = subprocess.run([*command, "info", "pendulum"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pendulum: 1 body, nq = 1, nv = 1, 1 kg")
    failed = subprocess.run([*command, "info", "pendulums"], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == (
        "whippletree: pendulums: no such file, and no bundled mechanism: `whippletree examples` lists those\n"
    )


def test_the_library_does_not_load_the_command_line() -> None:
    code = "import sys, whippletree; print(sorted({'typer', 'rich', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
