"""Numbers printed in Featherstone, Rigid Body Dynamics Algorithms (2008), or worked out from its text.

Where the text is wrong, the right value stands here with a note.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from counting import counting, values
from whippletree.dynamics.factor import expanded_parents
from whippletree.dynamics.gears import gearing, projected_inertia
from whippletree.spatial import Transform, rot, xlt
from whippletree.spatial.rotation import axis_rotation

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}


# §10.2: a planar arm that magnifies errors


def zigzag(n: int = 6) -> wt.Mechanism:
    """Links of 1 m and 1 kg in a plane; q is the angle of each joint."""
    m = wt.Mechanism("zigzag", gravity=(0, 0, 0))
    link = wt.Inertia(mass=1.0, com=(0.5, 0, 0), about_com=(0, 1 / 12, 1 / 12))
    for i in range(n):
        parent, place = ("ground", None) if i == 0 else (f"link{i - 1}", wt.Placement((1, 0, 0)))
        m.add_body(f"link{i}", wt.Revolute("z"), parent, place, link)
    return m


ANGLES = np.radians([75.0, -75.0, 75.0, -75.0, 75.0, -75.0])


def test_zigzag_forces():
    expected = [126.493675943, 97.466323617, 69.976228436, 43.799847533, 21.937180911, 6.164685703]
    tau = wt.inverse_dynamics(zigzag(), ANGLES, np.zeros(6), np.ones(6))
    assert_allclose(tau, expected, rtol=0, atol=5e-10)
    assert_allclose(np.floor(tau * 1e4) / 1e4, [126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646])


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_zigzag_response_to_rounded_forces(method):
    tau = np.array([126, 97.5, 70, 43.8, 21.9, 6.16])
    qdd = wt.forward_dynamics(zigzag(), ANGLES, np.zeros(6), tau, method)
    # The book prints 0.6952 for the first: two digits are swapped.
    assert_allclose(qdd, [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705], rtol=0, atol=5e-5)
    assert_allclose(qdd[0], 0.659158687, rtol=0, atol=5e-10)


# §10.1: a body far from the origin of its frame


def far_body(x: float, y: float) -> wt.Mechanism:
    m = wt.Mechanism("far", gravity=(0, 0, 0))
    m.add_body("body", wt.Planar("z"), inertia=wt.Inertia(1.0, com=(x, y, 0), about_com=(1.0, 1.0, 1.0)))
    return m


def acceleration(x: float, y: float, method: str) -> np.ndarray:
    """a_O for m = I_C = 1, v_C = (1, 0, 0) and f_C = (1, -1, 1), moved from C = (x, y) to O."""
    v_O = np.array([1.0, y, -x])
    f_O = np.array([1.0 + x + y, -1.0, 1.0])
    return wt.forward_dynamics(far_body(x, y), np.zeros(3), v_O, f_O, method)


def test_far_body_matrix():
    H = wt.crba(far_body(100.0, 10.0), np.zeros(3))
    assert_allclose(H, [[10101, -10, 100], [-10, 1, 0], [100, 0, 1]], rtol=1e-15, atol=0)
    assert_allclose(np.linalg.cond(H), 1.0205e8, rtol=1e-4)
    assert_allclose(
        wt.bias_force(far_body(100.0, 10.0), np.zeros(3), np.array([1.0, 10.0, -100.0])),
        np.zeros(3),
        atol=1e-12,
    )


@pytest.mark.parametrize("method", ["aba", "crba", "aba-variant-1", "aba-variant-2", "divide-and-conquer"])
def test_far_body_acceleration(method):
    assert_allclose(acceleration(100.0, 10.0, method), [1, 9, -99], rtol=2e-12, atol=0)


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_far_body_error_grows_with_the_square_of_the_distance(method):
    def error(distance: float) -> float:
        """Largest error of a_C = (1, -1, 1), moved back from O, over some directions."""
        worst = 0.0
        for angle in np.linspace(0.1, 6.2, 40):
            x, y = distance * np.cos(angle), distance * np.sin(angle)
            a = acceleration(x, y, method)
            a_C = np.array([a[0], a[1] - a[0] * y, a[2] + a[0] * x])
            worst = max(worst, *np.abs(a_C - np.array([1.0, -1.0, 1.0])))
        return worst

    near, far, farther = error(0.1), error(1e3), error(1e4)
    assert near < 2e-15
    assert 1e-11 < far < 1e-8
    assert 20 < farther / far < 500


# Table 6.4, figures 6.4 and 9.1: parents of single variables


def test_expanded_parents():
    book_parents, sizes = [0, 1, 1, 2, 2, 3], [1, 3, 1, 1, 1, 1]
    expanded = expanded_parents([p - 1 for p in book_parents], sizes)
    assert [p + 1 for p in expanded] == [0, 1, 2, 3, 1, 4, 4, 5]


def test_parents_of_the_joints_left_to_forward_dynamics():
    # Joints 1 and 2 of a binary tree of seven are prescribed: nodes 3 to 7 become 1 to 5.
    expanded = expanded_parents([-1, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 1])
    assert [p + 1 for p in expanded] == [0, 0, 0, 1, 1]


def test_fixed_joints_are_merged_into_their_parents():
    # Body 2 is fixed to body 0, on another branch than body 1 before it.
    assert expanded_parents([-1, -1, 0, 2, 1], [1, 2, 0, 1, 1]) == [-1, -1, 1, 0, 2]


# §4.1: numbering


def with_parents(parents: list[int]) -> wt.Mechanism:
    m = wt.Mechanism("tree")
    for i, parent in enumerate(parents):
        m.add_body(f"b{i}", wt.Revolute("z"), "ground" if parent == -1 else f"b{parent}")
    return m


def test_sets_of_figure_4_6():
    # The figure is lost; bodies 6 and 7 are put on 4, as the sets that are printed allow.
    m = with_parents([p - 1 for p in (0, 1, 1, 0, 3, 4, 4, 4)])

    def book(bodies: list[int]) -> set[int]:
        return {i + 1 for i in bodies}

    assert book(m.support(0)) == {1}
    assert book(m.support(1)) == {1, 2}
    assert book(m.support(2)) == {1, 3}
    assert book(m.support(7)) == {4, 8}
    assert book(m.children(-1)) == {1, 4}
    assert book(m.children(0)) == {2, 3}
    assert book(m.children(1)) == set()
    assert book(m.children(7)) == set()
    assert book(m.subtree(-1)) == set(range(1, 9))
    assert book(m.subtree(0)) == {1, 2, 3, 5}
    assert book(m.subtree(1)) == {2}
    assert book(m.subtree(7)) == {8}
    # 4.3: the pairs of a body and a joint that supports it, counted from either side.
    assert sum(len(m.support(i)) for i in range(8)) == sum(len(m.subtree(i)) for i in range(8))


def test_numberings_of_the_crank_slider():
    """Ground, crank, rod and slider in a ring: four spanning trees, eight numberings, parents first."""
    ring = ["ground", "crank", "rod", "slider"]
    trees, numberings, arrays = set(), 0, set()
    for cut in range(4):
        parent_of: dict[str, str] = {}
        for k in range(1, 4):  # walk away from the ground on either side, up to the cut
            parent_of[ring[k]] = ring[k - 1] if k <= cut else ring[(k + 1) % 4]
        trees.add(tuple(sorted(parent_of.items())))
        for order in permutations(ring[1:]):
            m = wt.Mechanism("crank-slider")
            try:
                for name in order:
                    m.add_body(name, wt.Revolute("z"), parent_of[name])
            except wt.ModelError:
                continue  # a parent would come after its child
            numberings += 1
            arrays.add(tuple(p + 1 for p in m.parents))
    assert (len(trees), numberings) == (4, 8)
    assert {(0, 1, 2), (0, 0, 1)} <= arrays


# Example 7.1: a box with a slot, and a cylinder in it


@dataclass(frozen=True)
class Slot(wt.Joint):
    """Turn about x and slide along y, as a cylinder does in a slot: a type of the user's own."""

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def transform(self, q):
        return rot(axis_rotation(np.array([1.0, 0.0, 0.0]), q[0]).T) @ xlt(np.array([0.0, 1.0, 0.0]) * q[1])

    def motion_subspace(self, q):
        first, second = np.eye(6)[0], np.concatenate([np.zeros(3), self._along(q[0])])
        return np.array([first, second]).T

    def motion_subspace_rate(self, q, qd):
        across = np.concatenate([np.zeros(3), self._along(q[0] + 0.5 * np.pi)])
        return np.array([np.zeros(6), across * qd[0]]).T

    def constraint_subspace(self, q):
        across = np.concatenate([np.zeros(3), self._along(q[0] + 0.5 * np.pi)])
        return np.array([*np.eye(6)[1:4], across]).T

    @staticmethod
    def _along(angle):
        return axis_rotation(np.array([1.0, 0.0, 0.0]), angle).T @ np.array([0.0, 1.0, 0.0])


