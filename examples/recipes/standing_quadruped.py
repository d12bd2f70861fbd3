"""
A standing quadruped
====================

Feet on a floor, springs for motors: dropped from ten centimetres it lands, and stands.
"""

import matplotlib.pyplot as plt
import numpy as np

import whippletree as wt

m = wt.examples.load("quadruped")
for body in m.bodies:  # a servo in each joint
    if body.parent != "ground":
        rest = {"hip": 0.0, "thigh": 0.75, "shank": -1.5}[body.name.rpartition("_")[2]]
        m.change(body.name, limits=wt.Limits(), stiffness=200.0, damping=6.0, armature=0.01, rest=(rest,))
m.add_shape("floor", wt.Plane())
for foot in list(m.frames):
    m.add_shape(f"{foot.name} ball", wt.Sphere(0.02), foot.body, foot.placement)
    m.add_contact(f"{foot.name} on floor", f"{foot.name} ball", "floor", friction=0.8)
q0 = m.neutral()
q0[2] = 0.45
q0[7:] = [body.rest[0] for body in m.bodies[1:] if body.rest is not None]
q, qd = wt.rollout(m, q0, np.zeros(m.nv), steps=2000, every=10)
print("stands:", np.abs(qd[-1]).max() < 1e-3, "at", q[-1, 2].round(3), "m")

# %%
# How high its trunk is:

figure, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
axes.plot(0.01 * np.arange(1, 201), q[:, 2])
axes.set(xlabel="t [s]", ylabel="trunk [m]")
