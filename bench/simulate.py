"""One trajectory by `simulate`: python bench/simulate.py [mechanism …].

Steps of fixed length against the time of the evaluations of accelerations that they need, as machine code
makes them one after the other, each of which may or may not wait for the one before; of loops also against
that of all kernels that a step needs, those included that bring it back to closed loops and tell whether it
is plain, each called for itself; and, for panda, against a loop in Python over MuJoCo's `mj_step`, which
computes the same motion. Steps of chosen length against SciPy's DOP853 on our own kernels, at the same
tolerances, and their errors against a run with tolerances of a thousandth; for stiff mechanisms both by
Radau, with our exact derivatives. For some, SciPy's DOP853 on equations that are written by hand in as few
coordinates as there are freedoms. Once more ours at the loosest tolerance whose error, by the median of a few
starts, is not above SciPy's. For planar linkages, Exudyn with two numbers of steps, and ours at the
loosest tolerance whose error is not larger. All in turn, the best of several rounds, everything compiled,
ours each time from a start that was not seen before.
Where SciPy itself spends its time in our kernels, no more can be gained than its time over that of its
evaluations by machine code, one after the other: that bound stands beside the ratio. Also what a run of a
hundredth of a second takes, nearly all of which is its set-up; what a step of fixed length takes without
that, by a run of half as many; and, for panda, what a control in Python costs at each evaluation beyond one
that is machine code, its own time included.
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import cycle
from typing import Any

import exudyn_models
import numpy as np
from minimal_forms import MINIMAL
from rollout import bare, peer
from scipy.integrate import solve_ivp
from scipy.linalg import qr

import whippletree as wt
from whippletree.api.forward_methods import find
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.examples.linkages import four_bars
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.script import Again, Call, Copy, Halt, Label, Next, Script
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.recording import trace
from whippletree.model.snapshot import Snapshot
from whippletree.simulation.acting import Acting
from whippletree.simulation.equations import Equations, Law, equations
from whippletree.simulation.strides.loop_closing import closing_kernels
from whippletree.simulation.systems import Compiled

mujoco: Any = import_module("mujoco")

STEPS, DT = 1000, 1e-3
ALIKE = 5
STARTS = 600
"""Starts of timed runs, more than are kept of anything."""

STAGES = {"euler": 1, "rk4": 4}
DURATION = {"panda": 10.0, "chain": 1.0, "stewart-platform": 1.0, "flyball-governor": 10.0}
STIFF = ("flyball-governor",)
FLAT = ("four-bars",)
"""What passes singular positions, across which SciPy leads wrongly, or not at all."""

SHORT = 0.01
TIGHT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10}
CHAOTIC = {"panda": 1.0}
"""s: where errors are looked at, if the motion forgets its start later on."""

EXUDYN = {"five-bar": 1.0, "quick-return": 2.0, "andrews-squeezer": 0.03, "hanging-four-bars": 0.5}
"""Durations of runs that Exudyn takes part in, s."""

TORQUES = {"andrews-squeezer": {"beta": 0.033}}
ANDREWS = (-0.0617138900142764, 0.0, 0.45527981916307, 0.22266839016588, 0.48736498954384)
"""Where the squeezer starts, as far as it is assembled from."""


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
            *("five-bar", "spinning-top", "flyball-governor", "andrews-squeezer"),
        )
    },
    "hanging-four-bars": lambda: four_bars(40, raised=-1.0),
    "chain": chain,
}


def start(m: wt.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Where it starts: assembled, or bent a little, and robots that fall freely with some velocity."""
    qd = np.zeros(m.nv)
    if m.name == "andrews-squeezer":
        return wt.assemble(m, np.array([*ANDREWS, -0.22266839016588, 1.23054744454982])), qd
    if m.loops:
        return wt.assemble(m, m.neutral()), qd
    if m.nq != m.nv:
        qd = 0.5 * np.random.default_rng(0).normal(size=m.nv)
    return m.integrate(m.neutral(), np.r_[np.zeros(6 if m.nq != m.nv else 0), np.full(m.nv, 0.3)][: m.nv]), qd


