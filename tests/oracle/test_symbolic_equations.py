"""Equations of motion as formulas: what textbooks print, and the numbers of the recursive algorithms.

Source of truth: the double pendulum of every textbook, and the library's own algorithms in numbers.
"""

import re
import sys

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from sympy import cos, sin

import randoms
import whippletree as wt
from whippletree.api.symbolic_equations import WIDTH
from whippletree.kernels.export.trigonometric import NotTrigonometric, Ring, TooManyTerms
from whippletree.loops.equations.closure_equations import closure_equations

TEXTBOOK = {
    "upper.mass": "m1",
    "upper.com.z": "-c1",
    "upper.about_com.yy": "I1",
    "lower.mass": "m2",
    "lower.com.z": "-c2",
    "lower.about_com.yy": "I2",
    "lower.position.z": "-l1",
    "gravity.z": "-g",
}


def trig_standing(expression):
    """Angles of which both the square of the sine and that of the cosine stand in an expression."""
    squares = [power.base for power in expression.atoms(sympy.Pow) if power.exp == 2]
    return {s.args for s in squares if s.func is sin} & {c.args for c in squares if c.func is cos}


def numbers(equations, q, qd):
    """M, C and g at a state."""
    inputs = [*equations.q, *equations.qd]
    values = sympy.lambdify(inputs, [equations.M, equations.C, equations.g])(*q, *qd)
    return values[0], np.ravel(values[1]), np.ravel(values[2])


def assert_state(m, equations, rng):
    q, qd = randoms.state(rng, m)
    M, C, g = numbers(equations, q, qd)
    for found, expected in (
        (M, wt.crba(m, q)),
        (C, wt.coriolis_force(m, q, qd)),
        (g, wt.gravity_force(m, q)),
    ):
        assert_allclose(found, expected, rtol=0, atol=1e-13 * max(1.0, np.abs(expected).max()))


def test_the_double_pendulum_of_every_textbook():
    equations = wt.symbolic_equations(wt.examples.load("double-pendulum"), TEXTBOOK)
    m1, m2, c1, c2, l1, I1, I2, g = sympy.symbols("m1 m2 c1 c2 l1 I1 I2 g")
    (q1, q2), (d1, d2) = equations.q, equations.qd
    assert [str(s) for s in (q1, q2, d1, d2)] == ["q_upper", "q_lower", "qd_upper", "qd_lower"]
    off_diagonal = I2 + m2 * c2**2 + m2 * l1 * c2 * cos(q2)
    first = I1 + I2 + m1 * c1**2 + m2 * l1**2 + m2 * c2**2 + 2 * m2 * l1 * c2 * cos(q2)
    # Structural equality: nothing is simplified here any more.
    assert sympy.Matrix([[first, off_diagonal], [off_diagonal, I2 + m2 * c2**2]]) == equations.M
    h = m2 * l1 * c2 * sin(q2)
    assert sympy.Matrix([-h * d2 * (2 * d1 + d2), h * d1**2]) == equations.C
    swing = m2 * c2 * g * sin(q1 + q2)
    assert equations.g == sympy.Matrix([g * (m1 * c1 + m2 * l1) * sin(q1) + swing, swing])
    assert equations.closure.shape == (0, 1)
    row = equations.motion[1]
    assert row.coeff(equations.tau[1]) == -1
    assert row.coeff(equations.qdd[1]) == I2 + m2 * c2**2


def test_lengths_and_masses_of_thin_rods():
    rods = {"upper.mass": "m", "lower.mass": "m", "lower.position.z": "-l", "gravity.z": "-g"}
    rods |= {f"{name}.com.z": "-l/2" for name in ("upper", "lower")}
    rods |= {f"{name}.about_com.yy": "m*l**2/12" for name in ("upper", "lower")}
    equations = wt.symbolic_equations(wt.examples.load("double-pendulum"), rods)
    m, l = sympy.symbols("m l")
    assert equations.M[0, 0] == l**2 * m * cos(equations.q[1]) + sympy.Rational(5, 3) * l**2 * m
    assert equations.M[1, 1] == l**2 * m / 3


def test_every_word_of_a_text_is_a_symbol():
    inertia = wt.symbolic_equations(wt.examples.load("pendulum"), {"rod.about_com.yy": "I"}).M[0]
    assert inertia.free_symbols == {sympy.Symbol("I")}


def test_names_alone_make_symbols():
    names = ["rod.mass", "rod.com.z", "gravity.z", "rod.about_com.yy", "rod.armature", "rod.position.x"]
    equations = wt.symbolic_equations(wt.examples.load("pendulum"), names)
    assert str(equations.M[0]) == "A_rod + I_rod_yy + c_rod_z**2*m_rod"
    assert str(equations.g[0]) == "c_rod_z*g_z*m_rod*sin(q_rod)"


