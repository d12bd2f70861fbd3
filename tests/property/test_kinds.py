"""A part kind is one class and one row: kinds of a user, and what all kinds have in common."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randoms
import whippletree as wt
from program_use import rich
from whippletree.model.fields import set_numbers
from whippletree.model.kinds import KINDS, Kind, kind_of, on_body, register, to, unregister
from whippletree.model.report import mechanism_data
from whippletree.model.snapshot import Snapshot, tree_key


@dataclass(frozen=True)
class Motor:
    """A kind of a user, at a joint."""

    name: str
    joint: str
    gain: float
    stages: int = 1
    brake: bool = False

    def __post_init__(self) -> None:
        set_numbers(self, f"motor {self.name!r}", ("gain",), least=0.0)


@dataclass(frozen=True)
class Marker:
    """A kind of a user, at a point of a body, seen from a frame and read by a motor's driver."""

    name: str
    body: str
    point: tuple[float, float, float]
    camera: str
    motor: str
    size: float = 0.01
    axes: wt.Placement = field(default_factory=wt.Placement)
    note: str | None = None


def check_motor(m: wt.Mechanism, motor: Motor) -> None:
    if any(other.joint == motor.joint and other.name != motor.name for other in m.parts("motor")):
        raise wt.ModelError(f"motor {motor.name!r}: joint {motor.joint!r} has one already")


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    refers = {"body": on_body("point", "axes"), "camera": to("frame", "body"), "motor": to("motor")}
    register(Kind("motor", "motors", Motor, refers={"joint": to("joint")}, check=check_motor))
    register(Kind("marker", "markers", Marker, refers=refers, moves=False))
    yield
    unregister("marker")
    unregister("motor")


def equipped() -> wt.Mechanism:
    m = wt.examples.load("double-pendulum")
    m.add(Motor("drive", "lower", gain=2.5, stages=3, brake=True))
    m.add(Motor("top", "upper", gain=0.5))
    axes = wt.Placement((0.3, 0.1, 0.2), rpy=(0.1, 0.2, 0.3))
    m.add(Marker("dot", "lower", (0.1, 0.2, 0.3), "tip", "drive", axes=axes, note="left"))
    m.add(Marker("base", "ground", (0.4, 0.5, 0.6), "upper", "top"))
    return m


def test_a_kind_of_a_user_is_saved_and_loaded(tmp_path: Path) -> None:
    m = equipped()
    wt.save(m, tmp_path / "m.toml")
    assert wt.load(tmp_path / "m.toml") == m
    text = (tmp_path / "m.toml").read_text()
    assert '[[motor]]\nname = "drive"\njoint = "lower"\ngain = 2.5\nstages = 3\nbrake = true\n' in text
    assert '[[motor]]\nname = "top"\njoint = "upper"\ngain = 0.5\n\n' in text
    for old, new, message in (
        ("gain = 2.5", "", "[motor] has no 'gain'"),
        ("stages = 3", "stages = 3.5", "stages is 3.5: expected a whole number"),
        ("brake = true", "brake = 1", "brake is 1: expected true or false"),
        ('joint = "lower"', 'joint = "knee"', "has no joint named 'knee'; known: upper, lower"),
        ('joint = "lower"', 'joint = "upper"', "motor 'top': joint 'upper' has one already"),
        ("gain = 2.5", "gain = -2.5", "motor 'drive': gain is -2.5, must be 0 or more and finite"),
        (
            "gain = 2.5",
            "gain = 2.5\ncolor = 1",
            "[motor] has the unknown key 'color'; known: name, joint",
        ),
    ):
        assert text.count(old) == 1 or old.startswith("joint")
        at = text.index("[[motor]]")
        (tmp_path / "bad.toml").write_text(text[:at] + text[at:].replace(old, new, 1))
        with pytest.raises(wt.FileError) as error:
            wt.load(tmp_path / "bad.toml")
        assert message in str(error.value)
        assert error.value.line is not None