def test_articulated_inertia_of_the_box():
    m1, m2, I1, I2 = 2.0, 3.0, 0.5, 0.7
    m = wt.Mechanism("box and cylinder", gravity=(0, 0, 0))
    m.add_body("box", wt.Free(), inertia=wt.Inertia(m1, about_com=(I1, I1, I1)))
    m.add_body("cylinder", Slot(), "box", inertia=wt.Inertia(m2, about_com=(I2, I2, I2)))
    expected = np.array([I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2])
    assert_allclose(wt.operational_inertia(m, m.neutral(), "box"), np.diag(expected), **TIGHT)
    for method in wt.methods(m):
        columns = []
        for wrench in np.eye(6):
            tau = np.concatenate([wrench, np.zeros(2)])
            columns.append(wt.forward_dynamics(m, m.neutral(), np.zeros(8), tau, method)[:6])
        assert_allclose(np.array(columns).T, np.diag(1 / expected), **TIGHT)


# Example 3.2: an active force that is not along the joint's motion


def test_active_force_subspace_of_a_gear_wheel():
    r, tau = 0.3, 1.7
    at_contact = Transform(np.eye(3), np.array([-r, 0.0, 0.0]))
    f = at_contact.T @ np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])  # along y, through the teeth that touch
    S = wt.Revolute("z").motion_subspace(np.zeros(1))[:, 0]
    T_a = f / (f @ S)
    assert_allclose(T_a, [0, 0, 1, 0, -1 / r, 0], rtol=1e-15, atol=0)
    # It drives the wheel as a pure couple does, and only the bearing feels the difference.
    m = wt.Mechanism("wheel")
    m.add_body("wheel", wt.Revolute("z"), inertia=wt.Inertia(2.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)))
    q, qd, f_ext = np.array([0.4]), np.array([1.3]), np.array([T_a * tau])
    qdd = wt.aba(m, q, qd, np.array([tau]))
    assert_allclose(wt.aba(m, q, qd, np.zeros(1), f_ext), qdd, **TIGHT)
    bearing = wt.joint_reactions(m, q, qd, qdd, f_ext) - wt.joint_reactions(m, q, qd, qdd)
    assert_allclose(bearing[0], -T_a * tau, **TIGHT)


