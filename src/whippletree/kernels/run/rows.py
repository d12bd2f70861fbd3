"""Sums of rows in scripts, and norms of them, eight numbers at a time.

Kernels are compiled for one length of their arrays. What integrators do besides asking for slopes is the same
for all lengths, so this code is, too: it is compiled once, and a new mechanism does not wait for it.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..emit.llvm import attributes
from ..emit.vecmath.lanes import Form
from . import build
from .machine import Code, host
from .script import CallForeign

Array = NDArray[np.float64]

BLOCK = 8
"""Numbers taken at a time; rows have a multiple of them."""

_SUM, _SUMS, _SQUARES = "wt_sum", "wt_sums", "wt_squares"

_PRODUCT = "declare <8 x double> @llvm.fmuladd.v8f64(<8 x double>, <8 x double>, <8 x double>)"

_TEXT = f"""
{_PRODUCT}
declare <8 x double> @llvm.fabs.v8f64(<8 x double>)
declare double @llvm.vector.reduce.fadd.v8f64(double, <8 x double>)

define void @{_SUM}(ptr %result, ptr %base, ptr %scale, ptr %weights, ptr %rows, ptr %size) ATTRIBUTES {{
start:
  %n = load i64, ptr %size, align 8
  %count_at = getelementptr i64, ptr %size, i64 1
  %count = load i64, ptr %count_at, align 8
  %h1 = load double, ptr %scale, align 8
  %h2 = insertelement <8 x double> poison, double %h1, i32 0
  %h = shufflevector <8 x double> %h2, <8 x double> poison, <8 x i32> zeroinitializer
  br label %block
block:
  %i = phi i64 [0, %start], [%i_next, %whole]
  %base_at = getelementptr double, ptr %base, i64 %i
  %y = load <8 x double>, ptr %base_at, align 8
  br label %row
row:
  %k = phi i64 [0, %block], [%k_next, %row]
  %at = phi i64 [%i, %block], [%at_next, %row]
  %sum = phi <8 x double> [zeroinitializer, %block], [%more, %row]
  %weight_at = getelementptr double, ptr %weights, i64 %k
  %w1 = load double, ptr %weight_at, align 8
  %w2 = insertelement <8 x double> poison, double %w1, i32 0
  %w = shufflevector <8 x double> %w2, <8 x double> poison, <8 x i32> zeroinitializer
  %x_at = getelementptr double, ptr %rows, i64 %at
  %x = load <8 x double>, ptr %x_at, align 8
  %more = call <8 x double> @llvm.fmuladd.v8f64(<8 x double> %w, <8 x double> %x, <8 x double> %sum)
  %k_next = add i64 %k, 1
  %at_next = add i64 %at, %n
  %rest = icmp slt i64 %k_next, %count
  br i1 %rest, label %row, label %whole
whole:
  %z = call <8 x double> @llvm.fmuladd.v8f64(<8 x double> %h, <8 x double> %more, <8 x double> %y)
  %z_at = getelementptr double, ptr %result, i64 %i
  store <8 x double> %z, ptr %z_at, align 8
  %i_next = add i64 %i, {BLOCK}
  %left = icmp slt i64 %i_next, %n
  br i1 %left, label %block, label %done
done:
  ret void
}}

