"""Inverse kinematics against other libraries: python bench/inverse_kinematics.py [--targets N] [robot …].

Random reachable poses of panda, ur5 and a Stewart platform, from random starts, within limits. All get the
same targets and starts, may begin again up to 100 times, and have one criterion: the pose is reached to
1e-6 m and 1e-6 rad, by our forward kinematics, and limits are kept. All run on one core, turn by turn; the
best of several rounds counts. Ends with an error if fewer than 99.5 % are reached, or not at 10 times the
throughput of the fastest peer that reaches 99 %: for ur5 that is EAIK, which does not search but knows closed
forms of arms whose axes meet or are parallel.

Peers, as far as they are installed (`pip install roboticstoolbox-python placo pytracik ssik urchin eaik pin
pin-pink quadprog mink ikpy`): some search in C++ (`kinematics_compiled_peers.py`), of others each step is
called from Python (`kinematics_peers.py`), among them Pinocchio with the loop of its own example, clamped to
the limits; for the platform it closes the loops as well, which no library does by itself.
"""

import argparse
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, before NumPy is imported

import numpy as np
from kinematics_compiled_peers import eaik, placo, ssik, toolbox, trac_ik
from kinematics_criterion import STARTS, TOLERANCE, Solver
from kinematics_peers import ikpy, mink, pink, pinocchio, pinocchio_platform

import whippletree as wt
from whippletree.benchmark.environment import machine_record

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import robots  # pyright: ignore[reportMissingImports]  # found by the line above

