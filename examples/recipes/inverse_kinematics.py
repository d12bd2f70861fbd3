"""
Inverse kinematics with limits
==============================

One pose, a preference, a batch of points, and what to do with those out of reach.
"""

import numpy as np

import whippletree as wt

arm = wt.examples.load("seven-axis-arm")  # its joints have limits, and they are kept
pose = wt.Placement((0.4, 0.2, 0.5), rpy=(np.pi, 0.0, 0.0))  # the tool looks down
found = wt.inverse_kinematics(arm, {"tool": pose}, prefer=[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
print(found.solved, found.q.round(2))
limits = [(body.limits.lower, body.limits.upper) for body in arm.bodies]
print("within limits:", all(low <= angle <= high for angle, (low, high) in zip(found.q, limits, strict=True)))

# %%
# A thousand points at once, some too far away. Each answer tells what stood in the way.

points = np.random.default_rng(0).uniform([-0.9, -0.9, 0.0], [0.9, 0.9, 1.3], (1000, 3))
many = wt.inverse_kinematics(arm, {"tool": points})
print(many.solved.sum(), "of 1000 reached;", "the first that is not:", many.why(int(np.argmin(many.solved))))
