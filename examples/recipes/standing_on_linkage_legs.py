"""
Standing on linkage legs
========================

A robot whose knees are moved by bars from the hip: loops and contacts hold at once, both exactly.
"""

import numpy as np

import whippletree as wt

m, begin = wt.examples.load("standing-linkage-quadruped"), wt.examples.start("standing-linkage-quadruped")
print(len(m.loops), "loops,", len(m.contacts), "feet")
q, qd = wt.rollout(m, begin.q, begin.qd, steps=1500, every=1500)
print("stands:", np.abs(qd[-1]).max() < 1e-2)
print("loops are open by", f"{np.abs(wt.constraint_error(m, q[-1])).max():.0e}")

# %%
# What do the feet carry, and the motors? With accelerations zero the floor bears the weight. (A rollout
# ends with gaps of a micrometre, so forces are asked for in the same call.)

forces = np.empty((1, len(wt.contact.candidates(m)), 3))
wt.rollout(m, q[-1], qd[-1], steps=1, contact_forces=forces)
print("on the feet:", forces[0, :, 0].round(1), "N; the weight is", round(9.81 * wt.total_mass(m), 1), "N")
