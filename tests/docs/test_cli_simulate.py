"""The command `whippletree simulate`: what it prints, what it writes, and its exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import whippletree as wt
from whippletree.cli import app as cli

RUNNER = CliRunner()


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    result = RUNNER.invoke(cli.app, ["simulate", *(str(argument) for argument in arguments)])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result.stdout, result.stderr


def test_it_tells_what_came_out() -> None:
    out, err = run("double-pendulum", "--q0", "1.0,0.5", "--duration", 2)
    assert err == ""
    assert "integrated     2 s in" in out
    assert "DOP853 (not stiff: nothing takes energy away)" in out
    assert "largest change" in out


def test_it_writes_what_is_asked_for(tmp_path: Path) -> None:
    files = tmp_path / "run.npz", tmp_path / "run.png"
    options = ("--method", "rk4", "--dt", 0.01, "--sample", 0.02, "--out", files[0], "--plot", files[1])
    out, _ = run("cart-pole", "--q0", "pole=0.3", "--qd0", "0 1", "--duration", 0.5, *options, "--json")
    told = json.loads(out)
    saved = wt.load_trajectory(files[0])
    expected = wt.simulate(
        wt.examples.load("cart-pole"), [0.0, 0.3], [0.0, 1.0], 0.5, method="rk4", dt=0.01, sample=0.02
    )
    np.testing.assert_array_equal(saved.q, expected.q)
    assert told["q"] == saved.q[-1].tolist()
    assert (told["states"], told["method"], told["end"]) == (26, "rk4", 0.5)
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert sorted(os.listdir(tmp_path)) == ["run.npz", "run.png"]


def test_a_file_and_its_loops(tmp_path: Path) -> None:
    path = tmp_path / "bar.toml"
    wt.save(wt.examples.load("four-bar"), path)
    out, _ = run(path, "--duration", 0.2)
    assert "loops          open by" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.toml"], "nowhere.toml: no such file, and no bundled mechanism"),
        (["pendulum", "--method", "rk9"], "method is 'rk9'; known: auto"),
        (["pendulum", "--q0", "1,2"], "--q0 has 2 numbers, 'pendulum' takes 1"),
        (["pendulum", "--q0", "fast"], "--q0: 'fast' is not a number"),
        (["pendulum", "--qd0", "bob=2"], "'pendulum' has no joint named 'bob'"),
        (["spinning-top", "--q0", "top=1"], "joint 'top' takes 4 numbers: list all 4"),
        (["pendulum", "--duration", "-1"], "duration is -1"),
        (["pendulum", "--out", "run.mat"], "run.mat: has the suffix '.mat'; known: .npz, .csv, .parquet"),
        (["pendulum", "--plot", "run.doc"], "run.doc: has the suffix '.doc'; known: .png"),
        (
            ["pendulum", "--duration", "1e9", "--out", "no/run.npz"],
            "no/run.npz: cannot be written: there is no directory 'no'",
        ),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: list[str], message: str) -> None:
    out, err = run(*arguments, code=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_run_that_cannot_go_on_has_its_own_exit_code(tmp_path: Path) -> None:
    m = wt.Mechanism("stiff")
    m.add_body("mass", wt.Prismatic("z"), inertia=wt.Inertia(1.0), stiffness=1e9)
    wt.save(m, tmp_path / "stiff.toml")
    old = tmp_path / "run.npz"
    old.write_text("old")
    options = ("--q0", 0.1, "--method", "rk4", "--dt", 0.01, "--out", old)
    with pytest.warns(wt.StepLengthWarning, match="dt is 0.01 s, but joint 'mass' of"):
        _, err = run(tmp_path / "stiff.toml", *options, code=1)
    assert "joint 'mass'" in err
    assert err.count("\n") == 1
    assert old.read_text() == "old"


# In a process of its own: says where it is, so that it can be killed exactly there.
COMPUTING = """
from whippletree.simulation import progress
def at(self, done):
    print("computing", flush=True)
    progress.Progress.at = lambda self, done: None
progress.Progress.at = at
"""
WRITING = """
import os, time
def fsync(file):
    print("writing", flush=True)
    time.sleep(600)
os.fsync = fsync
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX systems")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize(
    ("prelude", "duration", "option"),
    [(COMPUTING, 100_000, "--out"), (WRITING, 0.1, "--out"), (WRITING, 0.1, "--plot")],
    ids=["computing", "writing a trajectory", "writing a picture"],
)
def test_a_killed_run_leaves_the_old_file(
    number: signal.Signals, prelude: str, duration: float, option: str, tmp_path: Path
) -> None:
    path = tmp_path / ("run.npz" if option == "--out" else "run.png")
    path.write_text("old")
    command = [
        sys.executable,
        "-c",
        # Where tests run in the background, SIGINT is ignored, and children inherit that.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        + prelude
        + "from whippletree.cli.app import app; app()",
        "simulate",
        "pendulum",
    ]
    command += ["--duration", str(duration), "--method", "rk4", option, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() in ("computing\n", "writing\n")
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert path.read_text() == "old"
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "Traceback" not in errors
        assert os.listdir(tmp_path) == [path.name]  # nothing half-written stays
    else:
        assert process.returncode == -number


def test_a_movie_by_its_suffix(tmp_path: Path) -> None:
    out, _ = run("pendulum", "--q0", 1.0, "--duration", 0.2, "--gif", tmp_path / "run.gif")
    assert f"  written        {tmp_path / 'run.gif'}\n" in out
    assert (tmp_path / "run.gif").read_bytes().startswith(b"GIF89a")
    _, err = run("pendulum", "--gif", "run.avi", code=2)
    assert err == "whippletree: run.avi: has the suffix '.avi'; known: .gif, .mp4\n"


def test_a_closed_linkage_starts_where_a_joint_is_told():
    out, _ = run("four-bar", "--q0", "crank=0.5", "--duration", 0.1, "--json")
    assert json.loads(out)["end"] == 0.1


def test_the_method_of_forward_dynamics_may_be_chosen() -> None:
    out, _ = run("four-bar", "--duration", 0.05, "--dynamics", "kkt", "--json")
    assert json.loads(out)["dynamics"] == "kkt"
