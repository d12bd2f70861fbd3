"""One trajectory by `simulate`: python bench/simulate.py [mechanism …].

Steps of fixed length against the time of the kernel evaluations they need and, for panda, against a loop in
Python over MuJoCo's `mj_step`, which computes the same motion. Steps of chosen length against SciPy's DOP853
on our own kernels, at the same tolerances, and their errors against a run with tolerances of a thousandth;
for stiff mechanisms both by Radau, with our exact derivatives. For some, SciPy's DOP853 on equations that
are written by hand in as few coordinates as there are freedoms. All in turn, the best of several rounds,
everything compiled. Also what a run of a hundredth of a second takes, nearly all of which is its set-up.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from minimal_forms import MINIMAL
from rollout import bare, peer
from scipy.integrate import solve_ivp

import whippletree as wt
from whippletree.api.forward_methods import find
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.simulation.acting import Acting
from whippletree.simulation.equations import Law, equations
from whippletree.simulation.systems import Compiled

mujoco: Any = import_module("mujoco")

STEPS, DT = 1000, 1e-3
STAGES = {"euler": 1, "rk4": 4}
DURATION = {"panda": 10.0, "chain": 1.0, "stewart-platform": 1.0, "flyball-governor": 10.0}
STIFF = ("flyball-governor",)
SHORT = 0.01
TIGHT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10}


def chain(n: int = 100) -> wt.Mechanism:
    """Bodies in a row, turning about x, y and z by turns."""
    m = wt.Mechanism("chain")
    for k in range(n):
        place = wt.Placement((0.1, 0.0, 0.0)) if k else None
        inertia = wt.Inertia(0.2, (0.05, 0.0, 0.01), 1e-3 * np.diag([1.0, 2.0, 3.0]))
        m.add_body(f"b{k}", wt.Revolute("xyz"[k % 3]), f"b{k - 1}" if k else "ground", place, inertia)
    return m


MECHANISMS: dict[str, Callable[[], wt.Mechanism]] = {
    **{name: lambda name=name: bare(name) for name in ("panda", "g1", "anymal")},
    **{
        name: lambda name=name: wt.examples.load(name)
        for name in (
            *("four-bar", "quick-return", "stewart-platform", "four-bars"),
            *("five-bar", "spinning-top", "flyball-governor"),
        )
    },
    "chain": chain,
}


def start(m: wt.Mechanism) -> np.ndarray:
    """Where it starts from rest: assembled, or bent a little."""
    if m.loops:
        return wt.assemble(m, m.neutral())
    return m.integrate(m.neutral(), np.r_[np.zeros(6 if m.nq != m.nv else 0), np.full(m.nv, 0.3)][: m.nv])


def slope_of(m: wt.Mechanism, q: np.ndarray) -> Callable[[float, np.ndarray], np.ndarray]:
    """dy/dt by our own kernel, as a function for SciPy."""
    law = Law(find(m, "auto", "dynamics")[1])
    kernel = equations(m, False, law if law.method.choose is None else law.at(m, q)).rates
    nothing = np.zeros(m.nv)
    return lambda t, y: kernel(y[: m.nq], y[m.nq :], nothing)


def mujoco_loop(m: wt.Mechanism, q: np.ndarray, method: str) -> Callable[[], object]:
    """A loop over mj_step from the same start."""
    model = peer(m.name)
    kinds = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "rk4": mujoco.mjtIntegrator.mjINT_RK4}
    model.opt.integrator = int(kinds[method])
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return run


def derivative_of(m: wt.Mechanism) -> Callable[[float, np.ndarray], np.ndarray]:
    """The derivative of dy/dt by y by our own kernel, as a function for SciPy."""
    system = Compiled(equations(m, False, Law(find(m, "auto", "dynamics")[1])), Acting(m, None, None))
    return system.slope_derivative


def measure(name: str) -> None:
    """All of one mechanism."""
    m = MECHANISMS[name]()
    hand = MINIMAL[name](m) if name in MINIMAL else None
    q, qd = (start(m), np.zeros(m.nv)) if hand is None else (hand.q0, hand.qd0)
    y, slope = np.concatenate([q, qd]), slope_of(m, q)
    functions: dict[str, Callable[[], object]] = {"kernel": lambda: slope(0.0, y)}
    stages = {} if name in STIFF else STAGES
    for method in stages:
        functions[method] = lambda method=method: wt.simulate(
            m, q, qd, duration=STEPS * DT, method=method, dt=DT, progress=False
        )
        if name == "panda":
            functions[f"mj_step {method}"] = mujoco_loop(m, q, method)
    duration = DURATION.get(name, 3.0)
    functions["short"] = lambda: wt.simulate(m, q, qd, duration=SHORT, progress=False)
    functions["ours"] = lambda: wt.simulate(m, q, qd, duration=duration, progress=False, **TIGHT)
    stiff: dict[str, Any] = {"jac": derivative_of(m)} if name in STIFF else {}
    peer_method = "Radau" if stiff else "DOP853"
    functions["SciPy"] = lambda: solve_ivp(slope, (0.0, duration), y, peer_method, **TIGHT, **stiff)
    if hand is not None:
        functions["by hand"] = lambda: solve_ivp(hand.slope, (0.0, duration), hand.y0, "DOP853", **TIGHT)
    times = best_times(functions, rounds=5)
    for method, count in stages.items():
        a_step, needed = times[method] / STEPS, count * times["kernel"]
        text = f"{name:17} {method:6} {a_step * 1e6:8.2f} µs a step, {a_step / needed:5.2f} × its evaluations"
        if f"mj_step {method}" in times:
            theirs = times[f"mj_step {method}"] / STEPS
            text += f"; mj_step {theirs * 1e6:.2f} µs, {theirs / a_step:.1f} times as long"
        print(text, flush=True)
    run: Any = functions["ours"]()
    exact = wt.simulate(m, q, qd, duration=duration, progress=False, rtol=1e-11, atol=1e-13)
    other: Any = functions["SciPy"]()
    ours, theirs = (np.abs(part - exact.q[-1]).max() for part in (run.q[-1], other.y[: m.nq, -1]))
    print(
        f"{name:17} {run.method:6} {times['ours'] * 1e3:8.2f} ms for {duration:g} s, {len(run.t) - 1} steps, "
        f"error {ours:.0e}, {times['short'] * 1e3:.2f} ms for {SHORT:g} s; SciPy "
        f"{times['SciPy'] * 1e3:.1f} ms, error {theirs:.0e}: {times['SciPy'] / times['ours']:.1f} times as "
        "long",
        flush=True,
    )
    if hand is not None:
        found: Any = functions["by hand"]()
        of_y, of_q = hand.seen
        error = abs(of_y(found.y[:, -1]) - of_q(exact.q[-1]))
        print(
            f"{name:17} by hand {times['by hand'] * 1e3:7.2f} ms in SciPy, error {error:.0e}, ours "
            f"{abs(of_q(run.q[-1]) - of_q(exact.q[-1])):.0e}: {times['by hand'] / times['ours']:.1f} times "
            "as long",
            flush=True,
        )


if __name__ == "__main__":
    print(", ".join(f"{key}: {value}" for key, value in machine_record().items()))
    for mechanism in sys.argv[1:] or MECHANISMS:
        measure(mechanism)
