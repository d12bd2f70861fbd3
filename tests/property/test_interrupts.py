"""Ctrl-C at any moment of work in machine code: the process lives, and nothing of it runs on.

A few times a kind of work here; `pytest tests/property/test_interrupts.py --interrupts 100` for more.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent to another process")

WORK = {
    "kernel": """
        m = wt.examples.load("seven-axis-arm")
        kernel, x = wt.compile(wt.aba, m), rng.normal(size=(60_000, m.nv))
        expected = kernel(x, x, x)

        def work(out=None):
            return kernel(x, x, x, threads=2, out=out)  # inputs and, without out, results die at once
    """,
    "rollout": """
        m = wt.examples.load("double-pendulum")
        q0, qd0 = rng.normal(size=(2, 600, 2))
        tau = rng.normal(size=(600, 100, 2))
        expected = wt.rollout(m, q0, qd0, tau)[0]

        def work(out=None):
            return wt.rollout(m, q0.copy(), qd0.copy(), tau.copy(), threads=2,
                out=None if out is None else (out, np.empty_like(out)))[0]
    """,
    "guarded rollout": """
        m = wt.examples.load("four-bar")
        q0 = wt.assemble(m, np.full(m.nq, 0.3), hold=[m.bodies[0].name])
        q0, qd0 = np.tile(q0, (400, 1)), np.zeros((400, m.nv))
        expected = wt.rollout(m, q0, qd0, steps=128)[0]

        def work(out=None):
            return wt.rollout(m, q0.copy(), qd0.copy(), steps=128, threads=2,
                out=None if out is None else (out, np.empty_like(out)))[0]
    """,
    "compilation": """
        numbers, x = itertools.count(), np.ones((40_000, 7))
        expected = Kernel(trace(lambda a: np.sin(0.5 * a), {"a": (7,)}))(x)

        def work(out=None):
            own = 1.0 + next(numbers) + os.getpid()  # a program that nobody has compiled yet
            def function(a):
                for _ in range(20):
                    a = np.sin(a * own) + a
                return a
            Kernel(trace(function, {"a": (7,)}))(x, threads=2)
            return Kernel(trace(lambda a: np.sin(0.5 * a), {"a": (7,)}))(x, threads=2, out=out)
    """,
}

CHILD = """
import gc, itertools, os, signal, sys, threading, time
from pathlib import Path
import numpy as np
import whippletree as wt
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.store import cache
from whippletree.kernels.trace.recording import trace

signal.setitimer(signal.ITIMER_PROF, 60 + 2 * {times})  # a child that hangs ends, too,
signal.alarm(10 * (60 + 2 * {times}))  # be it by waiting, as on a busy machine
rng = np.random.default_rng(5)
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells in the background have it ignored
{work}
out = np.empty_like(expected)
work(out)
for turn in range({times}):
    try:
        print("ready", flush=True)
        while True:
            work()
            work(out)
    except KeyboardInterrupt:
        pass
    seen = out.copy()
    time.sleep(0.02)
    assert np.array_equal(out, seen, equal_nan=True), "a thread still writes"
    names = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    assert names in ([], ["whippletree"]), names
    assert gc.isenabled()
    assert not list(cache.directory().glob(".new-*")), "an unfinished entry is left"
    assert np.array_equal(work(out), expected)
    children = Path(f"/proc/self/task/{{os.getpid()}}/children")
    assert not children.exists() or not children.read_text().split(), "a process is left"
print("done", flush=True)
{end}
"""

ENDLESS = """
print("ready", flush=True)
while True:
    work()
"""


def started(kind: str, times: int, folder: Path, end: str = "") -> subprocess.Popen[str]:
    """A process that works, with a cache of its own in a folder: others have unfinished entries in theirs."""
    lines = [line[8:] for line in WORK[kind].splitlines()]
    script = CHILD.format(work="\n".join(lines), times=times, end=end)
    pipe, environment = subprocess.PIPE, {**os.environ, "XDG_CACHE_HOME": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=pipe, stderr=pipe, text=True, env=environment
    )


def interrupt_later(child: subprocess.Popen[str], random: random.Random) -> threading.Event:
    """Ctrl-C at some moment, and again until the event is set.

    Python drops one that falls into the callback of a weak reference, as when a thread ends; who sits at the
    keyboard then presses once more.
    """
    later, answered = random.uniform(0.0, 0.06), threading.Event()

    def press() -> None:
        time.sleep(later)
        while child.poll() is None and not answered.is_set():
            child.send_signal(signal.SIGINT)
            answered.wait(20.0)

    threading.Thread(target=press, daemon=True).start()
    return answered


@pytest.mark.parametrize("kind", WORK)
def test_interrupted_again_and_again(kind, pytestconfig, tmp_path):
    times, moments = pytestconfig.getoption("--interrupts"), random.Random(kind)
    child = started(kind, times, tmp_path)
    assert child.stdout is not None
    heard, line, answered = 0, "", threading.Event()
    for line in child.stdout:
        answered.set()
        if line == "ready\n":
            answered = interrupt_later(child, moments)
            heard += 1
    answered.set()
    _, told = child.communicate(timeout=60.0)
    assert child.returncode == 0, f"{child.returncode} after {heard} interrupts: {told}"
    assert (line, heard) == ("done\n", times)


@pytest.mark.parametrize("kind", WORK)
def test_an_interrupt_that_ends_the_process(kind, tmp_path):
    child = started(kind, 0, tmp_path, ENDLESS)
    assert child.stdout is not None
    for line in child.stdout:
        if line == "ready\n":
            interrupt_later(child, random.Random(f"{kind} {os.getpid()}"))
    _, told = child.communicate(timeout=60.0)
    assert child.returncode in (-signal.SIGINT, 1), (child.returncode, told)
    assert told.rstrip().endswith("KeyboardInterrupt")
