"""Forward dynamics of closed loops: time for a state, against Pinocchio and MuJoCo in the same run.

    python bench/loops.py

N four-bars in a row by recursive coordinate reduction, one state at a time and batched on one core,
against Pinocchio's constraintDynamics and lcaba and MuJoCo's mj_forward for the same mechanism and
state; then a quadruped with linkage legs. Prints a line each, with the largest difference of the
accelerations from the closed form and from Pinocchio's.
"""

import importlib
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.examples.linkages import four_bars

pin: Any = importlib.import_module("pinocchio")
mujoco: Any = importlib.import_module("mujoco")


def best(call: Callable[[], Any], seconds: float = 0.5) -> float:
    """Seconds for one call: the least of many runs."""
    call()
    count, least, end = 1, np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            call()
        passed = time.perf_counter() - start
        least = min(least, passed / count)
        if passed < 0.01:
            count *= 2
    return least


def row_state(windows: int) -> tuple[np.ndarray, np.ndarray]:
    """All bars at one angle and one rate: the parallelogram branch."""
    signs = np.array([1.0 if i % 2 == 0 else -1.0 for i in range(2 * windows + 1)])
    return 1.1 * signs, -0.7 * signs


def ours(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Accelerations, time for one state and for each of 1024 in a batch."""
    kernel = wt.compile(wt.grcr, m, reduction=wt.choose_reduction(m, q))
    tau = np.zeros(m.nv)
    batch = [np.tile(x, (1024, 1)) for x in (q, qd, tau)]
    out = np.empty((1024, m.nv))
    one = best(lambda: kernel(q, qd, tau))
    many = best(lambda: kernel(*batch, out=out), 1.0) / 1024
    return kernel(q, qd, tau), one, many


def pinocchio_model(m: wt.Mechanism) -> tuple[Any, Any, Any]:
    """The same tree of revolute joints, with points of bodies held together for loops."""

    def se3(placement: wt.Placement) -> Any:
        return pin.SE3(placement.rotation, placement.position)

    model = pin.Model()
    model.gravity.linear = np.array(m.gravity)
    numbers = {-1: 0}
    for i, body in enumerate(m.bodies):
        joint = pin.JointModelRZ() if body.joint == wt.Revolute("z") else pin.JointModelFreeFlyer()
        if isinstance(body.joint, wt.Revolute) and body.joint != wt.Revolute("z"):
            joint = pin.JointModelRevoluteUnaligned(*body.joint.axis)
        numbers[i] = model.addJoint(numbers[m.parents[i]], joint, se3(body.placement), body.joint_name)
        inertia = pin.Inertia(body.inertia.m, body.inertia.com, body.inertia.about_com)
        model.appendBodyToJoint(numbers[i], inertia, pin.SE3.Identity())
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in m.loops:
        p, s = (numbers[m.body_number(body)] for body in (loop.predecessor, loop.successor))
        places = se3(loop.placement_p), se3(loop.placement_s)
        frame = pin.ReferenceFrame.LOCAL
        models.append(
            pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, p, places[0], s, places[1], frame)
        )
    for constraint in models:
        datas.append(constraint.createData())
    return model, models, datas


def pinocchio(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> dict[str, tuple[np.ndarray, float]]:
    """Accelerations and time for one state, by both of its algorithms."""
    model, models, datas = pinocchio_model(m)
    tau = np.zeros(m.nv)
    # The rows across the plane are redundant, so a proximal term is needed.
    settings = pin.ProximalSettings(1e-10, 1e-10, 1e-8, 10)
    data = model.createData()
    pin.initConstraintDynamics(model, data, models, datas)

    def constrained() -> Any:
        return pin.constraintDynamics(model, data, q, qd, tau, models, datas, settings)

    found = {"constraintDynamics": (np.array(constrained()), best(constrained))}
    other = model.createData()
    pin.computeJointMinimalOrdering(model, other, models)

    def articulated() -> Any:
        return pin.lcaba(model, other, q, qd, tau, models, datas, settings)

    found["lcaba"] = (np.array(articulated()), best(articulated))
    return found


def mujoco_time(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> float:
    """Time of mj_forward for the same bodies, loops held by equality constraints."""
    spec = mujoco.MjSpec()
    spec.option.gravity = m.gravity
    bodies = {"ground": spec.worldbody}
    for body in m.bodies:
        new = bodies[body.parent].add_body(name=body.name, pos=body.placement.position)
        new.explicitinertial = 1
        # MuJoCo wants a moment about every axis; about the rod's own it plays no role here.
        new.mass, new.ipos, new.inertia = body.inertia.m, body.inertia.com, np.full(3, 1 / 12)
        new.add_joint(name=body.joint_name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0.0, 0.0, 1.0))
        bodies[body.name] = new
    for loop in m.loops:
        sites = []
        for body, place in ((loop.predecessor, loop.placement_p), (loop.successor, loop.placement_s)):
            sites.append(f"{loop.name}-{body}")
            bodies[body].add_site(name=sites[-1], pos=place.position)
        equality = spec.add_equality(name=loop.name, type=mujoco.mjtEq.mjEQ_CONNECT)
        equality.objtype, equality.name1, equality.name2 = mujoco.mjtObj.mjOBJ_SITE, *sites
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, qd
    return best(lambda: mujoco.mj_forward(model, data))


def main() -> None:
    versions = f"pinocchio {pin.__version__}, mujoco {mujoco.__version__}, numpy {np.__version__}"
    print(f"{platform.processor() or platform.machine()}, {versions}")
    for windows in (1, 10, 40, 200, 1000):
        m = four_bars(windows)
        q, qd = row_state(windows)
        start = time.perf_counter()
        qdd, one, many = ours(m, q, qd)
        K = 9.81 * ((windows + 1) / 2 + windows) / ((windows + 1) / 3 + windows)
        error = np.abs(qdd[::2] + K * np.cos(1.1)).max()
        line = f"four-bars {windows:5}: {one * 1e6:9.2f} µs one, {many * 1e6:9.3f} µs batched"
        line += f", {one / windows * 1e9:7.1f} ns a loop, error {error:.1e}"
        if windows <= 40:
            peers = pinocchio(m, q, qd)
            for name, (found, seconds) in peers.items():
                ratios = f"{seconds / one:.0f}×, {seconds / many:.0f}×"
                line += f"; {name} {seconds * 1e6:.1f} µs ({ratios}, differs {np.abs(found - qdd).max():.0e})"
            seconds = mujoco_time(m, q, qd)
            line += f"; mj_forward {seconds * 1e6:.1f} µs ({seconds / one:.0f}×)"
        print(f"{line}   [{time.perf_counter() - start:.0f} s]", flush=True)
    m = wt.examples.load("linkage-quadruped")
    q = m.neutral()
    rng = np.random.default_rng(0)
    qd = wt.project_velocity(m, q, rng.normal(size=m.nv))
    _, one, many = ours(m, q, qd)
    print(f"linkage-quadruped: {one * 1e6:.2f} µs one, {many * 1e6:.3f} µs batched")


if __name__ == "__main__":
    main()
