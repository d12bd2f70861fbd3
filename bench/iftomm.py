"""The IFToMM library of multibody benchmarks beside Exudyn: python bench/iftomm.py [A01 …] [--json FILE].

A01, a pendulum; A02, four-bars in a row; A03, Andrews' squeezer; A04, Bricard's linkage; A05, the stiff
flyball governor; and the slider-crank in space. At three accuracies, relative to the size of the mechanism,
the time of the fastest way that reaches each: ours by `simulate` with chosen steps, `rollout` by steps of
order 6, or, of a tree without springs, all steps of a Runge-Kutta method in one kernel; Exudyn's by its two
integrators for constraints and, where there are no loops, in its kinematic tree, by explicit ones too, in its
build without range checks. Steps are as long as each accuracy allows. The error is that of the centres of
mass at the end, against a run with tolerances of 1e-13, which tests hold against closed forms and published
digits; that Exudyn comes as near to it as it is asked to shows that both compute the same motion. All on one
core, in turn, models built and kernels compiled. Fails where Exudyn is the faster one.

Looking for the steps that each accuracy allows takes long and depends on errors alone; with `--levels FILE`
the first call looks for them, and the next measures. BLAS may have threads: OPENBLAS_NUM_THREADS=1.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
from exudyn_models import PlanarModel, available
from exudyn_spatial import SpatialModel, TreeModel, centres

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.examples.linkages import four_bars

ACCURACIES = (1e-2, 1e-4, 1e-6)
LONGEST = 20.0
"""s: a way that takes longer than this is not followed to a higher accuracy."""

SLOW = 2.5
"""Ways that took so many times as long as the fastest of their side when levels were looked for are left."""

SIDES = ("ours", "Exudyn")

IMPLICIT = ("TrapezoidalIndex2", "GeneralizedAlpha")
ANDREWS = {
    "beta": -0.06171389001427645, "Theta": 0.0, "gamma": 0.4552798191630704, "Phi": 0.22266839016588588,
    "delta": 0.48736497954384255, "Omega": -0.22266839016588588, "epsilon": 1.2305474445498212,
}  # fmt: skip
"""Where the squeezer starts, rad: test set for IVP solvers."""

Levels = dict[str, dict[str, int]]
"""By accuracy and name, the level at which a way reaches it."""

Run = Callable[[int], np.ndarray]
"""Where the motion ends, by so many steps: centres of mass (nb, 2) or (nb, 3), or q (nq,)."""


@dataclass
class Problem:
    """A benchmark: what moves, from where, how long, and Exudyn's ways to compute it."""

    m: wt.Mechanism
    q: np.ndarray
    qd: np.ndarray
    duration: float
    size: float = 1.0
    peers: dict[str, Run] = field(default_factory=dict)

    def constrained(self, model: PlanarModel | SpatialModel) -> "Problem":
        """With the ways of a model whose joints are constraints."""
        for solver in IMPLICIT:
            self.peers[solver] = lambda n, s=solver: model.run(self.duration, n, solver=s)
        return self

    def minimal(self) -> "Problem":
        """With those of a kinematic tree, too."""
        model = TreeModel(self.m, self.q, self.qd)
        for solver in (*IMPLICIT, "RK67", "RK44"):
            self.peers[f"{solver}, tree"] = lambda n, s=solver: model.run(self.duration, n, solver=s)
        return self

    def error(self, found: np.ndarray, exact: np.ndarray) -> float:
        """How far centres of mass are from those of a position (nq,), by the mechanism's size."""
        if not np.all(np.isfinite(found)):
            return inf
        place = centres(self.m, found) if found.ndim == 1 else found
        return float(np.max(np.abs(place - centres(self.m, exact)[:, : place.shape[1]]))) / self.size


def pendulum() -> Problem:
    """A01: a point of 1 kg on 1 m, from the level, 10 s."""
    m = wt.Mechanism("A01", gravity=(0.0, -9.81, 0.0))
    m.add_body("bob", wt.Revolute("z"), inertia=wt.Inertia(1.0, (-1.0, 0.0, 0.0)))
    problem = Problem(m, np.zeros(1), np.zeros(1), 10.0)
    return problem.constrained(PlanarModel(m, problem.q, problem.qd)).minimal()


def windows(count: int, duration: float) -> Problem:
    """A02: four-bars in a row, upright, pushed with 1 m/s; each turn passes two singular positions."""
    m = four_bars(count)
    turns = np.array([1.0 if body.name.startswith("bar") else -1.0 for body in m.bodies])
    problem = Problem(m, 0.5 * np.pi * turns, -turns, duration)
    return problem.constrained(PlanarModel(m, problem.q, problem.qd))