@pytest.mark.parametrize(
    "joints",
    [
        ["revolute-z", "prismatic", "revolute"],
        ["spherical-zyx", "revolute-z"],
        ["universal", "cylindrical"],
        ["helical", "planar"],
        ["spherical", "fixed"],
        ["free"],
    ],
)
def test_formulas_have_the_values_of_the_algorithms(joints):
    rng = np.random.default_rng(len(joints[0]))
    m = randoms.tree(rng, joints)
    equations = wt.symbolic_equations(m, terms=20_000)
    assert_state(m, equations, rng)
    for expression in (*equations.M, *equations.C, *equations.g):
        assert trig_standing(expression) == set()


def test_bundled_examples_have_short_formulas():
    rng = np.random.default_rng(4)
    for name, longest in (("cart-pole", 6), ("spherical-pendulum", 10), ("furuta-pendulum", 20)):
        m = wt.examples.load(name)
        equations = wt.symbolic_equations(m)
        assert_state(m, equations, rng)
        assert max(sympy.count_ops(e) for e in (*equations.M, *equations.C, *equations.g)) <= longest
    bob = wt.symbolic_equations(wt.examples.load("spherical-pendulum"))
    assert str(bob.M[0, 0]) == "1.28*cos(q_bob_1)**2"  # squares and products where they are shorter
    assert str(bob.g[0]) == "15.696*sin(q_bob_0)*cos(q_bob_1)"


def test_nothing_that_moves():
    m = wt.Mechanism("welded")
    for equations in (wt.symbolic_equations(m), wt.symbolic_equations(m, {"gravity.z": "-g"})):
        assert (equations.M.shape, equations.C.shape) == ((0, 0), (0, 1))
    m.add_body("a", wt.Fixed(), inertia=wt.Inertia(1.0))
    assert wt.symbolic_equations(m).motion.shape == (0, 1)


# Loops


def test_the_closure_of_a_four_bar_fits_two_lines():
    m = wt.examples.load("four-bar")
    equations = wt.symbolic_equations(m)
    assert equations.closure.rows == 2
    assert max(sympy.count_ops(row) for row in equations.closure) < 25
    before = wt.symbolic(wt.constraint_error, m).outputs
    assert sum(sympy.count_ops(row) for row in before) > 3000
    q = wt.assemble(m, np.array([0.4, 0.1, -0.2]), hold=["crank"])
    values = sympy.lambdify(list(equations.q), equations.closure)(*q)
    assert_allclose(values, 0.0, rtol=0, atol=1e-11)


def four_bar_of_lengths():
    """Bars along x of their own frames, the ground's from the first pivot to the last."""
    m = wt.Mechanism("bars", gravity=(0, -9.81, 0))
    inertia = wt.Inertia(1.2, (0.2, 0.0, 0.0), (0.0, 0.04, 0.04))
    m.add_body("crank", wt.Revolute("z"), inertia=inertia)
    m.add_body("coupler", wt.Revolute("z"), "crank", wt.Placement((0.2, 0, 0)), inertia)
    m.add_body("rocker", wt.Revolute("z"), "ground", wt.Placement((0.7, 0, 0)), inertia)
    ends = wt.Placement((0.6, 0, 0)), wt.Placement((0.5, 0, 0))
    m.add_loop("pin", wt.Revolute("z"), "coupler", "rocker", *ends)
    return m


def test_a_four_bar_in_the_lengths_of_its_bars():
    names = ["coupler.position.x", "pin.position_p.x", "pin.position_s.x", "rocker.position.x"]
    equations = wt.symbolic_equations(four_bar_of_lengths(), dict(zip(names, "abcd", strict=True)))
    a, b, c, d = sympy.symbols("a b c d")
    q1, q2, q3 = equations.q
    assert equations.closure == sympy.Matrix(
        [
            d + c * cos(q3) - a * cos(q1) - b * cos(q1 + q2),
            c * sin(q3) - a * sin(q1) - b * sin(q1 + q2),
        ]
    )


def test_places_of_loop_joints_are_parameters_of_kernels():
    m = four_bar_of_lengths()
    names = ["pin.position_s.y", "pin.position_p.x"]
    assert_allclose(wt.parameter_values(m, names), [0.0, 0.6])
    q, values = np.array([0.4, -0.3, 1.1]), np.array([0.07, 0.55])
    changed = wt.with_parameters(m, names, values)
    assert changed.loops[0].placement_s.position.tolist() == [0.5, 0.07, 0.0]
    k = wt.compile(wt.constraint_error, m, parameters=names)
    assert_allclose(k(q, values), wt.constraint_error(changed, q), rtol=0, atol=1e-14)