define void @{_SQUARES}(ptr %result, ptr %x, ptr %a, ptr %b, ptr %tolerances, ptr %size) ATTRIBUTES {{
start:
  %n = load i64, ptr %size, align 8
  %rtol1 = load double, ptr %tolerances, align 8
  %rtol2 = insertelement <8 x double> poison, double %rtol1, i32 0
  %rtol = shufflevector <8 x double> %rtol2, <8 x double> poison, <8 x i32> zeroinitializer
  %atol_at = getelementptr double, ptr %tolerances, i64 1
  %atol1 = load double, ptr %atol_at, align 8
  %atol2 = insertelement <8 x double> poison, double %atol1, i32 0
  %atol = shufflevector <8 x double> %atol2, <8 x double> poison, <8 x i32> zeroinitializer
  br label %block
block:
  %i = phi i64 [0, %start], [%i_next, %block]
  %sum = phi <8 x double> [zeroinitializer, %start], [%more, %block]
  %a_at = getelementptr double, ptr %a, i64 %i
  %a1 = load <8 x double>, ptr %a_at, align 8
  %b_at = getelementptr double, ptr %b, i64 %i
  %b1 = load <8 x double>, ptr %b_at, align 8
  %a2 = call <8 x double> @llvm.fabs.v8f64(<8 x double> %a1)
  %b2 = call <8 x double> @llvm.fabs.v8f64(<8 x double> %b1)
  %longer = fcmp ogt <8 x double> %a2, %b2
  %largest = select <8 x i1> %longer, <8 x double> %a2, <8 x double> %b2
  %unit = call <8 x double> @llvm.fmuladd.v8f64(<8 x double> %largest, <8 x double> %rtol, <8 x double> %atol)
  %x_at = getelementptr double, ptr %x, i64 %i
  %x1 = load <8 x double>, ptr %x_at, align 8
  %share = fdiv <8 x double> %x1, %unit
  %more = call <8 x double> @llvm.fmuladd.v8f64(<8 x double> %share, <8 x double> %share, <8 x double> %sum)
  %i_next = add i64 %i, {BLOCK}
  %left = icmp slt i64 %i_next, %n
  br i1 %left, label %block, label %done
done:
  %total = call double @llvm.vector.reduce.fadd.v8f64(double 0.0, <8 x double> %more)
  store double %total, ptr %result, align 8
  ret void
}}
"""


def _sums_text(m: int, n: int) -> str:
    """m results of n rows, which are read once for all; sums do not wait for each other."""
    real = "<8 x double>"
    lines: list[str] = []

    def line(text: str) -> str:
        lines.append(f"  %s{len(lines)} = {text}")
        return f"%s{len(lines) - 1}"

    def at(array: str, k: int) -> str:
        ahead = line(f"mul i64 %n, {k}")
        place = line(f"add i64 %i, {ahead}")
        return line(f"getelementptr double, ptr {array}, i64 {place}")

    def everywhere(address: str) -> str:
        one = line(f"load double, ptr {address}, align 8")
        head = line(f"insertelement {real} poison, double {one}, i32 0")
        return line(f"shufflevector {real} {head}, {real} poison, <8 x i32> zeroinitializer")

    scale = everywhere("%scale")
    base_at = line("getelementptr double, ptr %base, i64 %i")
    base = line(f"load {real}, ptr {base_at}, align 8")
    rows = [line(f"load {real}, ptr {at('%rows', k)}, align 8") for k in range(n)]
    for k in range(m):
        found = "zeroinitializer"
        for j, row in enumerate(rows):
            weight = everywhere(line(f"getelementptr double, ptr %weights, i64 {n * k + j}"))
            found = line(f"call {real} @llvm.fmuladd.v8f64({real} {weight}, {real} {row}, {real} {found})")
        found = line(f"call {real} @llvm.fmuladd.v8f64({real} {scale}, {real} {found}, {real} {base})")
        lines.append(f"  store {real} {found}, ptr {at('%results', k)}, align 8")
    body = "\n".join(lines)
    return f"""
{_PRODUCT}
define void @{_SUMS}(ptr %results, ptr %base, ptr %scale, ptr %weights, ptr %rows, ptr %size) ATTRIBUTES {{
start:
  %n = load i64, ptr %size, align 8
  br label %block
block:
  %i = phi i64 [0, %start], [%i_next, %block]
{body}
  %i_next = add i64 %i, {BLOCK}
  %left = icmp slt i64 %i_next, %n
  br i1 %left, label %block, label %done
done:
  ret void
}}
"""


def padded(n: int) -> int:
    """The least length of rows that holds n numbers; the others are to be zero."""
    return -(-n // BLOCK) * BLOCK


def weighted_sum(result: Array, base: Array, scale: Array, weights: Array, rows: Array) -> CallForeign:
    """The instruction for result = base + scale Σ weights[k] rows[k].

    Args:
        result, base: (n,) n a multiple of `BLOCK`; `result` may be `base`, but none of the rows.
        scale: (1,).
        weights: (k,) of the first rows.
        rows: (k or more, n).

    >>> from whippletree.kernels.run.script import Halt, Script
    >>> rows, result = np.arange(16.0).reshape(2, 8), np.zeros(8)
    >>> add = weighted_sum(result, np.full(8, 100.0), np.array([0.5]), np.array([2.0, 4.0]), rows)
    >>> Script([add, Halt()])(1, 1), result
    (0, array([116., 119., 122., 125., 128., 131., 134., 137.]))
    """
    n = len(result)
    assert n % BLOCK == 0
    assert len(base) == rows.shape[1] == n
    assert 0 < len(weights) <= len(rows)
    assert all(array.flags.c_contiguous for array in (result, base, scale, weights, rows))
    return CallForeign(
        _code().function(_SUM), [result, base, scale, weights, rows, np.array([n, len(weights)])]
    )


def weighted_sums(results: Array, base: Array, scale: Array, weights: Array, rows: Array) -> CallForeign:
    """The instruction for results[k] = base + scale Σ_j weights[k, j] rows[j].

    Args:
        results: (m, n) n a multiple of `BLOCK`; not the rows.
        base: (n,).
        scale: (1,).
        weights: (m, k).
        rows: (k, n).

    >>> from whippletree.kernels.run.script import Halt, Script
    >>> rows, weights, results = np.arange(24.0).reshape(3, 8), np.eye(3)[::-1].copy(), np.zeros((3, 8))
    >>> add = weighted_sums(results, np.full(8, 100.0), np.array([0.5]), weights, rows)
    >>> Script([add, Halt()])(1, 1), results[0]
    (0, array([108. , 108.5, 109. , 109.5, 110. , 110.5, 111. , 111.5]))
    """
    n = len(base)
    assert n % BLOCK == 0
    assert results.shape == (len(weights), n)
    assert rows.shape == (weights.shape[1], n)
    assert all(array.flags.c_contiguous for array in (results, base, scale, weights, rows))
    function = _sums_code(*weights.shape).function(_SUMS)
    return CallForeign(function, [results, base, scale, weights, rows, np.array([n])])


def scaled_squares(result: Array, x: Array, a: Array, b: Array, tolerances: Array) -> CallForeign:
    """The instruction for result = Σ (x / (max(|a|, |b|) rtol + atol))².

    Args:
        result: (1,).
        x, a, b: (n,) n a multiple of `BLOCK`.
        tolerances: (2,) rtol and atol.

    >>> from whippletree.kernels.run.script import Halt, Script
    >>> x, a, b, found = np.full(8, 3.0), np.full(8, -20.0), np.full(8, 10.0), np.zeros(1)
    >>> Script([scaled_squares(found, x, a, b, np.array([0.1, 1.0])), Halt()])(1, 1), found
    (0, array([8.]))
    """
    n = len(x)
    assert n % BLOCK == 0
    assert len(a) == len(b) == n
    assert all(array.flags.c_contiguous for array in (result, x, a, b, tolerances))
    return CallForeign(_code().function(_SQUARES), [result, x, a, b, tolerances, np.array([n])])


@cache
def _code() -> Code:
    return _compiled(_TEXT)


@cache
def _sums_code(m: int, n: int) -> Code:
    return _compiled(_sums_text(m, n))


def _compiled(text: str) -> Code:
    target = host()
    return build.text_code(text.replace("ATTRIBUTES", attributes(Form(BLOCK, target.fma))), target)
