"""Every public algorithm runs with floats, complex numbers and object scalars, and means the same.

Source of truth: the run with floats; for the imaginary part of a complex step, central differences.
"""

import inspect
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from counting import counting, values
from whippletree.checks.checking import PUBLIC

LINKS = ("v_links", "w_links", "f_links", "tau_links", "points", "body_torques", "joint_torques")
VECTORS = ("q", "qd", "qdd", "tau", "x", "y", "qdd_joints", "f_ext", "v", *LINKS)


def public_algorithms():
    """Those that take a mechanism and a vector; others have no scalar to be generic in."""
    return [name for name, door in PUBLIC.items() if set(inspect.signature(door).parameters) & set(VECTORS)]


def everything(rng):
    """A floating tree with every joint type behind the base, a spring, a damper, friction and a force."""
    m = randoms.floating_tree(rng, list(rng.permutation(list(randoms.JOINTS))))
    m.add_body(
        "flap", wt.Revolute("y"), "b3", inertia=randoms.inertia(rng), stiffness=3.0, damping=0.7, friction=0.4
    )
    m.add_frame("tool", "b9", randoms.placement(rng))
    m.add_spring("s", "b2", (0.1, 0.3, -0.2), "b11", (0.4, -0.1, 0.2), stiffness=7.0, damping=0.6, length=0.5)
    m.add_force("f", "tool", (0.3, -0.8, 0.5), (0.2, 0.1, -0.4), "aligned")
    return m


def geared(rng):
    """A tree with gears, one of them behind another."""
    m = randoms.tree(rng, ["revolute", "helical", "spherical", "prismatic", "rack-pinion"])
    m.add_gear("first", "b0", "b1", ratio=-1.7, offset=0.3)
    m.add_gear("second", "b1", "b4", ratio=0.6, offset=-0.2)
    return m


def looped(rng):
    """A tree with loops between branches and to the ground."""
    m = randoms.tree(rng, ["revolute", "universal", "spherical", "planar", "spherical-zyx", "rack-pinion"])
    ends = [("b5", "b3"), ("ground", "b4"), ("b1", "ground")]
    for k, joint in enumerate([wt.Universal("x", "y"), wt.Cylindrical((0.3, 0.2, 0.9)), wt.RackPinion(0.2)]):
        m.add_loop(f"loop{k}", joint, *ends[k], randoms.placement(rng), randoms.placement(rng))
    return m


def touching(rng):
    """A tree with a ball, a capsule and a box over a plane, and two of them beside each other."""
    m = everything(rng)
    m.add_shape("ball", wt.Sphere(0.2), "b4", randoms.placement(rng))
    m.add_shape("pill", wt.Capsule(0.1, 0.4), "b7", randoms.placement(rng))
    m.add_shape("brick", wt.Box((0.1, 0.2, 0.3)), "b9", randoms.placement(rng))
    m.add_shape("floor", wt.Plane(), placement=randoms.placement(rng))
    for name in ("ball", "pill", "brick"):
        m.add_contact(f"{name} down", name, "floor")
    m.add_contact("pair", "ball", "pill")
    return m


def with_rates(rng):
    """A tree of every joint type whose velocities are the rates of its coordinates."""
    return randoms.tree(
        rng, [name for name in randoms.JOINTS if name not in ("spherical", "free", "planar", "rolling-disc")]
    )


LOOPS = {name for name in public_algorithms() if PUBLIC[name].__module__.startswith("whippletree.loops")}
RECORDABLE = {
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "loop_joint_position",
    "loop_joint_velocity",
}
"""Functions of loops that do not look for the rank of K, which takes decisions by value."""

# Factors are objects, which the inverse of H is made of; gear positions need gears.
OTHERS = {"factor_ltl", "factor_ltdl", "gear_positions"}
# A pseudo-inverse decides by values what the rank is.
FITS = {
    "generalized_velocities",
    "generalized_velocities_by_link",
    "cartesian_forces",
    "forces_and_joint_torques",
    "joint_torques",
}
RATES = {"mass_matrix_gradient", "coriolis_from_mass_matrix"}
OTHERS |= FITS | RATES
CONTACT = {"gaps", "contact_frames", "contact_jacobian", "contact_velocity", "contact_bias"}
OTHER_ROOMS = (
    "whippletree.contact",  # but for those above: they solve problems in numbers
    "whippletree.analysis",
    "whippletree.benchmark",
    "whippletree.formulations.reduction",  # for loops; recorded in tests of their own
    "whippletree.formulations.special_coordinates",  # most give nodes, not arrays; recorded likewise
    "whippletree.formulations.semi_recursive.partitioning",  # these three for tree joints of a plane
    "whippletree.formulations.semi_recursive.planar_constraints",
    "whippletree.formulations.semi_recursive.spatial_constraints",
)
OTHERS |= {name for name, door in PUBLIC.items() if door.__module__.startswith(OTHER_ROOMS)}
OTHERS |= {"method_choice", "assembly_derivatives"}  # by numbers
CASES = [(name, everything) for name in public_algorithms() if name not in LOOPS | OTHERS]
CASES += [(name, looped) for name in sorted(RECORDABLE)]
CASES += [(name, touching) for name in sorted(CONTACT)]
CASES += [(name, with_rates) for name in sorted(RATES)]
CASES += [(name, geared) for name in ("forward_dynamics", "inverse_dynamics", "gear_positions")]


