"""Files in which nobody chooses a cut: what is written is read, and all that is wrong is told with its line.

Source of truth: the graph that was written, and its mechanism.
"""

from pathlib import Path

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.cli.source import problems as checked
from whippletree.io import problems


def machine() -> wt.Graph:
    """A graph with something of everything, its frames anywhere."""
    rng = np.random.default_rng(5)
    g = wt.Graph("press", gravity=(0.1, 0.2, -9.7))
    ball = wt.Geometry(wt.Sphere(0.2), randoms.placement(rng), (0.1, 0.2, 0.3, 0.4))
    for name in ("crank", "rod", "ram"):
        g.add_body(name, randoms.inertia(rng), visuals=(ball,), collisions=(ball,))
    where = {name: randoms.placement(rng) for name in g.bodies} | {"ground": wt.Placement()}
    stops = wt.Limits(-1.5, 1.5, effort=20.0, stiffness=90.0, dissipation=0.1)
    own = {"damping": 0.2, "friction": 0.1, "stiffness": 3.0, "limits": stops}

    def add(name, joint, p, s, **given):
        at_p, q = randoms.placement(rng), joint.random(rng)
        end = where[p] @ at_p @ wt.Placement.of(joint.transform(q))
        g.add_joint(name, joint, p, s, at_p, where[s].inverse() @ end, **given)

    add("motor", wt.Revolute("y"), "ground", "crank", actuated=True, armature=0.05, **own)
    add("big end", wt.Spherical(), "crank", "rod", damping=0.2)
    add("small end", wt.Universal("x", "z"), "rod", "ram", rest=(0.1, 0.2), **own)
    add("slide", wt.Cylindrical((0.6, 0.0, 0.8)), "ram", "ground", **own)
    g.add_frame("tool", "ram", randoms.placement(rng))
    g.add_shape("punch", wt.Capsule(0.1, 0.3), "ram", randoms.placement(rng))
    g.add_shape("floor", wt.Plane())
    g.add_spring("return", "ground", rng.normal(size=3), "rod", rng.normal(size=3), 40.0, 0.3, 0.7)
    g.add_force("load", "ram", rng.normal(size=3), rng.normal(size=3))
    g.add_force("wind", "tool", rng.normal(size=3), reference="aligned")
    g.add_contact("strike", "punch", "floor", 0.3)
    g.add_body("dial")
    g.change("dial", inertia=randoms.inertia(rng))
    where["dial"] = randoms.placement(rng)
    add("needle", wt.Revolute("z"), "rod", "dial")
    g.add_gear("indicator", driver="motor", driven="needle", ratio=0.5, offset=0.1)
    g.ground_visuals = (ball,)
    return g