def test_a_kind_of_a_user_is_compared_and_copied() -> None:
    m = equipped()
    assert m == equipped()
    assert m != wt.examples.load("double-pendulum")
    other = m.copy()
    assert other == m
    other.change("drive", gain=2.6)
    assert other != m
    assert (m.parts("motor")[0].gain, other.parts("motor")[0].gain) == (2.5, 2.6)
    assert isinstance(m.parts("motor"), tuple)


def test_a_mechanism_with_parts_of_a_user_moves_as_without() -> None:
    runs = [
        wt.simulate(m, [0.4, -0.3], duration=0.2) for m in (equipped(), wt.examples.load("double-pendulum"))
    ]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    assert Snapshot(equipped()) == Snapshot(equipped())
    other = equipped()
    other.change("drive", gain=9.0)
    assert Snapshot(other) != Snapshot(equipped())


def test_a_kind_of_a_user_is_renamed() -> None:
    new = wt.rename(
        equipped(),
        bodies={"lower": "shank"},
        joints={"lower": "knee"},
        frames={"tip": "toe"},
        motors={"drive": "servo"},
        markers={"dot": "spot"},
    )
    assert [(motor.name, motor.joint) for motor in new.parts("motor")] == [
        ("servo", "knee"),
        ("top", "upper"),
    ]
    spot = new.parts("marker")[0]
    assert (spot.name, spot.body, spot.camera, spot.motor) == ("spot", "shank", "toe", "servo")
    with pytest.raises(wt.ModelError, match="has no motor named 'drives'; known: drive, top"):
        wt.rename(equipped(), motors={"drives": "x"})
    with pytest.raises(wt.ModelError, match="there are no 'motor' to rename; known: bodies, loops, frames"):
        wt.rename(equipped(), motor={"drive": "x"})


def test_a_kind_of_a_user_is_attached() -> None:
    m, seat = equipped(), wt.Placement((0.1, 0.0, 0.2), rpy=(0.0, 0.3, 0.0))
    both = wt.attach(m, equipped(), "tip", seat, prefix="x_")
    assert [motor.name for motor in both.parts("motor")] == ["drive", "top", "x_drive", "x_top"]
    assert both.parts("motor")[2] == Motor("x_drive", "x_lower", 2.5, 3, True)
    dot, base = both.parts("marker")[2:]
    assert (dot.body, dot.camera, dot.motor, dot.point) == ("x_lower", "x_tip", "x_drive", (0.1, 0.2, 0.3))
    at = m.frame("tip").placement @ seat
    assert (base.body, base.camera) == ("lower", "x_upper")
    np.testing.assert_allclose(base.point, at.position + at.rotation @ [0.4, 0.5, 0.6], rtol=1e-14)
    assert base.axes == at @ wt.Placement()
    names = {"upper": "a", "lower": "b"}
    other = wt.rename(equipped(), bodies=names, joints=names, frames={"tip": "c"})
    with pytest.raises(wt.ModelError, match="both have a motor named 'drive': attach with a prefix"):
        wt.attach(m, other, "tip")
    loose = equipped()
    loose.change("base", camera="ground")
    with pytest.raises(
        wt.ModelError, match="marker 'base' is on the ground of 'double-pendulum', which will be elsewhere"
    ):
        wt.attach(m, loose, "tip", prefix="x_")


def test_a_kind_of_a_user_is_locked() -> None:
    m = equipped()
    held = wt.lock(m, {"lower": 0.4})
    assert [motor.name for motor in held.parts("motor")] == ["top"]
    assert [marker.name for marker in held.parts("marker")] == ["base"]
    assert held.warnings == [
        "motor 'drive' is left out: joint 'lower' is locked",
        "marker 'dot' is left out: motor 'drive' is left out",
    ]
    m.change("dot", motor="top")
    (dot, _) = wt.lock(m, {"lower": 0.4}).parts("marker")
    on_parent = m.bodies[1].placement @ wt.Placement.of(m.bodies[1].joint.transform(np.array([0.4])))
    assert (dot.body, dot.camera) == ("upper", "tip")
    np.testing.assert_allclose(
        dot.point, on_parent.position + on_parent.rotation @ [0.1, 0.2, 0.3], rtol=1e-14
    )
    assert dot.axes == on_parent @ m.parts("marker")[0].axes


