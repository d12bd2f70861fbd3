"""What a kernel accepts, returns and refuses, through the native entrance and the checked one alike."""

import contextlib
import copy
import ctypes
import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from whippletree.errors import InputError
from whippletree.kernels.run import call
from whippletree.kernels.run.general_call import Checked
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.machine import host
from whippletree.kernels.trace.recording import trace

W = host().width


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(params=["native", "ctypes"])
def entrance(request, monkeypatch):
    """Both ways into machine code: the native call, and what takes its place where that is not supported."""
    if request.param == "ctypes":
        monkeypatch.setattr(call, "supported", lambda: False)
    else:
        assert call.supported()


def motion(q, qd, gain):
    """Some function of two vectors and a number."""
    return np.stack([q[i].sin() * qd[(i + 1) % 3] + gain * q[(i + 2) % 3] for i in range(3)])


SHAPES: dict[str, tuple[int, ...]] = {"q": (3,), "qd": (3,), "gain": ()}


@pytest.fixture
def kernel(entrance):
    return Kernel(trace(motion, SHAPES), "motion")


@pytest.fixture
def states(rng):
    return (
        rng.uniform(-1, 1, (5, 2 * W + 3, 3)),
        rng.uniform(-1, 1, (5, 2 * W + 3, 3)),
        rng.uniform(-1, 1, (5, 2 * W + 3)),
    )


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_one_state_batch_and_threads_agree_to_the_last_bit(kernel, states):
    q, qd, gain = states
    batch = kernel(q, qd, gain)
    np.testing.assert_allclose(batch, kernel.program(q, qd, gain), rtol=1e-14)
    for index in np.ndindex(gain.shape):
        np.testing.assert_array_equal(kernel(q[index], qd[index], gain[index]), batch[index])
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(kernel(q, qd, gain, threads=threads), batch)
    for n in range(gain.shape[1]):  # all remainders
        np.testing.assert_array_equal(kernel(q[0, :n], qd[0, :n], gain[0, :n]), batch[0, :n])


def test_by_name_and_by_position(kernel, states):
    q, qd, gain = (a[0, 0] for a in states)
    expected = kernel(q, qd, gain)
    np.testing.assert_array_equal(kernel(q, qd, gain=gain), expected)
    np.testing.assert_array_equal(kernel(gain=gain, qd=qd, q=q), expected)


def test_leading_axes_broadcast(kernel, rng):
    for leads in [
        ((4,), (), ()),
        ((), (6,), ()),
        ((), (), (9,)),
        ((4, 1), (1, 6), ()),
        ((2, 1, 3), (3,), (5, 1)),
    ]:
        arguments = [
            rng.uniform(-1, 1, (*lead, *shape)) for lead, shape in zip(leads, SHAPES.values(), strict=True)
        ]
        batch = np.broadcast_shapes(*leads)
        whole = [
            np.broadcast_to(a, (*batch, *s)).copy() for a, s in zip(arguments, SHAPES.values(), strict=True)
        ]
        result = kernel(*arguments)
        assert result.shape == (*batch, 3)
        np.testing.assert_array_equal(result, kernel(*whole))


def test_empty_batches(kernel):
    for lead in ((0,), (4, 0), (0, 4)):
        result = kernel(np.zeros((*lead, 3)), np.zeros(3), np.zeros(lead))
        assert result.shape == (*lead, 3)
        assert result.dtype == np.float64


