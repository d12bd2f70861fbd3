"""
Sampling MPC
============

Guess five hundred futures, follow all of them in machine code, mix them by what they cost (Williams et al.,
2018). No derivatives, and the cost may be anything.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m, rng, dt, horizon = wt.examples.load("cart-pole"), np.random.default_rng(0), 0.02, 50
q, qd, u, motion = np.zeros(2), np.zeros(2), np.zeros(horizon), []
for _ in range(170):
    tried = np.clip(u + 8.0 * rng.normal(size=(500, horizon)), -20.0, 20.0)
    tau = np.stack([tried, np.zeros_like(tried)], axis=-1)
    p, v = wt.rollout(m, q, qd, tau, dt=dt, progress=False)
    cost = (
        5.0 * (1.0 + np.cos(p[..., 1])) + 0.5 * p[..., 0] ** 2 + 0.02 * v[..., 0] ** 2 + 0.05 * v[..., 1] ** 2
    )
    total = cost.sum(axis=1) + 20.0 * cost[:, -1]
    weights = np.exp(-(total - total.min()) / 2.0)
    u = weights @ tried / weights.sum()
    moved = wt.rollout(m, q, qd, [[u[0], 0.0]], dt=dt)
    q, qd = moved[0][-1], moved[1][-1]
    motion.append(q)
    u = np.append(u[1:], 0.0)
print("upright:", np.cos(q[1]) < -0.97)

# %%
# From hanging to standing in about three seconds.

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(dt * np.arange(170), np.array(motion), label=["cart [m]", "pole [rad]"])
axes.set(xlabel="t [s]")
axes.legend()