def test_a_kind_of_a_user_is_rerooted() -> None:
    with pytest.raises(wt.ModelError, match="would go, but motor 'top' needs it"):
        wt.reroot(equipped(), "lower")
    m = wt.examples.load("double-pendulum")
    m.add(Motor("drive", "lower", gain=2.5))
    m.add(Marker("dot", "upper", (0.1, 0.2, 0.3), "tip", "drive"))
    (dot,) = wt.reroot(m, "lower").parts("marker")
    back = m.bodies[1].placement.inverse()  # the body's frame is at its other joint now
    np.testing.assert_allclose(dot.point, back.position + back.rotation @ [0.1, 0.2, 0.3], rtol=1e-14)


def test_a_kind_of_a_user_is_shown() -> None:
    m = equipped()
    lines = m.summary().splitlines()
    at = lines.index("motors:")
    assert lines[at + 1 : at + 3] == [
        "  drive: joint lower, gain 2.5, stages 3, brake True",
        "  top: joint upper, gain 0.5, stages 1, brake False",
    ]
    assert (
        "  dot: body lower, point (0.1, 0.2, 0.3), camera tip, motor drive, size 0.01, axes (0.3, 0.1, 0.2)"
        in (lines[lines.index("markers:") + 1])
    )
    data = mechanism_data(m)
    assert data["motors"][0] == {"name": "drive", "joint": "lower", "gain": 2.5, "stages": 3, "brake": True}
    assert data["markers"][1]["axes"] == {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]}
    assert wt.problems(m) == []


def test_a_kind_of_a_user_is_checked() -> None:
    m = equipped()
    before = m.copy()
    for part, message in (
        (Motor("drive", "upper", 1.0), "'double-pendulum' has a motor named 'drive' already: choose another"),
        (Motor("more", "upper", 1.0), "motor 'more': joint 'upper' has one already"),
        (Motor("more", "hip", 1.0), "'double-pendulum' has no joint named 'hip'; known: upper, lower"),
        (Motor(" ", "hip", 1.0), "motor name is ' ': give a text that is not empty"),
        (Marker("more", "hand", (0, 0, 0), "tip", "drive"), "has no body named 'hand'"),
        (Marker("more", "lower", (0, 0, 0), "eye", "drive"), "has no frame or body named 'eye'"),
        (
            Marker("more", "lower", (0, 0, 0), "tip", "drives"),
            "has no motor named 'drives'; known: drive, top",
        ),
        ("motor", "'motor' is no part of a mechanism; there are Body, Loop, Frame, Gear"),
    ):
        with pytest.raises(wt.ModelError) as error:
            m.add(part)
        assert message in str(error.value)
        assert m == before
    odd = wt.Mechanism("odd")
    odd.add_body("a", wt.Fixed())
    odd.add(Motor(" m", "a", 1.0))
    assert wt.problems(odd) == [
        "motor ' m' has blanks at an end of its name, or signs that cannot be printed"
    ]


@dataclass(frozen=True)
class Nameless:
    body: str


@dataclass(frozen=True)
class Other:
    name: str
    body: str


def test_rows_that_do_not_fit_are_refused() -> None:
    size = len(KINDS)
    refers: Any = {"body": on_body()}
    for kind, message in (
        (
            Kind("lamp", "lamps", Nameless, refers),
            "kind 'lamp': Nameless is no dataclass with a field 'name'",
        ),
        (Kind("lamp", "lamps", int, {}), "kind 'lamp': int is no dataclass with a field 'name'"),
        (Kind("lamp", "lamps", Other, {"socket": on_body()}), "kind 'lamp': Other has no field 'socket'"),
        (Kind("lamp", "lamps", Other, {"body": on_body("at")}), "kind 'lamp': Other has no field 'at'"),
        (Kind("gear", "lamps", Other, refers), "there is a kind 'gear' already: choose another name"),
        (Kind("ground", "lamps", Other, refers), "there is a kind 'ground' already: choose another name"),
        (Kind("lamp", "bodies", Other, refers), "there is a kind 'bodies' already: choose another name"),
        (Kind("lamp", "lamps", wt.Gear, {}), "Gear is of kind 'gear' already"),
    ):
        with pytest.raises(wt.ModelError) as error:
            register(kind)
        assert str(error.value) == message
    assert len(KINDS) == size
    with pytest.raises(wt.ModelError, match="there is no kind of parts 'lamp'; known: body, loop, frame"):
        wt.Mechanism("m").parts("lamp")


