"""States in the order of other programs, and back.

Source of truth: what Drake and RBDL document about their variables, and identities that hold for
any such change of variables. Pinocchio and MuJoCo themselves are asked in tests/oracle.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.spatial import skew
from whippletree.spatial.rotation import from_quaternion, from_rpy

STEP = 1e-30
PROGRAMS = ("pinocchio", "mujoco", "drake", "rbdl")

JOINTS: dict[str, wt.Joint] = {
    "slide": wt.Prismatic((0.2, 0.3, 0.5)),
    "free": wt.Free(),
    "ball": wt.Spherical(),
    "turn": wt.Revolute((0.1, 0.7, -0.2)),
    "plane": wt.Planar("z"),
    "held": wt.Fixed(),
    "place": wt.Translation(),
    "ball2": wt.Spherical(),
    "wheel": wt.Revolute("y"),
}


def mechanism() -> wt.Mechanism:
    """A chain of every joint that can be converted; of the revolute ones, one has limits."""
    rng = np.random.default_rng(5)
    m = wt.Mechanism("chain", gravity=rng.normal(size=3))
    parent = "ground"
    for name, joint in JOINTS.items():
        limits = wt.Limits(-2.0, 2.0) if name == "turn" else wt.Limits()
        m.add_body(name, joint, parent, randoms.placement(rng), randoms.inertia(rng), limits=limits)
        parent = name
    return m


@pytest.fixture(params=range(3))
def state(request):
    m, rng = mechanism(), np.random.default_rng(request.param)
    q, qd = randoms.state(rng, m)
    qdd, tau = rng.normal(size=(2, m.nv))
    return m, q, qd, qdd, tau


@pytest.fixture(params=PROGRAMS)
def convention(request, state):
    order = ["ball2", "wheel", "slide", "place", "free", "turn", "ball", "plane"]
    return wt.Convention(request.param, state[0], order)


def test_there_and_back(state, convention):
    m, q, qd, qdd, tau = state
    back = convention.from_position(convention.to_position(q))
    assert_allclose(m.difference(q, back), np.zeros(m.nv), atol=1e-14)
    for there, again, arguments, value in [
        (convention.to_velocity, convention.from_velocity, (q,), qd),
        (convention.to_acceleration, convention.from_acceleration, (q, qd), qdd),
        (convention.to_force, convention.from_force, (q,), tau),
    ]:
        other = there(*arguments, value)
        assert not np.allclose(other, value)
        assert_allclose(again(*arguments, other), value, atol=1e-13)
    spatial = np.arange(12.0).reshape(6, 2)
    assert_allclose(convention.from_spatial(convention.to_spatial(spatial)), spatial)


def test_power_is_kept(state, convention):
    _, q, qd, _, tau = state
    assert convention.to_force(q, tau) @ convention.to_velocity(q, qd) == pytest.approx(tau @ qd, rel=1e-13)


def test_acceleration_is_the_rate_of_velocity(state, convention):
    m, q, qd, qdd, _ = state
    moved = q + 1j * STEP * m.rate(q, qd)
    rate = np.imag(convention.to_velocity(moved, qd + 1j * STEP * qdd)) / STEP
    assert_allclose(convention.to_acceleration(q, qd, qdd), rate, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("program", ["mujoco", "drake", "rbdl"])
def test_position_moves_with_the_velocity(state, program):
    """Lengths and angles change at the rates that are called their velocities.

    So linear velocities of free and planar joints are in parent axes; Pinocchio has body axes.
    """
    m, q, qd, _, _ = state
    moved = q + 1j * STEP * m.rate(q, qd)
    for joint in ("free", "plane", "place", "slide", "turn", "wheel"):
        alone, q_i, moved_i, qd_i = single(m, joint, q, moved, qd)
        c = wt.Convention(program, alone)
        rate, velocity = np.imag(c.to_position(moved_i)) / STEP, c.to_velocity(q_i, qd_i)
        if joint == "free":
            position = slice(4, 7) if program == "drake" else slice(0, 3)
            linear = slice(3, 6) if program == "drake" else slice(0, 3)
            rate, velocity = rate[position], velocity[linear]
        assert_allclose(rate, velocity, rtol=1e-13, atol=1e-14)


def single(m, joint, q, moved, qd):
    """A mechanism of one joint of m, with its part of the state."""
    i = m.joint_number(joint)
    alone = wt.Mechanism("alone")
    alone.append(wt.Body(joint, m.bodies[i].joint, "ground", wt.Placement(), m.bodies[i].inertia, joint))
    return alone, q[m.q_index[i]], moved[m.q_index[i]], qd[m.v_index[i]]


@pytest.mark.parametrize("joint", ["free", "ball"])
def test_angular_velocities_of_drake_and_rbdl(state, joint):
    """Drake: in parent axes, Ṙ = ω× R. RBDL: in body axes, Ṙ = R ω×."""
    m, q, qd, _, _ = state
    alone, q, moved, qd = single(m, joint, q, q + 1j * STEP * m.rate(q, qd), qd)

    def orientation(position, drake):
        if drake:
            return from_quaternion(position[:4]) if joint == "free" else from_rpy(position)
        x, y, z, w = position[-4:]  # RBDL's w is at the very end
        return from_quaternion(np.array([w, x, y, z]))

    for program in ("drake", "rbdl"):
        drake = program == "drake"
        c = wt.Convention(program, alone)
        R, rate = (
            orientation(c.to_position(q), drake),
            np.imag(orientation(c.to_position(moved), drake)) / STEP,
        )
        velocity = c.to_velocity(q, qd)
        w = velocity[:3] if drake or joint == "ball" else velocity[3:]
        assert_allclose(rate, skew(w) @ R if drake else R @ skew(w), rtol=1e-12, atol=1e-13)


def test_rbdl_keeps_every_w_at_the_end():
    """The example of RBDL's documentation: TX, Spherical, TY, Spherical."""
    m = wt.Mechanism("example")
    for name, joint in [
        ("tx", wt.Prismatic("x")),
        ("q1", wt.Spherical()),
        ("ty", wt.Prismatic("y")),
        ("q2", wt.Spherical()),
    ]:
        m.add_body(name, joint, m.bodies[-1].name if m.bodies else "ground")
    w1, x1, y1, z1 = first = np.array([0.5, 0.1, -0.7, 0.5])
    w2, x2, y2, z2 = second = np.array([0.1, 0.7, 0.5, -0.5])
    expected = [0.3, x1, y1, z1, 0.4, x2, y2, z2, w1, w2]
    q = np.concatenate([[0.3], first, [0.4], second])
    assert_allclose(wt.Convention("rbdl", m).to_position(q), expected)
    qd = np.arange(1.0, 9.0)
    assert_allclose(wt.Convention("rbdl", m).to_velocity(q, qd), qd)


