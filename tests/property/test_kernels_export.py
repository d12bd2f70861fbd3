"""Exported text stands alone and means the same: special values, layout, names, the test in the C file."""

import ctypes
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy

from whippletree.errors import InputError
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.export.c_source import to_c
from whippletree.kernels.export.python_source import to_python
from whippletree.kernels.export.sympy_expressions import to_sympy
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.looping import recorded_each
from whippletree.kernels.trace.ops import OPS
from whippletree.kernels.trace.precision import DOUBLE, SINGLE
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace

CC = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.4, -2.7, 1e-310, 800.0, -800.0, 1e300, math.inf, -math.inf, math.nan]

# One function for every operation of the table that a recorded function can contain.
OPERATIONS: dict[str, Callable] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x, y: -x,
    "sqrt": lambda x, y: x.sqrt(),
    "sin": lambda x, y: x.sin(),
    "cos": lambda x, y: x.cos(),
    "tan": lambda x, y: x.tan(),
    "asin": lambda x, y: x.arcsin(),
    "acos": lambda x, y: x.arccos(),
    "atan2": lambda x, y: x.arctan2(y),
    "exp": lambda x, y: x.exp(),
    "log": lambda x, y: x.log(),
    "abs": lambda x, y: abs(x),
    "floor": lambda x, y: x.__floor__(),
    "minimum": lambda x, y: x.minimum(y),
    "maximum": lambda x, y: x.maximum(y),
    "where": lambda x, y: (x < y).where(x, y),
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > 0.5,
    "ge": lambda x, y: x >= 0.5,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: ((x != y) & (x < 1.0)).where(x, y),
    "and": lambda x, y: (x < y) & (y < 1.0),
    "or": lambda x, y: ((x < y) | (y < 1.0)).where(1.5, 2.5),
    "not": lambda x, y: ((x < y) & ~(y < 1.0)).where(1.5, 2.5),
    "fma": lambda x, y: x * y + 2.5,
    "fms": lambda x, y: x * y - y,
    "fnma": lambda x, y: y - x * y,
}


def made(name: str) -> Program:
    program = trace(OPERATIONS[name], {"x": (), "y": ()})
    program = fuse(program) if name in ("fma", "fms", "fnma") else program
    assert name in {i[0] for i in program.instructions} | ({"or", "ne"} if name in ("or", "ne") else set())
    return program


