"""Identities every joint type obeys, by type and in both polarities.

Source of truth: differentiation by the complex step along dq/dt, which is exact to rounding.
Among them is eq 2.45, which the book's own table 4.1 fails for the planar and the free joint.
"""

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree import joints
from whippletree.spatial import Transform, array, crm

STEP = 1e-30
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = range(4)


@pytest.fixture(
    params=[(name, way, seed) for name in randoms.JOINTS for way in ("forward", "reversed") for seed in SEEDS]
)
def case(request):
    """A joint, a position and a velocity."""
    name, way, seed = request.param
    rng = np.random.default_rng(seed)
    joint = randoms.JOINTS[name](rng)
    if way == "reversed":
        joint = wt.Reversed(joint)
    return joint, joint.random(rng), rng.normal(size=joint.nv), rng


def rate(function, joint, q, qd):
    """The rate of a function of q while the joint moves with the velocity qd."""
    return np.imag(function(q + 1j * STEP * joint.rate(q, qd))) / STEP


def test_rate_of_the_transform_is_the_velocity(case):
    joint, q, qd, _ = case
    v_J = joint.motion_subspace(q) @ qd
    rate_of_X = rate(lambda q: joint.transform(q).matrix(), joint, q, qd)
    assert_allclose(rate_of_X, -crm(v_J) @ joint.transform(q).matrix(), **TIGHT)


def test_bias_is_the_rate_of_the_motion_subspace(case):
    joint, q, qd, _ = case
    rate_of_S = rate(joint.motion_subspace, joint, q, qd)
    assert_allclose(joint.motion_subspace_rate(q, qd), rate_of_S, **TIGHT)
    assert_allclose(joint.bias(q, qd), rate_of_S @ qd, **TIGHT)


def test_constraint_forces_do_no_work_and_complete_the_space(case):
    joint, q, _, _ = case
    S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
    assert S.shape == (6, joint.nv)
    assert T.shape == (6, 6 - joint.nv)
    assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), **TIGHT)
    assert np.linalg.matrix_rank(S) == joint.nv
    assert np.linalg.matrix_rank(T) == 6 - joint.nv


def test_frames_coincide_at_the_neutral_position(case):
    joint, _, _, _ = case
    assert_allclose(joint.transform(joint.neutral()).matrix(), np.eye(6), rtol=0, atol=1e-15)


def test_integrate_starts_with_the_velocity(case):
    joint, q, qd, _ = case
    reached = joint.integrate(q, 1j * STEP * qd)
    assert_allclose(np.imag(reached) / STEP, joint.rate(q, qd), **TIGHT)


def test_integrate_keeps_the_velocity_on_the_way(case):
    joint, q, qd, rng = case
    s = rng.uniform(0.3, 1.0)
    on_the_way = joint.integrate(q, (s + 1j * STEP) * qd)
    assert_allclose(np.imag(on_the_way) / STEP, joint.rate(np.real(on_the_way), qd), **TIGHT)


def test_difference_undoes_integrate(case):
    joint, q, _, rng = case
    dq = rng.uniform(-1.0, 1.0, joint.nv)
    q1 = joint.integrate(q, dq)
    assert_allclose(joint.difference(q, q1), dq, rtol=1e-11, atol=1e-11)
    assert_allclose(joint.difference(q, q), np.zeros(joint.nv), rtol=0, atol=1e-15)


def test_two_half_steps_make_a_whole_one(case):
    joint, q, qd, _ = case
    assert_allclose(joint.integrate(joint.integrate(q, 0.5 * qd), 0.5 * qd), joint.integrate(q, qd), **TIGHT)


# What others ask of a joint


def test_the_plain_joint_allows_the_same_motion(case):
    joint, q, _, _ = case
    if joint.moves_freely or joint.nv == 6:
        return  # closes no loop
    plain, X = joint.plain(), joint.transform(q)
    q_plain = plain.position_at(X)
    assert_allclose(plain.transform(q_plain).matrix(), X.matrix(), rtol=0, atol=1e-12)
    both = np.concatenate([joint.motion_subspace(q), plain.motion_subspace(q_plain)], axis=1)
    assert np.linalg.matrix_rank(both, tol=1e-9) == joint.nv