def test_order_and_size_of_positions(state):
    m, q, _, _, _ = state
    sizes = {"pinocchio": m.nq + 2, "mujoco": m.nq, "drake": m.nq - 2, "rbdl": m.nq}
    for program, size in sizes.items():
        c = wt.Convention(program, m)
        assert c.nq == size == len(c.to_position(q))
    c = wt.Convention("mujoco", m, ["wheel", "slide", "free", "ball", "turn", "plane", "place", "ball2"])
    assert c.to_position(q)[:2].tolist() == [q[m.q_index[8]][0], q[m.q_index[0]][0]]


def test_spatial_vectors_have_the_linear_part_first_in_pinocchio_only():
    v = np.arange(6.0)
    for program in PROGRAMS:
        expected = [3, 4, 5, 0, 1, 2] if program == "pinocchio" else [0, 1, 2, 3, 4, 5]
        assert wt.Convention(program, mechanism()).to_spatial(v).tolist() == expected


def test_wrong_arguments():
    m = mechanism()
    c = wt.Convention("pinocchio", m)
    joints = [name for name in JOINTS if name != "held"]
    screw = wt.Mechanism("screw")
    screw.add_body("nut", wt.Helical("z", pitch=0.1))
    tilted = wt.Mechanism("tilted")
    tilted.add_body("table", wt.Planar("x"))
    for call, error, message in [
        (lambda: wt.Convention("bullet", m), wt.InputError, "program is 'bullet'; known: pinocchio, mujoco"),
        (lambda: wt.Convention("drake", m, joints[1:]), wt.InputError, "joints: 'slide' is missing"),
        (lambda: wt.Convention("drake", m, [*joints, "free"]), wt.InputError, "joints: 'free' comes twice"),
        (lambda: wt.Convention("drake", m, ["flee"]), wt.ModelError, "no joint named 'flee'"),
        (
            lambda: wt.Convention("drake", screw),
            wt.ModelError,
            "joint 'nut' is Helical .*: drake has no such joint",
        ),
        (lambda: wt.Convention("rbdl", tilted), wt.ModelError, "is Planar x: rbdl has no such joint"),
        (lambda: c.to_position(np.zeros(3)), wt.InputError, "q has shape"),
        (lambda: c.from_position(np.zeros(3)), wt.InputError, "other has shape"),
        (lambda: c.to_velocity(m.neutral(), [0.0]), wt.InputError, "qd has shape"),
        (
            lambda: c.to_spatial(np.zeros(5)),
            wt.InputError,
            r"v has shape \(5,\), expected \(6,\) or \(6, k\)",
        ),
        (lambda: c.from_position(np.zeros(c.nq)), wt.InputError, r"joint 'plane': \(cos, sin\) has norm 0"),
    ]:
        with pytest.raises(error, match=message):
            call()
