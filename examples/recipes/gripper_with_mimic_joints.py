"""
A gripper with mimic joints
===========================

In a URDF, ``<mimic>`` says that one finger follows the other. It is read as a gear, and gears are exact:
the motor of one finger moves both, and both fingers' inertia is felt at the motor.
"""

import numpy as np

import whippletree as wt

urdf = """<robot name="gripper">
  <link name="palm"/>
  <link name="left"><inertial><mass value="0.1"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="0.1"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="motor" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/></joint>
  <joint name="follower" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/><mimic joint="motor"/></joint>
</robot>"""
m = wt.loads(urdf)
print([gear.name for gear in m.gears], wt.mobility(m, m.neutral()).mobility)

# %%
# 1 N at the motor moves 0.2 kg.

print(wt.forward_dynamics(m, m.neutral(), np.zeros(2), np.array([1.0, 0.0])))

# %%
# In simulations fingers stay together whatever they hold.

run = wt.simulate(m, [0.02, 0.02], duration=0.1, control=lambda t, q, qd: [0.4 - 30.0 * qd[0], 0.0])
print(np.abs(run.q[:, 0] - run.q[:, 1]).max() < 1e-12, run.q[-1].round(4))
