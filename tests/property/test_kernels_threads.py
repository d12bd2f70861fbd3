"""Threads that share a batch: all pieces once, errors where they belong, threads kept and given back."""

import multiprocessing
import os
import threading

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
    here = threading.get_ident()

    def fail_elsewhere():
        if threading.get_ident() != here:
            raise ZeroDivisionError("elsewhere")

    with pytest.raises(ZeroDivisionError, match="elsewhere"):
        threads.run(fail_elsewhere, 2)
    threads.run(lambda: None, 2)  # the thread is as good as new


def test_an_error_of_this_thread_waits_for_the_others():
    here, done = threading.get_ident(), threading.Event()

    def fail_here():
        if threading.get_ident() == here:
            raise ZeroDivisionError("here")
        done.set()

    with pytest.raises(ZeroDivisionError, match="here"):
        threads.run(fail_here, 2)
    assert done.is_set()


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
    child.start()
    child.join(60.0)
    assert child.exitcode == 0
