"""The command `whippletree view`: what it shows, tells, refuses, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

import robots
import whippletree as wt
from whippletree.cli import app as cli
from whippletree.cli import view as cli_view

RUNNER = CliRunner()


def start(*arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "whippletree", "view", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    # Where the tests themselves run in the background, Ctrl-C is ignored, and by their children, too.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=heard)


def test_it_serves_a_page_until_ctrl_c() -> None:
    romeo = robots.HOME / "romeo_description/urdf/romeo_laas_small.urdf"
    with start(romeo, "--port", 0, "--floating") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        url = line.split()[0]
        assert line == f"{url}   (Ctrl-C to end)\n"
        assert process.stdout.readline() == "stops at the limits of 31 joints; --no-stops leaves them out\n"
        with urlopen(url) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (0, "")
    told = err.splitlines()
    assert len(told) == cli_view.TOLD + 1
    assert told[0].startswith("whippletree: ")
    assert "no such mesh file; " in told[0]
    assert told[0].endswith(" is drawn by its inertia")
    assert told[-1] == "whippletree: … and 10 more warnings"


def test_it_shows_examples_files_and_trajectories(tmp_path: Path) -> None:
    m = wt.examples.load("cart-pole")
    wt.save(m, tmp_path / "cart.toml")
    run = wt.simulate(m, [0.0, 0.3], duration=0.1, method="rk4")
    run.save(tmp_path / "run.npz")
    assert cli_view.shown("cart-pole", False, []) == m
    assert cli_view.shown(str(tmp_path / "cart.toml"), False, []) == m
    loaded = cli_view.shown(str(tmp_path / "run.npz"), False, [])
    assert isinstance(loaded, wt.Trajectory)
    assert loaded.mechanism == m
    robot = str(robots.HOME / "ur_description/urdf/ur5_robot.urdf")
    for floating, nv in ((False, 6), (True, 12)):
        found = cli_view.shown(robot, floating, [])
        assert isinstance(found, wt.Mechanism)
        assert found.nv == nv


def test_packages_lead_to_meshes(tmp_path: Path) -> None:
    source = robots.HOME / "ur_description/urdf/ur5_robot.urdf"
    (tmp_path / "alone.urdf").write_text(source.read_text())
    packages = [robots.HOME.parent.parent, robots.HOME.parent, robots.HOME]
    found = cli_view.shown(str(tmp_path / "alone.urdf"), False, packages)
    assert isinstance(found, wt.Mechanism)
    meshes = [shape.shape for body in found.bodies for shape in body.visuals]
    assert len(meshes) == 6
    assert all(isinstance(mesh, wt.Mesh) and Path(mesh.file).is_file() for mesh in meshes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.urdf"], "nowhere.urdf: no such file, and no bundled mechanism"),
        (["pendulum", "--floating"], "--floating: pendulum has its own root, only URDF files need one"),
        (["table.csv"], "view: this trajectory has no mechanism; tables carry none, save it as .npz"),
        (["pendulum", "--host", "203.0.113.7"], "host '203.0.113.7' cannot be used"),
        (["pendulum", "--port", "TAKEN"], "cannot be used (Address already in use): give another port"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wt.simulate(wt.examples.load("pendulum"), [0.4], duration=0.1, method="rk4").save("table.csv")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = RUNNER.invoke(cli.app, ["view", *(port if part == "TAKEN" else part for part in arguments)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_extra_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    result = RUNNER.invoke(cli.app, ["view", "pendulum"])
    assert result.exit_code == 2
    assert result.stderr == "whippletree: the viewer needs viser: pip install whippletree[view]\n"