def test_the_nearest_transform_is_that_of_the_position(case):
    joint, q, _, rng = case
    if joint.moves_freely or joint.nv == 6:
        return  # closes no loop
    plain = joint.plain()
    for size in (0.0, 1e-3, 0.3):
        away = wt.Free().integrate(wt.Free().neutral(), size * rng.normal(size=6))
        X = wt.Free().transform(away) @ joint.transform(q)
        expected = plain.transform(plain.position_at(X)).matrix()
        assert_allclose(plain.nearest(X).matrix(), expected, rtol=0, atol=1e-14)


def test_every_turn_about_an_axis_is_as_near_to_a_half_turn_across_it():
    half = wt.Revolute("x").transform(np.array([np.pi]))
    exact = Transform(np.round(half.E), half.r)
    assert_allclose(wt.Revolute("z").nearest(exact).E, np.eye(3), rtol=0, atol=0)


def test_the_joint_on_an_axis_is_the_same_joint(case):
    joint, q, _, rng = case
    axial = joint.on_axis()
    if axial is None:
        return
    assert_allclose(axial.transform(q).matrix(), joint.transform(q).matrix(), rtol=0, atol=1e-14)
    assert_allclose(axial.motion_subspace(q), joint.motion_subspace(q), rtol=0, atol=1e-14)
    # Turning about the axis and shifting along it makes no difference.
    axis, angle, shift = np.array(axial.axis), rng.normal(), rng.normal()
    screw = wt.Cylindrical(axis).transform(np.array([angle, shift]))
    moved = screw @ axial.transform(q) @ screw.inverse()
    assert_allclose(moved.matrix(), axial.transform(q).matrix(), rtol=0, atol=1e-13)
    if np.isfinite(axial.screw_pitch):
        from_zero = axial.transform(q + angle * np.eye(axial.nq)[0])
        there = wt.Helical(axis, pitch=axial.screw_pitch).transform(np.array([angle]))
        assert_allclose((there @ axial.transform(q)).matrix(), from_zero.matrix(), rtol=0, atol=1e-13)


def test_only_these_types_have_an_axis_to_turn_about_and_slide_along():
    rng = np.random.default_rng(1)
    axial = {name for name, make in randoms.JOINTS.items() if make(rng).on_axis() is not None}
    assert axial == {"revolute", "revolute-z", "prismatic", "helical", "cylindrical"}


def test_a_number_in_metres_turns_nothing(case):
    joint, q, _, _ = case
    numbers = np.asarray(joint.numbers(q))
    assert len(joint.units) == len(joint.labels) == len(set(joint.labels)) == len(numbers)
    assert len(joint.velocity_labels) == joint.nv
    for k, unit in enumerate(joint.units):
        ahead = joint.from_numbers(numbers + 0.37 * np.eye(len(numbers))[k])
        turned = joint.transform(ahead).E @ joint.transform(q).E.T
        assert (abs(np.trace(turned) - 3.0) > 1e-3) == (unit == "rad")


def test_numbers_lead_back_to_the_position(case):
    joint, q, _, _ = case
    back = joint.from_numbers(joint.numbers(q))
    assert_allclose(joint.transform(back).matrix(), joint.transform(q).matrix(), rtol=0, atol=1e-13)


def test_a_full_turn_of_an_endless_joint_leads_back(case):
    joint, q, _, _ = case
    returns = joint.nq == 1 and np.allclose(
        joint.transform(q + 2.0 * np.pi).matrix(), joint.transform(q).matrix(), rtol=0, atol=1e-12
    )
    assert joint.turns_endlessly == returns


def test_velocities_are_rates_where_a_joint_says_so(case):
    joint, q, qd, _ = case
    is_rate = joint.nq == joint.nv and np.allclose(joint.rate(q, qd), qd, rtol=0, atol=1e-12)
    assert joint.has_rates == is_rate


def test_a_spring_has_an_energy_where_a_joint_says_so(case):
    joint, q, qd, rng = case
    if not joint.nv:
        return
    rest = joint.random(rng)

    def energy(q):
        d = joint.difference(rest, q)
        return 0.5 * (d @ d)

    power = rate(energy, joint, q, qd)
    has_energy = np.allclose(power, joint.difference(rest, q) @ qd, rtol=1e-10, atol=0)
    assert joint.carries_spring == has_energy