# What all kinds have in common


def test_every_kind_can_be_read_but_not_set() -> None:
    m = rich()
    for kind, parts in m.kinds():
        if kind.name not in ("motor", "marker"):
            assert getattr(m, kind.plural) == parts == m.parts(kind.name)
            assert parts
    for name in ("bodies", "springs", "parents", "X_T", "q_index", "v_index", "nq", "nv", "shapes"):
        with pytest.raises(wt.ModelError, match=f"{name} of a mechanism cannot be set: use add_body, change"):
            setattr(m, name, [])
        if name not in ("nq", "nv"):
            assert isinstance(getattr(m, name), tuple)
    for name in ("ground_visuals", "ground_collisions"):
        with pytest.raises(AttributeError):
            setattr(m, name, ())
        assert isinstance(getattr(m, name), tuple)
    with pytest.raises(wt.ModelError, match="gravity is 'down': give three finite numbers"):
        m.gravity = "down"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(wt.ModelError, match=r"gravity is .*nan"):
        m.gravity = (0.0, float("nan"), 0.0)
    with pytest.raises(wt.ModelError, match="mechanism name is ''"):
        m.name = ""
    place = m.bodies[0].placement
    with pytest.raises(AttributeError, match="position of a placement cannot be set: make another Placement"):
        place.position = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        place.position[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        place.rotation[0, 0] = 1.0
    assert pickle.loads(pickle.dumps(place)) == copy.deepcopy(place) == place
    m.gravity = np.array([1, 2, 3])  # pyright: ignore[reportAttributeAccessIssue]
    assert m.gravity == (1.0, 2.0, 3.0)


def test_a_mechanism_with_other_numbers_keeps_all_the_rest() -> None:
    m = rich()
    other = wt.with_parameters(m, ["one.mass"], np.array([2.5]))
    assert float(other.bodies[0].inertia.m) == 2.5
    assert other.ground_visuals == m.ground_visuals != ()
    assert other.ground_collisions == m.ground_collisions != ()
    assert other.warnings == m.warnings != []
    again = wt.with_parameters(other, ["one.mass"], np.array([1.5]))
    assert again.with_parts(bodies=m.bodies) == m


def test_a_copy_can_be_built_further() -> None:
    m = rich()
    other = m.copy()
    assert other == m
    assert other.warnings == m.warnings
    other.add_body("four", wt.Revolute("z"), "three", inertia=wt.Inertia(1.0))
    other.add_frame("eye", "four")
    other.warnings.append("more")
    other.change("ground", visuals=())
    assert (len(m), len(other)) == (3, 4)
    assert (m.nq, m.parents) == (rich().nq, rich().parents)
    assert m == rich()
    assert m.warnings == rich().warnings
    m.add_body("five", wt.Revolute("z"), "three", inertia=wt.Inertia(1.0))
    assert not other.has("body", "five")


# Changing


NEW: dict[str, dict[str, Any]] = {
    "body": {
        "joint": wt.Prismatic("y"),
        "parent": "ground",
        "placement": wt.Placement((0.5, 0.4, 0.3)),
        "inertia": wt.Inertia(0.7, (0.2, 0.1, 0.0)),
        "limits": wt.Limits(-0.5, 0.5),
        "armature": 0.3,
        "damping": 0.4,
        "friction": 0.2,
        "stiffness": 3.0,
        "rest": (0.25,),
        "visuals": (wt.Geometry(wt.Sphere(0.2)),),
        "collisions": (wt.Geometry(wt.Sphere(0.3)),),
        "actuated": True,
    },
    "loop": {
        "joint": wt.Revolute("x"),
        "predecessor": "one",
        "successor": "two",
        "placement_p": wt.Placement((0.3, 0.0, 0.0)),
        "placement_s": wt.Placement((0.0, 0.3, 0.0)),
        "limits": wt.Limits(-0.4, 0.6),
        "damping": 0.5,
        "friction": 0.6,
        "stiffness": 2.0,
        "rest": (0.5, 0.5, -0.5, 0.5),
        "actuated": True,
    },
    "frame": {"body": "one", "placement": wt.Placement((0.1, 0.1, 0.4))},
    "gear": {"driver": "two", "driven": "first", "ratio": 1.5, "offset": 0.3},
    "spring": {
        "body_a": "one",
        "point_a": (0.9, 0.8, 0.7),
        "body_b": "two",
        "point_b": (0.6, 0.5, 0.4),
        "stiffness": 200.0,
        "damping": 3.0,
        "length": 0.2,
    },
    "force": {"frame": "two", "force": (1.0, 2.0, 3.0), "torque": (3.0, 2.0, 1.0), "reference": "world"},
    "shape": {
        "shape": wt.Sphere(0.4),
        "body": "ground",
        "placement": wt.Placement((0.3, 0.2, 0.1)),
        "color": (0.1, 0.1, 0.2, 0.3),
    },
    "contact": {
        "a": "one",
        "b": "ground",
        "friction": 0.45,
        "restitution": 0.55,
        "stiffness": 300.0,
        "damping": 4.0,
    },
}
NAMES = {"body": "two", "loop": "pin", "frame": "tool", "gear": "gear", "spring": "spring", "force": "wind"}
NAMES |= {"shape": "foot", "contact": "touch"}


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in NEW for field in NEW[kind]])
def test_every_property_of_every_kind_can_be_changed(kind: str, field: str) -> None:
    """The changed mechanism is the one that would have been built so, its numbers included."""
    m = rich()
    if field == "rest":
        m.change("two", stiffness=1.0)
    assert all(len(getattr(m, row.plural)) for row in KINDS.values() if row.name in NEW)  # to be read anew
    if kind == "gear" and field in ("driver", "driven"):
        other = {"driver": "driven", "driven": "driver"}[field]
        m.change("gear", **{field: NEW["gear"][field], other: NEW["gear"][other]})
    else:
        m.change(NAMES[kind], **{field: NEW[kind][field]})
    built = wt.Mechanism(m.name, m.gravity)
    for _, parts in m.kinds():
        for part in parts:
            built.add(part)
    built.change("ground", visuals=m.ground_visuals, collisions=m.ground_collisions)
    assert built == m
    number = m.number(kind, NAMES[kind])
    assert getattr(m.parts(kind)[number], field) == NEW[kind][field]
    assert m != rich()
    assert (m.parents, m.q_index, m.v_index, m.nq) == (built.parents, built.q_index, built.v_index, built.nq)
    q, qd = randoms.state(np.random.default_rng(4), m)
    np.testing.assert_array_equal(
        wt.rnea(m.with_parts(gears=()), q, qd, qd), wt.rnea(built.with_parts(gears=()), q, qd, qd)
    )


