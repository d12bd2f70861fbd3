"""Equal parts of a program in the lanes of a vector: the same numbers, whatever the parts are made of."""

from dataclasses import replace

import numpy as np
import pytest

import whippletree as wt
from machine_code import run_batch
from random_graphs import recipe
from whippletree.kernels.emit import equal_parts
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.emit.pack_code import PackCode
from whippletree.kernels.emit.pack_gain import Pack
from whippletree.kernels.emit.schedule import schedule
from whippletree.kernels.emit.vecmath.lanes import Form, Lanes
from whippletree.kernels.run import build
from whippletree.kernels.run.machine import host
from whippletree.kernels.trace.precision import DOUBLE, SINGLE
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace
from whippletree.kernels.trace.structure import leaves


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def parts_of(seed: int, count: int) -> Program:
    """Some random functions alike but for constants and signs, of one input each, and what joins them."""
    rng = np.random.default_rng(seed)
    made = recipe(lambda n: int(rng.integers(n)), 25)
    factors, signs = rng.normal(size=(count, made.n_inputs)), rng.choice([-1.0, 1.0], (count, made.n_inputs))

    def function(x):
        found = [made.traced(row * factor) for row, factor in zip(x, factors, strict=True)]
        mixed = [
            [v + row[0] * s if s > 0 else v - row[0] * y for v, s, y in zip(values, sign, row, strict=False)]
            for values, sign, row in zip(found, signs, x, strict=True)
        ]
        totals = [sum(column[1:], column[0]) for column in zip(*mixed, strict=True)]
        spread = [
            [total * v - row[-1] for v in values]
            for total, row in zip(totals, x, strict=False)
            for values in mixed
        ]
        return [np.array(row) for row in (*mixed, totals, *spread)]

    return trace(function, {"x": (count, made.n_inputs)})


@pytest.mark.parametrize("fma", [True, False] if host().fma else [False])
@pytest.mark.parametrize("precision", [DOUBLE, SINGLE], ids=["float64", "float32"])
@pytest.mark.parametrize(("seed", "count"), [(0, 2), (1, 3), (2, 4), (3, 6), (4, 8), (5, 11), (6, 2), (7, 4)])
def test_lanes_of_one_state_have_the_bits_of_a_batch(seed, count, precision, fma, monkeypatch):
    monkeypatch.setattr(equal_parts, "LEAST", -100.0)  # even where nothing is gained
    program = parts_of(seed, count)
    x = np.random.default_rng(seed).normal(size=(9, program.n_inputs)).astype(precision.dtype)
    target = replace(host(), fma=fma)
    assert "extractelement <" in build.kernel_text(program, target, 1, precision)
    found = []
    for width in (1, target.lanes(precision)):
        code = build.kernel_code(program, target, width, precision)
        results = [np.zeros((9, leaf.size), precision.dtype) for leaf in leaves(program.outputs)]
        run_batch(code, [x, *results], 0, 9)
        found.append(np.hstack(results))
    one, batch = found
    np.testing.assert_array_equal(one, batch)
    known = np.isfinite(batch)
    assert known.any()
    np.testing.assert_array_equal(np.signbit(one[known]), np.signbit(batch[known]))


@pytest.mark.parametrize("seed", range(6))
def test_every_instruction_is_executed_once_and_after_its_operands(seed, monkeypatch):
    monkeypatch.setattr(equal_parts, "LEAST", -100.0)
    program = schedule(fuse(parts_of(seed, 2 + seed)))
    form = Form(8, True)
    sequence = PackCode(Lanes(form.of_width(1)), program, program.instructions, form).sequence
    assert any(isinstance(item, Pack) for item in sequence)
    done = set(range(-1, program.first_instruction))
    for item in sequence:
        if isinstance(item, Pack):
            assert done.issuperset(n for numbers in item.operands for n in numbers)
            assert done.isdisjoint(item.numbers)
            done.update(item.numbers)
        else:
            assert done.issuperset(item[2:])
            assert item[1] not in done
            done.add(item[1])
    assert done == set(range(-1, program.n_values))


@pytest.mark.parametrize(("name", "function"), [("quadruped", wt.aba), ("linkage-quadruped", wt.rnea)])
def test_legs_side_by_side(name, function):
    """One state has its four legs in lanes; in a batch lanes are states."""
    m = wt.examples.load(name)
    k = wt.compile(function, m)
    assert "<4 x double>" in build.kernel_text(k.program, host(), 1)
    rng = np.random.default_rng(3)
    q = m.integrate(m.neutral(), rng.normal(size=(20, m.nv)))
    qd, x = rng.normal(size=(2, 20, m.nv))
    np.testing.assert_array_equal([k(*state) for state in zip(q, qd, x, strict=True)], k(q, qd, x))