class Case:
    """An algorithm with all its arguments at a state that may move along a direction."""

    def __init__(self, name, build):
        self.rng = rng = np.random.default_rng(7)
        self.m = m = build(rng)
        self.function = PUBLIC[name]
        self.names = [n for n in inspect.signature(self.function).parameters if n != "m"]
        G = wt.gear_matrix(m)
        q, qd = randoms.geared_state(rng, m)
        self.at = {
            "q": q,
            "qd": qd,
            "qdd": G @ rng.normal(size=G.shape[1]),
            "tau": rng.normal(size=m.nv),
            "x": rng.normal(size=m.nv),
            "v": rng.normal(size=6),
            "f_ext": rng.normal(size=(len(m), 6)),
            "y": rng.normal(size=m.nq - len(m.gears)),
            "qdd_joints": rng.normal(size=m.nv - 6) if m.nv > 6 else np.zeros(0),
        }
        self.at |= {name: rng.normal(size=(len(m), 3)) for name in LINKS}
        self.along = {name: rng.normal(size=value.shape) for name, value in self.at.items()}
        self.along["q"] = G @ rng.normal(size=G.shape[1])
        self.along["qd"] = G @ rng.normal(size=G.shape[1])
        self.along["qdd"] = G @ rng.normal(size=G.shape[1])
        self.other = {
            "frames": ["tool", "b4"],
            "prescribed": ["b2", "b7"],
            "frame": "tool",
            "body": "b4",
            "loop": "loop0",
            "reference": "aligned",
            "wrenches": {"tool": rng.normal(size=6), "b4": rng.normal(size=6)},
        }

    def state(self, step):
        """All vectors, moved by a step along the direction."""
        moved = {n: v + step * self.along[n] for n, v in self.at.items() if n != "q"}
        return moved | {"q": self.m.integrate(self.at["q"], step * self.along["q"])}

    def run(self, vectors):
        arguments = {n: (vectors | self.other)[n] for n in self.names if n in vectors | self.other}
        result = self.function(self.m, **arguments)
        return result if isinstance(result, tuple) else (result,)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1].__name__}")
def case(request):
    return Case(*request.param)


def test_object_scalars_give_the_same_numbers(case):
    tally = Counter()
    vectors = {name: counting(value, tally) for name, value in case.at.items()}
    for generic, plain in zip(case.run(vectors), case.run(case.at), strict=True):
        assert_allclose(values(generic), plain, rtol=1e-11, atol=1e-11 * np.max(np.abs(plain)))
    assert tally["mul"] > 0


def test_complex_step_gives_the_derivative(case):
    step, h = 1e-30, 1e-6
    complex_run, plain = case.run(case.state(1j * step)), case.run(case.at)
    before, after = case.run(case.state(-h)), case.run(case.state(h))
    for z, x, x0, x1 in zip(complex_run, plain, before, after, strict=True):
        assert_allclose(z.real, x, rtol=1e-11, atol=1e-11 * np.max(np.abs(x)))
        difference = (x1 - x0) / (2 * h)
        scale = np.max(np.abs(difference)) + np.max(np.abs(x))
        assert_allclose(z.imag / step, difference, rtol=0, atol=1e-7 * scale)


@pytest.mark.parametrize("name", sorted(FITS))
def test_what_decides_by_values_takes_neither_symbols_nor_complex_steps(name):
    case = Case(name, everything)
    with pytest.raises(wt.InputError, match="a rank is found from real numbers"):
        case.run(case.state(1e-30j))
    with pytest.raises(wt.TraceError, match=f"{name} cannot be compiled: .* depends on the numbers"):
        wt.compile(PUBLIC[name], case.m)
