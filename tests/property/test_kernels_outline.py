"""Outlined programs: the same bits as straight-line code, and code that does not grow with repetition."""

from typing import Any

import numpy as np
import pytest

from random_graphs import Recipe, recipe
from whippletree.kernels import build, cuts
from whippletree.kernels.kernel import Kernel
from whippletree.kernels.machine import host
from whippletree.kernels.outline import outline
from whippletree.kernels.program import Program
from whippletree.kernels.trace import trace

W = host().width


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def chain(n: int, seed: int = 0) -> Program:
    """A recursion out and back over n links with constants of their own: values cross far and near."""
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.5, 1.5, (n, 3))

    def swing(q: Any, v: Any) -> Any:
        frames: list[Any] = []
        s: Any = np.array([1.0, 0.0, 0.0], dtype=object)
        for i in range(n):
            sine, cosine = q[i].sin(), q[i].cos()
            s = np.stack(
                [cosine * s[0] - sine * s[1], sine * s[0] + cosine * s[1], s[2] * 0.9 + lengths[i, 0]]
            )
            s = s + np.stack([v[i] * lengths[i, 1], -v[i], (s[0] > s[1]).where(s[0], 0.5 * s[1])])
            s = s / (1.0 + s @ s).sqrt()
            frames.append(s)
        force, forces = np.zeros(3, dtype=object), []
        for i in reversed(range(n)):
            force = np.cross(frames[i], force + lengths[i]) * 0.5 + frames[i]
            forces.append(force @ frames[i])
        return np.stack(forces[::-1]), force, 7.25

    return trace(swing, {"q": (n,), "v": (n,)})


def both(program: Program, monkeypatch: pytest.MonkeyPatch) -> tuple[Kernel, Kernel]:
    """A kernel of straight-line code, and one of the same program outlined; made before they are used."""
    straight, outlined = Kernel(program), Kernel(program)
    x = [np.zeros(entry.shape) for entry in program.inputs]
    for kernel, longest in ((straight, 10**9), (outlined, 0)):
        monkeypatch.setattr(build, "_LONGEST_STRAIGHT", longest)
        monkeypatch.setattr(build, "_maker", lambda n=longest: str(n))  # the cache must not mix them up
        kernel(*x)
        kernel(*(np.stack([a, a]) for a in x))
    assert [work for *_, work in straight._checked._codes.values()] == [0, 0]
    assert all(work > 0 for *_, work in outlined._checked._codes.values())
    return straight, outlined


def test_same_bits_as_straight_line_code(monkeypatch):
    program = chain(60)
    assert len(outline(program).calls) > 8
    straight, outlined = both(program, monkeypatch)
    rng = np.random.default_rng(1)
    for batch in ((), (1,), (2,), (W,), (3, W + 1)):
        q, v = rng.uniform(-2.0, 2.0, (2, *batch, 60))
        for one, other in zip(straight(q, v), outlined(q, v), strict=True):
            np.testing.assert_array_equal(one, other)
    q, v = rng.uniform(-2.0, 2.0, (2, 10 * W + 3, 60))
    for one, other in zip(straight(q, v), outlined(q, v, threads=2), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(outlined(q, v)[0], program(q, v)[0], rtol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_in_many_small_segments(seed, monkeypatch):
    """Conditions, constants, inputs and results across segments."""
    for name, value in {"_RADIUS": 12, "_SHORTEST": 5, "_LONGEST": 60, "_WINDOW": 6}.items():
        monkeypatch.setattr(cuts, name, value)
    rng = np.random.default_rng(seed)
    made = recipe(lambda n: int(rng.integers(n)), 600, calm=True)
    made = Recipe(made.n_inputs, made.steps, (*range(made.n_inputs + 600), 3, 3))
    program = trace(lambda x: np.stack(made.traced(x)), {"x": (made.n_inputs,)})
    found = outline(program)
    assert len(found.calls) > 20
    assert any(e.kind == 2 for step in found.steps for e in step.externals)
    straight, outlined = both(program, monkeypatch)
    x = rng.uniform(-1.0, 1.0, (2 * W + 1, made.n_inputs))
    np.testing.assert_array_equal(straight(x), outlined(x))
    np.testing.assert_array_equal(outlined(x[0]), outlined(x)[0])


def test_code_does_not_grow_with_repetition():
    sizes = []
    for n in (500, 1000, 2000):
        program = chain(n)
        found = outline(program)
        sizes.append(sum(len(step.instructions) for step in found.steps))
        assert sum(len(found.steps[step].instructions) for step in found.calls[:, 0]) == len(
            program.instructions
        )
        assert found.slots < 12 * n
    assert max(sizes) - min(sizes) < 1000  # only where the out and back runs meet
    assert max(sizes) < 0.1 * len(program.instructions)


def test_frames_are_used_again():
    """A recursion that needs only the last few values needs few slots, however long it is."""

    def decay(x):
        for i in range(5000):
            x = x * 0.999 - (x * x) * (0.01 + 1e-9 * i)
        return x

    program = trace(decay, {"x": (3,)})
    assert outline(program).slots < 100


def test_a_long_kernel_outlines_by_itself(monkeypatch):
    program = chain(1200)
    assert build.is_long(program)
    kernel = Kernel(program, "chain")
    q, v = np.random.default_rng(2).uniform(-2.0, 2.0, (2, W + 1, 1200))
    batch = kernel(q, v)
    for i in range(W + 1):
        for one, many in zip(kernel(q[i], v[i]), batch, strict=True):
            np.testing.assert_array_equal(one, many[i] if np.ndim(many) else many)
    np.testing.assert_allclose(batch[0], program(q, v)[0], rtol=1e-10)
    assert "wt.step" in kernel.source("llvm")


def test_cuts_repeat_with_the_list():
    rng = np.random.default_rng(3)
    for period in (7, 150, 450, 2500):
        ops = np.tile(rng.integers(0, 9, period), 20000 // period)
        far = np.zeros((len(ops), 3), dtype=np.int64)
        middle = [cut for cut in cuts.cuts(ops, far) if 5000 < cut < len(ops) - 5000]
        assert len(middle) > 2
        phases = {cut % period for cut in middle}
        assert len(phases) <= max(1, period // 150)
        lengths = np.diff([0, *cuts.cuts(ops, far), len(ops)])
        assert lengths.min() > 0
        assert lengths.max() <= 3000


def test_cuts_of_short_and_uniform_lists():
    assert cuts.cuts(np.zeros(10, dtype=np.int64), np.zeros((10, 3), dtype=np.int64)) == []
    uniform = cuts.cuts(np.zeros(5000, dtype=np.int64), np.ones((5000, 3), dtype=np.int64))
    assert set(np.diff([0, *uniform]).tolist()) == {100}
