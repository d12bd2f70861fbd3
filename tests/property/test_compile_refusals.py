"""Functions that choose by numbers cannot be recorded, and say what can; in the words a user reads.

Source of truth: the file and line of the call, and what `wt.compile` takes instead.
"""

import inspect

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree import TraceError
from whippletree.checks.checking import PUBLIC

DYNAMICS = ("grcr", "kkt", "sparse", "rcr", "constraint_forces", "reactions")


def closed() -> wt.Mechanism:
    return wt.examples.load("four-bar")


@pytest.mark.parametrize("name", DYNAMICS)
def test_forward_dynamics_of_loops_names_what_compiles(name):
    with pytest.raises(TraceError) as caught:
        wt.compile(PUBLIC[name], closed())  # the line to show
    message = str(caught.value)
    assert message.startswith(__file__)
    assert "# the line to show" in message
    assert f"{name} cannot be compiled: what it does depends on the numbers it is given; " in message
    assert "give wt.compile a position near which it is to run, at=q. Within a function of yours" in message


def test_what_the_message_says_works():
    m = closed()
    q = wt.assemble(m, m.neutral())
    chosen = wt.method_choice(m, q, "kkt")
    k = wt.compile(lambda m, q, qd, tau: 2.0 * wt.loops.kkt(m, q, qd, tau, **chosen), m)
    expected = wt.compile(wt.loops.kkt, m, at=q)(q, np.zeros(3), np.ones(3))
    np.testing.assert_allclose(k(q, np.zeros(3), np.ones(3)), 2.0 * expected, rtol=1e-13)


@pytest.mark.parametrize("name", ["kkt", "sparse", "constraint_forces", "reactions", "project_velocity"])
def test_a_tree_gets_no_advice_on_loops(name):
    with pytest.raises(TraceError, match=f"{name} cannot be compiled: [a-z ]*given$"):
        wt.compile(PUBLIC[name], wt.examples.load("double-pendulum"))


@pytest.mark.parametrize("name", ["choose_reduction", "project_position"])
def test_functions_that_only_search_are_named(name):
    with pytest.raises(TraceError, match=f"{name} cannot be compiled: [a-z ]*given$"):
        wt.compile(PUBLIC[name], closed())


def doubled(m, q, qd, tau):
    return 2.0 * wt.loops.kkt(m, q, qd, tau)  # within a function of the user


def test_the_line_of_the_user_s_function_is_shown():
    with pytest.raises(TraceError, match="within a function of the user") as caught:
        wt.compile(doubled, closed())
    assert str(caught.value).startswith(__file__)
    assert caught.value.__cause__ is not None


def test_a_long_result_is_told_by_its_type():
    with pytest.raises(TraceError, match="output scalar 0 is of type Ltdl; a kernel returns real numbers"):
        wt.compile(wt.dynamics.factor_ltdl, wt.examples.load("quadruped"))


def test_mistakes_of_other_kinds_stay_what_they_are():
    m = wt.examples.load("double-pendulum")
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        wt.compile(lambda q: wt.gravity_force(m, q) + "N m", m)
    assert not isinstance(caught.value, TraceError)