# §9.6: an arm driven by motors through gears


def geared_arm(r1: float, r2: float) -> wt.Mechanism:
    """Upper arm, rotor on the ground, forearm and its rotor on the upper arm (figure 9.2)."""
    m = wt.Mechanism("geared arm")
    link = wt.Inertia(2.0, (0.4, 0.1, 0.05), (0.02, 0.3, 0.31))
    rotor = wt.Inertia(0.3, about_com=(1e-3, 1e-3, 2e-3))
    m.add_body("upper arm", wt.Revolute("z"), inertia=link)
    m.add_body("rotor 1", wt.Revolute("z"), inertia=rotor)
    m.add_body("forearm", wt.Revolute("z"), "upper arm", wt.Placement((0.8, 0, 0)), link)
    m.add_body("rotor 2", wt.Revolute("z"), "upper arm", wt.Placement((0.7, 0.1, 0)), rotor)
    m.add_gear("shoulder", "upper arm", "rotor 1", r1)
    m.add_gear("elbow", "forearm", "rotor 2", r2)
    return m


def test_gears_of_the_arm():
    r1, r2 = -40.0, 25.0
    m = geared_arm(r1, r2)
    G = wt.gear_matrix(m)
    assert_allclose(G, [[1, 0], [r1, 0], [0, 1], [0, r2]], rtol=0, atol=0)
    q = wt.gear_positions(m, np.array([0.3, 0.7]))
    assert_allclose(q, [0.3, r1 * 0.3, 0.7, r2 * 0.7], rtol=1e-15)

    H, tally = wt.crba(m, q), Counter()
    g = gearing(m)
    lam = [-1, -1, 0, 0]
    projected = values(projected_inertia(counting(H, tally), lam, g))
    assert dict(tally) == {"mul": 5, "add": 3}
    h11, h13, h14 = H[0, [0, 2, 3]]
    expected = [
        [h11 + r1**2 * H[1, 1], h13 + r2 * h14],
        [h13 + r2 * h14, H[2, 2] + r2**2 * H[3, 3]],
    ]
    assert_allclose(projected, expected, rtol=1e-14)
    assert_allclose(projected, G.T @ H @ G, rtol=1e-13)


def test_rotors_by_armature_miss_only_small_terms():
    """Example 9.5: ρ² times the rotor's inertia on the joint, against gears with the rotors as bodies."""
    r1, r2 = 100.0, 100.0
    m = geared_arm(r1, r2)
    y, yd, motor = np.array([0.3, 0.7]), np.array([0.5, -0.4]), np.array([0.3, -0.2])
    q, qd = wt.gear_positions(m, y), wt.gear_matrix(m) @ yd
    exact = wt.forward_dynamics(m, q, qd, np.array([0.0, motor[0], 0.0, motor[1]]))

    short = wt.Mechanism("short cut")
    for name in ("upper arm", "forearm"):
        body = m.bodies[m.body_number(name)]
        # The stator's side of the second motor stays on the upper arm: its rotor's mass does not vanish.
        inertia = body.inertia
        if name == "upper arm":
            rotor = m.bodies[m.body_number("rotor 2")]
            inertia = inertia + rotor.inertia.to_parent(rotor.placement.transform())
        short.add_body(name, body.joint, body.parent, body.placement, inertia, armature=100.0**2 * 2e-3)
    approximate = wt.aba(short, y, yd, np.array([r1, r2]) * motor)
    assert_allclose(approximate, exact[[0, 2]], rtol=0.02)
    assert not np.allclose(approximate, exact[[0, 2]], rtol=1e-4)
