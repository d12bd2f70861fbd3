"""Rollouts against mujoco.rollout, in turn, in one run: python bench/rollout.py [robot …].

Gravity and joint forces, no contact, semi-implicit Euler, 1 ms; every state is written into arrays that exist
already. MuJoCo's constraints are disabled, and so are gears, damping and friction on both sides: the two then
compute the same trajectories, which is checked by the angles of the joints. Ratios are per core: both run on
one thread; the gain of a second thread is printed beside.
"""

import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.peers import without_geometry
from whippletree.benchmark.robots import ROBOTS, robot_file

mujoco: Any = import_module("mujoco")
peer_rollout: Any = import_module("mujoco.rollout").rollout

BATCH, STEPS, DT = 1024, 1000, 1e-3
PEER_BATCH = 32
"""MuJoCo is given fewer trajectories, of the same length: it computes one after the other anyway."""


def bare(name: str) -> wt.Mechanism:
    """The robot as a plain tree under gravity."""
    source = wt.load(robot_file(name), root=wt.Free() if ROBOTS[name][1] else None)
    m = wt.Mechanism(name, source.gravity)
    for body in source.bodies:
        m.append(replace(body, limits=wt.Limits(), damping=0.0, friction=0.0))
    return m


def peer(name: str) -> Any:
    """The same robot for MuJoCo."""
    spec: Any = mujoco.MjSpec.from_string(without_geometry(robot_file(name)))
    if ROBOTS[name][1]:
        spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.timestep = DT
    model.dof_damping[:] = 0.0
    return model


def measure(name: str) -> None:
    m, model = bare(name), peer(name)
    base = 6 if ROBOTS[name][1] else 0  # velocities of the floating base
    rng = np.random.default_rng(0)
    angles, speeds = 0.2 * rng.normal(size=(BATCH, m.nv - base)), 0.5 * rng.normal(size=(BATCH, m.nv - base))
    forces = 0.5 * rng.normal(size=(BATCH, STEPS, m.nv - base))
    free = np.zeros((BATCH, 7 if base else 0))
    free[:, 3:4] = 1.0
    q0 = np.concatenate([free, angles], axis=1)
    qd0 = np.concatenate([np.zeros((BATCH, base)), speeds], axis=1)
    tau = np.concatenate([np.zeros((BATCH, STEPS, base)), forces], axis=2)
    out = np.empty((BATCH, STEPS, m.nq)), np.empty((BATCH, STEPS, m.nv))

    # MuJoCo may have the joints in another order.
    order = [model.joint(joint).qposadr[0] for joint in m.joint_names[bool(base) :]]
    dofs = [model.joint(joint).dofadr[0] for joint in m.joint_names[bool(base) :]]
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(model)
    states = np.zeros((PEER_BATCH, mujoco.mj_stateSize(model, kind)))
    applied = np.zeros((PEER_BATCH, STEPS, model.nv))
    applied[:, :, dofs] = forces[:PEER_BATCH]
    for k in range(PEER_BATCH):
        data.qpos[: 7 if base else 0] = free[k]
        data.qpos[order], data.qvel[:base], data.qvel[dofs] = angles[k], 0.0, speeds[k]
        mujoco.mj_getState(model, data, states[k], kind)
    found = np.empty((PEER_BATCH, STEPS, states.shape[1]))

    def theirs() -> None:
        spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        peer_rollout(model, data, states, control=applied, control_spec=spec, state=found)

    def ours(threads: int = 1) -> None:
        wt.rollout(m, q0, qd0, tau, dt=DT, out=out, threads=threads)

    ours()
    theirs()
    same = np.abs(found[:, 99, 1 + np.array(order)] - out[0][:PEER_BATCH, 99, 7 if base else 0 :]).max()
    times = best_times({"ours": ours, "theirs": theirs, "two": lambda: ours(2)}, rounds=5)
    mine, other = times["ours"] / BATCH / STEPS, times["theirs"] / PEER_BATCH / STEPS
    print(
        f"{name:8} nv = {m.nv:2}  ours {mine * 1e6:6.3f} µs a step, mujoco.rollout {other * 1e6:6.2f} µs: "
        f"{other / mine:5.1f} times as fast; two threads {times['ours'] / times['two']:.2f} times; "
        f"joints differ by {same:.1e} after 0.1 s"
    )


if __name__ == "__main__":
    print(", ".join(f"{key}: {value}" for key, value in machine_record().items()))
    print(f"{BATCH} trajectories of {STEPS} steps, semi-implicit Euler, one thread")
    for robot in sys.argv[1:] or ["panda", "g1"]:
        measure(robot)