def test_all_fields_are_tried() -> None:
    for kind, given in NEW.items():
        names = KINDS[kind].own_names()
        assert {f.name for f in fields(KINDS[kind].part)} == {*given, *names}


def test_a_joint_of_another_size_renumbers_the_coordinates() -> None:
    m = wt.examples.load("double-pendulum")
    q_before = m.q_index
    m.change("upper", joint=wt.Spherical())
    assert q_before == (slice(0, 1), slice(1, 2))
    assert (m.nq, m.nv, m.q_index, m.v_index) == (
        5,
        4,
        (slice(0, 4), slice(4, 5)),
        (slice(0, 3), slice(3, 4)),
    )
    assert wt.crba(m, m.neutral()).shape == (4, 4)


def test_a_joint_and_its_body_are_one() -> None:
    m = rich()
    m.change("first", damping=0.9)
    m.change("one", friction=0.8)
    assert (m.bodies[0].damping, m.bodies[0].friction) == (0.9, 0.8)


def test_a_robot_with_an_impossible_inertia_can_be_changed_elsewhere() -> None:
    m = wt.Mechanism("odd")
    odd = wt.Inertia(1.0, about_com=(1.0, 1.0, 3.0))
    m.append(wt.Body("a", wt.Revolute("z"), "ground", wt.Placement(), odd, "a"))
    m.change("a", damping=0.1)
    assert m.bodies[0].damping == 0.1
    with pytest.raises(wt.ModelError, match="body 'a' of 'odd': principal moments"):
        m.change("a", inertia=odd)


