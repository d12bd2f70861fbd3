"""The summary says what is in the mechanism."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import randoms
import whippletree as wt
from whippletree.model.summary import mass_and_center
from whippletree.model.wording import describe


def words(line: str) -> str:
    """The line with single blanks."""
    return " ".join(line.split())


def test_humanoid() -> None:
    m = wt.examples.load("humanoid")
    lines = m.summary().splitlines()
    assert lines[0].startswith("humanoid: 24 bodies, nq = 30, nv = 29, 66.45 kg, centre of mass (")
    assert lines[0].endswith("at the neutral position, gravity (0, 0, -9.81) m/s²")
    headings = "# body joint type parent q qd mass [kg] centre of mass [m] limits velocity effort"
    assert words(lines[2]) == headings
    rows = {line.split()[1]: line for line in lines[3 : 3 + len(m)]}
    assert list(rows) == [body.name for body in in_tree_order(m)]
    assert words(rows["pelvis"]) == "0 pelvis root Free ground 0:7 0:6 9 (0, 0, 0)"
    knee = "7 left_shank left_knee Revolute y left_thigh 13 12 3.2 (0, 0, -0.19) 0 … 2.4 rad 10 160"
    assert words(rows["left_shank"]) == knee
    # Each step away from the root is one step of indentation; columns stand under their headings.
    column = lines[2].index("body")
    for name, depth in (("pelvis", 0), ("chest", 1), ("neck", 2), ("head", 3), ("left_foot", 6)):
        assert rows[name].index(name, column) == column + 2 * depth
        mass = f"{m.bodies[m.body_number(name)].inertia.m:.4g}"
        assert rows[name][lines[2].index("mass") :].startswith(mass)
    assert "frames:" in lines
    assert "  left_sole on left_foot at (0.04, 0, -0.085)" in lines


def in_tree_order(m: wt.Mechanism, i: int = -1) -> list[wt.Body]:
    below = [body for child in m.children(i) for body in in_tree_order(m, child)]
    return below if i == -1 else [m.bodies[i], *below]


def test_gears_warnings_and_limits() -> None:
    m = wt.Mechanism("press", gravity=(0, 0, 0))
    screw = wt.Helical((0, 0, -1), pitch=0.01)
    m.add_body("nut", wt.Reversed(screw), inertia=wt.Inertia(2.0), limits=wt.Limits(upper=7.5))
    m.add_body("ram", wt.Prismatic((0.6, 0, 0.8)), limits=wt.Limits(-0.1, 0.1, effort=900.0))
    m.add_gear("belt", driver="nut", driven="ram", ratio=-0.5, offset=0.25)
    m.warnings.append("line 4: no transmission is carried")
    m.add_spring("coil", "ground", (0, 0, 1), "ram", (0.5, 0, 0), stiffness=3.0, damping=0.25, length=0.1)
    m.add_loop("eye", wt.Spherical(), "nut", "ram", wt.Placement((0, 0, 0.5)))
    m.add_force("load", "ram", (0, 0, -90.5), reference="aligned")
    m.add_body("stop", wt.Fixed(), limits=wt.Limits(lower=-2.0))
    # A massless body has no centre of mass; without a velocity limit there is no column for it.
    assert [words(line) for line in m.summary().splitlines()] == [
        "press: 3 bodies, nq = 2, nv = 2, 1 loop, 2 kg, centre of mass (0, 0, 0) m at the neutral position, "
        "gravity (0, 0, 0) m/s²",
        "",
        "# body joint type parent q mass [kg] centre of mass [m] limits effort",
        "0 nut nut Reversed Helical -z pitch 0.01 ground 0 2 (0, 0, 0) ≤ 7.5 rad",
        "1 ram ram Prismatic (0.6, 0, 0.8) ground 1 0 ±0.1 m 900",
        "2 stop stop Fixed ground 0 ≥ -2",
        "",
        "loops:",
        "eye: Spherical from nut at (0, 0, 0.5) to ram at (0, 0, 0)",
        "",
        "gears:",
        "belt: ram = -0.5 · nut + 0.25",
        "",
        "springs:",
        "coil: ground (0, 0, 1) to ram (0.5, 0, 0), 3 N/m, 0.25 N s/m, length 0.1 m",
        "",
        "forces:",
        "load: on ram, (0, 0, -90.5) N, (0, 0, 0) N m, aligned",
        "",
        "warnings:",
        "line 4: no transmission is carried",
    ]


def test_a_mechanism_without_bodies() -> None:
    assert wt.Mechanism("empty").summary().splitlines() == [
        "empty: 0 bodies, nq = 0, nv = 0, 0 kg, gravity (0, 0, -9.81) m/s²",
        "",
        "#  body",
    ]


def test_totals_are_those_of_the_algorithms() -> None:
    rng = np.random.default_rng(3)
    m = randoms.tree(rng, sorted(randoms.JOINTS))
    mass, com = mass_and_center(m)
    assert com is not None
    np.testing.assert_allclose(mass, wt.total_mass(m), rtol=1e-14)
    np.testing.assert_allclose(com, wt.center_of_mass(m, m.neutral()), rtol=1e-12)


def test_long_chains_stay_narrow() -> None:
    m = wt.Mechanism("chain")
    for i in range(2000):
        m.add_body(f"b{i}", wt.Revolute("z"), f"b{i - 1}" if i else "ground")
    lines = m.summary().splitlines()
    assert len(lines) == 2003
    assert max(map(len, lines)) < 120


@dataclass(frozen=True)
class Cam(wt.Translation):
    """A user's own joint, with parameters of its own."""

    lift: float = 0.5
    profile: str = "sine"
    steps: ClassVar[int] = 3


class Bare(wt.Translation):
    """A user's own joint that is no dataclass itself."""


def test_joints_are_described_by_what_they_take() -> None:
    assert describe(Cam()) == "Cam lift 0.5 sine"
    assert describe(Bare()) == "Bare"
    assert describe(wt.Universal("x", "-y")) == "Universal x -y"
    assert describe(wt.SphericalEuler("zxz")) == "SphericalEuler zxz"
    assert describe(wt.RackPinion(radius=0.25)) == "RackPinion radius 0.25 z x"
    assert describe(wt.Free()) == "Free"