def test_the_operations_are_all_there():
    assert set(OPERATIONS) == set(OPS)


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("operations")
    source, target = folder / "operations.c", folder / "operations.so"
    source.write_text("\n".join(to_c(made(name), f"op_{name}") for name in OPERATIONS))
    subprocess.run([*CC, "-fPIC", "-shared", "-o", str(target), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(target))


@pytest.mark.parametrize("name", OPERATIONS)
def test_special_values(name, library):
    """Infinities and NaN come out where NumPy has them; the rest to four units in the last place."""
    program = made(name)
    namespace: dict = {}
    exec(to_python(program), namespace)
    function = getattr(library, f"op_{name}")
    for x in SPECIAL:
        for y in SPECIAL:
            expected = float(program(x, y))
            arrays = np.array([x]), np.array([y]), np.empty(1)
            function(*(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
            by_c, by_python = arrays[2][0], float(namespace["kernel"](x, y))
            np.testing.assert_allclose(by_python, expected, rtol=9e-16, atol=5e-324, err_msg=f"{x} {y}")
            np.testing.assert_allclose(by_c, expected, rtol=9e-16, atol=5e-324, err_msg=f"{x} {y}")


def sample_function(q, a, s):
    y = a @ np.sin(q) * s
    return {"y": y, "nested": [y[0] * 0.1, (a * s, q[1])], "same": (q, 2.5, math.inf)}


SAMPLE = {"q": (3,), "a": (2, 3), "s": ()}


def run_test_main(text: str, macro: str, folder: Path) -> subprocess.CompletedProcess:
    (folder / "kernel.c").write_text(text)
    subprocess.run(
        [*CC, f"-D{macro}", "-o", str(folder / "kernel"), str(folder / "kernel.c"), "-lm"], check=True
    )
    return subprocess.run([str(folder / "kernel")], capture_output=True, text=True)


def test_c_file_tests_itself(tmp_path):
    program = simplify(trace(sample_function, SAMPLE))
    text = to_c(program, "sample")
    run = run_test_main(text, "SAMPLE_TEST_MAIN", tmp_path)
    assert run.returncode == 0
    assert run.stdout.count("\n") == program.n_outputs
    assert "WRONG" not in run.stdout
    broken = re.sub(r"= sin\(q\[1\]\)", "= sin(q[0])", text)
    assert broken != text
    run = run_test_main(broken, "SAMPLE_TEST_MAIN", tmp_path)
    assert run.returncode == 1
    assert "WRONG" in run.stdout


def test_c_file_says_what_goes_in_and_out():
    text = to_c(trace(sample_function, SAMPLE), "sample")
    heading = text[: text.index("*/")]
    assert " *   q: 3 (3 doubles)" in heading
    assert " *   a: 2 x 3 (6 doubles)" in heading
    assert " *   out_nested_1_0: 2 x 3 (6 doubles)" in heading
    assert "void sample(const double *restrict q, const double *restrict a," in text


def test_c_names_never_clash(tmp_path):
    """Inputs called like words of C, functions of its library, values of ours, one another; one unused."""
    names = ["double", "sin", "v3", "w", "out", "kernel", "q 1", "q_1", "", "none", "π"]

    def function(*x):
        return {"out": np.sin(x[0]), "π": x[1], "": sum(x[2:9]), "x": x[10] * 1.5}

    inputs: dict[str, tuple[int, ...]] = {**dict.fromkeys(names, ()), "empty": (0,)}
    program = trace(lambda *x: function(*x[:-1]), inputs)
    run = run_test_main(to_c(program, "kernel"), "KERNEL_TEST_MAIN", tmp_path)
    assert run.returncode == 0


def test_c_of_nothing(tmp_path):
    for function, inputs in ((list, {}), (lambda x: np.zeros(0), {"x": (2,)}), (lambda: 1.5, {})):
        run = run_test_main(to_c(trace(function, inputs), "f"), "F_TEST_MAIN", tmp_path)
        assert run.returncode == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "not made of letters, digits and underscores alone"),
        ("2nd", "not made of letters"),
        ("a b", "not made of letters"),
        ("é", "not made of letters"),
        ("<lambda>", "not made of letters"),
        ("_f", "C keeps names that begin with an underscore for itself"),
        ("double", "a word of the language"),
        ("sin", "the C library has something of this name"),
        ("exp", "the C library has"),
        ("NAN", "the C library has"),
        ("malloc", "the C library has"),
        ("main", "the exported file uses it for something else"),
        ("out1", "the exported file uses it"),
    ],
)
def test_names_that_c_cannot_have(name, why):
    kernel = Kernel(trace(lambda x: 2.5 * x, {"x": ()}), name)
    with pytest.raises(InputError) as refusal:
        kernel.source("c")
    told = str(refusal.value)
    assert told.startswith(f"{name!r} cannot be the name of a C function: ")
    assert why in told
    assert told.endswith('give the kernel another name, as k.name = "dynamics"')
    kernel.name = "dynamics"
    assert "void dynamics(const double *restrict x, double *restrict out);" in kernel.source("c")


@pytest.mark.parametrize(
    "name", ["x", "y", "i", "same", "wrong", "out", "X_H", "total", "q1", "FP_ODD", "E1"]
)
def test_odd_names_that_c_can_have(name, tmp_path):
    """The test in the file has variables of its own. Inputs are called like the function and like macros."""
    names = [
        name,
        f"{name.upper()}_H",
        f"{name.upper()}_TEST_MAIN",
        "NAN",
        "EOF",
        "stdin",
        "M_PI",
        "gamma",
        "bool",
        "main",
        "printf",
    ]
    program = trace(lambda *x: sum((k + 1.5) * np.sin(x[k]) for k in range(len(x))), dict.fromkeys(names, ()))
    run = run_test_main(to_c(program, name), f"{name.upper()}_TEST_MAIN", tmp_path)
    assert run.returncode == 0
    assert "WRONG" not in run.stdout


def test_arrays_named_like_parts_of_a_long_function(tmp_path):
    def function(x, y):
        for _ in range(600):
            x = np.sin(x) + y
        return x

    program = trace(function, {"f_part0": (), "f_part2": ()})
    assert run_test_main(to_c(program, "f"), "F_TEST_MAIN", tmp_path).returncode == 0


@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_everything_in_the_headers_is_refused_or_compiles(standard, tmp_path):
    """The compiler is asked what the headers hold: macros, and identifiers of whatever kind."""
    headers = "#include <math.h>\n#include <stdio.h>\n"

    def told(*options: str) -> str:
        command = ["cc", f"-std={standard}", "-E", "-P", *options, "-"]
        return subprocess.run(command, input=headers, capture_output=True, text=True, check=True).stdout

    names = set(re.findall(r"^#define (\w+)", told("-dM"), re.MULTILINE))
    names |= set(re.findall(r"\b[A-Za-z_]\w*", told()))
    assert {"NAN", "isnan", "fabsf", "fprintf", "EOF", "size_t"} <= names
    program = trace(lambda x: 2.5 * x, {"x": ()})
    texts = [headers]
    for name in sorted(names):
        try:
            texts.append(to_c(program, name))
        except InputError:
            continue
    (tmp_path / "all.c").write_text("\n".join(texts))
    command = [*CC, f"-std={standard}", "-fsyntax-only", str(tmp_path / "all.c")]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("name", ["", "2nd", "a b", "lambda", "<lambda>", "v3", "math"])