def test_lines_of_latex_fit_a_page():
    for name in ("four-bar", "quick-return", "crank-slider"):
        text = wt.symbolic_equations(wt.examples.load(name)).latex()
        lines = text.splitlines()
        assert lines[0] == r"\begin{aligned}"
        assert lines[-1] == r"\end{aligned}"
        for line in lines[1:-1]:
            seen = re.sub(r"\\(left|right|mathrm|dot|ddot|frac|quad)\b|[{}_^ &\\]", "", line)
            assert len(seen) <= WIDTH + 1  # an equals sign more
        assert len(lines) < 45
    equations = wt.symbolic_equations(wt.examples.load("four-bar"))
    assert equations.latex(width=40).count("\n") > equations.latex().count("\n")
    assert "0.174387" in equations.latex()
    assert "0.1743866667" in equations.latex(digits=10)


def test_names_are_typeset():
    m = wt.Mechanism("named")
    m.add_body(
        "ball_1", wt.Universal("x", "y"), inertia=wt.Inertia(1.5, (0, 0, -0.3)), joint_name="ball_joint"
    )
    text = wt.symbolic_equations(m).latex()
    assert r"\dot{q}_{\mathrm{ball\_joint},0}" in text
    assert r"- 0.135 \dot{q}" in text


@pytest.mark.parametrize(
    "name", ["four-bar", "crank-slider", "quick-return", "bricard", "delta-robot", "stewart-platform"]
)
def test_closure_equations_hold_where_loops_are_closed(name):
    m = wt.examples.load(name)
    rng = np.random.default_rng(2)
    q = wt.assemble(m, m.neutral())
    q = wt.project_position(m, m.integrate(q, 0.05 * wt.project_velocity(m, q, rng.normal(size=m.nv))))
    assert_allclose(closure_equations(m, q), 0.0, rtol=0, atol=1e-9)
    # To first order the same constraints: both Jacobians have the same row space.
    steps = [m.integrate(q, 1e-30j * unit) for unit in np.eye(m.nv)]
    J = np.array([np.imag(closure_equations(m, step)) / 1e-30 for step in steps]).T
    K = wt.constraint_jacobian(m, q)
    assert J.shape == K.shape
    ranks = [np.linalg.matrix_rank(A, tol=1e-7) for A in (J, K, np.concatenate([J, K]))]
    assert ranks[0] == ranks[1] == ranks[2]


@pytest.mark.parametrize(
    "joint", [wt.Prismatic("y"), wt.Cylindrical("y"), wt.Planar("x"), wt.Fixed(), wt.Translation()]
)
def test_closure_of_every_plain_joint(joint):
    m = wt.Mechanism("bench")
    m.add_body("table", wt.Free(), inertia=wt.Inertia(1.0))
    place = wt.Placement((0.3, -0.2, 0.5), rpy=(0.4, 0.2, -0.7))
    m.add_loop("stand", joint, "ground", "table", place, wt.Placement((0.1, 0.2, 0.3)))
    q = wt.assemble(m, m.random(np.random.default_rng(0)))
    assert_allclose(closure_equations(m, q), 0.0, rtol=0, atol=1e-9)
    steps = [m.integrate(q, 1e-30j * unit) for unit in np.eye(6)]
    J = np.array([np.imag(closure_equations(m, step)) / 1e-30 for step in steps]).T
    assert J.shape == (6 - joint.nv, 6)
    stacked = np.concatenate([J, wt.constraint_jacobian(m, q)])
    assert np.linalg.matrix_rank(stacked, tol=1e-8) == np.linalg.matrix_rank(J, tol=1e-8) == 6 - joint.nv


def test_gears_have_a_row():
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", "upper", "lower", ratio=-1.5, offset=0.25)
    assert str(wt.symbolic_equations(m).closure[0]) == "q_lower + 3*q_upper/2 - 1/4"


# What is refused


