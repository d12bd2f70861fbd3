"""Compiled functions give what the interpreted ones give, on every joint type and every robot.

Source of truth: the algorithm as it stands, on floats.
"""

from typing import Any, cast

import numpy as np
import pytest

import randoms
import robots
import whippletree as wt
from whippletree.api.compiling import record

ALGORITHMS = [wt.rnea, wt.crba, wt.aba]
NAMES = [function.__name__ for function in ALGORITHMS]


def arguments(rng, m, program):
    return [m.random(rng), *(rng.normal(size=m.nv) for _ in program.inputs[1:])]


def distance(value, expected, scale):
    """Largest difference, each joint in the unit of its own inertia, against the largest entry."""
    difference, size = (np.abs(x * scale).max(initial=0.0) for x in (value - expected, expected))
    return difference / size if size else difference


def check(m, function, run, program, ill_conditioned=False):
    rng = np.random.default_rng([m.nv, len(m)])
    state = arguments(rng, m, program)
    H = wt.crba(m, state[0])
    inertia = np.sqrt(np.where(H.diagonal() > 0, H.diagonal(), 1.0))
    tolerance = 1e-12
    if ill_conditioned and function is wt.aba:
        # What rounding of H alone can do: a joint that moves almost nothing leaves no more digits.
        tolerance = m.nv * np.finfo(float).eps * np.linalg.cond(H / np.outer(inertia, inertia))
    scale = {"rnea": 1 / inertia, "crba": np.outer(1 / inertia, 1 / inertia), "aba": inertia}
    expected = function(m, *state)
    assert distance(run(*state), expected, scale[function.__name__]) < tolerance


@pytest.mark.parametrize("function", ALGORITHMS, ids=NAMES)
@pytest.mark.parametrize("joint", randoms.JOINTS)
def test_every_joint_type(joint, function):
    rng = np.random.default_rng(len(joint))
    m = randoms.tree(rng, ["revolute", joint, "revolute-z", joint])
    kernel = wt.compile(function, m)
    check(m, function, kernel, kernel.program)


@pytest.mark.parametrize("function", ALGORITHMS, ids=NAMES)
@pytest.mark.parametrize("name", robots.LOADABLE)
def test_every_robot(name, function):
    m = wt.load(robots.HOME / name)
    if function is wt.aba and name in robots.WITHOUT_INERTIA:
        # No acceleration can be told without rotors; with them there is one.
        for body in m.bodies:
            m.change(body.name, kind="body", armature=0.1)
    program = record(function, m)
    check(m, function, program, program, ill_conditioned=name in robots.ILL_CONDITIONED)


@pytest.mark.parametrize("function", ALGORITHMS, ids=NAMES)
def test_a_robot_on_a_free_base_in_machine_code(function):
    m = wt.load(robots.HOME / "anymal_b_simple_description/robots/anymal.urdf", root=wt.Free())
    kernel = wt.compile(function, m)
    check(m, function, kernel, kernel.program)
    rng = np.random.default_rng(0)
    batch = [np.array([m.random(rng) for _ in range(13)])]
    batch += [rng.normal(size=(13, m.nv)) for _ in kernel.program.inputs[1:]]
    together = kernel(*batch)
    for i in range(13):
        assert np.array_equal(together[i], kernel(*(a[i] for a in batch)))
    assert np.array_equal(together, kernel(*batch, threads=2))


def test_parameters_left_open():
    m = wt.examples.load("double-pendulum")
    names = [
        "lower.mass",
        "lower.com.z",
        "upper.about_com.xx",
        "upper.about_com.yy",
        "lower.position.z",
        "gravity.z",
        "upper.armature",
    ]
    kernel = wt.compile(wt.aba, m, parameters=names)
    values = wt.parameter_values(m, names) * np.array([1.3, 0.7, 1.1, 1.1, 0.9, 0.8, 1.0]) + 0.01
    state = [np.array([0.3, -0.8]), np.array([0.5, 1.1]), np.array([0.2, -0.4])]
    expected = wt.aba(wt.with_parameters(m, names, values), *state)
    np.testing.assert_allclose(kernel(*state, values), expected, rtol=1e-12)


def test_a_function_of_the_user():
    m = wt.examples.load("six-axis-arm")

    def kinetic_energy_of_tool_load(q, qd, mass):
        v = wt.jacobian(m, q, m.frames[-1].name, "aligned")[3:] @ qd
        return 0.5 * mass * (v @ v)

    kernel = wt.compile(kinetic_energy_of_tool_load, m, inputs={"mass": ()})
    q, qd = m.random(np.random.default_rng(1)), np.linspace(-1.0, 1.0, 6)
    np.testing.assert_allclose(kernel(q, qd, 2.5), kinetic_energy_of_tool_load(q, qd, 2.5), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: wt.compile(lambda m, q, gain: q, m), "the shape of 'gain' is not known"),
        (lambda m: wt.compile(wt.aba, m, frame="tip"), "aba has no argument 'frame'; it has m, q, qd"),
        (lambda m: wt.compile(wt.aba, m, inputs={"u": (2,)}), "aba has no argument 'u'"),
        (lambda m: wt.compile(wt.aba, cast(Any, "pendulum")), "expected a Mechanism"),
        (lambda m: wt.compile(wt.aba, m, parameters=["rod.colour"]), "has no parameter 'rod.colour'"),
        (lambda m: wt.compile(wt.aba, m, parameters=["rod.mass", "rod.mass"]), "named twice"),
    ],
)
def test_wrong_use_is_told(make, message):
    with pytest.raises(wt.InputError, match=message):
        make(wt.examples.load("pendulum"))
