"""Special coordinates of two planar bodies and of two sliders, by symbols and numbers.

Source of truth: what Deepak & Ghosal print of M̂_j, Ã and equation 17, and numbers worked out by hand with
the planar equations 18-20 and 24.
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

import whippletree as wt

special = wt.formulations.special_coordinates

m_j, J_j, m_k, J_k = sp.symbols("m_j J_j m_k J_k", positive=True)
phi_j, phi_k, w_j, w_k = sp.symbols("phi_j phi_k w_j w_k", real=True)
s_jx, s_jy, s_kx, s_ky = sp.symbols("s_jx s_jy s_kx s_ky", real=True)
ARM = J_k + m_k * (s_kx**2 + s_ky**2)


HALF_J, HALF_K = sp.symbols("h_j h_k", real=True)
RATIONAL = {
    trig(angle): value
    for angle, half in ((phi_j, HALF_J), (phi_k, HALF_K))
    for trig, value in ((sp.sin, 2 * half / (1 + half**2)), (sp.cos, (1 - half**2) / (1 + half**2)))
}
"""Sines and cosines by the tangents of half the angles: equal expressions become equal fractions."""


def same(a, b):
    """Whether two arrays of expressions are equal, whatever they look like."""
    differences = np.ravel(np.asarray(a, dtype=object) - np.asarray(b, dtype=object))
    rational = [
        sp.expand_trig(sp.nsimplify(difference)).subs(list(RATIONAL.items())) for difference in differences
    ]
    return all(sp.cancel(sp.together(difference)) == 0 for difference in rational)


def turned(angle, x, y):
    """A(φ + π/2) s, which is dA(φ)s/dφ."""
    return [-sp.sin(angle) * x - sp.cos(angle) * y, sp.cos(angle) * x - sp.sin(angle) * y]


def along(A, qd_j, qd_k):
    """The rate of an array of expressions in φ_j and φ_k."""
    return np.vectorize(
        lambda x: sp.diff(x, phi_j) * qd_j + sp.diff(x, phi_k) * qd_k if isinstance(x, sp.Expr) else 0,
        otypes=[object],
    )(A)


@cache
def pair():
    """Nodes and constraints of section 3.2: body j without a joint, body k pinned to it; y = (x, y, φ)."""
    (jx, jy), (kx, ky) = turned(phi_j, s_jx, s_jy), turned(phi_k, s_kx, s_ky)
    G = np.array([[1, 0, kx], [0, 1, ky]], dtype=object)
    Q = np.array([[-1, 0, -jx], [0, -1, -jy]], dtype=object)
    G_d = np.array([[0, 0, 1]], dtype=object)
    B = np.array([[1, 0, jx - kx], [0, 1, jy - ky], [0, 0, 1]], dtype=object)
    H = np.array([[-kx], [-ky], [1]], dtype=object)
    free = special.Node(
        "j", -1, np.diag([m_j, m_j, J_j]), np.zeros((3, 0)), np.eye(3, dtype=int).astype(object)
    )
    pinned = special.Node("k", 0, np.diag([m_k, m_k, J_k]), B, H)
    none = special.NodeConstraint(np.zeros((0, 3)), np.zeros((0, 0)), np.eye(3))
    return [free, pinned], [none, special.NodeConstraint(G, Q, G_d)]


VALUES = {
    m_j: 2.0, J_j: 0.3, m_k: 1.5, J_k: 0.2, phi_j: 0.3, phi_k: 0.7, w_j: 0.8, w_k: -1.1,
    s_jx: 0.4, s_jy: 0.1, s_kx: -0.5, s_ky: 0.2,
}  # fmt: skip
GRAVITY = 9.81


def number(expressions):
    """An array of floats at VALUES."""
    return np.vectorize(lambda x: float(sp.sympify(x).subs(VALUES)), otypes=[float])(expressions)


@cache
def numbers():
    """Nodes, constraints and motion in numbers, body k turning by w_k - w_j against body j."""
    nodes, constraints = pair()
    own = [node._replace(M=number(node.M), B=number(node.B), H=number(node.H)) for node in nodes]
    held = [special.NodeConstraint(*map(number, constraint)) for constraint in constraints]
    v_j, v_k = VALUES[w_j], VALUES[w_k]
    no = np.zeros(3)
    ydot_j = np.array([0.31, -0.52, v_j])  # where the pair goes as a whole changes nothing
    motion = [
        special.NodeMotion(
            np.array([0.0, -2.0 * GRAVITY, 0.5]), np.zeros(0), ydot_j, no, no,
            np.zeros((3, 3)), np.zeros((3, 0)), np.zeros((3, 3)),
        ),
        special.NodeMotion(
            np.array([0.0, -1.5 * GRAVITY, -0.4]), ydot_j, np.array([v_k - v_j]), no, no,
            np.zeros((3, 3)), number(along(nodes[1].B, w_j, w_k)), number(along(nodes[1].H, w_j, w_k)),
        ),
    ]  # fmt: skip
    return own, held, motion


def digits(actual, expected):
    """Equal to the last of ten printed digits."""
    assert_allclose(actual, expected, rtol=0.0, atol=5.01e-11)


E_K = np.array([[1, 0], [0, 1], [0, 0]], dtype=object)
"""E of (36)."""


def test_appendix_a_finds_the_printed_basis_of_the_pin():
    nodes, constraints = pair()
    G, Q, G_d = constraints[1]
    E, D = special.joint_basis(G, G_d)
    t = [s_kx * sp.sin(phi_k) + s_ky * sp.cos(phi_k), -s_kx * sp.cos(phi_k) + s_ky * sp.sin(phi_k), 1]
    assert same(E, E_K)  # 36
    assert same(D[:, 0], t)
    B, H, c = special.driven_joint(G, Q, np.zeros(2), G_d, -G_d, np.zeros(1), np.eye(1))
    assert same(B, nodes[1].B)
    assert same(H, nodes[1].H)
    assert same(c, [0, 0, 0])


def test_a_node_inertia_is_printed():
    nodes, constraints = pair()
    double, kxx, kyy = 2 * phi_k, s_kx**2, s_ky**2
    printed = (
        -2 * m_k**2 * s_kx * s_ky * sp.sin(double)
        + m_k**2 * kxx * sp.cos(double)
        + m_k**2 * kxx
        + 2 * m_j * J_k
        + 2 * m_k * J_k
        + 2 * m_j * m_k * kxx
        + 2 * m_j * m_k * kyy
        + m_k**2 * kyy
        - m_k**2 * kyy * sp.cos(double)
    ) / (2 * J_k + 2 * m_k * kyy + 2 * m_k * kxx)
    still = numbers()[2]
    by_constraints, _ = special.by_constraints(nodes, constraints, still)
    for M in (special.joint_inertias(nodes)[0], by_constraints[0]):
        assert same(M[0, 0], printed)


@cache
def weights():
    """α̃ and β̃, the entries of Ã (42): Ẽ = E + D Ã, and D ends with 1 where E has 0."""
    nodes, _ = pair()
    return special.method_2(nodes[1].M, E_K, nodes[1].H).E[2]


def test_the_matrix_of_method_2_is_printed():
    alpha, beta = weights()
    assert same(alpha, -m_k * (sp.sin(phi_k) * s_kx + sp.cos(phi_k) * s_ky) / ARM)  # 47
    assert same(beta, m_k * (sp.cos(phi_k) * s_kx - sp.sin(phi_k) * s_ky) / ARM)
    digits(number([alpha, beta]), [0.3995442665, -1.207711727])


def test_special_coordinates_have_no_positions():
    """Frobenius: ω ∧ dω of ω = dφ - α̃ dx - β̃ dy has to vanish if ω is to be integrated."""
    alpha, beta = weights()
    coefficient = beta * sp.diff(alpha, phi_k) - alpha * sp.diff(beta, phi_k)
    # Zero only if s = 0: with the pin at the centre of mass the coordinates could be integrated.
    assert same(coefficient, -(m_k**2) * (s_kx**2 + s_ky**2) / ARM**2)


def test_numbers_of_the_pair():
    nodes, constraints, motion = numbers()
    M = special.joint_inertias(nodes)
    f = special.joint_node_forces(nodes, motion, M)
    expected = [
        [3.3986313807, 0.306409278, -0.1909113209],
        [0.306409278, 2.5738095642, 0.136822804],
        [-0.1909113209, 0.136822804, 0.3890470529],
    ]
    digits(M[0], expected)
    digits(nodes[1].H.T @ M[1] @ nodes[1].H, [[0.635]])
    digits(constraints[1].G @ motion[1].d, [-0.8442830516, -0.3414545997])
    digits(f[0], [-1.8802270967, -24.3113610583, -0.7522091667])
    parts = special.left_out(nodes, motion, M, f)
    roads = {
        "(7)": special.absolute_accelerations(nodes, constraints, motion),
        "(8)": special.solve_nodes(nodes, constraints, motion, M, f),
        "(9)": special.solve_nodes(
            nodes, constraints, motion, *special.by_constraints(nodes, constraints, motion)
        ),
        "(57)": (special.outward(nodes, motion, M, parts)[1], None),
    }
    for ydd, lam in roads.values():
        digits(ydd[0], [0.4022473039, -9.5803804869, 1.633218693])
        digits(ydd[1], [-0.5363297385, -10.1161593508, -1.5063993669])
        if lam is not None:
            digits(lam[1], [0.8044946077, 0.4592390262])


def joint_coordinates():
    """T of (20): body k by body j's coordinates and the angle between them."""
    nodes, _ = pair()
    return np.block([[np.eye(3, dtype=int), np.zeros((3, 1), dtype=int)], [nodes[1].B, nodes[1].H]])


