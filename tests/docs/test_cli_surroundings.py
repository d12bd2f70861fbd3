"""The command line where streams are missing or know few letters, and where words are wrong."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from whippletree.cli import app as cli

RUNNER = CliRunner()


def run(command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """A command in a shell, `whippletree` being this one."""
    line = command.replace("whippletree", f'"{sys.executable}" -m whippletree')
    return subprocess.run(
        line, shell=True, capture_output=True, env={**os.environ, **environment}, check=False
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["simulate"], "whippletree: Missing argument 'FILE|EXAMPLE'; see `whippletree simulate --help`\n"),
        (["simulat"], "whippletree: No such command 'simulat'"),
        (["info", "pendulum", "--jsno"], "whippletree: No such option: --jsno"),
        (["simulate", "pendulum", "--duration", "long"], "whippletree: Invalid value for '--duration'"),
        (["--nothing"], "whippletree: No such option: --nothing"),
        (
            ["simulate", "pendulum", "--dt", "0.01"],
            "whippletree: --dt is given, but --method auto chooses its steps: give a --method of fixed step",
        ),
    ],
)
def test_wrong_use_is_told_in_one_line(words: list[str], told: str) -> None:
    result = RUNNER.invoke(cli.app, words, prog_name="whippletree")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(told)
    assert result.stderr.count("\n") == 1
    assert "rtol" not in result.stderr


def test_help_stays_help() -> None:
    for words in ([], ["--help"], ["simulate", "--help"]):
        result = RUNNER.invoke(cli.app, words)
        assert "Usage" in result.output


def test_letters_that_a_stream_does_not_know_are_escaped() -> None:
    told = run("whippletree info pendulum", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"m/s\\xb2" in told.stdout
    listed = run("whippletree examples --json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (listed.returncode, listed.stderr) == (0, b"")
    assert json.loads(listed.stdout) == json.loads(run("whippletree examples --json").stdout)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_reason_to_fail(closed: str) -> None:
    told = run(f"whippletree simulate pendulum --duration 0.1 {closed}")
    assert told.returncode == 0
    assert told.stderr == b""
    wrong = run(f"whippletree info nowhere.urdf {closed}")
    assert wrong.returncode == 2
