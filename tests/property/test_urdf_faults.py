"""Files that are wrong: each is refused, or warned about, with its line and what to do.

Source of truth: the URDF specification, and what was done to a good file.
"""

import re

import pytest

import whippletree as wt
from urdf_text import change, joint, link, robot, write
from whippletree import io
from whippletree.io.urdf import urdf_tree

SHOULDER_LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
DYNAMICS = '<dynamics damping="0.1" friction="0.2"/>'
INERTIA = '<inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/>'
VERSION_1_2 = ('<robot name="arm">', '<robot name="arm" version="1.2">')

REFUSED = {
    # the tree
    "two parents": (
        [('<parent link="upper"/>\n    <child link="lower"/>', '<parent link="base"/><child link="upper"/>')],
        27,
        "link 'upper' is the child of joint 'elbow' and of joint 'shoulder' on line 19: remove one of them",
    ),
    "circle": (
        [('<parent link="base"/>', '<parent link="lower"/>')],
        19,
        "joints form a circle, 'shoulder' on 'elbow' on 'shoulder': a link cannot carry itself",
    ),
    "joint to itself": (
        [('<parent link="upper"/>', '<parent link="lower"/>')],
        27,
        "joint 'elbow' has the link 'lower' as parent and as child",
    ),
    "several roots": (
        [('<link name="base"/>', '<link name="base"/>\n<link name="table"/>')],
        5,
        "2 links are not the child of any joint: 'base' (line 4), 'table' (line 5). Keep one as the root",
    ),
    "unknown parent": (
        [('<parent link="upper"/>', '<parent link="uper"/>')],
        27,
        "parent of joint 'elbow' is 'uper': there is no link of this name; there is 'upper'",
    ),
    "unknown child": (
        [('<child link="lower"/>', '<child link="lwer"/>')],
        27,
        "child of joint 'elbow' is 'lwer': there is no link of this name; there is 'lower'",
    ),
    "no child": ([('<child link="lower"/>', "")], 27, "joint 'elbow' has no <child>: add <child link="),
    "child without link": (
        [('<child link="lower"/>', "<child/>")],
        30,
        "<child> of joint 'elbow' has no link: add link=",
    ),
    "link twice": (
        [('<link name="base"/>', '<link name="base"/>\n<link name="base"/>')],
        5,
        "a second link is named 'base', the first on line 4: rename one",
    ),
    "joint twice": (
        [('name="elbow"', 'name="shoulder"')],
        27,
        "a second joint is named 'shoulder', the first on line 19: rename one",
    ),
    "link without name": ([('<link name="base"/>', "<link/>")], 4, "<link> has no name: add name="),
    "joint without name": ([(' name="elbow"', "")], 27, "<joint> has no name: add name="),
    # joints
    "unknown type": (
        [("continuous", "screw")],
        27,
        "joint 'elbow' has the type 'screw'; known: revolute, continuous, prismatic, fixed, floating, planar",
    ),
    "no type": ([(' type="continuous"', "")], 27, "joint 'elbow' has no type: add type="),
    "zero axis": (
        [('xyz="0 0 1"', 'xyz="0 0 0"')],
        23,
        "axis of joint 'shoulder' is (0 0 0), of length 0: give a direction, such as 0 0 1",
    ),
    "axis without xyz": ([('<axis xyz="0 0 1"/>', "<axis/>")], 23, "<axis> of joint 'shoulder' has no xyz"),
    "no limit": (
        [(SHOULDER_LIMIT, "")],
        19,
        "joint 'shoulder' is revolute and has no <limit>: add <limit lower=",
    ),
    "no lower in 1.2": ([VERSION_1_2, (' lower="-1"', "")], 24, "<limit> of joint 'shoulder' has no lower"),
    "negative effort": (
        [('effort="30"', 'effort="-30"')],
        24,
        "<limit> of joint 'shoulder': effort is -30, it must not be negative",
    ),
    "negative damping": (
        [('damping="0.1"', 'damping="-0.1"')],
        25,
        "<dynamics> of joint 'shoulder': damping is -0.1, it must not be negative",
    ),
    "mimic of nobody": (
        [(DYNAMICS, '<mimic joint="elbo"/>')],
        25,
        "joint 'shoulder' mimics 'elbo', but there is no joint of this name; there is 'elbow'",
    ),
    "mimic without joint": ([(DYNAMICS, "<mimic/>")], 25, "<mimic> of joint 'shoulder' has no joint"),
    "mimic of itself": (
        [(DYNAMICS, '<mimic joint="shoulder"/>')],
        25,
        "joint 'shoulder' mimics 'shoulder', which is itself",
    ),
    "mimic circle": (
        [(DYNAMICS, '<mimic joint="elbow"/>'), ('<origin xyz="0 0.3 1"/>', '<mimic joint="shoulder"/>')],
        25,
        "joints mimic each other in a circle: 'shoulder', 'elbow', 'shoulder'",
    ),
    "mimic of a free joint": (
        [(DYNAMICS, '<mimic joint="elbow"/>'), ("continuous", "floating")],
        25,
        "joint 'shoulder' mimics 'elbow', which has 6 degrees of freedom",
    ),
    "mimic of a fixed joint": (
        [(DYNAMICS, '<mimic joint="elbow"/>'), ("continuous", "fixed")],
        25,
        "joint 'shoulder' mimics 'elbow', which is fixed and has no position",
    ),
    "free joint that mimics": (
        [("continuous", "floating"), ('<origin xyz="0 0.3 1"/>', '<mimic joint="shoulder"/>')],
        28,
        "joint 'elbow' mimics 'shoulder', but has 6 degrees of freedom: only a joint with one can mimic",
    ),
    # numbers
    "word for a number": (
        [("2.5", "heavy")],
        8,
        "value of <mass> of link 'upper': \"heavy\" is not a number",
    ),
    "NaN": ([("2.5", "nan")], 8, "value of <mass> of link 'upper': \"nan\" is not finite"),
    "infinite": ([("2.5", "1e999")], 8, "value of <mass> of link 'upper': \"1e999\" is not finite"),
    "too large": ([("2.5", "1e200")], 8, "value of <mass> of link 'upper': \"1e200\" is too large"),
    "underscore": ([("2.5", "2_5")], 8, "value of <mass> of link 'upper': \"2_5\" is not a number"),
    "decimal comma": ([("2.5", "2,5")], 8, '"2,5" is not a number: separate numbers by blanks'),
    "macro of several": (
        [('xyz="0 0.3 1"', 'xyz="$(optenv AT 0 0 1)"')],
        28,
        "holds 5 values, expected 3 numbers separated by blanks: expand the file with xacro first",
    ),
    "macro": ([("2.5", "${m}")], 8, '"${m}" is not a number: expand the file with xacro first'),
    "too few numbers": (
        [("0.1 0.2 0.3", "0.1 0.2")],
        7,
        "xyz=\"0.1 0.2\" of <origin> of link 'upper' holds 2 values, expected 3 numbers separated by blanks",
    ),
    "infinite origin": (
        [("0.1 0.2 0.3", "0.1 inf 0.3")],
        7,
        "xyz of <origin> of link 'upper': \"inf\" is not",
    ),
    "two rotations": (
        [('rpy="0.3 0.2 0.1"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"')],
        7,
        "<origin> of link 'upper' has rpy and quat_xyzw: keep one of them",
    ),
    "no rotation": (
        [('rpy="0.3 0.2 0.1"', 'quat_xyzw="0 0 0 0"')],
        7,
        "<origin> of link 'upper': quat_xyzw has norm 0, give a quaternion of norm 1",
    ),
    # links
    "negative mass": ([("2.5", "-2.5")], 8, "<mass> of link 'upper' is -2.5 kg: it must not be negative"),
    "no moments": ([(INERTIA, "")], 6, "<inertial> of link 'upper' has no <inertia>: give both"),
    "no ixx": ([(' ixx="0.3"', "")], 9, "<inertia> of link 'upper' has no ixx: add ixx="),
    "negative size": (
        [("1 2 3", "1 -2 3")],
        11,
        "<box> of link 'upper' has the size 1 -2 3: it must not be negative",
    ),
    "size that is none": ([("1 2 3", "1 nan 3")], 11, "size of <box> of link 'upper': \"nan\" is not finite"),
    "mesh without file": (
        [('<box size="1 2 3"/>', "<mesh/>")],
        11,
        "<mesh> of link 'upper' has no filename: add filename=",
    ),
    # whole file
    "another format": (
        [('<robot name="arm">', "<sdf>"), ("</robot>", "</sdf>")],
        2,
        "the root element is <sdf>",
    ),
    "bad XML": ([("</link>", "</lnk>")], 12, "not well-formed XML: Opening and ending tag mismatch"),
    "unknown entity": ([("2.5", "&m;")], 8, "not well-formed XML: Entity 'm' not defined"),
    "unexpanded macros": (
        [('name="arm">', 'name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<xacro:include/>')],
        3,
        "<xacro:include> is a macro of xacro, expanded in .xacro files only: rename",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_line_and_reason(tmp_path, case):
    replacements, line, message = REFUSED[case]
    path = write(tmp_path, change(*replacements))
    with pytest.raises(wt.FileError, match=re.escape(message)) as caught:
        wt.load(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert [problem for problem in io.problems(path) if problem.line == line and message in problem.message]


def test_a_file_with_one_fault_has_one_error(tmp_path):
    """What follows from a fault is not told as another fault, except that the tree falls apart."""
    for case, (replacements, _, _) in REFUSED.items():
        problems = io.problems(write(tmp_path, change(*replacements)))
        errors = [problem for problem in problems if problem.severity == "error"]
        others = [
            str(problem) for problem in errors if "are not the child of any joint" not in problem.message
        ]
        if case == "link without name":  # it was the parent of another one
            others = [other for other in others if "there is no link of this name" not in other]
        assert len(others) <= 1, (case, others)


GROUND = '<link name="world"/><link name="ground"/>' + joint("g", "fixed", "world", "ground").strip()

WARNED = {
    "limits crossed": (
        [('lower="-1"', 'lower="5"')],
        "line 24: <limit> of joint 'shoulder': lower 5 is above upper 2: taken as 2 … 5",
    ),
    "no mass": (
        [('<mass value="2.5"/>', "")],
        "line 6: <inertial> of link 'upper' has no <mass>: taken as none, the link has no inertia",
    ),
    "two inertials": (
        [("</inertial>", "</inertial>\n<inertial/>")],
        "line 11: link 'upper' has a second <inertial>: passed over, the first on line 6 counts",
    ),
    "two axes": (
        [('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/>\n<axis xyz="1 0 0"/>')],
        "line 24: joint 'shoulder' has a second <axis>: passed over, the first on line 23 counts",
    ),
    "two shapes": (
        [('<box size="1 2 3"/>', '<box size="1 2 3"/><sphere radius="1"/>')],
        "line 11: <visual> of link 'upper' has a second shape: passed over, give each its own <visual>",
    ),
    "XML version": (
        [('<?xml version="1.0"?>', "<?xml version='0.0' encoding='utf-8'?>")],
        "line 1: XML version '0.0' does not exist, read as 1.0",
    ),
    "text before the declaration": (
        [('<?xml version="1.0"?>', 'redefining global property\n<?xml version="1.0"?>')],
        "line 1: text before the XML declaration on line 2: passed over",
    ),
    "blanks before the declaration": (
        [('<?xml version="1.0"?>', '\n\n <?xml version="1.0"?>')],
        "line 1: blanks before the XML declaration on line 3: passed over",
    ),
    "undeclared prefixes": (
        [('<link name="base"/>', '<link name="base"><drake:a x="1"/></link><sensor:b c:d="2"/>')],
        "line 4: prefix 'drake', 'sensor', 'c' is not declared, as xmlns:…: what has it is passed over",
    ),
    "triangle inequality": (
        [('ixx="0.3"', 'ixx="3"')],
        "line 9: <inertia> of link 'upper': principal moments (0.3917, 0.5081, 3) kg m² violate the triangle",
    ),
    "negative moment": (
        [('ixx="0.3"', 'ixx="-3"')],
        "line 9: <inertia> of link 'upper': principal moments (-3, 0.3917, 0.5084) kg m²: -3 is negative",
    ),
    "nothing to move": (
        [("1.5", "0"), ('"0.2"', '"0"'), ('"0.25"', '"0"'), ('"0.15"', '"0"')],
        "line 27: joint 'elbow' moves no inertia, so forward dynamics has no solution: give link 'lower'",
    ),
    "long axis": (
        [("0 0 1", "0 0 2")],
        "line 23: axis of joint 'shoulder' has the length 2, expected 1: scaled to 1",
    ),
    "no shape": (
        [('<box size="1 2 3"/>', "")],
        "line 11: <visual> of link 'upper' has no shape and is left out; known: <box>, <sphere>",
    ),
    "version": (
        [('name="arm"', 'name="arm" version="2.0"')],
        "line 2: URDF version '2.0' is unknown, read as 1.0; known: 1.0, 1.1, 1.2",
    ),
    "no robot name": ([(' name="arm"', "")], "line 2: <robot> has no name: it is called 'arm', as its file"),
    "reserved name": (
        [('<link name="base"/>', GROUND), ('<parent link="base"/>', '<parent link="ground"/>')],
        "line 4: link 'ground' has the name of the fixed base, so it is called 'ground_link'",
    ),
}


@pytest.mark.parametrize("case", WARNED)
def test_loaded_with_a_warning(tmp_path, case):
    replacements, message = WARNED[case]
    path = write(tmp_path, change(*replacements))
    m = wt.load(path)
    assert len(m) == 2
    assert [warning for warning in m.warnings if warning.startswith(message)]
    told = [problem for problem in io.problems(path) if str(problem).startswith(message)]
    assert [problem.severity for problem in told] == ["warning"]


def test_lines_are_kept_where_the_start_is_mended(tmp_path):
    text = "note: made by hand\n\n" + change(('version="1.0"', 'version="0.0"'), ("2.5", "-2.5"))
    problems = io.problems(write(tmp_path, text))
    assert [(p.line, p.severity) for p in problems] == [(1, "warning"), (3, "warning"), (10, "error")]


def test_what_is_passed_over_changes_nothing(tmp_path):
    arm = wt.load(write(tmp_path, change()))
    for case in ("two inertials", "two axes", "two shapes", "XML version", "undeclared prefixes"):
        assert wt.load(write(tmp_path, change(*WARNED[case][0]))) == arm
    swapped = wt.load(write(tmp_path, change(*WARNED["limits crossed"][0]))).bodies[0].limits
    assert (swapped.lower, swapped.upper) == (2.0, 5.0)
    massless = wt.load(write(tmp_path, change(*WARNED["no mass"][0]))).bodies[0]
    assert massless.inertia == wt.Inertia.zero()


def test_macros_without_a_vocabulary_are_still_macros(tmp_path):
    path = write(tmp_path, change(('<link name="base"/>', '<link name="base"/><xacro:include/>')))
    with pytest.raises(wt.FileError, match="line 4: <xacro:include> is a macro of xacro"):
        wt.load(path)


def test_near_names_are_looked_for_a_few_times_only(tmp_path, monkeypatch):
    asked = []

    def close(name, names):
        asked.append(len(names))
        return []

    monkeypatch.setattr(urdf_tree, "near_names", close)
    count = 3000
    parts = [f'<link name="a{k}"/>' for k in range(count)]
    parts += [joint(f"j{k}", "fixed", f"misspelt{k}", f"a{k}") for k in range(count)]
    assert len(io.problems(write(tmp_path, robot(*parts)))) > count
    assert asked == [2000] * 10


def test_every_problem_is_told_in_the_order_of_lines(tmp_path):
    faults = [("2.5", "-2.5"), ('ixx="0.2"', 'ixx="2"'), ("continuous", "screw"), ("0 0 1", "0 0 0")]
    text = change(*faults, ("</robot>", "<gazebo/></robot>"))
    problems = io.problems(write(tmp_path, text))
    assert [(problem.line, problem.severity) for problem in problems] == [
        (8, "error"),
        (16, "warning"),
        (23, "error"),
        (27, "error"),
        (32, "note"),
    ]
    with pytest.raises(wt.FileError, match="line 8: "):
        wt.load(tmp_path / "arm.urdf")


def test_the_cause_is_told_before_what_follows_from_it(tmp_path):
    """A misspelt child leaves a link without parent, further up in the file."""
    path = write(tmp_path, change(('<child link="lower"/>', '<child link="lwer"/>')))
    assert [problem.line for problem in io.problems(path)] == [13, 27]
    with pytest.raises(wt.FileError, match="line 27: child of joint 'elbow' is 'lwer'"):
        wt.load(path)


def test_names_taken_by_the_root(tmp_path):
    path = write(tmp_path, change(("shoulder", "root_joint")))
    assert wt.load(path).joint_names == ["root_joint", "elbow"]
    with pytest.raises(wt.FileError, match="line 19: joint 'root_joint' has the name of the joint between"):
        wt.load(path, root=wt.Free())
    text = robot(link("base"), link("ground"), link("ground_link"))
    text = text.replace(
        "</robot>", joint("a", "fixed", "base", "ground") + joint("b", "fixed", "base", "ground_link")
    )
    with pytest.raises(wt.FileError, match="line 3: link 'ground' has the name of the fixed base: rename it"):
        wt.load(write(tmp_path, text + "</robot>"))
