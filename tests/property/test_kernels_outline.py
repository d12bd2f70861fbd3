"""Outlined programs: the same bits as straight-line code, and code that does not grow with repetition."""

import threading
from typing import Any

import numpy as np
import pytest

from random_graphs import Recipe, recipe
from whippletree.kernels.emit import cuts
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.emit.outline import FLIP, outline
from whippletree.kernels.emit.schedule import schedule
from whippletree.kernels.run import build
from whippletree.kernels.run.general_call import Checked
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.machine import host
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace

W = host().width


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def chain(n: int, seed: int = 0) -> Program:
    """A recursion out and back over n links with constants of their own, of either sign.

    Values cross from near and far, and signs pass through every kind of operation.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.5, 1.5, (n, 6)) * rng.choice([-1.0, 1.0], (n, 6))

    def swing(q: Any, v: Any) -> Any:
        frames: list[Any] = []
        s: Any = np.array([1.0, 0.0, 0.0], dtype=object)
        for i in range(n):
            sine, cosine = q[i].sin(), q[i].cos()
            e = np.stack([lengths[i, 0] * sine + lengths[i, 1] * cosine, lengths[i, 2] * cosine, sine])
            s = np.stack([e[0] * s[0] - e[1] * s[1], e[2] * s[0] + e[0] * s[1], s[2] * 0.9 + lengths[i, 0]])
            s = s + np.stack([v[i] * lengths[i, 1], -v[i], (s[0] > s[1]).where(s[0], lengths[i, 4] * s[1])])
            bent = (lengths[i, 5] * s[0] + s[1]).arctan2(2.0 + abs(s[2] * lengths[i, 3]))
            s = (s + bent.tan() / (lengths[i, 2] * 3.0)) / (1.0 + s @ s).sqrt()
            frames.append((e, s))
        force: Any = np.zeros(3, dtype=object)
        forces: list[Any] = []
        for i in reversed(range(n)):
            e, s = frames[i]
            force = np.cross(s, force + lengths[i, :3] * e) * 0.5 + e * s
            force = np.stack([force[0].minimum(lengths[i, 3] * e[1]), force[1] / (3.0 + e[0]), force[2]])
            forces.append(force @ s)
        return np.stack(forces[::-1]), force, 7.25

    return trace(swing, {"q": (n,), "v": (n,)})


def arm(n: int, seed: int = 0) -> Program:
    """The same without decisions: sums, products, quotients, sines, as in dynamics of a chain of bodies."""
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(0.5, 1.5, (n, 9)) * rng.choice([-1.0, 1.0], (n, 9))

    def swing(q: Any, v: Any) -> Any:
        turns: list[Any] = []
        s: Any = np.array([1.0, 0.5, 0.0], dtype=object)
        for i in range(n):
            a, b, c = numbers[i].reshape(3, 3)
            turn = np.stack([a * q[i].sin() + b * q[i].cos(), c * q[i].sin(), b * q[i].cos() - a])
            s = 0.3 * (turn @ s) + v[i] * a
            turns.append((turn, s))
        weight: Any = np.diag([2.0, 3.0, 4.0])
        forces: list[Any] = []
        for i in reversed(range(n)):
            turn, s = turns[i]
            column = weight[:, 2] / (20.0 + weight[2, 2])
            weight = 0.1 * (turn.T @ (weight - np.outer(column, weight[2])) @ turn) + np.diag(numbers[i, :3])
            forces.append(weight[0] @ s)
        return np.stack(forces[::-1])

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
    assert [work for *_, work, _ in straight._checked._codes.values()] == [0, 0]
    assert all(work > 0 for *_, work, _ in outlined._checked._codes.values())
    return straight, outlined


@pytest.mark.parametrize("make", [chain, arm])
def test_same_bits_as_straight_line_code(make, monkeypatch):
    program = make(60)
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
    expected = program(q, v)
    for one, other in zip(expected, outlined(q, v), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)


def test_batches_of_several_threads_at_once(monkeypatch):
    """The entrance has memory for one of them; others go the other way."""
    program = chain(60)
    straight, outlined = both(program, monkeypatch)
    monkeypatch.setattr(Checked, "_run", None)  # the first goes by the entrance alone
    states = np.random.default_rng(2).uniform(-2.0, 2.0, (4, 2, 300, 60))
    several = [outlined(*state) for state in states]
    out = tuple(np.empty_like(part) for part in several[0])
    assert outlined(*states[0], out=out) is out
    monkeypatch.undo()
    for state, found in zip(states, several, strict=True):
        for one, other in zip(straight(*state), found, strict=True):
            np.testing.assert_array_equal(one, other)
    wrong = []

    def work(k):
        for _ in range(20):
            pairs = zip(outlined(*states[k]), several[k], strict=True)
            if not all(np.array_equal(one, other) for one, other in pairs):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


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
    assert any(e.is_condition for step in found.steps for e in step.externals)
    straight, outlined = both(program, monkeypatch)
    x = rng.uniform(-1.0, 1.0, (2 * W + 1, made.n_inputs))
    np.testing.assert_array_equal(straight(x), outlined(x))
    np.testing.assert_array_equal(outlined(x[0]), outlined(x)[0])


def test_code_does_not_grow_with_repetition():
    sizes = []
    for n in (100, 200, 400):
        program = fuse(arm(n))
        found = outline(program)
        sizes.append(sum(len(step.instructions) for step in found.steps))
        lengths = [sum(i[0] != FLIP for i in step.instructions) for step in found.steps]
        assert sum(lengths[step] for step in found.calls[:, 0]) == len(program.instructions)
        assert found.slots < 40 * n
    assert abs(sizes[2] - sizes[1]) < 2000  # only where the runs out and back begin, meet and end
    assert sizes[2] < 0.1 * len(program.instructions)


def test_signs_are_turned_only_where_they_differ():
    """The same links with constants of one sign need no turning; of either sign, little."""

    def turned(program: Program) -> float:
        found = outline(program)
        each = [sum(i[0] == FLIP for i in step.instructions) for step in found.steps]
        return sum(each[step] for step in found.calls[:, 0]) / len(program.instructions)

    def links(signs: np.ndarray) -> Program:
        def wind(x: Any) -> Any:
            y = x[::-1]
            for i in range(1500):
                c = signs[i] * (0.1 + 1e-5 * i)
                e = np.stack([c[0] * x[0] + c[1] * x[1], c[2] * x[0] + c[3] * x[1]])
                x = x + 0.01 * np.stack([e[0] * y[0] + e[1] * y[1], e[1] * y[0] - e[0] * y[1]])
            return x

        return trace(wind, {"x": (2,)})

    rng = np.random.default_rng(0)
    assert turned(links(np.ones((1500, 4)))) == 0.0
    assert 0.0 <= turned(links(rng.choice([-1.0, 1.0], (1500, 4)))) < 0.2


def test_frames_are_used_again():
    """A recursion that needs only the last few values needs few slots, however long it is."""

    def decay(x):
        for i in range(5000):
            x = x * 0.999 - (x * x) * (0.01 + 1e-9 * i)
        return x

    program = trace(decay, {"x": (3,)})
    assert outline(program).slots < 100


def test_a_long_kernel_outlines_by_itself():
    program = arm(300)
    assert build.is_long(program)
    kernel = Kernel(program, "arm")
    q, v = np.random.default_rng(2).uniform(-2.0, 2.0, (2, W + 1, 300))
    batch = kernel(q, v)
    for i in range(W + 1):
        np.testing.assert_array_equal(kernel(q[i], v[i]), batch[i])
    np.testing.assert_allclose(batch, program(q, v), rtol=1e-9, atol=1e-12)
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


def test_scheduling_keeps_values_and_lets_fewer_wait():
    """Summed up as they come, not kept until all are there; computed when needed, not when thought of."""

    def function(x, y):
        early = [(a - b).sin() * a for a, b in zip(x, y, strict=True)]
        late = [a * b + e for a, b, e in zip(x[::-1], y[::-1], early[::-1], strict=True)]
        parts = [late[i] * late[i - 1] for i in range(1, len(late))]
        return sum(parts[1:], parts[0])

    program = trace(function, {"x": (200,), "y": (200,)})
    better = schedule(program)
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 4, 200))
    np.testing.assert_array_equal(better(x, y), program(x, y))
    assert sorted(i[0] for i in better.instructions) == sorted(i[0] for i in program.instructions)
    assert most_alive(program) > 150
    assert most_alive(better) < 10


def most_alive(program):
    """The largest number of computed values that are still to be read at any time."""
    last = program.last_uses()[program.first_instruction :]
    ends = np.bincount([end for end in last if end >= 0], minlength=len(last) + 1)
    return int(np.max(np.arange(1, len(last) + 1) - np.cumsum(ends)[: len(last)]))


def test_scheduling_a_program_of_results_alone_changes_nothing():
    program = trace(lambda x: [x[0] * x[1], x[1] + x[0]], {"x": (2,)})
    assert schedule(program).instructions == program.instructions
