"""Peers of `bench/inverse_kinematics.py` whose steps are called from Python, one after another."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kinematics_criterion import STARTS, TOLERANCE, Solver, limits, links_and_joints

import whippletree as wt


def pinocchio_model(m: wt.Mechanism, path: Path) -> Any:
    """Pinocchio's model of the file, without the joints that ours does not have."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    P: Any = pin
    full = P.buildModelFromUrdf(str(path))
    names = {body.joint_name for body in m.bodies}
    held = [i for i in range(1, full.njoints) if full.names[i] not in names]
    return P.buildReducedModel(full, held, P.neutral(full)) if held else full


def pinocchio(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """Pinocchio: the loop of its example of inverse kinematics, clamped to the limits, with new starts."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    P: Any = pin
    model = pinocchio_model(m, path)
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


def pink(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """pink: a task for the frame and limits of joints, a quadratic program a step, with new starts."""
    import pink as library  # pyright: ignore[reportMissingImports]
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    P: Any = pin
    L: Any = library
    model = pinocchio_model(m, path)
    configuration = L.Configuration(model, model.createData(), np.mean(limits(m), axis=0))
    task = L.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0)
    given = {"solver": "quadprog", "limits": [L.limits.ConfigurationLimit(model, config_limit_gain=1.0)]}
    step = partial(L.solve_ik, configuration, [task], 1.0, damping=1e-6, **given)
    one = by_programs(m, configuration, task, step, L.exceptions.PinkError)
    return lambda targets, starts: np.array([one(P.SE3(T), q) for T, q in zip(targets, starts, strict=True)])


def mink(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """mink: the same on MuJoCo's kinematics; it reads our model, saved as MJCF, where frames are sites."""
    import mink as library  # pyright: ignore[reportMissingImports]
    import mujoco  # pyright: ignore[reportMissingImports]

    L: Any = library
    M: Any = mujoco
    file = path.with_suffix(".xml")
    wt.save(m, file)
    model = M.MjModel.from_xml_path(str(file))
    configuration = L.Configuration(model)
    task = L.FrameTask(frame, "site", position_cost=1.0, orientation_cost=1.0)
    given = {"solver": "daqp", "limits": [L.ConfigurationLimit(model, gain=1.0)]}
    step = partial(L.solve_ik, configuration, [task], 1.0, damping=1e-6, **given)
    one = by_programs(m, configuration, task, step, L.exceptions.MinkError)
    return lambda targets, starts: np.array(
        [one(L.SE3.from_matrix(T), q) for T, q in zip(targets, starts, strict=True)]
    )


def by_programs(
    m: wt.Mechanism,
    configuration: Any,
    task: Any,
    step: Callable[[], np.ndarray],
    none_found: type[Exception],
) -> Callable[[Any, np.ndarray], np.ndarray]:
    """The loop around a step of pink or mink, for one target, with new starts."""
    lower, upper = limits(m)
    rng = np.random.default_rng(0)

    def one(target: Any, q: np.ndarray) -> np.ndarray:
        task.set_target(target)
        for _ in range(STARTS):
            for _ in range(100):
                configuration.update(q)
                if np.abs(task.compute_error(configuration)).max() < 0.5 * TOLERANCE:
                    return q
                try:
                    q = np.clip(q + step(), lower, upper)
                except none_found:
                    break
            q = rng.uniform(lower, upper)
        return q

    return one


def ikpy(m: wt.Mechanism, frame: str, path: Path) -> Solver:
    """ikpy: its chain of the file, SciPy's least squares within limits, with new starts."""
    import ikpy.chain  # pyright: ignore[reportMissingImports]

    C: Any = ikpy.chain
    elements = links_and_joints(path, frame)
    ours = [body.joint_name for body in m.bodies]
    whole = C.Chain.from_urdf_file(str(path), base_elements=elements[:1])  # goes on to a finger of the hand
    links = whole.links[: 1 + len(elements[1::2])]
    names = [link.name for link in links]
    chain = C.Chain(links, active_links_mask=[name in ours for name in names])
    lower, upper = limits(m)
    rng = np.random.default_rng(0)
    at = [names.index(name) for name in ours]

    def one(target: np.ndarray, q: np.ndarray) -> np.ndarray:
        for _ in range(STARTS):
            given = np.zeros(len(names))
            given[at] = q
            found = chain.inverse_kinematics_frame(target, initial_position=given, orientation_mode="all")
            if np.abs(chain.forward_kinematics(found) - target).max() < 0.5 * TOLERANCE:
                return found[at]
            q = rng.uniform(lower, upper)
        return q

    return lambda targets, starts: np.array([one(T, q) for T, q in zip(targets, starts, strict=True)])
