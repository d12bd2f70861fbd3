"""
Randomised parameters
=====================

Each trajectory has masses, friction and lengths of its own: for learning that shall survive reality, or for
tolerances.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m, rng, n = wt.examples.load("four-bar"), np.random.default_rng(0), 1000
m.change("rocker", damping=0.05)
print([name for name in wt.parameter_names(m) if name.startswith("rocker.")][:6])
spread = {
    "rocker.damping": rng.uniform(0.0, 0.2, n),
    "coupler.mass": rng.normal(m.bodies[1].inertia.m, 0.05, n),
}
q0 = wt.assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
q, qd = wt.rollout(m, q0, np.zeros(3), steps=1000, every=20, parameters=spread)

# %%
# Lengths of closed loops may differ too; the start of each is then assembled for its own.

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(
    0.02 * np.arange(1, 51), np.percentile(q[:, :, 0], [5, 50, 95], axis=0).T, label=["5 %", "median", "95 %"]
)
axes.set(xlabel="t [s]", ylabel="crank [rad]")
axes.legend()
