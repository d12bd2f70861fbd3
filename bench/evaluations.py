"""What bounds a run by steps of chosen length: python bench/evaluations.py [mechanism …].

`simulate` calls machine code for accelerations a dozen times a step. SciPy's DOP853 is given the same
kernels, so that it takes ten times as long only where it spends little of its time in them. Told are how
often it asks for accelerations, and how often Adams methods of up to order 12 do, at the loosest tolerance by
which they err no more; what an evaluation takes, and what it may take at most for a run ten times as fast
that asks as often, if all else took no time; and how long the longest chain of operations is that wait for
each other, which vectors, however wide, make no shorter. PIRK asks for eight states side by side, twice a
step or more: told are what these take, in how many steps it errs no more, and by how much a run could be
faster than SciPy's if all else took no time.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite.binding import ObjectFileRef
from scipy.integrate import ode, solve_ivp
from simulate import CHAOTIC, DURATION, MECHANISMS, STEPS, TIGHT, equations_of, evaluations, start

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.run.build import kernel_text
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.machine import compile_object, host
from whippletree.kernels.run.script import Again, CallMany, Halt, Label, Next, Script
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace
from whippletree.simulation.acting import Acting
from whippletree.simulation.systems import Compiled

NAMES = "g1", "anymal", "stewart-platform", "hanging-four-bars", "chain"

WAIT = {"add": 2, "sub": 2, "mul": 3, "div": 13, "sqrt": 18, "sin": 30, "cos": 30, "neg": 0}
"""Clock cycles until a result is there, at the least, on processors of today; of all other operations 4."""

LINKS, CALLS = 2000, 1000
"""Fused products and sums one after the other in a kernel by which the clock is told, and calls of it."""

Slope = Callable[[float, np.ndarray], np.ndarray]


def adams(slope: Slope, y: np.ndarray, duration: float, rtol: float) -> tuple[int, np.ndarray]:
    """How often Adams methods ask for slopes, and where they end."""
    asked = 0

    def counted(t: float, y: np.ndarray) -> np.ndarray:
        nonlocal asked
        asked += 1
        return slope(t, y)

    options = {"method": "adams", "order": 12, "rtol": rtol, "atol": 1e-2 * rtol, "nsteps": 10**6}
    end = ode(counted).set_integrator("vode", **options).set_initial_value(y, 0.0).integrate(duration)
    return asked, np.array(end)


def longest_chain(program: Program) -> int:
    """Clock cycles from inputs to results, if all that need not wait were done at once."""
    fused = fuse(program)
    ready = [0] * fused.n_values
    for operation, number, *operands in fused.instructions:
        ready[number] = WAIT.get(operation, 4) + max(ready[k] for k in operands if k >= 0)
    return max(ready[k] for k in fused.results)


def code_bytes(program: Program) -> int:
    """Machine code for one state."""
    data = compile_object(kernel_text(program, host(), 1), host())
    return sum(section.size() for section in ObjectFileRef.from_data(data).sections() if section.is_text())


def cycle() -> float:
    """s of a clock cycle: fused products and sums that wait for each other take four each."""

    def added(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        for k in range(LINKS):
            x = x * y[k % 2] + y[2]
        return x

    kernel, x, y = Kernel(trace(added, {"x": (), "y": (3,)})), np.array(0.1), np.array([0.2, 0.3, 0.5])
    return best_times({"chain": lambda: [kernel(x, y) for _ in range(CALLS)]})["chain"] / (4 * LINKS * CALLS)


def eight_evaluations(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> Callable[[], object]:
    """So many evaluations of eight states side by side as there are steps."""
    states, found = np.tile(np.concatenate([q, qd]), (8, 1)), np.zeros((8, m.nq + m.nv))
    kernel: Any = equations_of(m, q).rates
    call = CallMany(kernel, [states[:, : m.nq], states[:, m.nq :], np.zeros((1, m.nv))], [found])
    script = Script([Label("go"), call, Next(), Again("go"), Halt()])
    return lambda: script(STEPS, STEPS)


def steps_of_pirk(
    m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, duration: float, fine: Callable[[np.ndarray], bool]
) -> int:
    """Of a run by the loosest tolerance that is fine."""
    rtol, end = 1e-5, np.full(m.nq, np.nan)
    steps = 0
    while not fine(end) and rtol > 1e-12:
        rtol *= 0.5
        options: Any = {"method": "PIRK", "rtol": rtol, "atol": 1e-2 * rtol, "progress": False}
        run = wt.simulate(m, q, qd, duration, **options)
        steps, end = len(run.t) - 1, run.q[-1]
    return steps


def measure(name: str, a_cycle: float) -> None:
    """One mechanism."""
    m = MECHANISMS[name]()
    q, qd = start(m)
    duration = CHAOTIC.get(name, DURATION.get(name, 3.0))
    y, equations = np.concatenate([q, qd]), equations_of(m, q)
    slope = Compiled(equations, Acting(m, None, None)).slope
    exact = wt.simulate(m, q, qd, duration, rtol=1e-12, atol=1e-14, progress=False).q[-1]

    def error(end: np.ndarray) -> float:
        return float(np.abs(end[: m.nq] - exact).max())

    found = solve_ivp(slope, (0.0, duration), y, "DOP853", **TIGHT)
    size, rtol = error(found.y[:, -1]), 1e-5
    asked, end = adams(slope, y, duration, rtol)
    while error(end) > size and rtol > 1e-12:
        rtol *= 0.5
        asked, end = adams(slope, y, duration, rtol)
    functions: dict[str, Callable[[], object]] = {
        "ours": evaluations(m, q, qd, waiting=False),
        "eight": eight_evaluations(m, q, qd),
    }
    functions["SciPy"] = lambda: solve_ivp(slope, (0.0, duration), y, "DOP853", **TIGHT)
    times = best_times(functions, rounds=5)
    takes, may_take, eight = times["ours"] / STEPS, times["SciPy"] / (10 * found.nfev), times["eight"] / STEPS
    steps = steps_of_pirk(m, q, qd, duration, lambda end: error(end) <= size)
    rates: Any = equations.rates  # a kernel, as all that can be recorded
    waits, code = longest_chain(rates.program) * a_cycle, code_bytes(rates.program)
    print(
        f"{name:17} DOP853 asks {found.nfev} times, error {size:.0e}; Adams {asked}, error {error(end):.0e}; "
        f"an evaluation takes {takes * 1e6:.2f} µs, may take {may_take * 1e6:.2f}, its longest "
        f"chain {waits * 1e6:.2f}; {code / 1024:.0f} kB of code, {code * a_cycle / takes:.1f} bytes a cycle; "
        f"eight take {eight * 1e6:.2f} µs, {steps} steps of PIRK, at most "
        f"{times['SciPy'] / (2 * steps * eight):.1f} times as fast",
        flush=True,
    )


if __name__ == "__main__":
    print(", ".join(f"{key}: {value}" for key, value in machine_record().items()))
    clock = cycle()
    for mechanism in sys.argv[1:] or NAMES:
        measure(mechanism, clock)
