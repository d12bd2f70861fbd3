"""
Gravity compensation
====================

Motors carry the arm's weight, and a hand moves it as if it floated. What the joints damp stays.
"""

import numpy as np

import whippletree as wt

arm = wt.examples.load("seven-axis-arm")
for body in arm.bodies:
    arm.change(body.name, damping=0.5)
weight = arm.kernel("gravity_force")  # machine code, under a microsecond a call
q0 = np.array([0.0, -0.3, 0.0, -1.9, 0.0, 1.6, 0.8])

# %%
# Without the compensation it falls; with it, it stays where it is.

falls = wt.simulate(arm, q0, duration=0.5)
stays = wt.simulate(arm, q0, duration=0.5, control=lambda t, q, qd: weight(q))
print("falls by", np.abs(falls.q[-1] - q0).max().round(2), "rad")
print("stays:", np.abs(stays.q[-1] - q0).max() < 1e-9)

# %%
# A hand that pushes the tool by 5 N sideways for half a second moves it, and it comes to rest elsewhere.


def push(t, q, qd):
    return {"tool": np.array([0, 0, 0, 0, 5.0 if t < 0.5 else 0.0, 0])}  # torque, force; the tool's axes


run = wt.simulate(arm, q0, duration=3.0, control=lambda t, q, qd: weight(q), external=push)
print(
    "moved by", np.linalg.norm(run.frame("tool").position[-1] - run.frame("tool").position[0]).round(2), "m"
)
