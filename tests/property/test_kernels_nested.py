"""Arguments that are tuples, lists and dictionaries of arrays: traced, called, batched, exported."""

import ctypes
import pickle
import re
import subprocess
from typing import Any, NamedTuple

import numpy as np
import pytest

import whippletree as wt
from whippletree.errors import InputError
from whippletree.kernels.derive.derivatives import jacobian
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.store import programs as stored
from whippletree.kernels.trace.recording import trace


class Gains(NamedTuple):
    """Of a controller."""

    kp: Any
    kd: Any


RNG = np.random.default_rng(5)
DECLARED: dict[str, Any] = {
    "q": (3,),
    "gains": {"p": (3,), "more": [(), (2, 3)]},
    "pair": Gains((3,), ()),
    "rest": ((2,), {7: (1,)}),
}


def law(q, gains, pair, rest):
    """Something of everything; the containers are of the declared kinds."""
    assert type(gains) is dict
    assert type(gains["more"]) is list
    assert type(pair) is Gains
    assert type(rest) is tuple
    scale, matrix = gains["more"]
    inner = matrix @ (gains["p"] * q + pair.kp) * scale
    return {"inner": inner - rest[0], "sum": pair.kd * q[0] + rest[1][7][0]}


def state(*lead: int) -> list[Any]:
    """Values for `law`, with different leading axes that broadcast to `lead`."""

    def value(*shape: int, axes: int = len(lead)) -> np.ndarray:
        return RNG.normal(size=(*lead[len(lead) - axes :], *shape))

    return [
        value(3),
        {"p": value(3, axes=0), "more": [value(axes=min(1, len(lead))), value(2, 3)]},
        Gains(value(3), value()),
        (value(2, axes=0), {7: value(1)}),
    ]


def direct(q: Any, gains: Any, pair: Any, rest: Any) -> Any:
    """`law` of plain arrays, batched by einsum."""
    scale, matrix = gains["more"]
    inner = np.einsum("...ij,...j->...i", matrix, gains["p"] * q + pair.kp) * np.asarray(scale)[..., None]
    return inner - rest[0], pair.kd * q[..., 0] + rest[1][7][..., 0]


PROGRAM = trace(law, DECLARED)


@pytest.mark.parametrize("lead", [(), (5,), (2, 17)])
def test_kernels_take_nested_arguments(lead):
    k, values = Kernel(PROGRAM, "law"), state(*lead)
    expected = direct(*values)
    for found in (k(*values), k(*values)):  # the first call is another way in
        np.testing.assert_allclose(found["inner"], expected[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found["sum"], expected[1], rtol=1e-12, atol=1e-13)
    found = k(*values)
    named = k(values[0], pair=values[2], rest=list(values[3]), gains=values[1], threads=2)
    out = {"inner": np.empty(np.shape(expected[0])), "sum": np.empty(np.shape(expected[1]))}
    k(*values, out=out)
    for key in ("inner", "sum"):
        assert np.array(named[key]).tobytes() == np.array(found[key]).tobytes() == out[key].tobytes()


def test_every_form_of_the_program_agrees():
    values = state()
    expected = PROGRAM(*values)
    again = pickle.loads(pickle.dumps(Kernel(PROGRAM)))
    for other in (simplify(PROGRAM), fuse(PROGRAM), again):
        found = other(*values)
        np.testing.assert_allclose(found["inner"], expected["inner"], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(found["sum"], expected["sum"], rtol=1e-13)
    assert simplify(PROGRAM).inputs == PROGRAM.inputs


def test_results_in_one_array():
    k = Kernel(trace(lambda x: x["a"] @ x["b"], {"x": {"a": (3,), "b": (3,)}}))
    a, b = RNG.normal(size=(2, 4, 3))
    np.testing.assert_allclose(k({"b": b, "a": a}), np.sum(a * b, axis=1), rtol=1e-13)


def test_text_of_a_kernel():
    assert repr(Kernel(PROGRAM, "law")) == (
        "<Kernel law(q: (3,), gains: {'p': (3,), 'more': [(), (2, 3)]}, "
        "pair: Gains(kp=(3,), kd=()), rest: ((2,), {7: (1,)}))>"
    )


def test_exports(tmp_path):
    k, values = Kernel(PROGRAM, "law"), state()
    expected = k(*values)
    namespace: dict[str, Any] = {}
    exec(k.source("python"), namespace)
    found = namespace["law"](*values)
    np.testing.assert_allclose(found["inner"], expected["inner"], rtol=1e-13)
    text = k.source("c")
    names = ["q", "gains_p", "gains_more_0", "gains_more_1", "pair_0", "pair_1", "rest_0", "rest_1_7"]
    declaration = next(line for line in text.splitlines() if line.startswith("void law("))
    assert re.findall(r"const double \*restrict (\w+)", declaration) == names
    source, library = tmp_path / "law.c", tmp_path / "law.so"
    source.write_text(text)
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, "-o", str(library), str(source), "-lm"], check=True)
    q, gains, pair, rest = values
    flat = [q, gains["p"], *gains["more"], *pair, rest[0], rest[1][7]]
    cells = [np.ascontiguousarray(x, dtype=float) for x in flat]
    out = [np.empty(2), np.empty(1)]
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (*cells, *out)]
    ctypes.CDLL(str(library)).law(*pointers)
    np.testing.assert_allclose(out[0], expected["inner"], rtol=1e-12)
    np.testing.assert_allclose(out[1][0], expected["sum"], rtol=1e-12)


