"""Gradients of rollouts against the rollouts, in turn, in one run: python bench/adjoint.py [robot …].

1,024 trajectories of 1,000 steps with forces of their own: gradients by starts, by the forces of all steps
and by two numbers of the mechanism. Along random directions they are held against forward differentiation
through all steps, in machine code too. Memory is what the process took besides arguments and results.
Ends with an error if a gradient differs by more than 1e-9 or takes more than five times the rollout.
"""

import resource
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.adjoint.backward_step import compiled_steps
from whippletree.adjoint.rollout_gradient import stepping_of
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.robots import ROBOTS, robot_file
from whippletree.kernels.derive.derivatives import product_forward
from whippletree.kernels.run.iterate import Iteration, Series
from whippletree.kernels.simplify.passes import simplified
from whippletree.kernels.trace.inline import inlined
from whippletree.kernels.trace.recording import recording
from whippletree.model.positions import rate

BATCH, STEPS, DT = 1024, 1000, 1e-3
AGREE, SLOWEST = 1e-9, 5.0


def forward_mode(m: wt.Mechanism, names: Sequence[str], given: list[Any], changes: list[Any]) -> np.ndarray:
    """(batch, nv) the change of the last velocity along one direction, carried forward through all steps."""
    step = compiled_steps(m, stepping_of(m, given[:2], "euler"), None, names).forward.program
    wrt = ["q", "qd", "tau", "parameters"]
    along = product_forward(step, wrt, {}, {name: f"d_{name}" for name in wrt})
    sizes = {entry.name: entry.shape for entry in step.inputs}
    moving = {"q": sizes["q"], "qd": sizes["qd"], "d_q": sizes["q"], "d_qd": sizes["qd"]}
    others = {name: shape for name, shape in sizes.items() if name not in moving}
    others |= {"d_tau": sizes["tau"], "d_parameters": sizes["parameters"]}

    def both(*arrays: Any) -> Any:
        at = dict(zip([*moving, *others], arrays, strict=True))
        here = [at[name] for name in sizes]
        return *inlined(step, *here), *inlined(along, *here, *(at[f"d_{name}"] for name in wrt))

    iteration = Iteration(simplified(recording(both, moving | others)), 4)
    outs = [np.empty((BATCH, 1, *shape)) for shape in moving.values()]
    series = [
        Series(np.array(DT), 0, 0),
        Series.of(np.arange(float(STEPS))[None], ()),
        Series.of(given[2], (m.nv,)),
        Series(given[3], 0, 0),
        Series.of(changes[2], (m.nv,)),
        Series(changes[3], 0, 0),
    ]
    iteration([*given[:2], *changes[:2]], series, outs, steps=STEPS, every=STEPS, threads=1)
    return outs[3][:, 0]


def measure(name: str) -> list[str]:
    """What was found wrong with one robot."""
    source = wt.load(robot_file(name), root=wt.Free() if ROBOTS[name][1] else None)
    m = wt.Mechanism(name, source.gravity)
    for body in source.bodies:  # a plain tree under gravity
        m.append(replace(body, limits=wt.Limits(), damping=0.0, friction=0.0))
    rng = np.random.default_rng(0)
    q0 = np.array([m.integrate(m.neutral(), 0.2 * rng.normal(size=m.nv)) for _ in range(BATCH)])
    qd0 = 0.1 * rng.normal(size=(BATCH, m.nv))
    tau = 0.1 * rng.normal(size=(BATCH, STEPS, m.nv))
    parameters = [f"{m.bodies[-1].name}.mass", "gravity.z"]
    by_qd = np.zeros((BATCH, STEPS, m.nv))
    by_qd[:, -1] = rng.normal(size=(BATCH, m.nv))
    out = np.empty((BATCH, STEPS, m.nq)), np.empty((BATCH, STEPS, m.nv))

    def rolled() -> None:
        wt.rollout(m, q0, qd0, tau, dt=DT, out=out)

    def gradient() -> wt.RolloutGradient:
        return wt.rollout_gradient(m, q0, qd0, tau, by_qd=by_qd, dt=DT, parameters=parameters)

    rolled()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = gradient()
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 - found.tau.nbytes / 2**20
    directions = [rng.normal(size=(BATCH, m.nv)) for _ in range(2)]
    d_tau, d_parameters = rng.normal(size=tau.shape), rng.normal(size=2)
    d_q = np.array([rate(m, q, d) for q, d in zip(q0, directions[0], strict=True)])
    values = wt.parameter_values(m, parameters)
    ends = forward_mode(m, parameters, [q0, qd0, tau, values], [d_q, directions[1], d_tau, d_parameters])
    expected = np.sum(by_qd[:, -1] * ends, axis=1)
    by = np.sum(found.q0 * directions[0] + found.qd0 * directions[1], axis=1)
    by += np.sum(found.tau * d_tau, axis=(1, 2)) + found.parameters @ d_parameters
    error = float(np.max(np.abs(by - expected)) / np.max(np.abs(expected)))
    times = best_times({"rollout": rolled, "gradient": gradient}, rounds=5)
    ratio = times["gradient"] / times["rollout"]
    print(
        f"{name:8} nv = {m.nv:2}  rollout {times['rollout']:.3f} s, gradient {times['gradient']:.3f} s: "
        f"{ratio:.2f} times; differs from forward mode by {error:.1e}; memory besides results {memory:.0f} MB"
    )
    return [
        f"{name}: {what}" for what, wrong in (("error", error > AGREE), ("time", ratio > SLOWEST)) if wrong
    ]


if __name__ == "__main__":
    print(", ".join(f"{key}: {value}" for key, value in machine_record().items()))
    print(f"{BATCH} trajectories of {STEPS} steps, semi-implicit Euler, one thread")
    missed = [text for robot in sys.argv[1:] or ["ur5", "panda", "anymal"] for text in measure(robot)]
    sys.exit("missed: " + ", ".join(missed) if missed else 0)
