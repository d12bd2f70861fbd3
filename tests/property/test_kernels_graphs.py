"""Random graphs mean the same however they are run: interpreted, simplified, fused, as Python and as C."""

import ctypes
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from random_graphs import Recipe, agree, recipe
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.export.c_source import to_c
from whippletree.kernels.export.python_source import to_python
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace

CC = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    return recipe(lambda n: draw(st.integers(0, n - 1)), draw(st.integers(1, 25)))


def program_of(made: Recipe) -> Program:
    return trace(made.traced, {"x": (made.n_inputs,)})


def weight(program: Program) -> int:
    return program.cost["mul"] + program.cost["add"]


def compile_c(text: str, folder: Path) -> ctypes.CDLL:
    source, library = folder / "graphs.c", folder / "graphs.so"
    source.write_text(text)
    subprocess.run([*CC, "-o", str(library), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def call_c(library: ctypes.CDLL, name: str, program: Program, x: np.ndarray) -> np.ndarray:
    out = np.empty(program.n_outputs)
    cells = [out[i:].ctypes.data_as(ctypes.c_void_p) for i in range(program.n_outputs)]
    getattr(library, name)(x.ctypes.data_as(ctypes.c_void_p), *cells)
    return out


@settings(max_examples=300, deadline=None)
@given(made=recipes(), data=st.data())
def test_interpreted_simplified_fused_and_python_agree(made, data):
    x = np.array([data.draw(st.floats(-3.0, 3.0)) for _ in range(made.n_inputs)])
    bounds = made.bounded(x)
    assume(any(math.isfinite(b.error) for b in bounds))
    program = program_of(made)
    simpler = simplify(program)
    assert agree(program(x), bounds)
    assert agree(simpler(x), bounds)
    assert agree(fuse(simpler)(x), bounds)
    namespace: dict = {}
    exec(to_python(simpler), namespace)
    assert agree(namespace["kernel"](x.tolist()), bounds)
    assert weight(simpler) <= weight(program)
    assert all(
        simpler.cost[kind] <= times for kind, times in program.cost.items() if kind not in ("mul", "add")
    )
    assert simplify(simpler).cost == simpler.cost


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_c_equals_python(seed, tmp_path_factory):
    rng = np.random.default_rng(seed)
    made = [recipe(lambda n: int(rng.integers(n)), 30) for _ in range(40)]
    programs = [simplify(program_of(m)) for m in made]
    text = "\n".join(to_c(p, f"graph_{i}") for i, p in enumerate(programs))
    text += "\n".join(to_c(fuse(p), f"fused_{i}") for i, p in enumerate(programs))
    library = compile_c(text, tmp_path_factory.mktemp("graphs"))
    for i, (m, program) in enumerate(zip(made, programs, strict=True)):
        namespace: dict = {}
        exec(to_python(program), namespace)
        for x in rng.uniform(-3.0, 3.0, (5, m.n_inputs)):
            bounds = m.bounded(x)
            by_python = np.array(namespace["kernel"](x.tolist()))
            by_c = call_c(library, f"graph_{i}", program, x)
            np.testing.assert_array_equal(by_c, by_python)
            assert agree(by_c, bounds)
            assert agree(call_c(library, f"fused_{i}", program, x), bounds)


@pytest.mark.parametrize("seed", range(3))
def test_long_graphs_agree(seed, tmp_path):
    """Long enough for C functions in several pieces, with conditions that cross from one to another."""
    rng = np.random.default_rng(seed)
    made = recipe(lambda n: int(rng.integers(n)), 1500, calm=True)
    # Values from everywhere are returned, so that little is dead and much lives long.
    made = Recipe(made.n_inputs, made.steps, tuple(range(made.n_inputs, made.n_inputs + 1500, 7)))
    program = program_of(made)
    simpler = simplify(program)
    text = to_c(simpler, "long_graph")
    library = compile_c(text, tmp_path)
    assert "long_graph_part2(" in text
    assert "bytes of intermediate results" in text
    x = rng.uniform(-1.0, 1.0, made.n_inputs)
    bounds = made.bounded(x)
    assert sum(b.error < 1e-9 for b in bounds) > len(bounds) / 2
    assert agree(program(x), bounds)
    assert agree(simpler(x), bounds)
    assert agree(call_c(library, "long_graph", simpler, x), bounds)