def pd(m, q, qd, gains, target):
    """A controller as a user writes one."""
    return gains["kp"] * (target - q) - gains["kd"] * qd + wt.gravity_force(m, q)


def test_compiled_controller():
    m = wt.examples.load("cart-pole")
    shapes = {"gains": {"kp": (2,), "kd": (2,)}, "target": (2,)}
    k = wt.compile(pd, m, inputs=shapes)
    q, qd, target = RNG.normal(size=(3, 6, 2))
    gains = {"kp": np.array([3.0, 4.0]), "kd": RNG.normal(size=(6, 2))}
    gravity = np.array([wt.gravity_force(m, one) for one in q])
    expected = gains["kp"] * (target - q) - gains["kd"] * qd + gravity
    np.testing.assert_allclose(k(q, qd, gains, target), expected, rtol=1e-12, atol=1e-13)
    symbols = wt.symbolic(pd, m, inputs=shapes)
    assert [str(s) for s in symbols.inputs["gains"]["kd"]] == ["gains_kd_0", "gains_kd_1"]
    assert "gains_kp_1" in str(symbols.outputs)


def test_symbols_that_would_coincide():
    with pytest.raises(InputError, match="would be called 'x_0': name an input differently"):
        wt.symbolic(lambda x, x_0: x[0] + x_0, wt.examples.load("cart-pole"), inputs={"x": (2,), "x_0": ()})


def test_derivatives_by_a_nested_array():
    program = trace(lambda k, x: k["a"] * x * x, {"k": {"a": ()}, "x": ()})
    found = jacobian(program, ["k", "x"])({"a": 3.0}, 2.0)
    assert found == {"k": {"a": 4.0}, "x": 12.0}


def test_nested_inputs_survive_on_disk():
    program = trace(lambda a, b: a["x"] + b[0][1], {"a": {"x": (2,)}, "b": [((), (2,))]})
    packed = stored.pack(program)
    assert packed is not None
    found = stored.unpack(packed)
    assert found is not None
    assert found.inputs == program.inputs
    assert stored.pack(PROGRAM) is None  # `Gains` is not a class of the library


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gains": np.zeros(3)}, "gains is of type ndarray, expected a dict with 'p', 'more'"),
        ({"gains": {"p": np.zeros(3)}}, "gains has no 'more'; its keys are 'p', 'more'"),
        (
            {"gains": {"p": 0.0, "more": [0.0, 0.0], "d": 1.0}},
            r"gains has an unknown key 'd'; its keys are 'p', 'more'",
        ),
        ({"gains": {"p": np.zeros(3), "more": [0.0]}}, r"gains\['more'\] has 1 entries, expected 2"),
        ({"pair": np.zeros((2, 3))}, "pair is of type ndarray, expected a Gains of 2 entries"),
        ({"pair": Gains(np.zeros(4), 0.0)}, r"pair\[0\] has shape \(4,\), expected \(3,\) or \(\.\.\., 3\)"),
        ({"rest": (np.zeros(2), {7: ["a"]})}, r"rest\[1\]\[7\] has dtype .*, expected real numbers"),
        (
            {"q": np.zeros((4, 3)), "rest": (np.zeros((5, 2)), {7: [1.0]})},
            r"q has leading axes \(4,\), rest\[0\] has \(5,\): lengths must be equal or 1",
        ),
        ({"more": 1.0}, "no input is called 'more'; the inputs are q, gains, pair, rest"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    values = dict(zip(DECLARED, state(), strict=True))
    k = Kernel(PROGRAM)
    for _ in range(2):
        with pytest.raises(InputError, match=message):
            k(**{**values, **change})


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"kp": 7}, r"input x\['kp'\] is 7: give a shape, as \(7,\), or a dictionary of shapes"),
        ({}, "input x is an empty dict: give it arrays, or leave it out"),
        ([(3,), 2], r"input x\[1\] is 2: give a shape"),
        ({"a": [(2, -1)]}, r"input x\['a'\]\[0\] has shape \(2, -1\); lengths must not be negative"),
        (Gains(3, 4), r"input x\[0\] is 3: give a shape"),
        ("ab", "input x is 'ab': give a shape"),
    ],
)
def test_wrong_declarations_are_named(shape, message):
    with pytest.raises(InputError, match=message):
        trace(lambda x: x, {"x": shape})