W: Any = wt
BAD: list[tuple[str, dict[str, Any], str]] = [
    (
        "elbow",
        {"damping": 1.0},
        "'rich' has no part named 'elbow'; known: ground, one, two, three, first, pin, ",
    ),
    (
        "one",
        {"dampng": 1.0},
        "body 'one' has no property 'dampng'; known: joint, parent, placement, inertia, ",
    ),
    ("one", {"damping": -1.0}, "body 'one': damping is -1.0, must be 0 or more"),
    ("one", {"limits": (0, 1)}, "body 'one': limits is (0, 1), expected Limits(lower, upper)"),
    ("one", {"limits": wt.Limits(1, 0)}, "joint 'first' of 'rich': lower limit 1 is above upper limit 0"),
    ("one", {"inertia": wt.Inertia(-1.0)}, "body 'one' of 'rich': mass is -1 kg, must not be negative"),
    ("one", {"joint": wt.Spherical()}, "joint 'first' of 'rich': a Spherical joint has no stops"),
    ("two", {"joint": wt.Spherical()}, "gear 'gear': joint 'two' has 3 velocities, expected 1"),
    ("one", {"parent": "two"}, "body 'one': parent 'two' comes after it in 'rich', and parents come first"),
    (
        "one",
        {"name": "uno"},
        "name of body 'one' cannot be changed in place: wt.rename(m, bodies={old: new})",
    ),
    ("one", {"joint_name": "x"}, "joint_name of body 'one' cannot be changed in place: wt.rename(m, joints="),
    ("spring", {"stiffness": "soft"}, "spring 'spring': stiffness is 'soft', expected a number"),
    ("spring", {"body_a": "three"}, "spring 'spring' has both ends on 'three': it would move nothing"),
    ("spring", {"body_a": "four"}, "'rich' has no body named 'four'; known: ground, one, two, three"),
    ("pin", {"successor": "ground"}, "loop 'pin' of 'rich' joins 'ground' with itself"),
    ("gear", {"driven": "first"}, "gear 'gear': 'first' would drive itself through 'first'"),
    ("tool", {"body": "ground"}, "force 'wind': 'tool' is on the ground, name a frame on a body"),
    ("tool", {"placement": (0, 0, 1)}, "frame 'tool': placement is (0, 0, 1), expected a Placement"),
    ("wind", {"reference": "there"}, "force 'wind': reference is 'there', expected one of 'body', 'world'"),
    ("foot", {"shape": "cone"}, "shape 'foot': shape is 'cone', expected one of Box, Sphere, Capsule"),
    ("ground", {"inertia": 1.0}, "the ground has no property 'inertia'; known: visuals, collisions"),
    ("ground", {"visuals": [1]}, "ground: visuals is [1], expected a tuple of Geometry"),
    ("one", {"kind": "lamp", "damping": 1.0}, "there is no kind of parts 'lamp'; known: body, joint, loop"),
    ("one", {"kind": "spring"}, "'rich' has no spring named 'one'; known: spring"),
]


@pytest.mark.parametrize(("name", "properties", "message"), BAD, ids=[message for *_, message in BAD])
def test_changes_that_cannot_be_are_refused(name: str, properties: dict[str, Any], message: str) -> None:
    m = rich()
    with pytest.raises(wt.ModelError) as error:
        m.change(name, **properties)
    assert message in str(error.value)
    assert m == rich()
    assert m.X_T[0].r.tolist() == rich().X_T[0].r.tolist()


