"""A small URDF file to change, and ways to write such files."""

from pathlib import Path

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0.1 0.2 0.9 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/>
      <mass value="2.5"/>
      <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/>
    </inertial>
    <visual><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
  </link>
  <link name="lower">
    <inertial>
      <mass value="1.5"/>
      <inertia ixx="0.2" iyy="0.25" izz="0.15" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.1 0 0.4" rpy="0.2 0.1 0.5"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0 0.3 1"/>
    <parent link="upper"/>
    <child link="lower"/>
  </joint>
</robot>
"""


def change(*replacements: tuple[str, str], text: str = ARM) -> str:
    """The text with the first occurrence of each old part replaced by a new one."""
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def write(directory: Path, text: str | bytes, name: str = "arm.urdf") -> Path:
    path = directory / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def link(name: str, inside: str = "") -> str:
    """A link with an inertia."""
    return (
        f'<link name="{name}"><inertial><origin xyz="0.1 0.05 0.2"/><mass value="1.3"/>'
        '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>'
        f"{inside}</link>\n"
    )


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    """A joint in a general place."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.2 -0.1 0.3" rpy="0.4 0.3 -0.2"/>{inside}</joint>\n'
    )


def robot(*parts: str) -> str:
    return '<robot name="made">\n' + "".join(parts) + "</robot>\n"


LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="5"/>'