def starts_near(m: wt.Mechanism, q: np.ndarray) -> Iterator[np.ndarray]:
    """Closed positions some 0.001 rad or m from q, none twice: what was found out of one helps no other."""
    K = wt.constraint_jacobian(m, q)
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K) :] if len(K) else np.eye(m.nv)
    way = np.random.default_rng(1).normal(size=len(free)) @ free
    near = m.integrate(np.tile(q, (STARTS, 1)), 1e-3 * np.linspace(0.5, 1.0, STARTS)[:, None] * way)
    for _ in range(3 if len(K) else 0):  # Newton steps, from gaps of 1e-6
        error, K = m.kernel("constraint_error")(near), m.kernel("constraint_jacobian")(near)
        near = m.integrate(near, -np.einsum("kij,kj->ki", np.linalg.pinv(K), error))
    return cycle(near)


def equations_of(m: wt.Mechanism, q: np.ndarray) -> Equations:
    """As the run has them at its start."""
    law = Law(find(m, "auto", "dynamics")[1])
    return equations(m, False, law if law.method.choose is None else law.at(m, q))


def evaluations(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, waiting: bool) -> Callable[[], object]:
    """So many evaluations as there are steps, by machine code, of one state.

    Those of a step wait for each other; `waiting`, these do, too: a state is the one before and nothing of
    what was found there. Otherwise a processor begins with the next while one is under way.
    """
    n = m.nq + m.nv
    found, force, state, same = np.zeros(n), np.zeros(m.nv), np.concatenate([q, qd]), np.zeros(n)
    nothing = trace(
        lambda state, found, zero: state + zero * found, {"state": (n,), "found": (n,), "zero": ()}
    )
    wait = [Call(Kernel(simplify(nothing)), [state, found, np.zeros(1)], [same]), Copy(same, state)]
    kernel: Any = equations_of(m, q).rates
    call = Call(kernel, [state[: m.nq], state[m.nq :], force], [found])
    script = Script([Label("go"), call, *(wait if waiting else []), Next(), Again("go"), Halt()])
    return lambda: script(STEPS, STEPS)


def with_closings(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, method: str) -> Callable[[], object]:
    """The kernels of so many steps of a mechanism with loops, waiting for nothing.

    A step of low order leaves loops so far open that they are closed by two steps of Newton's method.
    """
    K, equations = wt.constraint_jacobian(m, q), equations_of(m, q)
    rank = int(np.linalg.matrix_rank(K))
    factored: Any = qr(K.T, mode="r", pivoting=True)
    kernels = closing_kernels(Snapshot(m), tuple(factored[1][:rank].tolist()), ())
    known = {"q": q, "qd": qd, "tau": np.zeros(m.nv)}

    def call(kernel: Any) -> Call:
        entries = kernel.program.inputs
        inputs = [known.get(entry.name, np.zeros(entry.shape)) for entry in entries]
        outputs = [np.zeros(shape) for shape in kernel.array_shapes()[len(entries) :]]
        return Call(kernel, inputs, outputs)

    found = [call(kernels.closer), call(kernels.kept)]
    if STAGES[method] == 1:
        found += [call(kernels.nearer), call(kernels.kept), call(kernels.polished)]
    if equations.quality is not None:
        found.append(call(equations.quality))
    found += [call(kernels.turned), *(STAGES[method] * [call(equations.rates)])]
    script = Script([Label("go"), *found, Next(), Again("go"), Halt()])
    return lambda: script(STEPS, STEPS)


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


def controls(m: wt.Mechanism) -> dict[str, Any]:
    """The same control, which gives no forces, as a function in Python and as machine code."""
    tau = np.zeros(m.nv)
    compiled = wt.compile(lambda m, t, q, qd: tau, m, inputs={"t": ()})
    return {"Python": lambda t, q, qd: tau, "compiled": compiled}