def test_names_that_several_parts_have_are_asked_about() -> None:
    m = wt.Mechanism("twins")
    for body, joint in (("a", "b"), ("b", "c")):
        m.add_body(body, wt.Revolute("z"), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)), joint_name=joint)
    m.add_spring("b", "a", (0, 0, 1), "b", (0, 0, 2), 10.0)
    with pytest.raises(wt.ModelError) as error:
        m.change("b", damping=0.5)
    assert (
        str(error.value) == "'twins' has a body and a joint and a spring named 'b': say which, as kind='body'"
    )
    m.change("b", kind="spring", damping=0.5)
    m.change("b", kind="joint", damping=0.6)
    m.change("b", kind="body", damping=0.7)
    assert (m.springs[0].damping, m.bodies[0].damping, m.bodies[1].damping) == (0.5, 0.6, 0.7)


def test_a_part_knows_its_kind() -> None:
    m = rich()
    for kind, parts in m.kinds():
        assert all(kind_of(part) is kind for part in parts)


# Snapshots


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in NEW for field in NEW[kind]])
def test_a_snapshot_tells_apart_what_moves_otherwise(kind: str, field: str) -> None:
    m = rich()
    m.change("two", stiffness=1.0)  # or a rest would not matter
    other = m.copy()
    if field in ("driver", "driven"):
        other.change("gear", **{f: NEW["gear"][f] for f in ("driver", "driven")})
    else:
        other.change(NAMES[kind], **{field: NEW[kind][field]})
    same = field in ("color", "visuals", "collisions")  # the shape touches, the collisions do not
    assert (Snapshot(m) == Snapshot(other)) == same
    assert (hash(Snapshot(m)) == hash(Snapshot(other))) == same


def test_a_snapshot_is_of_one_moment() -> None:
    m = rich()
    first = Snapshot(m)
    assert first.m == m
    assert {first: 1}[Snapshot(rich())] == 1
    names = {"one": "a", "two": "b", "three": "c"}
    renamed = wt.rename(m, name="other", bodies=names, frames={"tool": "t"}, springs={"spring": "s"})
    assert Snapshot(renamed) == first
    m.gravity = (0.0, 0.0, -1.6)
    assert Snapshot(m) != first
    assert first.m == rich()
    assert first != Snapshot(rich(), key="another")
    assert Snapshot(m, key=tree_key(m)) == Snapshot(rich(), key=tree_key(rich()))
    more = rich()
    more.add_loop("bolt", wt.Revolute("x"), "one", "three")
    assert tree_key(more) != tree_key(rich())


# Shapes


def test_a_shape_is_a_part() -> None:
    m = wt.examples.load("double-pendulum")
    at = wt.Placement((0.0, 0.0, -1.0))
    m.add_shape("foot", wt.Sphere(0.02), body="lower", placement=at, color=(1, 0, 0, 1))
    m.add_shape("floor", wt.Plane())
    assert m.shapes == (
        wt.PlacedShape("foot", wt.Sphere(0.02), "lower", at, (1.0, 0.0, 0.0, 1.0)),
        wt.PlacedShape("floor", wt.Plane(), "ground"),
    )
    assert "  foot: shape sphere (0.02), body lower, placement (0, 0, -1), color (1, 0, 0, 1)" in m.summary()
    assert "  floor: shape plane, body ground, placement (0, 0, 0), color None" in m.summary()
    with pytest.raises(wt.ModelError, match="has a frame named 'tip' already"):
        m.add_shape("tip", wt.Sphere(0.1))
    with pytest.raises(wt.ModelError, match="has a shape named 'foot' already"):
        m.add_frame("foot", "lower")
    with pytest.raises(wt.ModelError, match="shape 'x': shape is 'sphere', expected one of Box, Sphere"):
        W.Mechanism.add_shape(m, "x", "sphere")
    (foot, _) = wt.lock(m, {"lower": 0.3}).shapes
    assert foot.body == "upper"
    data = mechanism_data(m)["shapes"]
    assert data[0]["shape"] == {"kind": "sphere", "size": [0.02]}
    assert data[0]["position"] == [0.0, 0.0, -1.0]
