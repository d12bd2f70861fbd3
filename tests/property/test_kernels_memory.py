"""Results of large batches leave by whole lines: the same numbers, and nothing else written."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.kernels.run import general_call as checked
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.trace.recording import trace

MARGIN = 9  # numbers around the results: more than a line


@pytest.fixture(scope="module")
def kernels() -> list[Kernel]:
    """Rows of 49, 7 and 1 numbers, the last twice: one array's room behind the other's; long rows by slots.

    Those are of 343 numbers, many of them twice, which is some lines more than twice what is gathered at a
    time, and of 256, which is just twice that.
    """
    m = wt.examples.load("seven-axis-arm")
    long = trace(lambda x: (np.outer(np.outer(x, x), x), np.resize(2.0 * x, 256)), {"x": (7,)})
    return [wt.compile(wt.crba, m), wt.compile(wt.bias_force, m), wt.compile(wt.energy, m), Kernel(long)]


@pytest.mark.parametrize("count", [2, 3, 7, 8, 9, 16, 17, 1001])
@pytest.mark.parametrize("threads", [1, 2])
def test_streamed_results_are_the_same_at_every_alignment(kernels, count, threads, monkeypatch):
    rng = np.random.default_rng(count)
    for kernel in kernels:
        states = [rng.normal(size=(count, 7)) for _ in kernel.program.inputs]
        monkeypatch.setattr(checked, "STREAMED", np.inf)
        direct = kernel(*states)
        expected = direct if isinstance(direct, tuple) else (direct,)
        monkeypatch.setattr(checked, "STREAMED", 0)
        for begin in range(8):
            memory = [np.full(MARGIN + begin + result.size + MARGIN, np.nan) for result in expected]
            parts = [slice(MARGIN + begin, MARGIN + begin + result.size) for result in expected]
            out = [
                place[part].reshape(result.shape)
                for place, part, result in zip(memory, parts, expected, strict=True)
            ]
            kernel(*states, out=tuple(out) if len(out) > 1 else out[0], threads=threads)
            for place, part, result in zip(memory, parts, expected, strict=True):
                np.testing.assert_array_equal(place[part], result.ravel())
                place[part] = np.nan
                assert np.isnan(place).all(), "written outside of the results"


def test_large_results_are_streamed():
    m = wt.examples.load("seven-axis-arm")
    kernel = wt.compile(wt.crba, m)
    q = np.random.default_rng(1).normal(size=(80_000, 7))
    out = np.empty((80_000, 7, 7))
    assert q.nbytes + out.nbytes > checked.STREAMED
    kernel(q, out=out)
    some = [0, 1, 39_999, 79_998, 79_999]
    np.testing.assert_array_equal(out[some], [kernel(q[i]) for i in some])