def test_the_angle_of_the_joint_does_not_uncouple_the_equations():
    nodes, _ = pair()
    T, none = joint_coordinates(), np.zeros(6)
    M = special.change_coordinates(
        np.diag([*np.diag(nodes[0].M), *np.diag(nodes[1].M)]), none, T, none, none
    )[0]
    assert same(M[:2, :2], (m_j + m_k) * np.eye(2, dtype=int))
    assert same(M[0, 3], m_k * (s_kx * sp.sin(phi_k) + s_ky * sp.cos(phi_k)))
    assert same(M[3, 3], ARM)  # 25, where J + m² |s|² is printed


def test_turns_of_the_second_body():
    """What figures 5 and 6 show: the turn of body k for a unit of each coordinate."""
    nodes, constraints, _ = numbers()
    M = special.joint_inertias(nodes)
    E, D = special.joint_basis(constraints[1].G, constraints[1].G_d)
    none = special.Partition(np.zeros((3, 0)), np.eye(3))
    parts = [none, special.method_2(M[1], E, D)]
    terms = [
        special.partition_terms(part, inertia, constraint, np.zeros(len(constraint.G)))
        for part, inertia, constraint in zip(parts, M, constraints, strict=True)
    ]
    alpha, beta = number(weights())
    lever = number(turned(phi_j, s_jx, s_jy))
    T = special.subtree_map(nodes, parts, terms, 0).T
    assert_allclose(T[5], [alpha, beta, alpha * lever[0] + beta * lever[1], 1.0], rtol=1e-13)
    assert_allclose(number(joint_coordinates())[5], [0.0, 0.0, 1.0, 1.0], rtol=1e-14)


