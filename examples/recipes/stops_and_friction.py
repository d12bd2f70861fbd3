"""
Stops and friction on a loaded URDF
===================================

A URDF tells limits, damping and friction. Damping and friction act from the start; limits become stops when
you say so, since a file does not tell how hard they are.
"""

import numpy as np

import whippletree as wt

urdf = """<robot name="door">
  <link name="frame"/>
  <link name="leaf"><inertial><origin xyz="0.4 0 0"/><mass value="20"/>
    <inertia ixx="0.1" iyy="1" izz="1.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1.6" effort="0" velocity="5"/><dynamics damping="0.5" friction="0.8"/></joint>
</robot>"""
m = wt.loads(urdf, stops=True)  # stops of a stiffness that suits the mechanism
hinge = m.bodies[-1]
print(hinge.damping, hinge.friction, np.round(hinge.limits.upper, 2), hinge.limits.stiffness is not None)

# %%
# Pushed, it hits the stop, comes back and is held by friction.

run = wt.simulate(m, [0.5], [3.0], duration=15.0)
print("furthest:", run.q.max().round(3), "rad; rests at", run.q[-1].round(2), np.abs(run.qd[-1]).max() < 1e-3)

# %%
# Your own numbers:

m.change("hinge", friction=0.2, damping=0.1, limits=wt.Limits(0.0, 1.6, stiffness=5e3, dissipation=0.2))
print(wt.simulate(m, [0.5], [3.0], duration=4.0).q.max().round(3))
