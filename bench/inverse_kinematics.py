"""Inverse kinematics against other libraries: python bench/inverse_kinematics.py [--targets N] [robot …].

Random reachable poses of panda, ur5 and a Stewart platform, from random starts, within limits. All get the
same targets and starts, may begin again up to 100 times, and have one criterion: the pose is reached to
1e-6 m and 1e-6 rad, by our forward kinematics, and limits are kept. All run on one core, turn by turn; the
best of several rounds counts. Peers, as far as they are installed: roboticstoolbox-python, whose `ik_LM` is
C++; placo, whose steps are C++; Pinocchio with the loop of its own example, clamped to the limits, which for
the platform closes the loops as well: no library does by itself. Ends with an error if fewer than 99.5 % are
reached, or not at 10 times the throughput of the fastest peer that reaches 99 %.
"""

import argparse
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import robots  # pyright: ignore[reportMissingImports]  # found by the line above

TOLERANCE = 1e-6
"""m and rad."""

STARTS = 100
"""How often to begin, at most."""

FILES = {
    "panda": (
        "panda_description/urdf/panda.urdf",
        "panda_hand",
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link", ()),
}
"""The file, the frame, and joints to hold."""

Solver = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Takes targets (n, 4, 4) and starts (n, nq), gives positions (n, nq)."""


def limits(m: wt.Mechanism) -> np.ndarray:
    """(2, nq) of a robot whose joints have one coordinate each."""
    return np.array([(body.limits.lower, body.limits.upper) for body in m.bodies]).T


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


def toolbox(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """roboticstoolbox-python: its elementary transforms, made of our model, so that no file is read twice."""
    from roboticstoolbox import ET, ETS  # pyright: ignore[reportMissingImports]

    def placed(placement: wt.Placement) -> Any:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = placement.rotation, placement.position
        return ET.SE3(T)

    place = m.frame(frame)
    parts = []
    for i in m.support(m.body_number(place.body)):
        body = m.bodies[i]
        axis = np.array(body.joint.axis)  # pyright: ignore[reportAttributeAccessIssue]
        turned = np.linalg.qr(np.column_stack([axis, np.eye(3)]))[0]
        z = turned[:, 0] * np.sign(turned[:, 0] @ axis)
        x = turned[:, 1]
        along = wt.Placement(rotation=np.column_stack([x, np.cross(z, x), z]))
        joint = ET.Rz(qlim=[body.limits.lower, body.limits.upper])
        parts += [placed(body.placement), placed(along), joint, placed(along.inverse())]
    ets = ETS([*parts, placed(place.placement)])

    def solve(targets: np.ndarray, starts: np.ndarray) -> np.ndarray:
        tol = 0.25 * TOLERANCE**2  # of half the sum of squares; k and 15 steps are its fastest
        return np.array(
            [
                ets.ik_LM(T, q, 15, STARTS, tol, joint_limits=True, k=0.1, method="chan")[0]
                for T, q in zip(targets, starts, strict=True)
            ]
        )

    return solve


def pinocchio(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """Pinocchio: the loop of its example of inverse kinematics, clamped to the limits, with new starts."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    P: Any = pin
    full = P.buildModelFromUrdf(str(path))
    names = {body.joint_name for body in m.bodies}
    held = [i for i in range(1, full.njoints) if full.names[i] not in names]
    model = P.buildReducedModel(full, held, P.neutral(full)) if held else full
    data, number = model.createData(), model.getFrameId(frame)
    lower, upper = limits(m)
    rng = np.random.default_rng(0)

    def one(target: Any, q: np.ndarray) -> np.ndarray:
        for _ in range(STARTS):
            for _ in range(100):
                P.framesForwardKinematics(model, data, q)
                error = P.log6(data.oMf[number].actInv(target)).vector
                if np.abs(error).max() < 0.5 * TOLERANCE:
                    return q
                J = P.computeFrameJacobian(model, data, q, number)
                step = J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
                q = np.clip(q + step, lower, upper)
            q = rng.uniform(lower, upper)
        return q

    return lambda targets, starts: np.array([one(P.SE3(T), q) for T, q in zip(targets, starts, strict=True)])


def pinocchio_platform(m: wt.Mechanism, frame: str) -> Solver:
    """Pinocchio: the same for the Stewart platform, the gaps of its balls behind the error of the pose."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    P: Any = pin
    kinds = {"Prismatic": P.JointModelPZ, "Spherical": P.JointModelSpherical}
    model, numbers = P.Model(), {-1: 0}
    order = [
        j for i in range(6) for j in (2 * i, 2 * i + 1, 12)[: 3 if i == 0 else 2]
    ]  # the plate is the last
    for i in order:
        body, kind = m.bodies[i], type(m.bodies[i].joint).__name__
        joint = P.JointModelUniversal(*np.eye(3)[:2]) if kind == "Universal" else kinds[kind]()
        at = P.SE3(body.placement.rotation, body.placement.position)
        numbers[i] = model.addJoint(numbers[m.parents[i]], joint, at, body.name)
    data, plate = model.createData(), numbers[12]
    tool = P.SE3(m.frame(frame).placement.rotation, m.frame(frame).placement.position)
    heads = [P.SE3(np.eye(3), loop.placement_s.position) for loop in m.loops]
    legs = [numbers[m.body_number(loop.predecessor)] for loop in m.loops]
    ours = np.concatenate([np.arange(m.nq)[m.q_index[i]] for i in order])
    strokes = [model.joints[numbers[2 * i + 1]].idx_q for i in range(6)]
    quaternion = slice(model.joints[plate].idx_q, model.joints[plate].idx_q + 4)
    limit = m.bodies[1].limits
    rng = np.random.default_rng(0)

    def errors(q: np.ndarray, target: Any) -> tuple[np.ndarray, np.ndarray]:
        P.computeJointJacobians(model, data, q)
        J = P.getJointJacobian(model, data, plate, P.ReferenceFrame.LOCAL)
        rows, parts = (
            [tool.toActionMatrixInverse() @ J],
            [P.log6((data.oMi[plate] * tool).actInv(target)).vector],
        )
        for head, leg in zip(heads, legs, strict=True):
            on_plate, on_leg = data.oMi[plate] * head, data.oMi[leg]
            other = P.getJointJacobian(model, data, leg, P.ReferenceFrame.LOCAL)
            there = on_plate.rotation @ (head.toActionMatrixInverse() @ J)[:3]
            rows.append(there - on_leg.rotation @ other[:3])
            parts.append(on_leg.translation - on_plate.translation)
        return np.concatenate(parts), np.concatenate(rows)

    def one(target: Any, q: np.ndarray) -> np.ndarray:
        for _ in range(STARTS):
            for _ in range(100):
                error, J = errors(q, target)
                if np.abs(error).max() < 1e-9:
                    return q
                q = P.integrate(model, q, J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(len(J)), error))
                q[strokes] = np.clip(q[strokes], limit.lower, limit.upper)
            q = to_theirs(m.random(rng))
        return q

    def to_theirs(q: np.ndarray) -> np.ndarray:
        found = q[ours]
        found[quaternion] = np.roll(found[quaternion], -1)  # the scalar last
        return found

    def solve(targets: np.ndarray, starts: np.ndarray) -> np.ndarray:
        found = np.array([one(P.SE3(T), to_theirs(q)) for T, q in zip(targets, starts, strict=True)])
        found[:, quaternion] = np.roll(found[:, quaternion], 1, axis=1)
        return found[:, np.argsort(ours)]

    return solve


def placo(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """placo: its kinematics solver, a task for the frame and limits of joints, with new starts."""
    import placo as library  # pyright: ignore[reportMissingImports]

    L: Any = library
    robot = L.RobotWrapper(str(path), L.Flags.ignore_collisions)
    solver = L.KinematicsSolver(robot)
    solver.mask_fbase(True)
    task = solver.add_frame_task(frame, np.eye(4))
    task.configure(frame, "soft", 1.0, 1.0)
    solver.add_regularization_task(1e-9)
    names = [body.joint_name for body in m.bodies]
    lower, upper = limits(m)
    rng = np.random.default_rng(0)

    def one(target: np.ndarray, q: np.ndarray) -> np.ndarray:
        task.T_world_frame = target
        for _ in range(STARTS):
            for name, value in zip(names, q, strict=True):
                robot.set_joint(name, value)
            robot.update_kinematics()
            for _ in range(50):
                try:
                    solver.solve(True)
                except RuntimeError:  # no step was found
                    break
                robot.update_kinematics()
                if max(task.position().error_norm(), task.orientation().error_norm()) < 0.5 * TOLERANCE:
                    return np.array([robot.get_joint(name) for name in names])
            q = rng.uniform(lower, upper)
        return np.array([robot.get_joint(name) for name in names])

    return lambda targets, starts: np.array([one(T, q) for T, q in zip(targets, starts, strict=True)])


PEERS = {"roboticstoolbox": toolbox, "placo": placo, "pinocchio": pinocchio}


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = wt.load(robots.HOME / file)
        m = wt.lock(m, dict.fromkeys(held, 0.0)) if held else m
        chosen = np.array([m.random(rng) for _ in range(count)])
        text = (robots.HOME / file).read_text()
        bare = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)
        path = Path(tempfile.mkdtemp()) / f"{name}.urdf"
        path.write_text(bare)
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
            solvers[peer] = make(m, frame, path)
        except ImportError:
            print(f"{name:8} {peer:16} is not installed")
    ours(targets, starts)  # compiled now
    best, reached = dict.fromkeys(solvers, np.inf), {}
    for _ in range(rounds):
        for solver, solve in solvers.items():
            n = count if solver == "whippletree" else min(for_peers, count)
            begin = perf_counter()
            q = solve(targets[:n], starts[:n])
            best[solver] = min(best[solver], (perf_counter() - begin) / n)
            reached[solver] = share_reached(m, frame, q, targets[:n])
    good = [best[solver] for solver in solvers if solver != "whippletree" and reached[solver] >= 0.99]
    ratio = min(good) / best["whippletree"] if good else np.nan
    for solver in solvers:
        told = f"{ratio:6.1f} times the fastest peer" if solver == "whippletree" and good else ""
        micros, percent = 1e6 * best[solver], 100.0 * reached[solver]
        print(f"{name:8} {solver:16} {micros:10.2f} µs a target, {percent:6.2f} % {told}")
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
