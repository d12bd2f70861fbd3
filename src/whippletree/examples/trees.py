"""Branched trees."""

from ..joints import Revolute, SphericalEuler, Universal
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement


def tutorial_tree() -> Mechanism:
    """Four links and seven freedoms, the third and the fourth link on the second: figure 1 of Liu and Jain.

    The figure gives parents p = (0, 1, 2, 2) and freedoms n = (2, 3, 1, 1); sizes and masses are ours.
    """
    m = Mechanism("tutorial-tree")
    m.add_body("link1", Universal("x", "y"), inertia=Inertia.box((0.2, 0.1, 0.5), mass=3.0))
    m.add_body("link2", SphericalEuler("xyz"), "link1", Placement((0.05, 0.0, 0.3)), _bar(0.4, 2.0))
    m.add_body("link3", Revolute("y"), "link2", Placement((0.15, 0.0, 0.4)), _bar(0.35, 1.2))
    m.add_body("link4", Revolute("x"), "link2", Placement((-0.15, 0.0, 0.4)), _bar(0.3, 0.9))
    m.add_frame("tip3", "link3", Placement((0.0, 0.0, 0.35)))
    m.add_frame("tip4", "link4", Placement((0.0, 0.0, 0.3)))
    return m


def _bar(length: float, mass: float) -> Inertia:
    """A square bar, 6 cm thick, that rises from its joint."""
    return Inertia.box((0.06, 0.06, length), mass=mass, placement=Placement((0.0, 0.0, 0.5 * length)))