def test_other_layouts_and_types(kernel, states):
    q, qd, gain = states
    expected = kernel(q, qd, gain)
    apart = np.zeros((*q.shape[:2], 6))
    apart[..., ::2] = q
    unaligned = np.frombuffer(b"x" + q.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(q.shape)
    assert not unaligned.flags.aligned
    for same in (
        np.asfortranarray(q),
        apart[..., ::2],
        q[::-1][::-1],
        q.astype(">f8"),
        q.tolist(),
        unaligned,
    ):
        np.testing.assert_array_equal(kernel(same, qd, gain), expected)
        one = same[1][2] if isinstance(same, list) else same[1, 2]
        np.testing.assert_array_equal(kernel(one, qd[1, 2], gain[1, 2]), expected[1, 2])
    readonly = q.copy()
    readonly.flags.writeable = False
    np.testing.assert_array_equal(kernel(readonly, qd, gain), expected)
    whole = np.arange(9).reshape(3, 3)
    for kind in (np.int32, np.uint8, np.float32, bool):
        np.testing.assert_array_equal(
            kernel(whole.astype(kind), qd[0, :3], 2), kernel(whole.astype(kind).astype(float), qd[0, :3], 2.0)
        )


def test_numbers_for_inputs_without_axes(kernel, states):
    q, qd, gain = (a[0, 0] for a in states)
    expected = kernel(q, qd, gain)
    for number in (float(gain), np.float64(gain), np.array(gain)):
        np.testing.assert_array_equal(kernel(q, qd, number), expected)
    np.testing.assert_array_equal(kernel(q, qd, 3), kernel(q, qd, 3.0))


class TestOut:
    def test_result_goes_into_out(self, kernel, states):
        q, qd, gain = states
        expected = kernel(q, qd, gain)
        for threads in (1, 2):
            out = np.full_like(expected, np.nan)
            assert kernel(q, qd, gain, out=out, threads=threads) is out
            np.testing.assert_array_equal(out, expected)
        out = np.full(3, np.nan)
        assert kernel(q[0, 0], qd[0, 0], gain[0, 0], out=out) is out
        np.testing.assert_array_equal(out, expected[0, 0])

    def test_out_of_any_layout(self, kernel, states):
        q, qd, gain = states
        expected = kernel(q, qd, gain)
        wide = np.full((*expected.shape[:2], 7), 5.0)
        kernel(q, qd, gain, out=wide[..., 1:6:2])
        np.testing.assert_array_equal(wide[..., 1:6:2], expected)
        assert (wide[..., [0, 2, 4, 6]] == 5.0).all()
        fortran = np.full(expected.shape, np.nan, order="F")
        kernel(q, qd, gain, out=fortran)
        np.testing.assert_array_equal(fortran, expected)

    def test_out_may_be_an_input_or_overlap_it(self, kernel, states):
        q, qd, gain = states
        expected = kernel(q, qd, gain)
        same = q.copy()
        np.testing.assert_array_equal(kernel(same, qd, gain, out=same), expected)
        one = q[0, 0].copy()
        np.testing.assert_array_equal(kernel(one, qd[0, 0], gain[0, 0], out=one), expected[0, 0])
        store = np.empty(q[0].size + 3)
        shifted, out = store[:-3].reshape(q[0].shape), store[3:].reshape(q[0].shape)
        shifted[...] = q[0]
        np.testing.assert_array_equal(kernel(shifted, qd[0], gain[0], out=out), expected[0])
        row, moved = store[:3], store[1:4]
        row[...] = q[0, 0]
        np.testing.assert_array_equal(kernel(row, qd[0, 0], gain[0, 0], out=moved), expected[0, 0])

    def test_nested(self, entrance):
        k = Kernel(trace(lambda x: {"a": [x, 2.0 * x], "b": x @ x}, {"x": (2,)}))
        x = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]])
        out = {"a": [np.zeros((3, 2)), np.zeros((3, 2))], "b": np.zeros(3)}
        result = k(x, out=out)
        assert result["a"][1] is out["a"][1]
        np.testing.assert_array_equal(out["a"][1], 2.0 * x)
        np.testing.assert_array_equal(out["b"], (x * x).sum(axis=1))

    @pytest.mark.parametrize(
        ("out", "message"),
        [
            (np.zeros(4), r"out has shape \(4,\), expected \(3,\)"),
            (np.zeros((1, 3)), r"out has shape \(1, 3\), expected \(3,\)"),
            (np.zeros(3, dtype=np.float32), "out has dtype float32, expected float64"),
            ([0.0, 0.0, 0.0], "out is of type list, expected a NumPy array"),
        ],
    )
    def test_refused(self, kernel, states, out, message):
        q, qd, gain = (a[0, 0] for a in states)
        with pytest.raises(InputError, match=message):
            kernel(q, qd, gain, out=out)

    def test_read_only_is_refused(self, kernel, states):
        out = np.zeros(3)
        out.flags.writeable = False
        with pytest.raises(InputError, match="out is read-only"):
            kernel(*(a[0, 0] for a in states), out=out)
        assert (out == 0.0).all()

    def test_arrays_that_share_memory_are_refused(self, entrance):
        k = Kernel(trace(lambda x: (2.0 * x, {"b": x + 0.5}), {"x": (3,)}))
        x = np.array([0.25, -1.5, 4.0])
        k(x)
        same, store = np.zeros(3), np.zeros(8)
        for first, second in (
            (same, same),
            (same, same[::-1]),
            (store[:3], store[2:5]),
            (store[::3], store[1:4]),
        ):
            with pytest.raises(
                InputError, match=r"out\[0\] and out\[1\]\['b'\] share memory: give each output"
            ):
                k(x, out=(first, {"b": second}))
        assert not same.any()
        assert not store.any()

    def test_parts_of_one_array(self, entrance):
        """Side by side, or interleaved: bounds that overlap are no harm; nor is an array of nothing."""
        k = Kernel(trace(lambda x: (2.0 * x, x + 0.5), {"x": (3,)}))
        x = np.array([[0.25, -1.5, 4.0], [1.25, 2.5, -3.0]])
        for columns in ((slice(0, 3), slice(3, 6)), (slice(0, 6, 2), slice(1, 6, 2))):
            store = np.zeros((2, 6))
            k(x, out=(store[:, columns[0]], store[:, columns[1]]))
            np.testing.assert_array_equal(store[:, columns[0]], 2.0 * x)
            np.testing.assert_array_equal(store[:, columns[1]], x + 0.5)
        nothing = np.zeros((0, 3))
        assert k(nothing, out=(nothing, nothing))[1] is nothing
        first, second = x[0].copy(), np.zeros(3)  # an output over the input, as ever
        k(first, out=(first, second))
        np.testing.assert_array_equal(first, 2.0 * x[0])
        np.testing.assert_array_equal(second, x[0] + 0.5)

    @pytest.mark.parametrize("count", [2, 20])
    def test_batches_go_into_out_natively(self, monkeypatch, count):
        """Once there is code, arrays that are plain and apart are no matter of Python, one or several."""
        x, y = np.random.default_rng(count).normal(size=(2, count, 3))
        one = Kernel(trace(lambda x, y: x * y - x, {"x": (3,), "y": (3,)}))
        two = Kernel(trace(lambda x, y: (x * y, x @ y), {"x": (3,), "y": (3,)}))
        expected, several = one(x, y), two(x, y)
        first, second = np.empty((count, 3)), np.empty(count)
        one(x[0], y[0])
        two(x[0], y[0])

        def not_here(*arguments, **named):
            raise AssertionError("left to Python")

        assert call.supported()
        monkeypatch.setattr(Checked, "__call__", not_here)
        for given in (y, y[0]):  # all of a batch, and one for all
            assert one(x, given, out=first) is first
            np.testing.assert_array_equal(first[0], expected[0])
            out = (first, second)
            assert two(x, given, out=out) is out
            np.testing.assert_array_equal(first[0], several[0][0])
            assert second[0] == several[1][0]
        two(x, y, out=(first, second))
        np.testing.assert_array_equal(first, several[0])
        np.testing.assert_array_equal(second, several[1])
        alone = (np.empty(3), np.empty(()))
        assert two(x[-1], y[-1], out=alone) is alone
        np.testing.assert_array_equal(alone[0], several[0][-1])
        assert alone[1] == several[1][-1]

    def test_several_batches_that_share_memory(self, entrance):
        """With an input: computed as if they did not. With each other: refused."""
        k = Kernel(trace(lambda x: (2.0 * x, x[::-1] + 0.5), {"x": (2,)}))
        x = np.random.default_rng(3).normal(size=(9, 2))
        expected = k(x)
        store = np.empty(38)
        for begin in (0, 2, 3, 17, 18, 20):
            moved, out = store[:18].reshape(9, 2), store[begin : begin + 18].reshape(9, 2)
            other = np.empty((9, 2))
            moved[...] = x
            k(moved, out=(other, out))
            np.testing.assert_array_equal(other, expected[0])
            np.testing.assert_array_equal(out, expected[1])
        with pytest.raises(InputError, match=r"out\[0\] and out\[1\] share memory"):
            k(x, out=(store[:18].reshape(9, 2), store[17:35].reshape(9, 2)))

    def test_missing_part_is_refused(self, entrance):
        k = Kernel(trace(lambda x: {"a": x, "b": x}, {"x": ()}))
        with pytest.raises(InputError, match=r"out\['b'\] is missing"):
            k(1.0, out={"a": np.zeros(())})


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x,
        lambda x: x @ x,
        lambda x: (x, x @ x),
        lambda x: (x,),
        lambda x: [x, x],
        lambda x: {"x": x},
        lambda x: Pair(x, {"y": (x @ x, [x[0]])}),
        lambda x: (),
        lambda x: (x @ x, x[:0], np.stack([x, x])),
    ],
)
def test_outputs_are_nested_as_returned(entrance, function):
    program = trace(function, {"x": (2,)})
    k = Kernel(program)
    for x in (np.array([0.5, -3.0]), np.array([[0.5, -3.0], [2.0, 1.0], [4.0, 0.25]])):
        expected, first, second = program(x), k(x), k(x)  # the second call goes through other code
        for got in (first, second):
            assert repr(got) == repr(expected)
            assert type(got) is type(expected)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "named", "message"),
        [
            ((np.zeros(4), np.zeros(3), 1.0), {}, r"q has shape \(4,\), expected \(3,\) or \(\.\.\., 3\)"),
            (
                (np.zeros(3), np.zeros((5, 2)), 1.0),
                {},
                r"qd has shape \(5, 2\), expected \(3,\) or \(\.\.\., 3\)",
            ),
            ((np.zeros(3), 1.0, 1.0), {}, r"qd has shape \(\), expected \(3,\) or \(\.\.\., 3\)"),
            ((np.zeros(3), np.zeros(3)), {}, "gain not given; the inputs are q, qd, gain"),
            ((), {}, "q, qd, gain not given"),
            ((1, 2, 3, 4), {}, "4 arguments given, expected 3: q, qd, gain"),
            (
                (np.zeros(3), np.zeros(3), 1.0),
                {"tau": 1},
                "no input is called 'tau'; the inputs are q, qd, gain",
            ),
            ((np.zeros(3), np.zeros(3), 1.0), {"q": np.zeros(3)}, "q is given twice"),
            ((np.zeros((4, 3)), np.zeros((5, 3)), 1.0), {}, r"q has leading axes \(4,\), qd has \(5,\)"),
            ((np.zeros((4, 3)), np.zeros(3), np.zeros(5)), {}, r"q has leading axes \(4,\), gain has \(5,\)"),
            ((np.zeros(3) * 1j, np.zeros(3), 1.0), {}, "q has dtype complex128, expected real numbers"),
            ((["a", "b", "c"], np.zeros(3), 1.0), {}, "q has dtype <U1, expected real numbers"),
            ((None, np.zeros(3), 1.0), {}, "q has dtype object, expected real numbers"),
            (([[1.0], 2.0, 3.0], np.zeros(3), 1.0), {}, "q is not an array of numbers"),
            (
                (np.zeros(3), np.zeros(3), 1.0),
                {"threads": 0},
                "threads is 0, expected a whole number, 1 or more",
            ),
            ((np.zeros(3), np.zeros(3), 1.0), {"threads": 1.5}, "threads is 1.5"),
            ((np.zeros(3), np.zeros(3), 1.0), {"threads": True}, "threads is True"),
        ],
    )
    def test_message(self, kernel, arguments, named, message):
        with pytest.raises(InputError, match=message):
            kernel(*arguments, **named)
        kernel(np.zeros(3), np.zeros(3), 1.0)
        with pytest.raises(InputError, match=message):  # through the native function, which is there by now
            kernel(*arguments, **named)

    def test_three_way_mismatch_names_the_pair(self, kernel):
        with pytest.raises(InputError, match=r"qd has leading axes \(4,\), gain has \(5,\)"):
            kernel(np.zeros((1, 3)), np.zeros((4, 3)), np.zeros(5))

    def test_masked_entries(self, kernel, states):
        """Refused wherever they are; an array whose mask hides nothing is an array."""
        q, qd, gain = (a[0, :4] for a in states)
        expected = kernel(q, qd, gain)
        masked = np.ma.array(q, mask=q > 10.0)
        np.testing.assert_array_equal(kernel(masked, qd, gain), expected)
        np.testing.assert_array_equal(kernel(list(masked), qd, gain), expected)
        masked[2, 1] = np.ma.masked
        for odd in (masked, list(masked), [list(row) for row in masked], masked.astype(np.float32)):
            with pytest.raises(
                InputError, match=r"q has masked entries: give numbers for them, as by filled"
            ):
                kernel(odd, qd, gain)
        with pytest.raises(InputError, match="gain has masked entries"):
            kernel(q[0], qd[0], np.ma.masked)
        with pytest.raises(InputError, match="out has masked entries"):
            kernel(q, qd, gain, out=masked)
        np.testing.assert_array_equal(kernel(masked.filled(0.25), qd, gain)[[0, 1, 3]], expected[[0, 1, 3]])

    def test_unknown_language(self, kernel):
        with pytest.raises(InputError, match="no source in 'fortran'"):
            kernel.source("fortran")