def asked(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> int:
    """How often a control in Python is asked in a run of rk4."""
    count, tau = 0, np.zeros(m.nv)

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return tau

    wt.simulate(m, q, qd, STEPS * DT, control, "rk4", dt=DT, progress=False)
    return count


def measure(name: str) -> None:
    """All of one mechanism."""
    m = MECHANISMS[name]()
    hand = MINIMAL[name](m) if name in MINIMAL else None
    q, qd = start(m) if hand is None else (hand.q0, hand.qd0)
    duration, tau = DURATION.get(name, EXUDYN.get(name, 3.0) if hand is None else 3.0), np.zeros(m.nv)
    for joint, torque in TORQUES.get(name, {}).items():
        tau[[body.joint_name for body in m.bodies].index(joint)] = torque
    control = wt.compile(lambda m, t, q, qd: tau, m, inputs={"t": ()}) if name in TORQUES else None

    def ours(duration: float, q: np.ndarray = q, **options: Any) -> wt.Trajectory:
        return wt.simulate(m, q, qd, duration=duration, control=control, progress=False, **options)

    near = starts_near(m, q)

    def timed(duration: float, **options: Any) -> wt.Trajectory:
        return ours(duration, next(near), **options)

    system = Compiled(equations_of(m, q), Acting(m, control, None))
    peer_method = "Radau" if name in STIFF else "DOP853"
    extra: dict[str, Any] = {"jac": system.slope_derivative} if name in STIFF else {}

    def scipy(duration: float, q: np.ndarray = q) -> Any:
        y = np.concatenate([q, qd])
        return solve_ivp(system.slope, (0.0, duration), y, peer_method, **TIGHT, **extra)

    functions: dict[str, Callable[[], object]] = {
        name: evaluations(m, q, qd, waiting) for name, waiting in (("kernel", False), ("waiting", True))
    }
    stages = {} if name in STIFF or name in TORQUES else STAGES
    for method in stages:
        functions[method] = lambda method=method: timed(STEPS * DT, method=method, dt=DT)
        if m.loops:
            functions[f"all {method}"] = with_closings(m, q, qd, method)
        functions[f"half {method}"] = lambda method=method: timed(STEPS // 2 * DT, method=method, dt=DT)
        if name == "panda":
            functions[f"mj_step {method}"] = mujoco_loop(m, q, method)
    if name == "panda":
        for way, function in controls(m).items():
            functions[f"{way} control"] = lambda function=function: wt.simulate(
                m, q, qd, STEPS * DT, function, "rk4", dt=DT, progress=False
            )
    functions |= {"short": lambda: timed(SHORT), "ours": lambda: timed(duration, **TIGHT)}
    functions["SciPy"] = lambda: scipy(duration, q if name in FLAT else next(near))
    if hand is not None:
        functions["by hand"] = lambda: solve_ivp(hand.slope, (0.0, duration), hand.y0, "DOP853", **TIGHT)
    times = best_times(functions, rounds=5)
    for method, count in stages.items():
        a_step, needed, in_a_row = (times[key] / STEPS for key in (method, "kernel", "waiting"))
        needed, in_a_row = count * needed, count * in_a_row
        alone = (times[method] - times[f"half {method}"]) / (STEPS - STEPS // 2)
        text = (
            f"{name:17} {method:6} {a_step * 1e6:8.2f} µs a step, {a_step / needed:5.2f} × its evaluations, "
            f"{a_step / in_a_row:.2f} × if these wait for each other; "
        )
        text += f"{alone * 1e6:.2f} µs without its set-up, {alone / needed:.2f} ×, {alone / in_a_row:.2f} ×"
        if f"all {method}" in times:
            whole = times[f"all {method}"] / STEPS
            text += f"; {alone / whole:.2f} × all its kernels, {whole * 1e6:.2f} µs"
        if f"mj_step {method}" in times:
            theirs = times[f"mj_step {method}"] / STEPS
            text += f"; mj_step {theirs * 1e6:.2f} µs, {theirs / a_step:.1f} times as long"
        print(text, flush=True)
    if name == "panda":
        more = (times["Python control"] - times["compiled control"]) / asked(m, q, qd)
        print(f"{name:17} a control in Python {more * 1e6:.2f} µs more at each evaluation", flush=True)
    seen = CHAOTIC.get(name, duration)
    exact = ours(seen, rtol=1e-11, atol=1e-13)
    run, other = ours(duration, **TIGHT), scipy(seen)
    end = run.q[-1] if seen == duration else ours(seen, **TIGHT).q[-1]
    least = scipy(duration).nfev * times["kernel"] / STEPS
    errors = [float(np.abs(part - exact.q[-1]).max()) for part in (end, other.y[: m.nq, -1])]
    print(
        f"{name:17} {run.method:6} {times['ours'] * 1e3:8.2f} ms for {duration:g} s, {len(run.t) - 1} steps, "
        f"error {errors[0]:.0e}, {times['short'] * 1e3:.2f} ms for {SHORT:g} s; SciPy "
        f"{times['SciPy'] * 1e3:.1f} ms, error {errors[1]:.0e}: {times['SciPy'] / times['ours']:.1f} times "
        f"as long; its evaluations alone {least * 1e3:.2f} ms, bound {times['SciPy'] / least:.1f}",
        flush=True,
    )
    if name not in FLAT:
        at_equal_error(name, duration, ours, scipy, near)
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
    if name in EXUDYN and exudyn_models.available:
        beside_exudyn(name, exudyn_models.PlanarModel(m, q, qd, TORQUES.get(name)), ours, timed)


def at_equal_error(
    name: str,
    duration: float,
    ours: Callable[..., wt.Trajectory],
    scipy: Callable[..., Any],
    near: Iterator[np.ndarray],
) -> None:
    """Ours at the loosest tolerance whose error is not above SciPy's at 1e-8: medians of a few starts."""
    seen, starts = CHAOTIC.get(name, duration), [next(near) for _ in range(ALIKE)]
    exact = [ours(seen, q, rtol=1e-12, atol=1e-14).q[-1] for q in starts]

    def error(end: Callable[[np.ndarray], np.ndarray]) -> float:
        return float(np.median([np.abs(end(q) - at).max() for q, at in zip(starts, exact, strict=True)]))

    theirs = error(lambda q: scipy(seen, q).y[: len(q), -1])
    tolerances, least = dict[str, float](), theirs
    for quarter in range(-44, -20):
        rtol = 10.0 ** (0.25 * quarter)
        tried = {"rtol": rtol, "atol": 1e-2 * rtol}
        own = error(lambda q, tried=tried: ours(seen, q, **tried).q[-1])
        if own > theirs:
            break
        tolerances, least = tried, own
    if not tolerances:
        print(f"{name:17} SciPy's error, {theirs:.0e}, is below ours at every tolerance", flush=True)
        return
    times = best_times(
        {
            "ours": lambda: ours(duration, next(near), **tolerances),
            "SciPy": lambda: scipy(duration, next(near)),
        },
        rounds=5,
    )
    print(
        f"{name:17} at equal error, ours {least:.0e} at rtol {tolerances['rtol']:.1e}, SciPy {theirs:.0e}: "
        f"ours {times['ours'] * 1e3:.2f} ms, SciPy {times['SciPy'] * 1e3:.1f} ms: "
        f"{times['SciPy'] / times['ours']:.1f} times as long",
        flush=True,
    )


def beside_exudyn(
    name: str,
    model: exudyn_models.PlanarModel,
    ours: Callable[..., wt.Trajectory],
    timed: Callable[..., wt.Trajectory],
) -> None:
    """Ours, from one start and from others near it, and Exudyn at equal errors of the centres of mass."""
    duration = EXUDYN[name]
    exact = model.centres(ours(duration, rtol=1e-12, atol=1e-14).q[-1])
    for steps in (100, 1000):
        error = float(np.abs(model.run(duration, steps) - exact).max())
        rtol, own = 1e-2, np.inf
        while own > error and rtol > 1e-11:
            rtol *= 0.1
            end = ours(duration, rtol=rtol, atol=1e-2 * rtol).q[-1]
            own = float(np.abs(model.centres(end) - exact).max())
        times = best_times(
            {
                "ours": lambda rtol=rtol: timed(duration, rtol=rtol, atol=1e-2 * rtol),
                "Exudyn": lambda steps=steps: model.run(duration, steps),
            },
            rounds=3,
        )
        print(
            f"{name:17} Exudyn {times['Exudyn'] * 1e3:8.2f} ms for {duration:g} s in {steps} steps, error "
            f"{error:.0e}; ours {times['ours'] * 1e3:.2f} ms at rtol {rtol:.0e}, error {own:.0e}: "
            f"{times['Exudyn'] / times['ours']:.0f} times as long",
            flush=True,
        )


if __name__ == "__main__":
    print(", ".join(f"{key}: {value}" for key, value in machine_record().items()))
    for mechanism in sys.argv[1:] or MECHANISMS:
        measure(mechanism)
