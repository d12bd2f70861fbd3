"""The README's code runs, and its commands are those that continuous integration runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_there_is_python_to_run():
    assert blocks("python")


def test_continuous_integration_runs_the_test_command():
    commands = [line for block in blocks("sh") for line in block.splitlines() if "pytest" in line]
    assert len(commands) == 1
    assert commands[0] in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--need-chromium"], 1)])
def test_a_missing_browser_is_told_in_one_line(options, code):
    """Tests in the browser are skipped where there is none, but not by continuous integration."""
    command = [sys.executable, "-m", "pytest", "-q", "tests/docs/test_view_browser.py", *options]
    environment = {**os.environ, "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout
    summary = done.stdout.partition("short test summary info")[2]
    told = [line for line in summary.splitlines() if "apt-get install chromium" in line]
    if code == 0:
        assert len(told) == 1
        assert told[0].startswith("SKIPPED [2] ")
    else:
        assert "2 errors" in summary
    assert "pytest -n 2 --need-chromium" in (ROOT / ".ci" / "run").read_text()
