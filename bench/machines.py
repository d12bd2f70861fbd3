"""What a machine designer does all day, measured: python bench/machines.py [--rounds N].

361 positions of a Jansen leg over a turn of its crank, with velocities, accelerations and driving torque:
`wt.kinematics` against `wt.assemble` in a loop of Python and, where it is installed, against Exudyn, whose
driven leg is solved by Newton's method position after position (`SolveStatic` with so many load steps, in its
build without range checks; positions alone). Then
reactions of 10,000 states of a four-bar, `reactions()` of a motion against `wt.reactions` state by state;
and a driven run, by `simulate`. All on one core, turn by turn; the best of several rounds counts. Ends with
an error if positions or reactions take 0.1 s or more, if Exudyn is quicker, or if they are not those of the
slow way.
"""

import argparse
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from exudyn_models import available, followed_hinge

import whippletree as wt
from whippletree.benchmark.environment import machine_record

POSITIONS, STATES, FEW = 361, 10_000, 50
"""Of the leg; of the four-bar; and how many the slow way is asked for."""

LIMIT = 0.1
"""s: what positions and reactions must take less than."""


def best(function: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The least time of several calls, s, and the last result."""
    times, found = [], None
    for _ in range(rounds):
        begin = perf_counter()
        found = function()
        times.append(perf_counter() - begin)
    return min(times), found


def by_assembly(m: wt.Mechanism, t: np.ndarray) -> np.ndarray:
    """Positions of the leg, each from the one before, by the function as it stands."""
    q, found = wt.assemble(m, m.neutral(), hold=["crank"]), []
    for time in t:
        guess = q.copy()
        guess[0] = time
        q = wt.assemble(m, guess, hold=["crank"])
        found.append(q)
    return np.array(found)


def reactions_one_by_one(m: wt.Mechanism, motion: wt.DrivenMotion, count: int) -> np.ndarray:
    """(count, 6) at the rocker's pivot, by the function as it stands."""
    return np.array([wt.reactions(m, motion.q[k], motion.qd[k], motion.tau[k])[0][2] for k in range(count)])


def main(rounds: int) -> int:
    """Measure, print and judge."""
    for name, value in machine_record().items():
        print(f"{name}: {value}")
    leg, t = wt.examples.load("jansen-leg"), np.linspace(0.0, 2.0 * np.pi, POSITIONS)
    wt.kinematics(leg, {"crank": 1.0}, t[:3])  # compiles
    quick, motion = best(lambda: wt.kinematics(leg, {"crank": 1.0}, t), rounds)
    slow, positions = best(lambda: by_assembly(leg, t), 1)
    apart = float(np.max(np.abs(np.remainder(motion.q - positions + np.pi, 2.0 * np.pi) - np.pi)))
    print(f"\n{POSITIONS} positions of a Jansen leg          {quick:8.4f} s")
    print(f"  assemble in a loop                    {slow:8.4f} s, {slow / quick:.0f} times as long")
    taken, right = np.inf, False
    if not available:
        print("  Exudyn                                not installed")
    else:
        setattr(sys, "exudynFast", True)  # noqa: B010  read by exudyn when it is imported
        peer = followed_hinge(leg, "crank", float(t[-1]), len(t) - 1)
        taken, angles = best(peer, rounds)
        right = np.allclose(angles, t, atol=1e-6) if len(angles) == len(t) else False
        print(f"  Exudyn                                {taken:8.4f} s, {taken / quick:.1f} times as long")
        print("" if right else "  Exudyn has not followed the crank: its time does not count")

    bar = wt.examples.load("four-bar")
    motion_of_bar = wt.kinematics(bar, {"crank": 1.0}, np.linspace(0.0, 2.0 * np.pi, STATES))
    motion_of_bar.reactions()  # compiles
    many, held = best(lambda: motion_of_bar.reactions().of("rocker"), rounds)
    few, one_by_one = best(lambda: reactions_one_by_one(bar, motion_of_bar, FEW), 1)
    differ = float(np.max(np.abs(held[:FEW] - one_by_one)))
    print(f"reactions of {STATES} states of a four-bar   {many:8.4f} s")
    print(f"  one by one                            {few * STATES / FEW:8.4f} s, by {FEW} of them")

    bar.add_driver("crank", "t + 0.2 * sin(t)")
    wt.simulate(bar, duration=0.1, method="rk4", progress=False)
    run, _ = best(lambda: wt.simulate(bar, duration=10.0, method="rk4", progress=False), rounds)
    print(f"10,000 steps of a driven run            {run:8.4f} s")

    faults = []
    if right and taken < quick:
        faults.append(f"Exudyn finds the positions in {taken:.4f} s, we in {quick:.4f} s")
    if quick >= LIMIT or many >= LIMIT:
        faults.append(f"positions take {quick:.3f} s and reactions {many:.3f} s, expected below {LIMIT} s")
    if not apart < 1e-9 or not differ < 1e-8:
        faults.append(f"positions differ by {apart:.1e} and reactions by {differ:.1e} from the slow way")
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    sys.exit(main(parser.parse_args().rounds))