class TestNative:
    """The native entrance itself."""

    def test_it_is_what_python_calls(self, states):
        k = Kernel(trace(motion, SHAPES), "motion")
        q, qd, gain = (a[0, 0] for a in states)
        k(q, qd, gain)
        assert type(type(k).__call__).__name__ == "builtin_function_or_method"
        other = Kernel(trace(lambda x: x, {"x": ()}))  # kernels do not share it
        assert other(2.0) == 2.0
        np.testing.assert_array_equal(k(q, qd, gain), k(q=q, qd=qd, gain=gain))

    def test_references_are_balanced(self, states):
        k = Kernel(trace(lambda q, qd, g: (q * g, q @ qd, qd - q), SHAPES))
        single = [a[0, 0] for a in states[:2]]
        out_kernel = Kernel(trace(motion, SHAPES))
        out = np.zeros(3)
        held = [*single, *states, out, np.dtype(np.float64), np.ndarray, k._checked]
        for _ in range(5):  # until everything is compiled
            k(*single, 0.5)
            k(*states)
            out_kernel(*single, 0.5, out=out)
            out_kernel(*states)
        gc.collect()  # what errors refer to in circles has dtypes, too
        before = [sys.getrefcount(x) for x in held]
        for _ in range(500):
            k(*single, 0.5)
            k(*states)
            out_kernel(*single, 0.5, out=out)
            out_kernel(*states)
            with pytest.raises(InputError):
                k(single[0], 0.5)
            with pytest.raises(InputError):
                k(single[0], single[0][:2], 0.5)
        gc.collect()
        assert [sys.getrefcount(x) for x in held] == before

    def test_results_are_owned_by_the_caller(self, states):
        k = Kernel(trace(lambda q, qd, g: (q * g, q @ qd), SHAPES))
        for arguments in ([a[0, 0] for a in states], states):
            vector, number = k(*arguments)
            again, _ = k(*arguments)
            own = np.zeros(3)  # how often a name of one's own is counted depends on the version of Python
            assert sys.getrefcount(vector) == sys.getrefcount(own)
            assert vector.flags.owndata
            assert not np.shares_memory(vector, again)
        assert isinstance(k(*(a[0, 0] for a in states))[1], np.float64)
        del number

    def test_memory_does_not_grow(self, states):
        k = Kernel(trace(lambda q, qd, g: (q * g, q @ qd), SHAPES))
        single = [a[0, 0] for a in states]
        k(*single)
        k(*states)
        gc.collect()
        blocks = sys.getallocatedblocks()
        for _ in range(2000):
            k(*single)
            k(*states)
        gc.collect()
        assert sys.getallocatedblocks() - blocks < 100

    def test_kernel_and_code_are_freed(self):
        k = Kernel(trace(lambda x: (x, x * x), {"x": ()}))
        k(2.0)
        k(np.arange(20.0))
        function: Any = type(k).__call__
        inner = weakref.ref(k._checked)
        own = weakref.ref(type(k))
        del k
        gc.collect()
        assert own() is None
        assert inner() is not None  # the function alone still works
        assert function(3.0) == (3.0, 9.0)
        del function
        assert inner() is None

    def test_subclasses_of_arrays_and_odd_arrays_take_the_other_way(self, states):
        k = Kernel(trace(motion, SHAPES))
        q, qd, gain = (a[0, 0] for a in states)
        expected = k(q, qd, gain)

        class Tagged(np.ndarray):
            pass

        for odd in (q.view(Tagged), np.ma.array(q), q.astype(np.longdouble), np.repeat(q, 2)[::2]):
            result = k(odd, qd, gain)
            np.testing.assert_array_equal(result, expected)
            assert type(result) is np.ndarray

    def test_what_it_takes_itself(self, states):
        k = Kernel(trace(motion, SHAPES))
        q, qd, gain = states
        k(q, qd, gain)
        k(q[0, 0], qd[0, 0], 0.5)
        for number in (0.5, np.float64(0.5), np.array(0.5)):
            assert not takes_the_checked_way(k, q[0, 0], qd[0, 0], number)
            assert not takes_the_checked_way(k, q[0], qd[0, 0], number)
        assert not takes_the_checked_way(k, q, qd[0, 0], gain)
        assert not takes_the_checked_way(k, q[0, 0], qd[0, 0], np.array([0.5]))
        for other in (1, True, np.float32(0.5), [0.5]):
            assert takes_the_checked_way(k, q[0, 0], qd[0, 0], other)
        assert takes_the_checked_way(k, q[:, :, ::-1], qd, gain)
        assert takes_the_checked_way(k, q, qd[:1], gain)

    def test_many_leading_axes(self, rng):
        k = Kernel(trace(lambda x: np.stack([[x[0], x[1]], [x[1], x[0]]]), {"x": (2,)}))
        for axes in (1, 5, 29, 30, 31):
            x = rng.uniform(-1, 1, (*(1,) * (axes - 1), 3, 2))
            for _ in range(2):
                result = k(x)
                assert result.shape == (*x.shape[:-1], 2, 2)
                np.testing.assert_array_equal(result[..., 0, :], x)

    def test_failed_allocation(self):
        """Under a limit of memory the second of two results cannot be had: an error, the first is freed."""
        script = (
            "import resource, sys, numpy as np\n"
            "from whippletree.kernels.run.kernel import Kernel\n"
            "from whippletree.kernels.trace.recording import trace\n"
            "k = Kernel(trace(lambda x: (x, np.stack([x] * 500)), {'x': ()}))\n"
            "k(1.0)\n"
            "k(np.ones(3))\n"
            "x = np.zeros(1_000_000)\n"
            "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
            "failed, before = 0, sys.getrefcount(np.dtype(float))\n"
            "for _ in range(500):\n"
            "    try:\n"
            "        k(x)\n"
            "    except MemoryError:\n"
            "        failed += 1\n"
            "print(failed, type(type(k).__call__).__name__, sys.getrefcount(np.dtype(float)) - before)\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "500 builtin_function_or_method 0\n"

    @pytest.mark.parametrize("shape", [(3,), ()])  # the shortest way, and the general one
    @pytest.mark.parametrize("entry", ["new_array", "new_tuple"])
    def test_results_made_before_a_failure_are_freed(self, shape, entry):
        k = Kernel(trace(lambda x: (2.0 * x, np.stack([x, -x]), x + 0.5), {"x": shape}))
        x = np.full(shape, 0.25)
        expected = k(x)
        (code,) = k._checked._entrances
        fails = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value
        works = call._process_table()[entry]
        assert fails is not None
        call.set_entry(code, entry, fails)

        def failures(count):
            for _ in range(count):
                with contextlib.suppress(MemoryError):
                    k(x)
                    raise AssertionError("there was memory")

        failures(3)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        failures(300)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 20_000  # three arrays each time would be 100 kB
        call.set_entry(code, entry, works)
        for one, other in zip(k(x), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_calls_from_several_threads(entrance, states):
    k = Kernel(trace(motion, SHAPES))
    q, qd, gain = states
    expected = Kernel(trace(motion, SHAPES))(q, qd, gain)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(k(q, qd, gain, threads=2), expected):
                wrong.append("batch")
            if not np.array_equal(k(q[0, 0], qd[0, 0], gain[0, 0]), expected[0, 0]):
                wrong.append("one")

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_first_calls_at_once(states):
    """However many threads make the first call, the native function knows all code in the end."""
    k = Kernel(trace(motion, SHAPES))
    q, qd, gain = states
    start = threading.Barrier(4)

    def work():
        start.wait()
        k(q, qd, gain)
        k(q[0, 0], qd[0, 0], gain[0, 0])

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not takes_the_checked_way(k, q, qd, gain)
    assert not takes_the_checked_way(k, q[0, 0], qd[0, 0], gain[0, 0])


def takes_the_checked_way(k: Kernel, *arguments: Any) -> bool:
    """Whether native code hands a call on to Python."""
    calls, plain = [], type(k._checked)
    k._checked.__class__ = type("Watched", (plain,), {"__call__": lambda *a, **n: calls.append(1)})
    k(*arguments)
    k._checked.__class__ = plain
    return bool(calls)


def test_copies_and_pickles(entrance, states):
    k = Kernel(trace(motion, SHAPES), "motion")
    q, qd, gain = (a[0] for a in states)
    expected = k(q, qd, gain)
    for other in (pickle.loads(pickle.dumps(k)), copy.copy(k), copy.deepcopy(k)):
        assert other.name == "motion"
        np.testing.assert_array_equal(other(q, qd, gain), expected)


def test_signature(entrance):
    k = Kernel(trace(motion, SHAPES), "motion")
    nested = Kernel(trace(lambda a, b: a["x"] + b, {"a": {"x": (), "y": ()}, "b": ()}))
    for call_first in (False, True):
        if call_first:
            k(np.ones(3), np.ones(3), 0.5)
            nested({"x": 1.0, "y": 2.0}, 3.0)
        found = inspect.signature(k)
        assert list(found.parameters) == ["q", "qd", "gain", "out", "threads"]
        assert found.parameters["out"].default is None
        assert found.parameters["threads"].default == 1
        assert found.bind(1, gain=2, qd=3, out=4).arguments == {"q": 1, "qd": 3, "gain": 2, "out": 4}
        with pytest.raises(TypeError):
            found.bind(1, 2, 3, 4)
        assert list(inspect.signature(nested).parameters) == ["a", "b", "out", "threads"]
        assert list(inspect.signature(pickle.loads(pickle.dumps(k))).parameters)[:2] == ["q", "qd"]
    assert list(inspect.signature(Kernel).parameters) == ["program", "name", "dtype"]
    for odd in ("q 1", "lambda", "out", "threads"):
        other = Kernel(trace(lambda x: 2.0 * x, {odd: ()}))
        assert list(inspect.signature(other).parameters) == ["arguments", "out", "threads", "named"]
        assert other(1.5) == 3.0


def test_description(entrance):
    k = Kernel(trace(motion, SHAPES), "motion")
    assert repr(k) == "<Kernel motion(q: (3,), qd: (3,), gain: ())>"
    assert k.cost == k.program.cost
    assert k.cost["trig"] == 3
    assert "void motion(" in k.source("c")
    assert "def motion(" in k.source("python")
    assert "define void @wt_batch(" in k.source("llvm")
    k.cost["mul"] = -1  # a copy
    assert k.cost["mul"] == 6


def test_arguments_by_name_take_the_native_way(monkeypatch):
    k = Kernel(trace(lambda a, b: a - 2.0 * b, {"a": (3,), "b": (3,)}))
    a, b = np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.2, 0.1])
    expected = k(a, b)
    monkeypatch.setattr(Checked, "__call__", None)  # the long way is closed
    np.testing.assert_array_equal(k(b=b, a=a), expected)
    np.testing.assert_array_equal(k(a, b=b), expected)
    with pytest.raises(InputError, match="a is given twice, by position and by name"):
        k(a, a=a)
    with pytest.raises(TypeError):
        k(a=a, b=[0.3, 0.2, 0.1])


