"""Loops count exactly what they do, and take the same code however often they go round."""

import numpy as np

import whippletree as wt
from whippletree.kernels.run import build
from whippletree.kernels.run.machine import host
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.recording import trace


def sweeps(count):
    """Gauss-Seidel; what does not change is computed once."""

    def solve(A, b):
        def sweep(x):
            for i in range(4):
                rest = sum(A[i, j] * x[j] for j in range(4) if j != i)
                x[i] = (b[i] - rest) * (1.0 / A[i, i])
            return x

        return wt.repeat(count, sweep, 0.0 * b)

    return simplify(trace(solve, {"A": (4, 4), "b": (4,)}))


def test_operations_of_a_loop_are_counted_as_often_as_they_are_done():
    for count in (2, 7, 1000):
        cost = sweeps(count).cost
        assert cost["mul"] == 16 * count
        assert cost["add"] == 12 * count
        assert cost["div"] == 4  # outside


def test_code_does_not_grow_with_the_count():
    texts = [build.kernel_text(sweeps(count), host(), host().width) for count in (10, 100_000)]
    assert abs(len(texts[0]) - len(texts[1])) < 10
    lengths = {count: sweeps(count).n_instructions for count in (2, 1000)}
    assert len(set(lengths.values())) == 1


def test_equal_loops_share_their_code():
    def smooth(x, times):
        for i in range(times):
            x = wt.repeat(3, lambda y: np.sin(y) + 0.5 * np.cos(y) * y, x + 0.1 * i)
        return x

    one, six = (
        build.kernel_text(trace(lambda x, times=times: smooth(x, times), {"x": (2,)}), host(), 1)
        for times in (1, 6)
    )
    defined = "define internal void @wt.loop."
    assert one.count(defined) == six.count(defined) == 2  # its body, and the loop around it
