"""Bundled mechanisms over a long time: python bench/long.py [name …] --duration 600 --rtol 1e-12 [--rest].

A mechanism with contacts or a start of its own begins as `wt.examples.start` says; each other one is thrown
from where it is assembled (`--rest`: let go there), adrift without gravity if nothing holds it. All run by
the defaults of `simulate` but for their tolerances. Shown are where a run ends and why, how far energy drifts
where nothing takes any, how much was taken, the largest gap of its loops and the seconds it took. Rows are
kept in long.json, each with its machine, so that the table may be measured in parts. A run that lasts longer
than `--limit` seconds is given up and has no row. Ends with an error if a run ends early or is given up.
"""

import argparse
import json
import os
import signal
import sys
import warnings
from pathlib import Path
from time import process_time

# Before NumPy: of matrices this small, threads that wait for each other take most of the CPU on shared cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record

STATES = 10_000
"""Recorded of a run in which no energy is lost; of others, all steps, to tell those that lose none."""

SPEED = 2.0
"""rad/s or m/s: of a throw."""


AGAIN = 1.0
"""s: a run that goes on is told so often that its time is over, as Python drops errors in destructors."""


class TooSlow(Exception):
    """A run has lasted for longer than it may."""


def give_up(*_: object) -> None:
    """Called when the time of a run is over."""
    raise TooSlow


def start(name: str, m: wt.Mechanism, rest: bool) -> tuple[str, wt.examples.Start]:
    """What its start is called, and where a mechanism starts; what would fall for ever is without weight."""
    own = wt.examples.start(name)
    if m.contacts or own.qd is not None:
        return "own", own
    adrift = any(isinstance(body.joint, wt.Free) for body in m.bodies)
    if adrift:
        m.gravity = (0.0, 0.0, 0.0)
    q = wt.assemble(m, m.neutral()) if m.loops or m.gears else m.neutral()
    qd = np.zeros(m.nv) if rest else SPEED * np.random.default_rng(0).normal(size=m.nv)
    qd = wt.project_velocity(m, q, qd) if m.loops or m.gears else qd
    return "rest" if rest else "adrift" if adrift else "thrown", wt.examples.Start(q, qd)


def loses(m: wt.Mechanism) -> bool:
    """Whether anything in it takes energy away or brings it."""
    joints = any(body.damping or body.friction or body.limits.stiffness for body in m.bodies)
    return joints or any(spring.damping for spring in m.springs) or bool(m.forces) or bool(m.contacts)


def drift(run: wt.Trajectory) -> float:
    """J: by how much energy has changed, at most, in steps at whose ends nothing went in or out.

    What stops and dampers take is not integrated: their power has kinks, and an integral of it from step to
    step is less exact than the run.
    """
    net = run.power + run.external_power - run.lost_power
    free = (net[1:] == 0.0) & (net[:-1] == 0.0) & (np.diff(run.t) > 0.0)
    return float(np.max(np.abs(np.cumsum(np.where(free, np.diff(run.energy), 0.0))), initial=0.0))


def lost(run: wt.Trajectory) -> float:
    """J: what energy has become less by."""
    return float(run.energy[0] - run.energy[-1])


def measure(name: str, duration: float, rtol: float, rest: bool) -> dict[str, object]:
    """One run."""
    m = wt.examples.load(name)
    kind, begin = start(name, m, rest)
    sample = None if loses(m) or begin.control is not None else duration / STATES
    began, stopped = process_time(), ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = wt.simulate(
                m,
                begin.q,
                begin.qd,
                duration,
                begin.control,
                impacts=begin.impacts,
                rtol=rtol,
                atol=1e-2 * rtol,
                sample=sample,
                progress=False,
            )
        except wt.SimulationError as error:
            run, stopped = error.trajectory, str(error)
    assert isinstance(run, wt.Trajectory)
    return {
        "mechanism": name,
        "start": kind,
        "duration": duration,
        "rtol": rtol,
        "method": run.method,
        "end": float(run.t[-1]),
        "drift": drift(run),
        "lost": lost(run),
        "kinetic": float(np.max(run.kinetic)),
        "gap": float(np.max(np.abs(run.constraint_error), initial=0.0)),
        "seconds": process_time() - began,
        "told": [str(item.message) for item in told],
        "stopped": stopped,
    }


def kept(rows: list[dict[str, object]]) -> None:
    """Put rows into long.json, in place of older ones of the same run."""
    target = Path(__file__).with_suffix(".json")
    old = json.loads(target.read_text())["rows"] if target.exists() else []
    key = ("mechanism", "start", "duration", "rtol")
    new = {tuple(row[k] for k in key): row for row in [*old, *rows]}
    ordered = [new[k] for k in sorted(new, key=str)]
    target.write_text(json.dumps({"rows": ordered}, indent=1) + "\n")


def main(names: list[str], duration: float, rtols: list[float], rest: bool, limit: int) -> None:
    """One line a run."""
    machine, early = machine_record(), []
    signal.signal(signal.SIGPROF, give_up)
    for name in names or wt.examples.names():
        for rtol in rtols:
            signal.setitimer(signal.ITIMER_PROF, limit, AGAIN)
            try:
                row = measure(name, duration, rtol, rest)
            except TooSlow:
                early.append(f"{name!r} at rtol {rtol:g} was given up after {limit} s of CPU")
                print(early[-1], flush=True)
                continue
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            print(
                "{mechanism:20} {rtol:5.0e} {method:6} end {end:7.2f} s  drift {drift:7.1e} J of "
                "{kinetic:7.1e}  lost {lost:8.1e}  gap {gap:7.1e}  {seconds:6.1f} s  {stopped}".format(**row),
                flush=True,
            )
            kept([{**row, "machine": machine}])
            early += [str(row["stopped"])] if row["stopped"] else []
    print(f"{machine['cpu']}; commit {machine['commit']}")
    sys.exit("\n".join(early) or None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--duration", type=float, default=600.0)
    parser.add_argument("--rtol", type=float, nargs="+", default=[1e-8, 1e-12])
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("--limit", type=int, default=0, help="s of CPU for one run; 0: none")
    given = parser.parse_args()
    main(given.names, given.duration, given.rtol, given.rest, given.limit)