def test_without_sympy(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(wt.InputError, match="symbolic_equations needs sympy: pip install sympy"):
        wt.symbolic_equations(wt.examples.load("pendulum"))


def test_large_mechanisms_are_refused_with_both_numbers():
    message = r"'seven-axis-arm' has at least \d+ terms, and 1000 are allowed: give terms=\d+, lock joints"
    with pytest.raises(wt.InputError, match=message):
        wt.symbolic_equations(wt.examples.load("seven-axis-arm"))
    with pytest.raises(wt.InputError, match="terms is 0, expected how many an expression may have, as 1000"):
        wt.symbolic_equations(wt.examples.load("pendulum"), terms=0)
    ring = Ring(angles=1, symbols=1, limit=2)
    with pytest.raises(TooManyTerms, match="an expression has 3 terms, more than the 2 allowed"):
        _ = ring.number(1.0) + ring.symbol(0).cos()


@pytest.mark.parametrize("joint", [wt.SphericalExponential(), wt.Reversed(wt.SphericalExponential())])
def test_a_joint_that_is_no_sum_of_sines_is_named(joint):
    m = wt.Mechanism("arm")
    m.add_body("base", wt.Revolute("z"), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)))
    m.add_body("ball", joint, "base", inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)))
    with pytest.raises(
        wt.ModelError, match=r"joint 'ball' of 'arm', .*Exponential.*, asks for the operation"
    ):
        wt.symbolic_equations(m)


@pytest.mark.parametrize("joint", [wt.Universal("x", "y"), wt.Helical("z", 0.1)])
def test_a_loop_that_is_no_plain_one_is_named(joint):
    m = wt.examples.load("double-pendulum")
    m.add_loop("tie", joint, "ground", "lower")
    with pytest.raises(wt.ModelError, match=r"loop 'tie', .*, has no closure in plain sines and cosines"):
        wt.symbolic_equations(m)


def test_two_coordinates_of_one_name_are_refused():
    m = wt.Mechanism("twins")
    m.add_body("a", wt.Universal("x", "y"), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)))
    m.add_body("a_1", wt.Revolute("z"), "a", inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)))
    with pytest.raises(wt.InputError, match=r"two coordinates would be called q_a_1: rename joint 'a_1'"):
        wt.symbolic_equations(m)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("rod.mass", r"parameters is 'rod.mass', expected a list of names, as \['rod.mass'\]"),
        (["rod.weight"], "'pendulum' has no parameter 'rod.weight'"),
        ({"rod.mass": "1/m"}, "parameter 'rod.mass' is 1/m, expected a polynomial of symbols"),
        ({"rod.mass": "m*"}, r"parameter 'rod.mass' is 'm\*', expected a symbol or a polynomial of symbols"),
        ({"rod.mass": "sin(m)"}, r"parameter 'rod.mass' is 'sin\(m\)', expected a symbol"),
        ({"rod.mass": "().__class__"}, "parameter 'rod.mass' is .*, expected a symbol"),
        ({"rod.mass": sympy.Symbol("q_rod", real=True)}, "the symbol 'q_rod' is a joint's motion"),
    ],
)
def test_parameters_that_are_none(parameters, message):
    with pytest.raises(wt.InputError, match=message):
        wt.symbolic_equations(wt.examples.load("pendulum"), parameters)


def test_what_is_no_trigonometric_polynomial_is_said():
    ring = Ring(angles=1, symbols=2, limit=100)
    q, length = ring.symbol(0), ring.symbol(1)
    for wrong, message in (
        (lambda: q / (q + length), "a division by a sum of 2 terms"),
        (lambda: (q * q).sin(), "a sine or cosine of what is no sum of coordinates"),
        (lambda: length.cos(), "a sine or cosine of what is no sum of coordinates"),
        (lambda: q.sin().cos(), "a sine or cosine of what is no sum of coordinates"),
        (lambda: (q / ring.number(2.0)).sin(), "a sine or cosine of 0.5 times a coordinate"),
    ):
        with pytest.raises(NotTrigonometric, match=message):
            wrong()
    assert (q.cos() / length * length - q.cos()).terms == {}
    assert (q - q).sin().terms == {}
    shifted = (q + ring.number(np.pi / 2)).sin() - q.cos()
    assert shifted.terms == {}


def test_velocities_of_a_free_body_are_called_by_what_they_are():
    """ω comes first in qd, though the position comes first in q."""
    m = wt.Mechanism("stone", gravity=(0, 0, 0))
    m.add_body("stone", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.3, 0.4, 0.5)))
    equations = wt.symbolic_equations(m)
    turns, shifts = [str(symbol) for symbol in equations.qd[:3]], [str(symbol) for symbol in equations.qd[3:]]
    assert turns == ["qd_stone_rx", "qd_stone_ry", "qd_stone_rz"]
    assert shifts == ["qd_stone_x", "qd_stone_y", "qd_stone_z"]
    assert str(equations.C[0]) == "qd_stone_ry*qd_stone_rz/10"  # Euler: (I_z - I_y) ω_y ω_z
    for joint in (wt.Free(), wt.Spherical(), wt.Translation()):
        S = np.asarray(joint.motion_subspace(joint.neutral()))
        for column, label in zip(S.T, joint.velocity_labels, strict=True):
            assert column["xyz".index(label[-1]) + 3 * (len(label) == 1)] == 1.0
