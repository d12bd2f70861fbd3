"""What the machine could do at most: a loop of nothing but independent multiply-adds."""

import ctypes
from collections.abc import Callable

from ..kernels.machine import Code, compile_object, host
from .measure import best_times

CHAINS = 16
"""Independent chains of multiply-adds: more than latency times throughput of any processor."""

STEPS = 100_000


def peak_gflops() -> float:
    """Highest rate of double-precision operations on one core, in 10⁹ per second; a multiply-add is two."""
    run, operations = fma_loop()
    return operations / best_times({"peak": run}, rounds=5)["peak"] * 1e-9


def fma_loop() -> tuple[Callable[[], object], int]:
    """A function that does nothing but multiply-adds on this machine's widest vectors, and how many."""
    target = host()
    code = Code(compile_object(_text(target.width), target), target)
    loop = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(code.function("wt_peak"))

    def run() -> float:
        # `code` is named here so that it lives as long as the function.
        return loop(STEPS) if code else 0.0

    return run, 2 * target.width * CHAINS * STEPS


def _text(width: int) -> str:
    vector = f"<{width} x double>" if width > 1 else "double"
    name = f"llvm.fma.v{width}f64" if width > 1 else "llvm.fma.f64"
    one = f"splat (double {1.0!r})" if width > 1 else "1.0"
    factor = "splat (double 0x3FEFFFFFFFFFFFFF)" if width > 1 else "0x3FEFFFFFFFFFFFFF"
    chains = range(CHAINS)
    phis = "\n".join(f"  %x{k} = phi {vector} [ {one}, %entry ], [ %y{k}, %loop ]" for k in chains)
    steps = "\n".join(
        f"  %y{k} = call {vector} @{name}({vector} %x{k}, {vector} {factor}, {vector} {one})" for k in chains
    )
    # The sum of all chains is returned, so that none of them can be left out.
    sums = ["  %s0 = fadd " + f"{vector} %y0, %y1"]
    sums += [f"  %s{k} = fadd {vector} %s{k - 1}, %y{k + 1}" for k in range(1, CHAINS - 1)]
    first = (
        f"extractelement {vector} %s{CHAINS - 2}, i32 0" if width > 1 else f"fadd double %s{CHAINS - 2}, 0.0"
    )
    result = f"  %r = {first}"
    return f"""
declare {vector} @{name}({vector}, {vector}, {vector})
define double @wt_peak(i64 %n) nounwind "prefer-vector-width"="{64 * width}" {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
{phis}
{steps}
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %loop, label %done
done:
{chr(10).join(sums)}
{result}
  ret double %r
}}
"""
