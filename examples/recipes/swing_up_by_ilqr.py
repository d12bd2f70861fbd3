"""
Swing up by iLQR
================

The controls of least cost, with a limit on the force. Residuals are functions that compile; their
derivatives are exact.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m, goal = wt.examples.load("cart-pole"), np.array([0.0, np.pi])


def stage(q, qd, u):
    return np.concatenate([0.05 * q[:1], 0.05 * qd, 0.05 * u])


def final(q, qd):
    return 30.0 * np.concatenate([q - goal, qd])


found = wt.ilqr(
    m, [0.0, 0.0], [0.0, 0.0], stage, final, steps=100, dt=0.03, actuated=["cart"], limits=(-15.0, 15.0)
)
print("converged:", found.converged, "ends at", found.q[-1].round(2))

# %%
# `found.K` is a feedback about the motion, for what the model does not know.

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(0.03 * np.arange(101), found.q, label=["cart [m]", "pole [rad]"])
axes.step(0.03 * np.arange(100), found.u / 15.0, label="force [15 N]", color="tab:grey")
axes.set(xlabel="t [s]")
axes.legend()