def test_names_that_python_cannot_have(name):
    with pytest.raises(InputError, match="cannot be a name in the Python text"):
        to_python(trace(lambda x: x, {"x": ()}), name)


def test_python_takes_and_gives_nested_sequences():
    program = simplify(trace(sample_function, SAMPLE))
    namespace: dict = {}
    exec(to_python(program, "sample"), namespace)
    q, a, s = [0.3, -0.8, 1.2], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 0.7
    result = namespace["sample"](q, a, s)
    expected = program(q, a, s)
    assert isinstance(result["nested"], list)
    assert isinstance(result["nested"][1], tuple)
    assert result["same"] == (q, 2.5, math.inf)
    np.testing.assert_allclose(result["y"], expected["y"], rtol=1e-15)
    np.testing.assert_allclose(result["nested"][1][0], np.multiply(a, s), rtol=1e-15)


def test_python_text_needs_only_math():
    text = to_python(trace(lambda x, y: x.sqrt() / y + y.log(), {"x": (), "y": ()}))
    assert re.findall(r"^\s*(?:import|from) .*$", text, re.MULTILINE) == ["import math"]
    with pytest.raises(InputError, match="key"):
        to_python(trace(lambda x: {(1, 2): x}, {"x": ()}))


@pytest.mark.parametrize("name", OPERATIONS)
def test_sympy_means_the_same(name):
    program = made(name)
    inputs, expression = to_sympy(program)
    for x, y in ((0.4, 0.3), (-0.7, 0.9), (0.25, -0.6)):
        value = expression.subs({inputs["x"]: x, inputs["y"]: y}).evalf(17)
        expected = complex(program(x + 0j, y + 0j)) if name in ("sqrt", "log") else program(x, y)
        assert abs(complex(value) - complex(expected)) < 1e-14


def test_sympy_shapes_and_numbers():
    program = trace(lambda q, a, t: [a @ q / 4.0, q[0] * 0.1, t], {"q": (2,), "a": (2, 2), "t": (2, 1, 2)})
    inputs, (product, scaled, tensor) = to_sympy(program)
    q, a = inputs["q"], inputs["a"]
    assert sympy.expand(product - a * q / 4) == sympy.zeros(2, 1)
    assert sympy.Rational(1, 4) in product[0].atoms(sympy.Number)
    assert scaled == 0.1 * q[0]
    assert tensor == inputs["t"]
    assert [s.name for s in a] == ["a_0_0", "a_0_1", "a_1_0", "a_1_1"]
    assert all(s.is_real for s in q)


@pytest.mark.parametrize("x", [-0.0, 0.0, 0.75, -0.25, 3.0, -2.5, math.inf, -math.inf])
def test_python_rounds_down_with_the_sign_of_zero_kept(x):
    """The angle of (floor(-0.0), -1) is -π; a whole number of Python's has no sign to tell that by."""
    namespace: dict = {}
    program = trace(lambda x: x.__floor__().arctan2(-1.0), {"x": ()})
    exec(to_python(program), namespace)
    np.testing.assert_allclose(namespace["kernel"](x), program(x), rtol=1e-15)


@pytest.mark.parametrize("precision", [DOUBLE, SINGLE])
def test_c_has_loops_as_loops(precision, tmp_path):
    """A loop within a loop, a body of several functions, and passes with states of their own."""

    def function(x, y):
        def step(s):
            root = s[0].record_loop(3, lambda z: 0.5 * (z + (1.0 + s * s) / z), 1.0 + s * s)
            for _ in range(120):
                root = 0.5 * np.stack([root[1].sin() + y[0], root[2] * root[0] + s[1], root[0].cos()])
            return np.stack([root[2], s[0], root[0]])  # one that only moves

        turned = x[0].record_loop(50, step, x)
        return turned, recorded_each(x[0], lambda z: np.stack([z[1] * y[1], z[0] + y[0]]), np.outer(x, y))

    program = simplify(trace(function, {"x": (3,), "y": (2,)}))
    assert len(program.loops) == 2
    text = to_c(program, "looped", precision)
    assert text.count("for (int i") == 3 + 2  # two of them in the test
    assert "_part1(" in text
    run = run_test_main(text, "LOOPED_TEST_MAIN", tmp_path)
    assert run.returncode == 0, run.stdout
    assert "WRONG" not in run.stdout
