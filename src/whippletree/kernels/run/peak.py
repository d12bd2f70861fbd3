"""The most multiplications and additions a second this processor can do: the measure of all kernels."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from ..emit.llvm import attributes, declarations
from ..emit.vecmath.lanes import Form, Lanes, Real
from .machine import Code, compile_object, host

_CHAINS = 12  # independent sums, enough to hide how long one operation takes
_UNROLL = 8
_ROUNDS = 20_000


def peak() -> float:
    """Floating-point operations a second, one thread, of a loop that does nothing but multiply and add.

    The best of several runs of some milliseconds. A fused multiply-add counts as two operations.

    >>> 1e8 < peak() < 1e13
    True
    """
    target = host()
    code = Code(compile_object(_text(Form(target.width, target.fma)), target), target)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.function("wt_peak"))
    memory = np.empty(target.width)
    best = np.inf
    for _ in range(20):
        memory[:] = 1e-3
        start = time.perf_counter()
        function(memory.ctypes.data, _ROUNDS)
        best = min(best, time.perf_counter() - start)
    return 2.0 * target.width * _CHAINS * _UNROLL * _ROUNDS / best


def _text(form: Form) -> str:
    """IR of `void wt_peak(memory, rounds)`: reads one vector, computes, writes one vector."""
    e = Lanes(form)
    real, x = e.real_type, Real("%x")
    begin = [Real(f"%s{k}") for k in range(_CHAINS)]
    sums = begin
    for _ in range(_UNROLL):
        sums = [e.fma(s, x, x) for s in sums]
    heads = "\n".join(
        f"  {old} = phi {real} [%x, %start], [{new}, %loop]" for old, new in zip(begin, sums, strict=True)
    )
    loop, e.lines = "\n".join(e.lines), []
    total = sums[0]
    for s in sums[1:]:
        total = e.add(total, s)
    after = "\n".join(e.lines)
    return f"""
{declarations(form)}
define void @wt_peak(ptr %memory, i64 %rounds) {attributes(form)} {{
start:
  %x = load {real}, ptr %memory, align 8
  br label %loop
loop:
  %i = phi i64 [0, %start], [%next, %loop]
{heads}
{loop}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %loop, label %done
done:
{after}
  store {real} {total}, ptr %memory, align 8
  ret void
}}
"""
