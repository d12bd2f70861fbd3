"""
LQR of a cart-pole and a quadrotor
==================================

Linearize about the upright position, find the gain, put it to work on the true motion.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m, up = wt.examples.load("cart-pole"), np.array([0.0, np.pi])
model = wt.linearize(m, up, inputs=["cart"])
found = wt.lqr(model, Q=[4.0, 4.0, 0.5, 0.5], R=[0.1])
growth, damped = (np.real(each.eigenvalues).max().round(2) for each in (model, found))
print("growth without:", growth, "with:", damped)

# %%
# A hundred starts at once, up to 40 degrees from upright. Does the linear gain bring all of them back?

starts = up + np.random.default_rng(0).uniform(-0.7, 0.7, (100, 2))
q, qd = wt.rollout(m, starts, np.zeros(2), found.feedback(m, up), dt=0.01, steps=600)
print((np.abs(q[:, -1] - up).max(axis=1) < 0.02).sum(), "of 100 come back")

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(0.01 * np.arange(1, 601), q[:, :, 1].T - np.pi, color="tab:blue", alpha=0.2)
axes.set(xlabel="t [s]", ylabel="pole from upright [rad]")

# %%
# Controls need not be joints: a matrix has the joint forces of each. The rotors of a quadrotor push up, each
# with its arm and its drag.

drone = wt.Mechanism("quadrotor")
drone.add_body("quadrotor", wt.Free(), inertia=wt.Inertia.box((0.3, 0.3, 0.1), mass=0.8))
arms = [(0.2, 0.0, 1), (0.0, 0.2, -1), (-0.2, 0.0, 1), (0.0, -0.2, -1)]
rotors = np.array([[y, -x, 0.02 * turn, 0, 0, 1] for x, y, turn in arms]).T
hover, weight = drone.neutral(), wt.gravity_force(drone, drone.neutral())
found = wt.lqr(wt.linearize(drone, hover, tau=weight, inputs=rotors), Q=[1.0] * 12, R=[0.1] * 4)
start = drone.integrate(hover, [0.5, 0.3, 1.0, 1.0, -0.5, 0.3])  # turned, and beside its place
q, qd = wt.rollout(drone, start, np.zeros(6), found.feedback(drone, hover, weight), dt=0.01, steps=1000)
print("hovers:", np.abs(q[-1] - hover).max() < 1e-3)
