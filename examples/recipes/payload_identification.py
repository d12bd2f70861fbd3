"""
What does the arm carry?
========================

Known is the arm, measured is a motion with its joint forces; asked for is what hangs on the tool.
"""

import numpy as np

import whippletree as wt

arm = wt.examples.load("six-axis-arm")
held = wt.Placement((0.02, 0.0, 0.12))  # the truth, hidden
loaded = wt.add_payload(arm, "tool", wt.Inertia.box((0.1, 0.1, 0.2), mass=1.3, placement=held))
q, qd, qdd = wt.exciting_trajectory(arm).at(np.linspace(0.0, 10.0, 300))
tau = wt.compile(wt.inverse_dynamics, loaded)(q, qd, qdd)  # on a robot these are measured
tau += 0.05 * np.random.default_rng(0).normal(size=tau.shape)

# %%
# All but the last link is known, so all that changed belongs to the load.

known = [name for name in wt.regressor_names(arm) if not name.startswith("link6.")]
report = wt.identify(arm, wt.MeasuredMotion(q, qd, qdd, tau), known=known)
before, after = arm.body("link6").inertia, report.mechanism.body("link6").inertia
load, place = after.m - before.m, (after.h - before.h) / (after.m - before.m)
bound = report.bounds[report.names.index("link6.mass")]
print(f"the load weighs {load:.3f} kg, within {bound:.3f} kg by 95 %")
print("its centre is at", place.round(3), "in link6")