def test_arrays_that_were_pickled_take_the_native_way(monkeypatch):
    """Their dtype is a copy of the usual one, and so is that of what is computed from them."""
    k = Kernel(trace(lambda a, b: a - 2.0 * b, {"a": (3,), "b": ()}))
    a, b = np.array([1.0, 2.0, 3.0]), np.array(0.3)
    pickled = pickle.loads(pickle.dumps((a, b)))
    assert pickled[0].dtype is not a.dtype
    expected, many = k(a, b), k(np.tile(a, (7, 1)), b)
    swapped, single = a.astype(a.dtype.newbyteorder()), a.astype(np.float32)
    np.testing.assert_array_equal(k(swapped, b), expected)
    monkeypatch.setattr(Checked, "__call__", None)  # the long way is closed
    np.testing.assert_array_equal(k(*pickled), expected)
    np.testing.assert_array_equal(k(pickled[0] + 0.0, pickled[1], out=np.empty(3)), expected)
    np.testing.assert_array_equal(k(np.tile(pickled[0], (7, 1)), pickled[1]), many)
    for other in (swapped, single, a.view(np.int64)):
        with pytest.raises(TypeError):
            k(other, b)


def test_calls_go_straight_to_the_code(monkeypatch, states):
    """By the protocol of functions: what the class says of calls is not asked any more."""
    kernel = Kernel(trace(motion, SHAPES), "motion")
    expected = kernel(*states)
    monkeypatch.setattr(type(kernel), "__getattribute__", None)  # nothing may be looked up
    for _ in range(3):
        np.testing.assert_array_equal(kernel(*states), expected)


