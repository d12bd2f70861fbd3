"""The bar that tells how far some work is: on terminals, after a second, with the time left."""

import os
import pty
import subprocess
import sys
import time

import pytest

from whippletree.simulation import progress
from whippletree.simulation.progress import Progress

# Draws at 40 of 100 in steps of a twentieth of a second, as fast as the bar's own patience is short here.
WORK = """
import time
from whippletree.simulation import progress
progress.PATIENCE = {patience}
with progress.Progress(100.0, {wanted}, "moving") as bar:
    for k in range(40):
        bar.at(float(k))
        time.sleep(0.02)
print("done")
"""


def shown(patience: float, wanted: bool) -> str:
    """What a terminal gets to see of the work."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    code = WORK.format(patience=patience, wanted=wanted)
    with subprocess.Popen([sys.executable, "-c", code], stderr=theirs, env=environment) as process:
        os.close(theirs)
        read = b""
        while True:
            try:
                part = os.read(ours, 10_000)
            except OSError:  # how a terminal ends on Linux
                break
            if not part:
                break
            read += part
        assert process.wait() == 0
    os.close(ours)
    return read.decode()


@pytest.mark.skipif(os.name != "posix", reason="terminals are opened as on POSIX systems")
def test_a_terminal_shows_how_far_it_is_and_how_long_it_takes():
    seen = shown(0.1, True)
    assert "moving" in seen
    assert "━" in seen
    percents = [int(part.split()[-1]) for part in seen.split("%")[:-1] if part.split()[-1].isdigit()]
    assert percents == sorted(percents)
    assert 20 < percents[-1] < 40
    assert "0:00:0" in seen  # left
    assert seen.endswith("\x1b[2K") or "\x1b[?25h" in seen  # and it goes away
    assert shown(60.0, True) == ""
    assert shown(0.1, False) == ""


def test_nothing_is_shown_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with Progress(1.0, True) as bar:
        bar.at(0.5)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