def with_its_own_parameters(m, q, parameters):
    return wt.crba(m, q), parameters


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda q: q, {"parameters": ["lower.mass"]}, "would not see 'lower.mass'.*first argument be m"),
        (
            with_its_own_parameters,
            {"parameters": ["lower.mass"], "inputs": {"parameters": (1,)}},
            "'parameters' of its own",
        ),
        ("aba", {}, r"function is 'aba', expected a function, as wt\.aba, or m\.kernel\('aba'\)"),
        (wt.aba, {"inputs": ["z"]}, r"inputs is \['z'\], expected shapes by name"),
        (wt.aba, {"parameters": "upper.mass"}, r"expected a list of names, as \['upper.mass'\]"),
        (
            lambda q, z: q,
            {"z": 3.0, "inputs": {"z": ()}},
            "'z' is declared as an input and has a value, 3.0",
        ),
        (lambda q, *more: q, {}, r"variadic positional argument \*more"),
        (lambda q, **more: q, {}, r"variadic keyword argument \*\*more"),
        (lambda q, /, qd: q, {}, "positional-only argument q"),
        (wt.jacobian, {}, "the shape of 'frame' is not known; give its value, as frame=…"),
    ],
)
def test_arguments_that_cannot_be_meant(function, options, message):
    m = wt.examples.load("double-pendulum")
    for make in (wt.compile, wt.symbolic):
        with pytest.raises(wt.InputError, match=message):
            make(function, m, **options)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda q: np.linalg.solve(np.outer(q, q), q), "For linear equations there are solve_spd"),
        (lambda q: np.linalg.inv(np.outer(q, q)), "For linear equations there are solve_spd"),
        (lambda q: np.tanh(q), "a kernel has no such function: write it with sqrt, exp"),
        (lambda q: np.fmod(q[0], 1.0), "a kernel has no such function: write it with sqrt, exp"),
        (lambda q: np.isnan(q), "this function takes numbers only"),
        (lambda q: [1.0, 2.0][q[0]], "an index or a count needs a value"),
        (lambda q: sum(range(q[0])), "an index or a count needs a value"),
        (lambda q: round(q[0]), "rounding needs a value"),
        (lambda q: float(f"{q[0]:.3f}"), "printing a number needs a value"),
        (lambda q: wt.where(q > 0.0, q, -q), "a branch needs a value"),
    ],
)
def test_what_kernels_do_not_know_is_told_with_the_line(function, message):
    with pytest.raises(TraceError, match=message) as caught:
        wt.compile(function, wt.examples.load("double-pendulum"))
    assert str(caught.value).startswith(f"{__file__}, line ")


@pytest.mark.parametrize(
    "function", [wt.aba, wt.dynamics.forward_dynamics_crba, wt.inverse_inertia, wt.forward_dynamics]
)
def test_a_joint_that_moves_no_inertia_is_named_before_anything_runs(function):
    m = wt.Mechanism("light")
    m.add_body("arm", wt.Revolute("y"), inertia=wt.Inertia(1.0, (0.2, 0.1, 0.3)))
    m.add_body("tip", wt.Revolute("x"), parent="arm")
    with pytest.raises(wt.SingularError, match="joint 'tip' of 'light' moves no inertia: give 'tip'"):
        wt.compile(function, m)
    m.change("tip", armature=0.01)
    out = wt.compile(function, m)(*[np.full(2, 0.3)] * (1 if function is wt.inverse_inertia else 3))
    assert np.all(np.isfinite(out))


# Names of arguments


def test_every_argument_of_the_library_s_own_functions_is_known():
    rng = np.random.default_rng(3)
    m = randoms.geared_tree(rng, ["revolute", "helical", "prismatic", "revolute"])
    y = rng.normal(size=m.nq - len(m.gears))
    assert 0 < len(m.gears) < 4
    np.testing.assert_allclose(wt.compile(wt.gear_positions, m)(y), wt.gear_positions(m, y), rtol=1e-13)
    m = randoms.floating_tree(rng, ["revolute", "spherical", "prismatic"])
    (q, qd), qdd_joints = randoms.state(rng, m), rng.normal(size=m.nv - 6)
    inverse = wt.dynamics.floating_inverse_dynamics
    for found, expected in zip(
        wt.compile(inverse, m)(q, qd, qdd_joints), inverse(m, q, qd, qdd_joints), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [lambda q, x: x, lambda q, y: y, lambda q, dq: dq, lambda q, q_guess: q_guess, lambda q, qdd_joints: q],
    ids=["x", "y", "dq", "q_guess", "qdd_joints"],
)
def test_a_name_of_a_user_means_what_the_user_says(function):
    m = wt.examples.load("double-pendulum")
    name = list(inspect.signature(function).parameters)[1]
    with pytest.raises(wt.InputError) as caught:
        wt.compile(function, m)
    assert str(caught.value) == (
        f"<lambda>: the shape of {name!r} is not known; give its value, as {name}=…, or, if it is to be an "
        f'input, its shape, as inputs={{"{name}": (3,)}}. Known by name are q, qd, qdd, tau, f_ext'
    )
    k = wt.compile(function, m, inputs={name: (3,)})
    assert k(np.zeros(2), np.arange(3.0)).shape in ((3,), (2,))


def test_external_forces_are_known_by_name():
    m = wt.examples.load("double-pendulum")
    k = wt.compile(lambda q, f_ext: f_ext[1] * q[0], m)
    np.testing.assert_array_equal(k([2.0, 3.0], np.arange(12.0).reshape(2, 6)), 2.0 * np.arange(6.0, 12.0))
