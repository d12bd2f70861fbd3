"""Files with macros, and robots by name. Source of truth: plain URDF, and the packages' own files."""

import sys
from pathlib import Path

import pytest

import robots
import whippletree as wt
from urdf_text import ARM
from whippletree.io import problems

MACROS = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="$(find arm_parts)/parts.xacro"/>
  <xacro:arg name="mass" default="1.5"/>
  <xacro:property name="half" value="${3 * 0.5}"/>
  <link name="base"/>
  <xacro:rod name="upper" mass="${half + 1.0}"/>
  <xacro:rod name="lower" mass="$(arg mass)"/>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/></joint>
</robot>"""
PARTS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="rod" params="name mass">
    <link name="${name}"><inertial><mass value="${mass}"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  </xacro:macro>
</robot>"""


def written(folder: Path) -> Path:
    (folder / "arm_parts").mkdir()
    (folder / "arm_parts" / "parts.xacro").write_text(PARTS)
    path = folder / "robot" / "arm.urdf.xacro"
    path.parent.mkdir()
    path.write_text(MACROS)
    return path


def test_macros_are_expanded(tmp_path):
    path = written(tmp_path)
    m = wt.load(path, root=wt.Free())
    assert [body.inertia.m for body in m.bodies] == [0.0, 2.5, 1.5]
    assert m.joint_names == ["root_joint", "hinge", "elbow"]
    assert problems(path) == []


def test_packages_are_found_by_what_they_call_themselves(tmp_path):
    path = written(tmp_path)
    (tmp_path / "arm_parts").rename(tmp_path / "elsewhere")
    with pytest.raises(wt.FileError, match=r"xacro: package 'arm_parts' is not found: .*packages=\[…\]$"):
        wt.load(path)
    (tmp_path / "elsewhere" / "package.xml").write_text("<package><name>arm_parts</name></package>")
    assert wt.load(path, packages=[tmp_path / "elsewhere"]).nv == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("${half + 1.0}", "${halve}", "xacro cannot expand it: .*halve"),
        ("${half + 1.0}", "${().__class__}", "xacro cannot expand it: "),
        ("</robot>", "", "xacro cannot expand it: "),
        (
            '<link name="base"/>',
            "",
            "xacro: with its macros expanded, line 19: parent of joint 'hinge' is 'base'",
        ),
    ],
)
def test_what_cannot_be_expanded_is_told(old, new, message, tmp_path, capsys):
    path = written(tmp_path)
    path.write_text(MACROS.replace(old, new))
    with pytest.raises(wt.FileError, match=message):
        wt.load(path)
    assert problems(path)[0].severity == "error"
    assert capsys.readouterr().err == ""


def test_files_of_macros_alone_are_told(tmp_path):
    written(tmp_path)
    with pytest.raises(wt.FileError, match="leave no <link>: load a file that calls them"):
        wt.load(tmp_path / "arm_parts" / "parts.xacro")


def test_lines_are_those_of_the_expanded_text(tmp_path):
    path = written(tmp_path)
    path.write_text(MACROS.replace('<link name="base"/>', '<link name="base"/><transmission/>'))
    (warning,) = wt.load(path).warnings
    assert warning.startswith("with its macros expanded, line 8: <transmission>")
    (problem,) = problems(path)
    assert (problem.line, str(problem)) == (None, warning)


def test_without_xacro_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(wt.FileError, match=r"pip install 'whippletree\[xacro\]'"):
        wt.load(written(tmp_path))


def test_robots_of_example_robot_data():
    m = wt.load("example-robot-data:ur5_robot")
    assert m == wt.load(robots.HOME / "ur_description/urdf/ur5_robot.urdf")
    with pytest.raises(wt.FileError, match="example-robot-data has no robot 'pandas'; did you mean 'panda'"):
        wt.load("example-robot-data:pandas")
    with pytest.raises(wt.FileError, match="names no robot: give one, as 'example-robot-data:panda'"):
        wt.load("example-robot-data:")


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package of the shape of robot_descriptions: a robot in its cache, one that is not, one of macros."""
    cache = written(tmp_path).parent
    (cache / "arm.urdf").write_text(ARM)
    package = tmp_path / "lib" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "_descriptions.py").write_text(
        "DESCRIPTIONS = {name + '_description': None for name in ('arm', 'leg', 'macro')}"
    )
    (package / "_cache.py").write_text(
        "def clone_to_directory(url, target, commit=None):\n    raise SystemExit\n"
    )
    head = "from . import _cache\nPACKAGE_PATH = _cache.clone_to_directory('https://', {!r}).working_dir\n"
    head += "REPOSITORY_PATH = PACKAGE_PATH\n"
    (package / "arm_description.py").write_text(
        head.format(str(cache)) + "URDF_PATH = PACKAGE_PATH + '/arm.urdf'"
    )
    (package / "leg_description.py").write_text(head.format(str(tmp_path / "none")))
    (package / "macro_description.py").write_text(
        head.format(str(cache)) + "XACRO_PATH = PACKAGE_PATH + '/arm.urdf.xacro'\nXACRO_ARGS = {'mass': '7'}"
    )
    monkeypatch.syspath_prepend(tmp_path / "lib")
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


@pytest.mark.usefixtures("descriptions")
def test_robots_of_robot_descriptions_are_read_from_its_cache():
    assert wt.load("robot_descriptions:arm") == wt.load("robot_descriptions:arm_description") == wt.loads(ARM)
    assert wt.load("robot_descriptions:macro").bodies[1].inertia.m == 7.0
    with pytest.raises(wt.FileError, match=r"is not on this machine yet: .* pull leg_description"):
        wt.load("robot_descriptions:leg")
    with pytest.raises(wt.FileError, match="has no robot 'armm'; did you mean 'arm_description'"):
        wt.load("robot_descriptions:armm")


def test_without_the_packages_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(wt.FileError, match="pip install robot_descriptions"):
        wt.load("robot_descriptions:arm")
