"""Arrays against pages that nobody may touch; run as a program, every kind of call upon such arrays.

A read or write out of bounds, by a single number, ends the process: the test that runs this sees it.
"""

import ctypes
import mmap
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.kernels.run import general_call

PAGE = mmap.PAGESIZE
NONE, READ, WRITE = 0, 1, 2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_kept: list[mmap.mmap] = []
"""Memory is never given back: its pages stay guarded."""


def _protect(address: int, length: int, access: int) -> None:
    if _libc.mprotect(address, length, access):
        raise OSError(ctypes.get_errno(), "mprotect")


def guarded(values: np.ndarray, at_end: bool, access: int = READ) -> np.ndarray:
    """A copy between two pages without access: it ends right before one, or begins right after the other."""
    pages = -(-max(values.nbytes, 1) // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    _kept.append(memory)
    start = PAGE + (pages * PAGE - values.nbytes if at_end else 0)
    array = np.frombuffer(memory, values.dtype, values.size, start).reshape(values.shape)
    array[...] = values
    address = array.ctypes.data - start
    _protect(address, PAGE, NONE)
    _protect(address + (pages + 1) * PAGE, PAGE, NONE)
    _protect(address + PAGE, pages * PAGE, access)
    return array


def places(results: Any, at_end: bool) -> Any:
    """Guarded arrays of the shapes of results, nested as these."""
    if isinstance(results, tuple):
        return tuple(places(part, at_end) for part in results)
    return guarded(np.full(np.shape(results), np.nan, results.dtype), at_end, READ | WRITE)


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def states(rng: np.random.Generator, kernel: wt.Kernel, count: int) -> Iterator[list[np.ndarray]]:
    """Inputs for a single state, a batch, and batches of which each input in turn serves all."""
    shapes = [entry.shape for entry in kernel.program.inputs]
    full = [rng.normal(size=(count, *shape)).astype(kernel.dtype) for shape in shapes]
    yield [rng.normal(size=shape).astype(kernel.dtype) for shape in shapes]
    yield full
    for k in range(len(full)):
        yield [array[0] if i == k else array for i, array in enumerate(full)]
        yield [array[:1] if i == k else array for i, array in enumerate(full)]


def kernels() -> int:
    """All kernels in all ways of being called; how many calls."""
    arm, links = wt.examples.load("double-pendulum"), wt.examples.load("four-bar")
    made = [
        wt.compile(wt.aba, arm),
        wt.compile(wt.crba, wt.examples.load("cart-pole")),
        wt.compile(wt.energy, arm),
        wt.compile(wt.aba, arm, parameters=["lower.mass"]),
        wt.compile(wt.constraint_jacobian, links),
        wt.compile(lambda q: np.outer(np.arange(1.0, 112.0), q), arm),  # rows that go by slots
        wt.compile(wt.aba, arm, dtype="float32"),
        wt.compile(lambda q: np.outer(np.arange(1.0, 112.0), q), arm, dtype="float32"),
    ]
    rng, calls, streamed = np.random.default_rng(0), 0, general_call.STREAMED
    for kernel, count, at_end in product(made, (*range(1, 18), 33), (True, False)):
        for k, given in enumerate(states(rng, kernel, count)):
            inputs = [guarded(array, at_end) for array in given]
            expected = kernel(*given)
            same(kernel(*inputs), expected)
            out = places(expected, at_end)
            same(kernel(*inputs, out=out), expected)
            calls += 2
            if k == 1:
                for threads, least in product((1, 2, 3), (streamed, 0)):
                    general_call.STREAMED = least
                    same(kernel(*inputs, out=places(expected, at_end), threads=threads), expected)
                    calls += 1
                general_call.STREAMED = streamed
    return calls


def rollouts() -> int:
    """Rollouts from and into guarded arrays; how many."""
    m, rng, calls = wt.examples.load("double-pendulum"), np.random.default_rng(1), 0
    for count, at_end, threads in product((*range(1, 18), 33), (True, False), (1, 2)):
        q0, qd0 = 0.3 * rng.normal(size=(2, count, 2))
        for tau in (np.array([0.1, 0.2]), rng.normal(size=(5, 2)), rng.normal(size=(count, 5, 2))):
            for every, dtype in ((1, "float64"), (2, "float64"), (2, "float32")):
                how = {"steps": 5, "every": every, "dtype": dtype}
                expected = wt.rollout(m, q0, qd0, tau, **how)
                arrays = [guarded(array.astype(dtype), at_end) for array in (q0, qd0, tau)]
                same(wt.rollout(m, *arrays, **how, threads=threads), expected)
                out = places(expected, at_end)
                wt.rollout(m, *arrays, **how, threads=threads, out=out)
                same(out, expected)
                calls += 2
    return calls


def beyond(access: str) -> None:
    """One number too far, so that the guard itself is tested."""
    array = guarded(np.ones(3), at_end=access == "after", access=READ | WRITE)
    wrong = array.ctypes.data + (array.nbytes if access == "after" else -8)
    ctypes.c_double.from_address(wrong).value = 1.0


if __name__ == "__main__":
    if sys.argv[1] in ("before", "after"):
        beyond(sys.argv[1])
    print({"kernels": kernels, "rollouts": rollouts}[sys.argv[1]]())
