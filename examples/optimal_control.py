"""Five motions of least cost by `wt.ilqr`, and how each one converges.

A cart-pole and a double pendulum swing up, a quadrotor turns over and flies to a point, a seven-axis arm
reaches a point, and a crank-slider, a closed loop, is turned and stopped; motors have their limits.

    python examples/optimal_control.py [convergence.png]
"""

import sys
from collections.abc import Callable

import numpy as np

import whippletree as wt


def cart_pole() -> wt.OptimalMotion:
    """A push on the cart alone, of 15 N at most."""
    goal = np.array([0.0, np.pi])
    return wt.ilqr(
        wt.examples.load("cart-pole"),
        [0.0, 0.0],
        [0.0, 0.0],
        lambda q, qd, u: np.concatenate([0.05 * q[:1], 0.05 * qd, 0.05 * u]),
        lambda q, qd: 30.0 * np.concatenate([q - goal, qd]),
        steps=100,
        dt=0.03,
        actuated=["cart"],
        limits=(-15.0, 15.0),
    )


def double_pendulum() -> wt.OptimalMotion:
    """A motor at the elbow alone, of 12 N m at most."""
    goal = np.array([np.pi, 0.0])
    return wt.ilqr(
        wt.examples.load("double-pendulum"),
        [0.0, 0.0],
        [0.0, 0.0],
        lambda q, qd, u: np.concatenate([0.03 * qd, 0.1 * u]),
        lambda q, qd: 30.0 * np.concatenate([q - goal, qd]),
        steps=150,
        dt=0.02,
        actuated=["lower"],
        limits=(-12.0, 12.0),
    )


def flying_frame() -> wt.Mechanism:
    """A free body."""
    m = wt.Mechanism("quadrotor")
    inertia = wt.Inertia(mass=0.8, com=(0, 0, 0), about_com=np.diag([5e-3, 5e-3, 9e-3]))
    m.add_body("frame", wt.Free(), inertia=inertia)
    return m


def quadrotor() -> wt.OptimalMotion:
    """Four rotors, which push with 6 N at most and never pull, on a free body that starts on its side."""
    m, hover, arm = flying_frame(), 0.8 * 9.81 / 4, 0.17
    turns = [[0.0, arm, 0.0, -arm], [-arm, 0.0, arm, 0.0], [0.016, -0.016, 0.016, -0.016]]
    rotors = np.array([*turns, [0.0] * 4, [0.0] * 4, [1.0] * 4])  # angular, then linear, in axes of the body
    goal = np.array([0.5, -0.3, 0.4])
    return wt.ilqr(
        m,
        [0.0, 0.0, 0.0, np.cos(0.6), np.sin(0.6), 0.0, 0.0],
        np.zeros(6),
        lambda q, qd, u: np.concatenate([0.1 * qd, 0.2 * (u - hover)]),
        lambda q, qd: np.concatenate([30.0 * (q[:3] - goal), 10.0 * q[4:], 3.0 * qd]),
        steps=60,
        dt=0.02,
        actuated=rotors,
        limits=(0.0, 6.0),
        u0=np.full((60, 4), hover),
    )


def arm() -> wt.OptimalMotion:
    """The tool of a seven-axis arm to a point, at rest; the first guess holds the arm still."""
    m = wt.examples.load("seven-axis-arm")
    q0 = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])
    target = wt.frame_pose(m, q0 + 0.4, "tool")[:3, 3]
    holding = wt.gravity_force(m, q0)

    def final(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.concatenate([30.0 * (wt.frame_pose(m, q, "tool")[:3, 3] - target), qd])

    return wt.ilqr(
        m,
        q0,
        np.zeros(7),
        lambda q, qd, u: np.concatenate([0.02 * qd, 1e-3 * (u - holding)]),
        final,
        steps=100,
        dt=0.01,
        u0=np.tile(holding, (100, 1)),
    )


def crank_slider() -> wt.OptimalMotion:
    """Two radians of the crank, with 3 N m at most."""
    m = wt.examples.load("crank-slider")
    return wt.ilqr(
        m,
        wt.assemble(m, np.array([0.5, 0.0, 0.0]), hold=["crank"]),
        np.zeros(3),
        lambda q, qd, u: np.concatenate([0.02 * qd[:1], 0.05 * u]),
        lambda q, qd: 30.0 * np.concatenate([q[:1] - 2.5, qd[:1]]),
        steps=100,
        dt=0.02,
        actuated=["crank"],
        limits=(-3.0, 3.0),
    )


PROBLEMS: tuple[Callable[[], wt.OptimalMotion], ...] = (
    cart_pole,
    double_pendulum,
    quadrotor,
    arm,
    crank_slider,
)


def main(picture: str | None) -> None:
    """Solve all, print how it went, and draw the costs over the iterations if a file is named."""
    found = {problem.__name__.replace("_", " "): problem() for problem in PROBLEMS}
    for name, motion in found.items():
        told = "converged" if motion.converged else "stopped"
        print(f"{name:16} {told} after {len(motion.costs) - 1:3} iterations, cost {motion.costs[-1]:.4g}")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots()
        for name, motion in found.items():
            axes.semilogy(motion.costs, label=name)
        axes.set(xlabel="iteration", ylabel="cost")
        axes.legend()
        figure.savefig(picture)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