def test_only_the_free_joint_moves_freely(case):
    joint, q, _, _ = case
    is_unit = joint.nv == 6 and np.allclose(joint.motion_subspace(q), np.eye(6), rtol=0, atol=1e-12)
    assert joint.moves_freely == is_unit


RECOGNIZED = {
    ("benchmark/loop_peers.py", "Revolute"),  # what the models of peers are built for
    ("benchmark/loop_peers.py", "Universal"),
}


def test_nobody_else_recognizes_a_joint_by_its_type():
    library = Path(joints.__file__).parent.parent
    types = set(joints.__all__) - {"Joint"}
    found = set()
    for path in library.rglob("*.py"):
        # Files of other programs name joints by their own types.
        if path.relative_to(library).parts[0] in ("joints", "io"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "isinstance"
            ):
                names = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                found |= {(path.relative_to(library).as_posix(), name) for name in names & types}
    assert found == RECOGNIZED


class Cam(wt.Joint):
    """A joint of a user, which turns about z and rises with the square of the angle."""

    nq = 1
    nv = 1

    def transform(self, q):
        turn = wt.Revolute("z").transform(q)
        return Transform(turn.E, np.array([0.0, 0.0, 1.0]) * (0.1 * q[0] * q[0]))

    def motion_subspace(self, q):
        return array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.2 * q[0]]]).T

    def motion_subspace_rate(self, q, qd):
        return array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.2 * qd[0]]]).T


@pytest.mark.parametrize("joint", [Cam(), wt.Reversed(Cam())], ids=["forward", "reversed"])
def test_a_joint_of_a_user_answers_everything_and_works_everywhere(joint):
    rng = np.random.default_rng(5)
    m = wt.Mechanism("own")
    m.add_body("arm", wt.Revolute("y"), inertia=randoms.inertia(rng), placement=randoms.placement(rng))
    m.add_body(
        "cam",
        joint,
        "arm",
        randoms.placement(rng),
        randoms.inertia(rng),
        stiffness=2.0,
        limits=wt.Limits(-1, 1),
    )
    assert (joint.units, joint.labels, joint.has_rates, joint.carries_spring) == (
        ("rad",),
        ("[0]",),
        True,
        True,
    )
    assert (joint.moves_freely, joint.turns_endlessly, joint.on_axis()) == (False, False, None)
    assert "Cam" in m.summary()
    assert "±1 rad" in m.summary()
    q, qd, tau = m.random(rng), rng.normal(size=2), rng.normal(size=2)
    qdd = wt.aba(m, q, qd, tau)
    assert_allclose(wt.rnea(m, q, qd, qdd), tau, rtol=1e-11, atol=1e-12)
    assert_allclose(wt.compile(wt.aba, m)(q, qd, tau), qdd, rtol=1e-11)
    simple = wt.dynamics.simplify_inertias(m)
    assert simple.bodies[1].inertia == m.bodies[1].inertia


def test_a_joint_with_a_changing_subspace_has_to_say_what_it_constrains():
    rng = np.random.default_rng(6)
    m = wt.Mechanism("own")
    m.add_body("cam", Cam(), "ground", randoms.placement(rng), randoms.inertia(rng))
    message = r"Cam object at .* changes with q: give Cam a method constraint_subspace\(q\), a basis"
    with pytest.raises(wt.ModelError, match=message):
        wt.forward_dynamics(m, *np.array([[0.3], [0.2], [0.1]]), method="divide-and-conquer")


class Screw(Cam):
    """One whose author forgot that its motion subspace changes."""

    motion_subspace_rate = wt.Joint.motion_subspace_rate


def test_a_joint_that_forgets_that_its_subspace_changes_is_refused():
    """Without c_J all forward dynamics were wrong, those that take S at the neutral position otherwise."""
    m = wt.Mechanism("own")
    message = r"joint 'cam' of 'own': .*Screw object at .* give Screw a method motion_subspace_rate\(q, qd\)"
    with pytest.raises(wt.ModelError, match=message):
        m.add_body("cam", Screw(), inertia=wt.Inertia(1.0))
    m.add_body("arm", wt.Revolute("y"), inertia=wt.Inertia(1.0))
    with pytest.raises(wt.ModelError, match="motion_subspace_rate"):
        m.add_loop("cam", Screw(), "ground", "arm")
