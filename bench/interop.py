"""Kernels within JAX, timed: python bench/interop.py [robot …].

`jax.lax.scan` over 1,000 steps of semi-implicit Euler of an arm, the step being one kernel: a user's own
function, compiled. Beside it the same steps where only forward dynamics is a kernel and JAX does the rest,
and one call of that kernel from Python. The gradient of the end by the forces is held against the adjoint of
the same rollout. Ends with an error if they differ by more than 1e-9 of the largest, or if a step of the scan
takes more than 0.4 µs. Needs JAX.
"""

import sys
from typing import Any

import jax
import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.robots import robot_file

STEPS, DT = 1000, 1e-3
AGREE, SLOWEST = 1e-9, 0.4
ROBOTS = ("ur5", "panda")


def euler(m: wt.Mechanism, q: Any, qd: Any, tau: Any) -> tuple[Any, Any]:
    """A step, as a user would write it."""
    qd = qd + DT * wt.aba(m, q, qd, tau)
    return q + DT * qd, qd


def measured(name: str) -> tuple[dict[str, float], float]:
    """Of one robot the times, µs a step, and the relative error of the gradient."""
    m = wt.load(robot_file(name))
    m = wt.lock(m, {joint: 0.0 for joint in m.joint_names if "finger" in joint})
    for body in list(m.bodies):  # the bare arm, as `aba` has it
        m.change(body.name, damping=0.0, friction=0.0, limits=wt.Limits())
    wrt = ("q", "qd", "tau")
    step = wt.interop.jax(wt.compile(euler, m), wt.derivative(euler, m, wrt=wrt))
    forward = wt.compile(wt.aba, m)
    inside = wt.interop.jax(forward, wt.derivative(wt.aba, m, wrt=wrt))
    q, qd, tau = 0.3 * np.random.default_rng(5).normal(size=(3, m.nv))

    def after_a_kernel(state: Any, tau: Any) -> Any:
        return tuple(step(*state, tau))

    def after_parts(state: Any, tau: Any) -> Any:
        qd = state[1] + DT * inside(*state, tau)
        return state[0] + DT * qd, qd

    def end(after: Any) -> Any:
        return lambda tau: jax.lax.scan(lambda x, _: (after(x, tau), None), (q, qd), length=STEPS)[0][0]

    whole, parts = jax.jit(end(after_a_kernel)), jax.jit(end(after_parts))
    gradient = jax.jit(jax.grad(lambda tau: end(after_a_kernel)(tau).sum()))
    by_q = np.zeros((STEPS, m.nq))
    by_q[-1] = 1.0
    expected = wt.rollout_gradient(m, q, qd, np.tile(tau, (STEPS, 1)), by_q=by_q).tau.sum(axis=0)
    error = float(np.max(np.abs(gradient(tau) - expected)) / np.max(np.abs(expected)))
    tasks = {
        "step": lambda: whole(tau).block_until_ready(),
        "parts": lambda: parts(tau).block_until_ready(),
        "gradient": lambda: gradient(tau).block_until_ready(),
        "call": lambda: [forward(q, qd, tau) for _ in range(STEPS)],
    }
    return {key: 1e6 * value / STEPS for key, value in best_times(tasks, 20).items()}, error


def main(names: list[str]) -> None:
    """Print a row for every robot, and raise if one falls short."""
    jax.config.update("jax_enable_x64", True)
    print(machine_record())
    for name in names:
        times, error = measured(name)
        print(
            f"{name}: {times['step']:.3f} µs a step as a kernel, {times['parts']:.3f} with only aba as a "
            f"kernel, {times['gradient']:.3f} with the gradient, right to {error:.1e}; a call of aba "
            f"from Python {times['call']:.3f} µs"
        )
        if error > AGREE or times["step"] > SLOWEST:
            raise SystemExit(f"{name}: gradients {error:.1e} apart, or above {SLOWEST:g} µs a step")


if __name__ == "__main__":
    main(sys.argv[1:] or list(ROBOTS))