def test_equation_17_of_two_sliders():
    m_1, m_2, *forces = sp.symbols("m_1 m_2 f_x1 f_y1 f_x2 f_y2", positive=True)
    one = np.eye(2, dtype=int).astype(object)
    x, y = one[:1], one[1:]
    nodes = [
        special.Node("1", -1, np.diag([m_1, m_1]), np.zeros((2, 0)), x.T),
        special.Node("2", 0, np.diag([m_2, m_2]), one, y.T),
    ]
    constraints = [
        special.NodeConstraint(y, np.zeros((1, 0)), x),  # on a horizontal rail
        special.NodeConstraint(x, -x, y),  # on a vertical rail on the first
    ]
    no, none = np.zeros(2), np.zeros((2, 2))
    motion = [
        special.NodeMotion(
            np.array(forces[2 * k : 2 * k + 2]), np.zeros(2 * k), np.array([0.3]), no, no,
            none, np.zeros((2, 2 * k)), np.zeros((2, 1)),
        )
        for k in (0, 1)
    ]  # fmt: skip
    M = special.joint_inertias(nodes)
    f = special.joint_node_forces(nodes, motion, M)
    mass, force = special.subtree_equations(nodes, motion, M, f, 0)
    assert same(mass, np.diag([m_1 + m_2, m_1, m_2]))
    f_x1, f_y1, f_x2, f_y2 = forces
    assert same(force, [f_x1 + f_x2, f_y1, f_y2])
    parts = [
        special.method_2(M[k], special.joint_basis(constraints[k].G, constraints[k].G_d)[0], nodes[k].H)
        for k in (0, 1)
    ]
    assert same(parts[1].E, x.T)  # the slider's own coordinates are special
    terms = [special.partition_terms(parts[k], M[k], constraints[k], np.zeros(1)) for k in (0, 1)]
    T = special.subtree_map(nodes, parts, terms, 0).T
    assert same(T, [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])  # 16


@pytest.mark.parametrize("h_d", [1.0, 2.5])
def test_a_driven_pin_carries_its_body_along(h_d):
    """(58)-(61): a pin that moves in its parent by ν, its angle being measured h_d times as fast."""
    _, constraints, motion = numbers()
    G, Q, G_d = constraints[1]
    Q_d, nu, nu_d = np.array([[0.0, 0.0, -1.0]]), np.array([0.3, -0.2]), np.array([0.4])
    B, H, c = special.driven_joint(G, Q, nu, h_d * G_d, h_d * Q_d, h_d * nu_d, h_d * np.eye(1))
    ydot_j, qdot = motion[1].ydot_j, np.array([0.7])
    ydot_k = B @ ydot_j + H @ qdot + c
    assert_allclose(Q @ ydot_j + G @ ydot_k, nu, rtol=1e-13)
    assert_allclose(Q_d @ ydot_j + G_d @ ydot_k, nu_d + qdot, rtol=1e-13)
