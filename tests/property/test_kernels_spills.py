"""Values that wait in memory: nothing is read that is not there, and results do not depend on who waits."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machine_code import run_batch
from random_graphs import recipe
from whippletree.kernels.emit import llvm, waiting
from whippletree.kernels.emit.spills import CodeStep, Spills
from whippletree.kernels.emit.vecmath.lanes import Form
from whippletree.kernels.run.machine import Code, compile_object, host
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace


@st.composite
def codes(draw: st.DrawFn) -> tuple[int, list[CodeStep]]:
    """A number of inputs, and steps each of which reads some of the values before."""
    n_inputs = draw(st.integers(1, 6))
    steps, count = [], n_inputs
    for _ in range(draw(st.integers(1, 40))):
        reads = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True))
        makes = draw(st.booleans())
        steps.append(CodeStep(tuple(reads), count if makes else -1, draw(st.integers(0, 9)) == 0))
        count += makes
    return n_inputs, steps


@settings(max_examples=300, deadline=None)
@given(code=codes(), registers=st.integers(1, 8))
def test_every_step_finds_what_it_reads(code, registers):
    n_inputs, steps = code
    spills = Spills(range(n_inputs), steps, registers)
    memory: dict[int, int] = {}

    def made(value: int) -> None:
        if value in spills.slot:
            assert 0 <= spills.slot[value] < spills.slots
            memory[spills.slot[value]] = value

    for value in range(n_inputs):
        made(value)
    since_call: set[int] = set(range(n_inputs))  # what can be in a register
    for k, step in enumerate(steps):
        for value in spills.reloads.get(k, ()):
            assert value in step.reads
            assert memory[spills.slot[value]] == value
        assert since_call.issuperset({*step.reads} - {*spills.reloads.get(k, ())})
        since_call |= {*step.reads}
        if step.is_call:
            since_call.clear()
        since_call.add(step.made)
        made(step.made)


def test_those_needed_soonest_stay():
    spills = Spills(range(3), [CodeStep((value,), -1, False) for value in (0, 1, 2, 0, 1, 2)], 2)
    assert spills.slot == {2: 0}  # whichever else waited would be read again sooner
    assert spills.reloads == {2: [2], 5: [2]}


def program_of(seed: int) -> Program:
    rng = np.random.default_rng(seed)
    made = recipe(lambda n: int(rng.integers(n)), 60)
    return trace(lambda x: np.stack(made.traced(x)), {"x": (made.n_inputs,)})


@pytest.mark.parametrize("width", [1, 2, host().width])
def test_results_are_the_same_whatever_waits(width, monkeypatch):
    monkeypatch.setattr(waiting, "LONG", 0)
    form, waited = Form(width, host().fma), False
    for seed in range(5):
        program = program_of(seed)
        x = np.random.default_rng(seed).normal(size=(2 * width + 1, program.n_inputs))
        found = []
        for registers in (3, 7, 1_000):
            text = llvm.module_text(program, form, host().width, registers)
            waited |= "%waiting_at" in text and registers < 1_000
            out = np.full((len(x), program.n_outputs), np.nan)
            run_batch(Code(compile_object(text, host()), host()), [x, out], 0, len(x), 0)
            found.append(out)
        for out in found[:-1]:
            np.testing.assert_array_equal(out.view(np.uint64), found[-1].view(np.uint64))
    assert waited


def test_inputs_are_read_where_they_are_until_results_may_overwrite_them(monkeypatch):
    """Results of one state may lie where its inputs do; some are inputs themselves."""
    monkeypatch.setattr(waiting, "LONG", 0)

    def function(x):
        early = [a * b + 0.3 for a, b in pairwise(x)]
        total = sum(early[1:], early[0]) / x[3]
        return np.stack([*x[:4], *(total * a - x[5] for a in early[:-5]), x[8], total])

    n, target = 24, host()
    program = trace(function, {"x": (n,)})
    assert program.n_outputs == n
    text = llvm.module_text(program, Form(1, target.fma), 1, 5)
    assert text.count("%near_0 =") == 1
    code = Code(compile_object(text, target), target)
    x = np.random.default_rng(0).normal(size=(3, n))
    out, same = np.full_like(x, np.nan), x.copy()
    run_batch(code, [x, out], 0, len(x), 0)
    run_batch(code, [same, same], 0, len(x), 0)
    expected = np.stack([function(row) for row in x])
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    np.testing.assert_array_equal(same.view(np.uint64), out.view(np.uint64))


def test_those_at_home_have_no_place_elsewhere():
    steps = [CodeStep((value,), -1, False) for value in (0, 1, 2, 0, 1, 2)]
    spills = Spills(range(3), steps, 1, intact=5)
    assert spills.at_home == {1}  # 0 stays, and 2 is read where results may be already
    assert spills.slot == {2: 0}