def test_the_class_of_a_kernel_makes_kernels_of_other_programs(entrance, states):
    kernel = Kernel(trace(motion, SHAPES), "motion")
    kernel(*states)
    other = type(kernel)(trace(lambda x: 2.0 * x, {"x": (2,)}), "twice")
    np.testing.assert_array_equal(other(np.array([1.5, -0.3])), [3.0, -0.6])
    np.testing.assert_array_equal(kernel(*states), copy.deepcopy(kernel)(*states))
    again = type(other)(other.program)
    np.testing.assert_array_equal(again(np.array([0.7, 1.1])), [1.4, 2.2])


def test_kernels_that_are_gone_leave_nothing(states):
    """Object, class, function and code, also where only a call has been made."""
    kernel = Kernel(trace(motion, SHAPES), "motion")
    kernel(*states)
    gone = [weakref.ref(thing) for thing in (kernel, type(kernel), vars(kernel)["_called"])]
    del kernel
    gc.collect()
    assert [thing() for thing in gone] == [None] * 3


def test_what_is_said_of_the_class_later_does_not_harm(states):
    kernel = Kernel(trace(motion, SHAPES), "motion")
    expected = kernel(*states)
    bound = kernel.__call__
    del type(kernel).__call__
    np.testing.assert_array_equal(kernel(*states), expected)
    np.testing.assert_array_equal(bound(*states), expected)
    with pytest.raises(InputError, match="gain"):
        kernel(states[0], states[1])
