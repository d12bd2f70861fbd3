"""Problems of a mechanism: each is found, named, and none is invented."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import randoms
import whippletree as wt
from whippletree.model.singular import joints_in_doubt, joints_without_inertia

TREES = st.lists(st.sampled_from(sorted(randoms.JOINTS)), min_size=1, max_size=6)


def no_inertia(joint: str, body: str) -> str:
    return (
        f"joint {joint!r} of 'arm' moves no inertia: give {body!r}, or a body it carries, mass or a "
        "moment of inertia that the joint must move; or give the joint an armature"
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), TREES)
def test_a_sound_mechanism_has_no_problems(seed: int, joints: list[str]) -> None:
    assert wt.problems(randoms.tree(np.random.default_rng(seed), joints)) == []


@pytest.mark.parametrize("name", wt.examples.names())
def test_bundled_mechanisms_have_no_problems(name: str) -> None:
    m = wt.examples.load(name)
    assert wt.problems(m) == []
    assert m.warnings == []


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), TREES, st.integers(0, 3))
def test_joints_found_make_the_inertia_matrix_singular(seed: int, joints: list[str], massless: int) -> None:
    """Locking the joints found makes the matrix regular; it is singular exactly if there are some."""
    rng = np.random.default_rng(seed)
    m = wt.Mechanism("arm")
    for body in randoms.tree(rng, joints).bodies:
        bare = rng.integers(0, 4) < massless
        m.append(replace(body, armature=0.0, inertia=wt.Inertia.zero() if bare else body.inertia))
    q = m.random(rng)
    found = joints_without_inertia(m, q)
    assert bool(found) == is_singular(m, q)
    rest = wt.lock(m, {m.bodies[i].joint_name: q[m.q_index[i]] for i in found})
    q_left = np.concatenate([np.zeros(0), *(q[m.q_index[i]] for i in range(len(m)) if i not in found)])
    assert not is_singular(rest, q_left)


def is_singular(m: wt.Mechanism, q: np.ndarray) -> bool:
    """Whether the inertia matrix has an eigenvalue 0; matrices nearly singular are not taken as examples."""
    eigenvalues = np.linalg.eigvalsh(wt.crba(m, q))
    shares = eigenvalues / np.max(eigenvalues, initial=1e-300)
    zero = np.abs(shares) < 1e-14
    assume(np.all(zero | (shares > 1e-6)))
    return bool(np.any(zero))


def test_all_joints_without_inertia_are_listed_in_order() -> None:
    """A massless leaf; a point mass on its own axis; two slides in the same direction; behind a rotor."""
    m = wt.Mechanism("arm")
    ball = wt.Inertia.sphere(0.1, mass=1.0)
    m.add_body("carriage", wt.Prismatic("x"), joint_name="rail")
    m.add_body("sledge", wt.Prismatic("x"), parent="carriage", inertia=ball, joint_name="slide")
    m.add_body("leaf", wt.Revolute("z"), parent="sledge", joint_name="hinge")
    m.add_body("needle", wt.Revolute("z"), parent="sledge", inertia=wt.Inertia(1.0), joint_name="spin")
    m.add_body("driven", wt.Revolute("z"), parent="sledge", joint_name="motor", armature=0.1)
    m.add_body("fork", wt.Revolute("x"), parent="sledge", joint_name="yaw")  # massless, but carries
    m.add_body("blade", wt.Revolute("y"), parent="fork", inertia=ball, joint_name="pitch")
    expected = [("rail", "carriage"), ("hinge", "leaf"), ("spin", "needle")]
    assert wt.problems(m) == [no_inertia(joint, body) for joint, body in expected]


def test_joints_that_others_may_hold_are_no_problem() -> None:
    """A massless rod in a closed loop, and a massless finger on a gear; a leaf beyond them still is one."""
    m = wt.examples.load("four-bar")
    arm = wt.Mechanism("arm")
    for body in m.bodies:
        arm.append(replace(body, inertia=wt.Inertia.zero()) if body.name == "rocker" else body)
    arm.add_body("finger", wt.Revolute("z"), parent="crank")
    arm.add_body("leaf", wt.Revolute("x"), parent="rocker")
    assert wt.problems(arm) == [no_inertia(name, name) for name in ("rocker", "finger", "leaf")]
    (pin,) = m.loops
    arm.add_loop("pin", pin.joint, pin.predecessor, pin.successor, pin.placement_p, pin.placement_s)
    arm.add_gear("belt", driver="crank", driven="finger", ratio=2.0)
    assert wt.problems(arm) == [no_inertia("leaf", "leaf")]


def test_every_kind_of_problem_is_listed_at_once() -> None:
    m = wt.Mechanism("arm")
    ball = wt.Inertia.sphere(0.1, mass=1.0)
    body = wt.Body("upper ", wt.Revolute("z"), "ground", wt.Placement(), ball, "shoulder")
    m.append(replace(body, inertia=wt.Inertia(1.0, about_com=(1.0, 1.0, 3.0)), limits=wt.Limits(1.0, -1.0)))
    m.append(replace(body, name="fore", joint_name="el\nbow", parent="upper ", inertia=wt.Inertia.zero()))
    m.append(replace(body, name="hand", joint_name="wrist", inertia=wt.Inertia(-2.0)))
    m.append(replace(body, name="a", joint_name="b", limits=wt.Limits(velocity=-3.0)))
    m.append(replace(body, name="c", joint_name="d", limits=wt.Limits(effort=float("nan"))))
    m.add_frame(" tip", "fore")
    blanks = "has blanks at an end of its name, or signs that cannot be printed"
    triangle = "principal moments (1, 1, 3) kg m² violate the triangle inequality: 3 > 1 + 1"
    assert wt.problems(m) == [
        f"body 'upper ' {blanks}",
        f"joint 'el\\nbow' {blanks}",
        f"frame ' tip' {blanks}",
        f"body 'upper ' of 'arm': {triangle}",
        "joint 'shoulder' of 'arm': lower limit 1 is above upper limit -1",
        "body 'hand' of 'arm': mass is -2 kg, must not be negative",
        "joint 'b' of 'arm': velocity limit is -3, must not be negative",
        "joint 'd' of 'arm': effort limit is nan, expected a number",
        no_inertia("el\nbow", "fore"),
        no_inertia("wrist", "hand"),
    ]


def test_a_position_is_drawn_even_if_limits_are_upside_down() -> None:
    m = wt.Mechanism("arm")
    ball = wt.Inertia.sphere(0.1, mass=1.0)
    limits = wt.Limits(1.0, -1.0)
    m.append(wt.Body("link", wt.Revolute("z"), "ground", wt.Placement(), ball, "hinge", limits))
    assert m.random(np.random.default_rng(0)).shape == (1,)


def test_a_long_chain_can_be_checked() -> None:
    m = wt.Mechanism("chain")
    for i in range(2000):
        inertia = None if i == 1999 else wt.Inertia.rod((0, 0, 0), (1, 0, 0), mass=1.0)
        parent = f"b{i - 1}" if i else "ground"
        m.add_body(f"b{i}", wt.Revolute("z"), parent, wt.Placement((1, 0, 0)), inertia)
    (problem,) = wt.problems(m)
    assert problem.startswith("joint 'b1999' of 'chain' moves no inertia")


SHAPE = wt.Geometry(wt.Sphere(0.1))
MESSAGES: list[tuple[dict[str, Any], str]] = [
    (
        {"placement": (0, 0, 1)},
        "body 'a': placement is (0, 0, 1), expected a Placement such as Placement((0, 0, 1))",
    ),
    ({"inertia": 1.5}, "body 'a': inertia is 1.5, expected an Inertia such as Inertia(2.0, com=(0, 0, 0.1))"),
    ({"limits": (-1, 1)}, "body 'a': limits is (-1, 1), expected Limits(lower, upper)"),
    ({"joint": "revolute"}, "body 'a': joint is 'revolute', expected a joint such as Revolute('z')"),
    ({"visuals": [SHAPE]}, f"body 'a': visuals is [{SHAPE!r}], expected a tuple of Geometry"),
    ({"collisions": (1,)}, "body 'a': collisions is (1,), expected a tuple of Geometry"),
    ({"limits": wt.Limits(1, -1)}, "joint 'a' of 'x': lower limit 1 is above upper limit -1"),
]


@pytest.mark.parametrize(("parts", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_wrong_parts_are_refused_and_change_nothing(parts: dict[str, Any], message: str) -> None:
    m = wt.Mechanism("x")
    add: Callable[..., None] = m.add_body
    with pytest.raises(wt.ModelError) as error:
        add("a", **{"joint": wt.Revolute("z"), **parts})
    assert str(error.value) == message
    assert m == wt.Mechanism("x")
    m.add_body("a", wt.Revolute("z"))


def test_problems_are_those_of_a_mechanism() -> None:
    with pytest.raises(wt.InputError) as error:
        wt.problems("arm.urdf")  # pyright: ignore[reportArgumentType]
    assert str(error.value) == "problems: m is 'arm.urdf', expected a Mechanism"


def test_limits_are_numbers() -> None:
    with pytest.raises(wt.ModelError) as error:
        wt.Limits("low", 1.0)  # pyright: ignore[reportArgumentType]
    assert str(error.value) == "limits: lower is 'low', expected a number"


def test_unknown_parent_in_a_large_mechanism_gets_a_short_answer() -> None:
    m = wt.Mechanism("x")
    for i in range(30):
        m.add_body(f"b{i}", wt.Fixed())
    with pytest.raises(wt.ModelError) as error:
        m.add_body("c", wt.Fixed(), parent="elbow")
    names = ", ".join(f"b{i}" for i in range(11))
    assert str(error.value) == (
        f"body 'c': parent 'elbow' is not in 'x'; add it first. Known: ground, {names}, … (31 in all)"
    )


def rod(*lengths: float, mass: float = 1.0) -> wt.Mechanism:
    """Points on rods without mass, turning about z, one behind the other; on their own axis if at 0."""
    m = wt.Mechanism("arm")
    for k, length in enumerate(lengths):
        place = wt.Placement((lengths[k - 1], 0.0, 0.0)) if k else None
        inertia = wt.Inertia(mass if k + 1 < len(lengths) else 1.0, (length, 0.0, 0.0))
        m.add_body(f"b{k}", wt.Revolute("z"), f"b{k - 1}" if k else "ground", place, inertia)
    return m


def test_joints_that_move_their_own_body_are_not_in_doubt() -> None:
    """Point masses on arms resist at every position; on the axis never, light ones not where others count."""
    assert joints_in_doubt(rod(0.7)) == []
    assert joints_in_doubt(rod(0.7, 0.3, 0.4)) == []
    assert joints_in_doubt(rod(0.7, 0.0)) == [1]
    light = rod(0.7, 0.3, mass=1e-12)
    assert joints_in_doubt(light) == [0]
    # Stretched out the second point takes it along; at a right angle nothing but the rod's own mass resists.
    assert joints_without_inertia(light, np.array([0.0, 0.5 * np.pi])) == []
    assert joints_without_inertia(light, np.array([0.0, 0.0])) == [0]


def test_a_slide_behind_a_joint_leaves_it_in_doubt() -> None:
    """How far a mass may go is not known then."""
    m = rod(0.7)
    m.add_body("sledge", wt.Prismatic("x"), "b0", inertia=wt.Inertia.sphere(0.1, mass=1.0))
    assert joints_in_doubt(m) == [0]
