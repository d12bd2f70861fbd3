"""Machine code stays within the arrays it is given: they lie against pages that nobody may touch."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "guarded_memory.py"


def run(what: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run([sys.executable, PROGRAM, what], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(("what", "calls"), [("kernels", 3000), ("rollouts", 800)])
def test_nothing_is_read_or_written_out_of_bounds(what: str, calls: int) -> None:
    ended = run(what)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert int(ended.stdout) > calls


@pytest.mark.parametrize("where", ["before", "after"])
def test_one_number_too_far_would_be_seen(where: str) -> None:
    assert run(where).returncode in (-signal.SIGSEGV, -signal.SIGBUS)