def squeezer() -> Problem:
    """A03: Andrews' squeezer, 0.03 s, in which its crank turns two and a half times."""
    m = wt.examples.load("andrews-squeezer")
    q, qd = np.array([ANDREWS[name] for name in m.joint_names]), np.zeros(m.nv)
    model = PlanarModel(m, q, qd, {"beta": 0.033})
    m.add_force("motor", "K1", torque=(0.0, 0.0, 0.033))
    return Problem(m, q, qd, 0.03, size=0.05).constrained(model)


def bricard() -> Problem:
    """A04: Bricard's linkage, released from rest, 10 s; Exudyn leaves out the turn that is implied."""
    m = wt.examples.load("bricard")
    problem = Problem(m, np.zeros(5), np.zeros(5), 10.0)
    return problem.constrained(SpatialModel(m, problem.q, problem.qd, {"J6": 4}))


def governor() -> Problem:
    """A05: the flyball governor, 10 s."""
    m = wt.examples.load("flyball-governor")
    q, qd = np.array([0.0, 0.5, np.pi / 6.0, np.pi / 6.0]), np.array([2.0 * np.pi, 0.0, 0.0, 0.0])
    return Problem(m, q, qd, 10.0).minimal()


def slider_crank() -> Problem:
    """The slider-crank in space, 5 s."""
    m, start = wt.examples.load("spatial-slider-crank"), wt.examples.start("spatial-slider-crank")
    assert start.q is not None
    assert start.qd is not None
    problem = Problem(m, start.q, start.qd, 5.0, size=0.3)
    return problem.constrained(SpatialModel(m, start.q, start.qd))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "A01": pendulum,
    "A02": lambda: windows(2, 10.0),
    "A02 40": lambda: windows(40, 2.0),
    "A03": squeezer,
    "A04": bricard,
    "A05": governor,
    "slider-crank": slider_crank,
}


class Way(NamedTuple):
    """A way to compute a motion: by a level, the next level after one, if that is known, and the first."""

    run: Run
    after: Callable[[int], int] | None
    first: int


def ours(problem: Problem) -> dict[str, Way]:
    """Our ways: by tolerances of 10^(-n/4), and by steps of order 6."""
    m, q, qd, duration = problem.m, problem.q, problem.qd, problem.duration

    def chosen(level: int) -> np.ndarray:
        tolerance = 10.0 ** (-0.25 * level)
        run = wt.simulate(m, q, qd, duration, rtol=tolerance, atol=1e-2 * tolerance, progress=False)
        return run.q[-1]

    def fixed(steps: int) -> np.ndarray:
        found, _ = wt.rollout(
            m, q, qd, dt=duration / steps, steps=steps, every=steps, method="rk6", progress=False
        )
        return found[-1]

    kernels: dict[int, wt.Kernel] = {}

    def recorded(steps: int) -> np.ndarray:
        if steps not in kernels:
            kernels[steps] = wt.compile(lambda m, q, qd: classic(m, q, qd, duration / steps, steps), m)
        return kernels[steps](q, qd)

    more = lambda n: int(1.15 * n) + 1  # noqa: E731
    found = {"simulate": Way(chosen, lambda n: n + 1, 8), "rollout rk6": Way(fixed, more, 10)}
    if not m.loops and not m.springs:
        found["kernel of rk4"] = Way(recorded, more, 40)
    return found


