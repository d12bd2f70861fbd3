"""Threads that share a batch: all pieces once, errors where they belong, threads kept and given back."""

import multiprocessing
import os
import signal
import threading
import time
import warnings
import weakref
from functools import partial

import numpy as np
import pytest

import whippletree as wt
from whippletree.kernels.run import threads


@pytest.mark.parametrize("count", [1, 7, 8, 1000, 65_537])
@pytest.mark.parametrize("grain", [1, 8, 800])
@pytest.mark.parametrize("most", [1, 2, 5])
def test_pieces_cover_a_batch(count, grain, most):
    size, n = threads.pieces(count, grain, most)
    assert 1 <= n <= most
    assert size >= count if n == 1 else size % grain == 0
    assert n * grain <= count + grain - 1  # no thread without work


def test_all_threads_work_at_once():
    meeting = threading.Barrier(3, timeout=10.0)
    threads.run(meeting.wait, 3)  # would time out if one waited for another


def test_threads_are_used_again():
    threads.run(lambda: None, 3)
    known = threading.active_count()
    for _ in range(20):
        threads.run(lambda: None, 3)
    assert threading.active_count() == known


def test_an_error_of_another_thread_arrives():
    here, meeting = threading.get_ident(), threading.Barrier(2, timeout=10.0)

    def fail_elsewhere():
        meeting.wait()  # a thread that begins when all is done has nothing to do
        if threading.get_ident() != here:
            raise ZeroDivisionError("elsewhere")

    with pytest.raises(ZeroDivisionError, match="elsewhere"):
        threads.run(fail_elsewhere, 2)
    threads.run(lambda: None, 2)  # the thread is as good as new


def test_an_error_of_this_thread_waits_for_the_others():
    here, done, meeting = threading.get_ident(), threading.Event(), threading.Barrier(2, timeout=10.0)

    def fail_here():
        meeting.wait()
        if threading.get_ident() == here:
            raise ZeroDivisionError("here")
        time.sleep(0.1)
        done.set()

    with pytest.raises(ZeroDivisionError, match="here"):
        threads.run(fail_here, 2)
    assert done.is_set()


def test_a_job_is_kept_until_its_threads_have_ended():
    """An interrupt while others compute is raised when they have ended, and not before."""
    here, meeting, ended = threading.get_ident(), threading.Barrier(2, timeout=10.0), []

    def work():
        meeting.wait()
        if threading.get_ident() == here:
            return  # and wait for the other one
        for _ in range(3):  # the second and third while the first is taken care of
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        ended.append(True)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            threads.run(work, 2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [True]
    threads.run(threading.Barrier(2, timeout=10.0).wait, 2)  # the thread is as good as new


def test_what_was_computed_with_is_not_kept():
    array = np.zeros(10)
    seen = weakref.ref(array)
    threads.run(partial(len, array), 2)
    del array
    deadline = time.monotonic() + 10.0
    while seen() is not None and time.monotonic() < deadline:
        time.sleep(0.01)  # a thread that was late looks, and forgets
    assert seen() is None


@pytest.mark.parametrize("possible", [0, 1])
def test_threads_that_cannot_be_started_are_done_without(monkeypatch, possible):
    monkeypatch.setattr(threads, "_crew", threads._Crew())
    start, started = threading.Thread.start, []

    def scarce(thread):
        if len(started) == possible:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    m = wt.examples.load("double-pendulum")
    kernel = wt.compile(wt.aba, m)
    q = np.random.default_rng(0).normal(size=(200_000, 2))
    for _ in range(3):
        np.testing.assert_array_equal(kernel(q, q, q, threads=4), kernel(q, q, q))
    assert len(started) == possible
    threads.run(threading.Barrier(1 + possible, timeout=10.0).wait, 1 + possible)  # it is still of use
    monkeypatch.undo()


@pytest.mark.parametrize("number", [threads.most() + 1, 10**9])
def test_far_more_threads_than_cores_are_refused(number):
    m = wt.examples.load("double-pendulum")
    kernel, x = wt.compile(wt.aba, m), np.zeros((4, 2))
    told = f"threads is {number}, expected at most {threads.most()}, 8 for each core of this machine"
    for call in (
        lambda: kernel(x, x, x, threads=number),
        lambda: wt.rollout(m, x, x, steps=3, threads=number),
    ):
        with pytest.raises(wt.InputError, match=f"^{told}$"):
            call()
    kernel(x, x, x, threads=threads.most())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # that is the point
def test_threads_after_a_fork():
    m = wt.examples.load("double-pendulum")
    kernel = wt.compile(wt.aba, m)
    q = np.random.default_rng(0).normal(size=(200_000, 2))
    expected = kernel(q, q, q, threads=2)

    def again():
        np.testing.assert_array_equal(kernel(q, q, q, threads=2), expected)

    child = multiprocessing.get_context("fork").Process(target=again)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of JAX, where another test has imported it
        child.start()
    child.join(60.0)
    assert child.exitcode == 0
