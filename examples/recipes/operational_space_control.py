"""
Operational-space control
=========================

Force at the tool, not at the joints: the tool goes to a point as if it were a mass on a spring. The whole
controller is compiled; `simulate` calls it from machine code.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt
from whippletree.spatial import solve_spd

arm = wt.examples.load("seven-axis-arm")
goal = np.array([0.35, 0.25, 0.55])


def control(t, q, qd):
    J = wt.jacobian(arm, q, "tool", "aligned")[3:]
    error = goal - wt.frame_pose(arm, q, "tool")[:3, 3]
    drift = wt.jacobian_rate(arm, q, qd, "tool", "aligned")[3:] @ qd
    inverse = J @ wt.inverse_inertia(arm, q) @ J.T
    force = solve_spd(inverse, 60.0 * error - 15.0 * (J @ qd) - drift)
    return J.T @ force + wt.bias_force(arm, q, qd) - 1.0 * qd  # the last term calms the elbow


kernel = wt.compile(control, arm, inputs={"t": ()})
q0 = np.array([0.0, -0.3, 0.0, -1.9, 0.0, 1.6, 0.8])
run = wt.simulate(arm, q0, duration=2.0, control=kernel, method="rk4")
way = run.frame("tool").position
print("misses by", np.linalg.norm(way[-1] - goal).round(4), "m")

# %%
# The way of the tool is nearly straight: its inertia was taken out.

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(run.t, way - goal, label=["x", "y", "z"])
axes.set(xlabel="t [s]", ylabel="from the goal [m]")
axes.legend()
