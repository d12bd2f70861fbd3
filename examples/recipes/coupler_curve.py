"""
A four-bar's coupler curve
==========================

Drive the crank, follow a point.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m = wt.examples.load("four-bar")
m.add_frame("pen", "coupler", wt.Placement((0.25, 0.3, 0.0)))
motion = wt.kinematics(m, {"crank": 2.0 * np.pi}, np.linspace(0.0, 1.0, 361))
pen = motion.frame("pen")
plt.figure(figsize=(4, 4), layout="constrained")
plt.plot(*pen.position[:, :2].T)
plt.axis("equal")
print("fastest:", np.linalg.norm(pen.velocity[:, 3:], axis=1).max().round(2), "m/s")

# %%
# To fit lengths so that the curve passes through points of yours: ``examples/coupler_curve.py`` in the
# repository, with exact derivatives of closed positions by every length.
