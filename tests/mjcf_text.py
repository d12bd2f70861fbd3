"""MJCF texts that tests read: one with a part of every kind, and its pieces."""

MACHINE = """<mujoco model="machine">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0.3 -0.2 -9.5"/>
  <default>
    <geom density="700" friction="0.9 0.01 0.001"/>
    <joint armature="0.02" damping="0.15"/>
    <default class="soft"><joint stiffness="4" springref="20"/></default>
  </default>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.4"/>
    <hfield name="hill" nrow="2" ncol="3" size="0.6 0.4 0.5 0.1" elevation="0 0.2 0.4 0.1 0.3 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.1" pos="0 0 -1"/>
    <geom name="land" type="hfield" hfield="hill" pos="4 0 0"/>
    <site name="hook" pos="0.2 0.1 1.4"/>
    <body name="base" pos="0.1 -0.2 0.7" euler="10 20 30">
      <joint name="turn" axis="0.2 0.3 1" pos="0.05 0.1 -0.1" ref="15" range="-120 100"/>
      <joint name="lift" type="slide" axis="0.1 0 1" ref="0.2" frictionloss="0.4"/>
      <geom type="box" size="0.1 0.2 0.05" rgba="0.2 0.4 0.6 1"/>
      <geom name="skin" type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="0"/>
      <body name="plate" pos="0.3 0 0.1" euler="0 40 0" gravcomp="0.6">
        <geom type="cylinder" size="0.08 0.15" mass="0.8"/>
        <site name="plate" pos="0.02 0.03 0.04" euler="30 0 0"/>
        <body name="arm" pos="0 0.2 0.1" quat="0.9 0.1 -0.2 0.3" childclass="soft">
          <joint name="elbow" pos="-0.05 0 0.02" axis="0 1 0.5"/>
          <geom type="capsule" fromto="0 0 0 0.4 0.1 0.2" size="0.04"/>
          <body name="ball" pos="0.4 0.1 0.2">
            <joint type="ball" name="wrist" pos="0 0 0.03"/>
            <geom type="mesh" mesh="wedge" pos="0.05 0 0" euler="0 0 50"/>
            <site name="tip" pos="0.1 0.2 0.3"/>
          </body>
        </body>
      </body>
    </body>
    <body name="kite" pos="1 2 3" quat="0.5 0.5 -0.5 0.5">
      <freejoint name="fly"/>
      <inertial pos="0.02 -0.01 0.03" mass="1.4" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>
      <geom name="nose" type="sphere" size="0.1" friction="1.3 0.01 0.001" mass="0"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cord" stiffness="30" damping="0.7" springlength="0.5">
      <site site="hook"/><site site="tip"/>
    </spatial>
  </tendon>
  <actuator>
    <motor name="drive" joint="turn" gear="6" ctrlrange="-2 2" armature="0.01"/>
    <position name="servo" joint="elbow" kp="20" forcerange="-9 9"/>
  </actuator>
  <sensor><jointpos name="angle" joint="turn"/></sensor>
</mujoco>
"""
"""Every type of joint and shape, joints one behind the other, defaults, springs, motors, a body held up."""

LINKAGE = """<mujoco model="linkage">
  <option gravity="0.4 0.3 -9.3" tolerance="0" iterations="200"/>
  <worldbody>
    <body name="crank">
      <joint name="a" axis="0 1 0"/>
      <inertial pos="0.1 0.02 0" mass="1" diaginertia="0.01 0.02 0.03"/>
      <body name="rod" pos="0.2 0 0">
        <joint name="b" axis="0 1 0" pos="0 0.01 0"/>
        <joint name="c" axis="1 0 0"/>
        <inertial pos="0.3 0.01 0.02" mass="2" diaginertia="0.02 0.06 0.05"/>
      </body>
    </body>
    <body name="rocker" pos="0.7 0 0" euler="0 10 0">
      <joint name="d" axis="0.1 1 0"/>
      <inertial pos="0.2 0 0.01" mass="1.5" diaginertia="0.01 0.03 0.04"/>
    </body>
    <body name="wheel" pos="0 1 0">
      <joint name="e" axis="0 0.2 1" ref="0.1"/>
      <inertial pos="0.02 0.01 0.03" mass="0.7" diaginertia="0.01 0.02 0.015"/>
    </body>
    <body name="tool" pos="0.8 0.1 0.1">
      <freejoint name="f"/>
      <inertial pos="0.01 0.02 0.03" mass="0.9" diaginertia="0.03 0.04 0.05"/>
      <site name="grip" pos="0.1 0 0.2" euler="20 30 0"/>
    </body>
    <body name="slide" pos="1 1 1">
      <joint name="g" type="slide" axis="1 0.2 0.3"/>
      <inertial pos="0.1 0.1 0" mass="0.6" diaginertia="0.03 0.04 0.05"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="pair"><joint joint="e" coef="0.4"/><joint joint="g" coef="-1.1"/></fixed>
    <fixed name="one"><joint joint="a" coef="0.7"/></fixed>
  </tendon>
  <equality>EQUALITY</equality>
</mujoco>
"""
"""A linkage, and things to couple; EQUALITY stands for what does."""

EQUALITIES = {
    "connect": '<connect name="pin" body1="rod" body2="rocker" anchor="0.5 0.02 0.1"/>',
    "weld": '<weld name="glue" body1="tool" body2="rocker" torquescale="0.7"/>',
    "sites": '<weld name="glue" site1="grip" site2="seat"/>',
    "joint": '<joint name="mesh" joint1="e" joint2="a" polycoef="0.05 -1.7 0 0 0"/>',
    "tendon": '<tendon name="belt" tendon1="pair"/>',
    "tendons": '<tendon name="belt" tendon1="pair" tendon2="one" polycoef="0 0.6 0 0 0"/>',
}