def test_a_graph_comes_back_from_its_file(tmp_path: Path) -> None:
    g, path = machine(), tmp_path / "press.toml"
    wt.save(g, path)
    again = wt.load_graph(path)
    assert [list(parts) for _, parts in again.kinds()] == [list(parts) for _, parts in g.kinds()]
    assert again.ground_visuals == g.ground_visuals
    m = wt.load(path)
    assert m == again.mechanism()
    expected = g.mechanism()  # but for the order in which its matrices are kept, and so for rounding
    q, qd = m.neutral(), np.linspace(0.2, 0.7, m.nv)
    np.testing.assert_allclose(wt.rnea(m, q, qd, qd), wt.rnea(expected, q, qd, qd), rtol=1e-12)
    own = [wt.passive_forces(one, q, qd)[1] for one in (m, expected)]
    np.testing.assert_allclose(np.array(own[0]), np.array(own[1]), rtol=1e-9)
    assert m.warnings == []
    assert problems(path) == []
    first = path.read_bytes()
    assert b"cut" not in first
    wt.save(again, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("cut", [["big end"], ["small end"], ["slide"], ["motor"]])
def test_all_parts_are_where_the_designer_put_them(cut: list[str]) -> None:
    """In every tree each part is at the same place of the world, and does the same."""
    g = machine()
    found = []
    for m in (g.mechanism(), g.mechanism(cut=cut)):
        kept = {name: m.frame(f"{name}.origin") for name in g.bodies}
        tool = kept["ram"].placement.inverse() @ m.frame("tool").placement
        spring, shape, force = m.springs[0], m.shapes[0], m.forces[0]
        end = kept["rod"].placement.inverse() @ wt.Placement(spring.point_b)
        punch = kept["ram"].placement.inverse() @ shape.placement
        assert force.frame == "ram.origin"
        body = m.bodies[m.body_number("ram")]
        ball = kept["ram"].placement.inverse() @ body.visuals[0].placement
        com = kept["ram"].placement.inverse() @ wt.Placement(body.inertia.com)
        places = [place.transform().matrix() for place in (tool, end, punch, ball, com)]
        found.append((np.array(places)[:4], com.position, end.position))
        assert dict.fromkeys(("motor",), m.actuated) == {"motor": ["motor"]}
    np.testing.assert_allclose(found[0][0][[0, 2, 3]], found[1][0][[0, 2, 3]], atol=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)
    np.testing.assert_allclose(found[0][2], found[1][2], atol=1e-12)


FAULTY = """format = 1
name = "faulty"

[[body]]
name = "a"
inertia = { mass = 1.0, about_com = [0.1, 0.1, 0.1] }
weight = 3.0

[[body]]
name = "b"
inertia = { mass = 1.0, about_com = [0.1, 0.1, 0.9] }

[[body]]
name = "lonely"

[[body]]
name = "lonely"

[[joint]]
name = "one"
joint = { type = "revolut" }
predecessor = "ground"
successor = "b"

[[joint]]
name = "two"
joint = { type = "revolute" }
predecessor = "ground"
successor = "c"

[[joint]]
name = "three"
joint = { type = "revolute" }
predecessor = "ground"
successor = "b"
damping = -1.0

[[joint]]
name = "four"
joint = { type = "planar" }
predecessor = "b"
successor = "b"

[[joint]]
name = "five"
joint = { type = "revolute" }
predecessor = "ground"
successor = "a"

[[spring]]
name = "s"
body_a = "b"
point_a = [0.0, 0.0]
body_b = "ground"
point_b = [0.0, 0.0, 1.0]
stiffness = 3.0

[[gear]]
name = "g"
driver = ["one", 3]
driven = "three"
ratio = [1.0, 2.0]
"""

TOLD = {
    7: "[body] has the unknown key 'weight'",
    11: "body 'b': principal moments (0.1, 0.1, 0.9) kg m² violate the triangle inequality",
    13: "no joint leads from the ground to body 'lonely'",
    16: "'faulty' has a body named 'lonely' already",
    21: "joint type 'revolut' is not known",
    25: "joint 'two': there is no body 'c'; known: ground, b, lonely",
    31: "joint 'three': damping is -1.0, must be 0 or more and finite",
    38: "joint 'four' of 'faulty' joins 'b' with itself",
    53: "point_a is [0.0, 0.0]: expected 3 numbers",
    60: "driver is ['one', 3]: expected text in quotes",
}


def test_every_problem_of_a_graph_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(FAULTY)
    found = problems(path)
    assert sorted(problem.line or 0 for problem in found) == sorted(TOLD)
    for problem in found:
        if problem.line in TOLD:
            assert TOLD[problem.line] in problem.message
    with pytest.raises(wt.FileError, match=r"faulty.toml, line 7: \[body\] has the unknown key 'weight'"):
        wt.load(path)
    with pytest.raises(wt.FileError, match="line 7"):
        wt.load_graph(path)


def test_parts_of_a_graph_that_do_not_fit_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "press.toml"
    wt.save(machine(), path)
    text = path.read_text()
    lines = text.count("\n")
    text += '\n[[gear]]\nname = "g"\ndriver = "big end"\ndriven = "motor"\nratio = 1.0\n'
    text += '\n[[frame]]\nname = "crank.origin"\nbody = "crank"\n'
    text += '\n[[force]]\nname = "f"\nframe = "nowhere"\n'
    path.write_text(text)
    told = {problem.line: problem.message for problem in problems(path)}
    assert told[lines + 2] == "gear 'g': joint 'big end' has 3 velocities, expected 1"
    assert told[lines + 8] == "'press' has a frame named 'crank.origin' already: choose another name"
    assert "has no frame or body named 'nowhere'" in told[lines + 12]


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "four-bar.toml"
    wt.save(wt.examples.load("four-bar"), path)
    with pytest.raises(wt.FileError, match=r"is no graph: it has no \[\[joint\]\], its bodies name what"):
        wt.load_graph(path)
    with pytest.raises(wt.FileError, match=r"has the suffix '.urdf': graphs are kept in .toml files"):
        wt.load_graph("robot.urdf")
    with pytest.raises(wt.FileError, match=r"a graph has no tree yet; take \.toml"):
        wt.save(machine(), tmp_path / "a.urdf")


def test_check_tries_to_close_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whippletree.cli.source.STARTS", 1)
    m = wt.examples.load("four-bar")
    assert checked("four-bar") == []
    path = tmp_path / "four-bar.toml"
    m.change("pin", placement_p=wt.Placement((2.6, 0.0, 0.0)))
    wt.save(m, path)
    (problem,) = checked(str(path))
    assert problem.severity == "warning"
    assert problem.message.startswith("'four-bar' cannot be assembled from its neutral position: still open")
    assert "are 'pin' by" in problem.message
    assert problem.message.endswith("nor does it close from 1 positions at random")


REFUSED = {
    "has a body named 'crank' already": lambda g: g.add_body("crank"),
    "has a body named 'ground' already": lambda g: g.add_body("ground"),
    "has a joint named 'slide' already": lambda g: g.add_joint("slide", wt.Fixed(), "ram", "rod"),
    "body 'x' has no property 'mass'; known: inertia, visuals, collisions": lambda g: g.add_body("x", mass=1),
    "joint 'x' has no property 'dampng'; known: joint, predecessor": lambda g: g.add_joint(
        "x", wt.Fixed(), "ram", "rod", dampng=1.0
    ),
    "joint 'slide': friction is -1.0, must be": lambda g: g.change("slide", friction=-1),
    "lower limit 1 is above upper limit 0": lambda g: g.change("slide", limits=wt.Limits(1.0, 0.0)),
    "has no joint or body 'slid'; known: motor": lambda g: g.change("slid", friction=1.0),
    "'b' is a Loop, which belongs to a tree: a graph takes add_body": lambda g: g.add(
        wt.Loop("b", wt.Fixed(), "rod", "ram")
    ),
    "3 is no part of a mechanism": lambda g: g.add(3),
    "joint 'slide': joint is 'revolute', expected a joint such as": lambda g: g.change(
        "slide", joint="revolute"
    ),
    "body 'crank': inertia is 3.0, expected an Inertia such as": lambda g: g.add_body("crank", 3.0),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_a_graph_cannot_have_is_refused(words: str) -> None:
    g = machine()
    with pytest.raises(wt.ModelError) as told:
        REFUSED[words](g)
    assert words in str(told.value)


def test_a_free_body_in_a_loop_keeps_its_six_coordinates() -> None:
    g = wt.Graph("floating")
    for name in "ab":
        g.add_body(name, wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    g.add_joint("hinge", wt.Revolute("y"), "ground", "a")
    g.add_joint("pin", wt.Revolute("y"), "a", "b", wt.Placement((0.5, 0.0, 0.0)))
    g.add_joint("float", wt.Free(), "ground", "b")
    m = g.mechanism()
    assert (m.joint_names, [loop.name for loop in m.loops]) == (["hinge", "float"], ["pin"])