FILES = {
    "panda": (
        "panda_description/urdf/panda.urdf",
        "panda_hand",
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link", ()),
}
"""The file, the frame, and joints to hold."""


def share_reached(m: wt.Mechanism, frame: str, q: np.ndarray, targets: np.ndarray) -> float:
    """By the one criterion."""
    there = wt.compile(wt.frame_pose, m, frame=frame)(q)
    distance = np.linalg.norm((there - targets)[:, :3, 3], axis=1)
    turned = np.swapaxes(targets[:, :3, :3], 1, 2) @ there[:, :3, :3]
    vector = np.stack([turned[:, j, i] - turned[:, i, j] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)
    angle = np.arctan2(0.5 * np.linalg.norm(vector, axis=1), 0.5 * (np.trace(turned, axis1=1, axis2=2) - 1.0))
    kept = np.ones(len(q), bool)
    for body, index in zip(m.bodies, m.q_index, strict=True):
        if body.joint.nq == body.joint.nv:
            part = q[:, index]
            kept &= np.all((part >= body.limits.lower - 1e-9) & (part <= body.limits.upper + 1e-9), axis=1)
    loops = np.ones(len(q), bool)
    if m.loops:
        loops = np.abs(wt.compile(wt.constraint_error, m)(q)).max(axis=1) < 1e-8
    return float(np.mean((distance <= TOLERANCE) & (angle <= TOLERANCE) & kept & loops))


PEERS = {
    "roboticstoolbox": toolbox,
    "placo": placo,
    "trac_ik": trac_ik,
    "ssik": ssik,
    "eaik": eaik,
    "pinocchio": pinocchio,
    "pink": pink,
    "mink": mink,
    "ikpy": ikpy,
}


def stewart_positions(m: wt.Mechanism, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, nq) positions in which the plate is where all legs reach it; but for the first, legs are not.

    The plate hangs on the first leg in the tree, and the heads of the others are points of it: whether a leg
    is long enough is a question of distances.
    """
    legs = range(1, 6)
    feet = np.array([m.bodies[m.body_number(f"cylinder{i}")].placement.position for i in legs])
    lengths = np.array([m.bodies[m.body_number(f"leg{i}")].placement.position[2] for i in legs])
    heads = np.array([loop.placement_s.position for loop in m.loops])
    stroke = m.bodies[m.body_number("leg0")].limits
    at, first = wt.compile(wt.frame_pose, m, frame="tool"), m.q_index[m.body_number("leg0")].start
    shift = m.frame("tool").placement.position
    found = np.empty((0, m.nq))
    while len(found) < count:
        q = np.array([m.integrate(m.neutral(), 0.3 * rng.normal(size=m.nv)) for _ in range(count)])
        pose = at(q)
        there = pose[:, None, :3, 3] + np.einsum("nij,lj->nli", pose[:, :3, :3], heads - shift)
        slid = np.linalg.norm(there - feet, axis=2) - lengths
        slid = np.column_stack([q[:, first], slid])
        found = np.concatenate([found, q[np.all((slid > stroke.lower) & (slid < stroke.upper), axis=1)]])
    return found[:count]


def problems(name: str, count: int) -> tuple[wt.Mechanism, str, np.ndarray, np.ndarray, Path | None]:
    """Mechanism, frame, targets and starts; and a file without shapes for those who read one."""
    rng = np.random.default_rng(0)
    if name == "stewart":
        m, frame, path = wt.examples.load("stewart-platform"), "tool", None
        chosen = stewart_positions(m, count, rng)
    else:
        file, frame, held = FILES[name]
        text = (robots.HOME / file).read_text()
        path = Path(tempfile.mkdtemp()) / f"{name}.urdf"
        path.write_text(re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = wt.load(path)
        m = wt.lock(m, dict.fromkeys(held, 0.0)) if held else m
        chosen = np.array([m.random(rng) for _ in range(count)])
    starts = np.array([m.random(rng) for _ in range(count)])
    return m, frame, wt.compile(wt.frame_pose, m, frame=frame)(chosen), starts, path


def measure(name: str, count: int, for_peers: int, rounds: int) -> list[str]:
    """Print a table; what is missed."""
    m, frame, targets, starts, path = problems(name, count)

    def ours(targets: np.ndarray, starts: np.ndarray) -> np.ndarray:
        return wt.inverse_kinematics(m, {frame: targets}, starts, starts=STARTS).q

    solvers: dict[str, Solver] = {"whippletree": ours}
    if path is None:  # none of them closes loops: their user has to
        solvers["pinocchio"] = pinocchio_platform(m, frame)
    for peer, make in PEERS.items():
        if path is None:
            break
        try:
            made = make(m, frame, path)
        except ImportError:
            print(f"{name:8} {peer:16} is not installed")
            continue
        if made is not None:
            solvers[peer] = made
    ours(targets, starts)  # compiled now
    best, reached = dict.fromkeys(solvers, np.inf), {}
    for _ in range(rounds):
        for solver, solve in solvers.items():
            n = count if solver == "whippletree" else min(for_peers, count)
            begin = perf_counter()
            q = solve(targets[:n], starts[:n])
            best[solver] = min(best[solver], (perf_counter() - begin) / n)
            reached[solver] = share_reached(m, frame, q, targets[:n])
    peers = [solver for solver in solvers if solver != "whippletree" and reached[solver] >= 0.99]
    ratios = {peer: best[peer] / best["whippletree"] for peer in peers}
    for solver in solvers:
        told = f"ours is {ratios[solver]:7.1f} times as fast" if solver in ratios else ""
        micros, percent = 1e6 * best[solver], 100.0 * reached[solver]
        print(f"{name:8} {solver:16} {micros:10.2f} µs a target, {percent:6.2f} % {told}")
    ratio = min(ratios.values())
    missed = [f"{name}: {reached['whippletree']:.4f} reached"] if reached["whippletree"] < 0.995 else []
    return missed + ([f"{name}: {ratio:.1f} times the fastest peer"] if ratio < 10.0 else [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("robots", nargs="*", default=["panda", "ur5", "stewart"])
    parser.add_argument("--targets", type=int, default=10_000)
    parser.add_argument("--peer-targets", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(machine_record())
    wrong = [
        line
        for robot in given.robots
        for line in measure(robot, given.targets, given.peer_targets, given.rounds)
    ]
    if wrong:
        sys.exit("\n".join(wrong))
