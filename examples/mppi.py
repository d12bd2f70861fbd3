"""A cart-pole swings up by model predictive path integral control: thousands of guesses, no derivatives.

At every step of the controller all guesses are followed at once by `wt.rollout`, in machine code, and the
next controls are their mean, weighted by how little each one cost (Williams, Drews, Goldfain, Rehg &
Theodorou, "Information-Theoretic Model Predictive Control", IEEE Transactions on Robotics 34(6), 2018).

    python examples/mppi.py
"""

import numpy as np

import whippletree as wt

DT = 0.02  # s, of a step
FORCE = 20.0  # N, the most the cart is pushed with
SPREAD = 8.0  # N, standard deviation Σ^½ of the guesses
TEMPERATURE = 2.0  # λ: the lower, the more the best guesses count


def cost(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(samples,) of motions q (samples, horizon, 2): pole up and cart in the middle, at rest."""
    upright = 1.0 + np.cos(q[..., 1])  # 0 at π
    stage = 5.0 * upright + 0.5 * q[..., 0] ** 2 + 0.02 * qd[..., 0] ** 2 + 0.05 * qd[..., 1] ** 2
    return stage.sum(axis=1) + 20.0 * stage[:, -1]


def improved(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, u: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """(horizon,) controls that are better than u (horizon,), by guesses around them (samples, horizon)."""
    tried = np.clip(u + noise, -FORCE, FORCE)
    tau = np.zeros((*tried.shape, m.nv))
    tau[..., 0] = tried
    moved = wt.rollout(m, q, qd, tau, dt=DT, progress=False)
    S = cost(*moved) + TEMPERATURE / SPREAD**2 * (tried - u) @ u
    weights = np.exp(-(S - S.min()) / TEMPERATURE)
    return weights @ tried / weights.sum()


def swing_up(samples: int = 1000, horizon: int = 60, steps: int = 250, seed: int = 0) -> np.ndarray:
    """(steps, 2) positions of cart and pole, from hanging at rest."""
    m, rng = wt.examples.load("cart-pole"), np.random.default_rng(seed)
    q, qd, u, motion = np.zeros(2), np.zeros(2), np.zeros(horizon), []
    for _ in range(steps):
        u = improved(m, q, qd, u, SPREAD * rng.normal(size=(samples, horizon)))
        moved_q, moved_qd = wt.rollout(m, q, qd, [[u[0], 0.0]], dt=DT)
        q, qd = moved_q[-1], moved_qd[-1]
        motion.append(q)
        u = np.append(u[1:], 0.0)
    return np.array(motion)


if __name__ == "__main__":
    motion = swing_up()
    for step in range(0, len(motion), 25):
        cart, pole = motion[step]
        print(f"t = {step * DT:4.1f} s   cart {cart:6.2f} m   pole {np.degrees(pole):7.1f}°")
