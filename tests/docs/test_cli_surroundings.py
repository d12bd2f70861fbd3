"""The command line where streams are missing or know few letters, and where words are wrong."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from whippletree.cli import app as cli

RUNNER = CliRunner()


def run(*commands: str, streams: str = "", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Commands one after the other in a process of its own, in a shell that may close streams.

    It ends with the exit codes of all of them, as digits of one number.
    """
    code = f"""
from whippletree.cli.app import app
codes = 0
for command in {[command.split() for command in commands]!r}:
    try:
        app(command, prog_name="whippletree")
    except SystemExit as end:
        codes = 10 * codes + int(end.code or 0)
raise SystemExit(codes)
"""
    line = f'"{sys.executable}" -c "$CODE" {streams}'
    surroundings = {**os.environ, **environment, "CODE": code}
    return subprocess.run(line, shell=True, capture_output=True, env=surroundings, check=False)


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
    told = run("info pendulum", "examples --json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (told.returncode, told.stderr) == (0, b"")
    shown, listed = told.stdout.split(b"\n[", 1)
    assert b"m/s\\xb2" in shown
    assert json.loads(b"[" + listed) == json.loads(RUNNER.invoke(cli.app, ["examples", "--json"]).stdout)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_reason_to_fail(closed: str) -> None:
    told = run("simulate pendulum --duration 0.1", streams=closed)
    assert (told.returncode, told.stderr) == (0, b"")
    assert run("info pendulum", "info nowhere.urdf", streams=closed).returncode == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("command", ["examples", "info pendulum --json"])
def test_a_full_disk_is_told_in_one_line(command: str) -> None:
    ended = run(command, streams="> /dev/full")
    assert ended.stderr == b"whippletree: output cannot be written: No space left on device\n"
    assert ended.returncode == 2
