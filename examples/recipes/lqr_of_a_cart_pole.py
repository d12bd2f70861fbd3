"""
LQR of a cart-pole
==================

Linearize about the upright position, find the gain, put it to work on the true motion.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m, up = wt.examples.load("cart-pole"), np.array([0.0, np.pi])
model = wt.linearize(m, up, inputs=["cart"])
found = wt.lqr(model, Q=[4.0, 4.0, 0.5, 0.5], R=[0.1])
print(
    "growth without:", model.eigenvalues.real.max().round(2), "with:", found.eigenvalues.real.max().round(2)
)

# %%
# A hundred starts at once, up to 40 degrees from upright. Does the linear gain bring all of them back?

starts = up + np.random.default_rng(0).uniform(-0.7, 0.7, (100, 2))
q, qd = wt.rollout(m, starts, np.zeros(2), found.feedback(m, up), dt=0.01, steps=600)
print((np.abs(q[:, -1] - up).max(axis=1) < 0.02).sum(), "of 100 come back")

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(0.01 * np.arange(1, 601), q[:, :, 1].T - np.pi, color="tab:blue", alpha=0.2)
axes.set(xlabel="t [s]", ylabel="pole from upright [rad]")
