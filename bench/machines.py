"""What a machine designer does all day, measured: python bench/machines.py [--rounds N].

361 positions of a Jansen leg over a turn of its crank, with velocities, accelerations and driving torque:
`wt.kinematics` against `wt.assemble` in a loop of Python and, where it is installed, against Exudyn, whose
driven leg is solved by Newton's method position after position (`SolveStatic` with so many load steps). Then
reactions of 10,000 states of a four-bar, `reactions()` of a motion against `wt.reactions` state by state;
and a driven run, by `simulate`. All on one core, turn by turn; the best of several rounds counts. Ends with
an error if positions or reactions take 0.1 s or more, or if they are not those of the slow way.
"""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

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


def exudyn_positions(m: wt.Mechanism, t: np.ndarray) -> Callable[[], np.ndarray] | None:
    """The same leg in Exudyn, bodies and pins in the plane, the crank's angle prescribed; None without it.

    Returns a function that gives the crank's angle at every position, as a check that it has been followed.
    """
    try:
        exudyn: Any = import_module("exudyn")  # on use: a peer that may be missing
        items: Any = import_module("exudyn.itemInterface")
    except ImportError:
        return None
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    poses = wt.forward_kinematics(m, m.neutral())
    ground = system.AddObject(items.ObjectGround())
    nodes, bodies = [], []
    for body, pose in zip(m.bodies, poses, strict=True):
        angle = float(np.arctan2(pose[1, 0], pose[0, 0]))
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[pose[0, 3], pose[1, 3], angle]))
        inertia = float(body.inertia.about_com[2, 2])
        made = items.ObjectRigidBody2D(
            physicsMass=body.inertia.m, physicsInertia=max(inertia, 1e-6), nodeNumber=node
        )
        nodes.append(node)
        bodies.append(system.AddObject(made))

    def pin(p: int, at_p: Any, s: int, at_s: Any) -> None:
        markers = [
            system.AddMarker(
                items.MarkerBodyPosition(
                    bodyNumber=ground if i < 0 else bodies[i], localPosition=[float(x) for x in at]
                )
            )
            for i, at in ((p, at_p), (s, at_s))
        ]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    for i, body in enumerate(m.bodies):
        pin(m.parents[i], body.placement.position, i, np.zeros(3))
    for loop in m.loops:
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        pin(p, loop.placement_p.position, s, loop.placement_s.position)
    fixed = system.AddNode(items.NodePointGround())
    marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
    crank = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=2))
    turn = float(t[-1])

    def offset(_mbs: Any, time: float, *_: Any) -> float:
        return turn * time

    system.AddObject(
        items.ObjectConnectorCoordinate(markerNumbers=[marker, crank], offsetUserFunction=offset)
    )
    sensor = system.AddSensor(
        items.SensorNode(
            nodeNumber=nodes[0], outputVariableType=exudyn.OutputVariableType.Coordinates, storeInternal=True
        )
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps = len(t) - 1
    settings.staticSolver.verboseMode = 0
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = 0.5 / len(t)
    settings.staticSolver.newton.relativeTolerance = 1e-10

    def solve() -> np.ndarray:
        system.SolveStatic(settings)
        return np.asarray(system.GetSensorStoredData(sensor))[:, 3]

    return solve


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
    peer = exudyn_positions(leg, t)
    if peer is None:
        print("  Exudyn                                not installed")
    else:
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
