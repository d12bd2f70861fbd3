"""Peers of `bench/inverse_kinematics.py` that search in C++: numerically, and in closed form."""

from pathlib import Path
from typing import Any

import numpy as np
from kinematics_criterion import STARTS, TOLERANCE, Solver, limits, links_and_joints

import whippletree as wt


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


def trac_ik(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """pytracik, the C++ of TRAC-IK: two searches side by side, with new starts of its own."""
    import trac_ik as library  # pyright: ignore[reportMissingImports]

    L: Any = library
    root = links_and_joints(path, frame)[0]
    solver = L.TracIK(root, frame, str(path), timeout=0.1, epsilon=0.1 * TOLERANCE)
    solver.joint_limits = limits(m)  # of panda's file it would take the softer ones, which are all 0

    def one(target: np.ndarray, q: np.ndarray) -> np.ndarray:
        found = solver.ik(target[:3, 3], target[:3, :3], q)
        return q if found is None else found

    return lambda targets, starts: np.array([one(T, q) for T, q in zip(targets, starts, strict=True)])


def ssik(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """ssik: closed forms found for the geometry of the arm; needs no start."""
    import ssik as library  # pyright: ignore[reportMissingImports]

    L: Any = library
    arm = L.Manipulator.from_urdf(path, base=links_and_joints(path, frame)[0], ee=frame)

    def one(target: np.ndarray, q: np.ndarray) -> np.ndarray:
        found = arm.solve(target, max_solutions=1)
        return found[0].q if found else q

    return lambda targets, starts: np.array([one(T, q) for T, q in zip(targets, starts, strict=True)])


def eaik(m: wt.Mechanism, frame: str, path: Path) -> Solver | None:
    """EAIK: closed forms by subproblems, many targets a call, on one thread; arms of six axes at most."""
    from eaik.IK_HP import HPRobot  # pyright: ignore[reportMissingImports]

    robot: Any = HPRobot
    q = np.zeros(m.nq)
    poses = wt.forward_kinematics(m, q)
    origins = np.array([pose[:3, 3] for pose in poses])
    axes = np.array([pose[:3, :3] @ b.joint.axis for pose, b in zip(poses, m.bodies, strict=True)])  # pyright: ignore[reportAttributeAccessIssue]
    tip = wt.frame_pose(m, q, frame)
    if m.nv > 6:
        return None
    arm = robot(axes, np.diff(np.vstack([np.zeros(3), origins, tip[:3, 3]]), axis=0))
    lower, upper = limits(m)

    def solve(targets: np.ndarray, starts: np.ndarray) -> np.ndarray:
        given = targets.copy()
        given[:, :3, :3] = given[:, :3, :3] @ tip[:3, :3].T
        found = starts.copy()
        for i, answer in enumerate(arm.IK_batched(given, num_worker_threads=1)):
            exact = [q for q, least_squares in zip(answer.Q, answer.is_LS, strict=True) if not least_squares]
            within = [q for q in exact if np.all((q >= lower) & (q <= upper))]
            if within:
                found[i] = within[0]
        return found

    return solve