def classic(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, h: float, steps: int) -> np.ndarray:
    """(nq,) where the classic Runge-Kutta steps lead, all of them in one kernel."""

    def step(y: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        slopes, at = [], y
        for c in (0.5, 0.5, 1.0, 0.0):
            slopes.append((at[1], wt.aba(m, *at, np.zeros(m.nv))))
            at = y[0] + c * h * slopes[-1][0], y[1] + c * h * slopes[-1][1]
        a, b, c, d = slopes
        q, qd = (y[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) for k in (0, 1))
        return q, qd

    return wt.repeat(steps, step, (q, qd))[0]


def ways(problem: Problem) -> dict[str, Way]:
    """Ours and Exudyn's."""
    found = {f"ours: {name}": way for name, way in ours(problem).items()}
    return found | {f"Exudyn: {name}": Way(run, None, 20) for name, run in problem.peers.items()}


def levels(problem: Problem, way: Way, exact: np.ndarray) -> Iterator[tuple[float, int, float]]:
    """(accuracy, level, time) of the first levels at which a way reaches each of the accuracies.

    Without `after`, levels are steps of an integrator of order 2 or more, foretold by its error. The time is
    that of the processor, which hardly depends on what else it does.
    """
    level, wanted = way.first, list(ACCURACIES)
    while wanted:
        begin = process_time()
        try:
            error = problem.error(way.run(level), exact)
        except (wt.WhippletreeError, RuntimeError, ValueError):
            error = inf
        taken = process_time() - begin
        while wanted and error <= wanted[0]:
            yield wanted.pop(0), level, taken
        if taken > LONGEST or level > 10_000_000:
            return
        if wanted and way.after is not None:
            level = way.after(level)
        elif wanted:
            level = int(level * min(max(1.02 * (error / wanted[0]) ** 0.5, 1.05), 2.0)) + 1


def found_levels(problem: Problem) -> Levels:
    """For each accuracy, the levels at which the ways reach it; only of those that may be the fastest."""
    m, q, qd, duration = problem.m, problem.q, problem.qd, problem.duration
    exact = wt.simulate(m, q, qd, duration, rtol=1e-13, atol=1e-14, progress=False).q[-1]
    reached: dict[float, dict[str, tuple[int, float]]] = {accuracy: {} for accuracy in ACCURACIES}
    for name, way in ways(problem).items():
        if way.after is not None:
            way.run(way.first)  # compiles
        for accuracy, level, taken in levels(problem, way, exact):
            reached[accuracy][name] = level, taken
    found: Levels = {}
    for accuracy, by_name in reached.items():
        kept = found[f"{accuracy:g}"] = {}
        for side in SIDES:
            own = {name: given for name, given in by_name.items() if name.startswith(side)}
            least = min((taken for _, taken in own.values()), default=inf)
            kept |= {name: level for name, (level, taken) in own.items() if taken <= SLOW * least}
    return found


def timed(runs: dict[str, tuple[Run, int]], rounds: int = 7, at_most: float = 2.0) -> dict[str, float]:
    """The least time of each of several runs, in turn, s; long ones are run less often."""
    best, spent = dict.fromkeys(runs, inf), dict.fromkeys(runs, 0.0)
    for _ in range(rounds):
        for name, (run, level) in runs.items():
            if spent[name] < at_most:
                begin = perf_counter()
                run(level)
                taken = perf_counter() - begin
                best[name], spent[name] = min(best[name], taken), spent[name] + taken
    return best


def measure(problem: Problem, reached: Levels) -> list[dict[str, object]]:
    """A row for each accuracy: our best way and Exudyn's, with times and steps."""
    known, rows = ways(problem), []
    for accuracy, by_name in reached.items():
        runs = {name: (known[name].run, level) for name, level in by_name.items()}
        for name, (run, level) in runs.items():
            if name.startswith("ours"):
                run(level)  # compiles
        times = timed(runs)
        row: dict[str, object] = {"accuracy": float(accuracy)}
        for side in SIDES:
            names = [name for name in times if name.startswith(side)]
            best = min(names, key=lambda name: times[name], default=None)
            if best is not None:
                row[side] = {"way": best.split(": ")[1], "level": runs[best][1], "s": times[best]}
        rows.append(row)
    return rows


def main() -> int:
    """Measure, print, keep and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", choices=[*PROBLEMS, []])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--levels", type=Path, help="levels found before; looked for and kept if it has none")
    given = parser.parse_args()
    if not available:
        print("exudyn is not installed: pip install exudyn", file=sys.stderr)
        return 2
    setattr(sys, "exudynFast", True)  # noqa: B010  read by exudyn when it is imported
    warnings.simplefilter("ignore", wt.NotFiniteWarning)
    warnings.simplefilter("ignore", wt.StepLengthWarning)
    warnings.simplefilter("ignore", wt.EnergyWarning)
    record = machine_record()
    print(", ".join(f"{key}: {value}" for key, value in record.items()))
    behind, found = [], {}
    known: dict[str, Levels] = {}
    if given.levels is not None and given.levels.exists():
        known = json.loads(given.levels.read_text())
    for name in given.problems or PROBLEMS:
        problem = PROBLEMS[name]()
        if name not in known:
            known[name] = found_levels(problem)
            if given.levels is not None:
                given.levels.write_text(json.dumps(known, indent=1))
                print(f"{name}: levels found")
                continue
        found[name] = measure(problem, known[name])
        for row in found[name]:
            a, b = row.get("ours"), row.get("Exudyn")
            assert isinstance(a, dict)
            text = f"{name:13} {row['accuracy']:.0e}  ours {a['s'] * 1e3:9.2f} ms, {a['way']}"
            if isinstance(b, dict):
                ratio = b["s"] / a["s"]
                text += f"; Exudyn {b['s'] * 1e3:10.2f} ms, {b['level']} steps of {b['way']}: {ratio:.1f} ×"
                if ratio < 1.0:
                    behind.append(f"{name} at {row['accuracy']:g}")
            else:
                text += f"; Exudyn did not get there in {LONGEST:g} s"
            print(text, flush=True)
    if given.json is not None:
        kept = json.loads(given.json.read_text()) if given.json.exists() else {"problems": {}}
        kept = {**kept, "machine": record, "problems": {**kept["problems"], **found}}
        given.json.write_text(json.dumps(kept, indent=1) + "\n")
    for problem in behind:
        print(f"{problem}: Exudyn is faster", file=sys.stderr)
    return bool(behind)


if __name__ == "__main__":
    sys.exit(main())
