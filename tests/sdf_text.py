"""SDF texts that tests read."""

INERTIAL = """<inertial><pose>0.1 0.05 0.2 0.3 0.2 0.1</pose><mass>1.3</mass>
  <inertia><ixx>0.03</ixx><iyy>0.04</iyy><izz>0.05</izz><ixy>0.001</ixy><ixz>0.002</ixz><iyz>0.003</iyz></inertia>
</inertial>"""


def link(name: str, pose: str = "", inside: str = INERTIAL) -> str:
    """A link with an inertia; its pose as it stands in the file."""
    return f'<link name="{name}">{pose}{inside}</link>\n'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>\n'


def model(*parts: str, name: str = "made", version: str = "1.9") -> str:
    return f'<sdf version="{version}"><model name="{name}">\n{"".join(parts)}</model></sdf>\n'


ROVER = f"""<?xml version="1.0"?>
<sdf version="1.9">
  <world name="yard">
    <gravity>0.2 0.1 -9.7</gravity>
    <model name="rover">
      <pose>0.5 0.2 0.3 0.1 0.2 0.3</pose>
      <frame name="mast_foot" attached_to="chassis"><pose>0.2 0 0.3 0 0.4 0</pose></frame>
      <link name="chassis">
        <pose>0.1 0.2 0.3 0.1 0 0.2</pose>
        {INERTIAL}
        <visual name="v"><pose>0 0 0.1 0 0 0</pose>
          <geometry><box><size>0.6 0.4 0.2</size></box></geometry>
          <material><diffuse>0.2 0.3 0.4 1</diffuse></material>
        </visual>
        <collision name="c"><geometry><sphere><radius>0.4</radius></sphere></geometry></collision>
      </link>
      <link name="mast"><pose relative_to="mast_foot">0 0 0.2 0 0 0</pose>{INERTIAL}</link>
      <link name="head">
        <pose relative_to="mast">0 0.1 0.4 0 0 0.5</pose>{INERTIAL}<gravity>false</gravity>
      </link>
      <link name="lens"><pose relative_to="head">0.1 0 0 0 0 0</pose>{INERTIAL}</link>
      <joint name="turn" type="revolute">
        <pose relative_to="mast_foot"/><parent>chassis</parent><child>mast</child>
        <axis>
          <xyz expressed_in="__model__">0 0.1 1</xyz>
          <limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity></limit>
          <dynamics><damping>0.3</damping><friction>0.2</friction>
            <spring_stiffness>5</spring_stiffness><spring_reference>0.4</spring_reference></dynamics>
        </axis>
      </joint>
      <joint name="nod" type="universal">
        <pose>0 0 -0.1 0.2 0 0</pose><parent>mast</parent><child>head</child>
        <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0.2</xyz></axis2>
      </joint>
      <joint name="glue" type="fixed"><parent>head</parent><child>lens</child></joint>
      <model name="arm">
        <pose relative_to="head">0.3 0 0 0 0 0</pose>
        <link name="rod">{INERTIAL}</link>
        <link name="nut"><pose>0.1 0.2 0.3 0 0 0</pose>{INERTIAL}</link>
        <joint name="thread" type="screw"><parent>rod</parent><child>nut</child>
          <axis><xyz>0.6 0.8 0</xyz></axis><screw_thread_pitch>0.05</screw_thread_pitch></joint>
      </model>
      <joint name="wrist" type="ball"><parent>head</parent><child>arm::rod</child></joint>
    </model>
  </world>
</sdf>
"""
"""A free body with joints of many types, frames by name, and a model in the model."""

FOUR_BAR = model(
    link("crank", "<pose>0 0 0 0 -0.5 0</pose>"),
    link("coupler", '<pose relative_to="crank_end">0 0 0 0 0.7 0</pose>'),
    link("rocker", "<pose>0.9 0 0 0 -1.2 0</pose>"),
    '<frame name="crank_end" attached_to="crank"><pose>0.3 0 0 0 0 0</pose></frame>',
    joint("shaft", "continuous", "world", "crank", "<axis><xyz>0 1 0</xyz></axis>"),
    joint("elbow", "revolute", "crank", "coupler", "<axis><xyz>0 1 0</xyz></axis>"),
    joint("pivot", "revolute", "world", "rocker", "<axis><xyz>0 1 0</xyz></axis>"),
    joint(
        "pin",
        "revolute",
        "coupler",
        "rocker",
        '<pose relative_to="rocker">0.4 0 0 0 0 0</pose>'
        "<axis><xyz>0 1 0</xyz><dynamics><damping>0.2</damping></dynamics></axis>",
    ),
    name="four-bar",
)
"""A loop, closed where the file places its links."""
