"""Tops: one body that turns in space."""

from ..joints import Free, Spherical
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement


def spinning_top() -> Mechanism:
    """A symmetric top on a fixed tip: a disc of 0.5 kg on a thin stem, upright at the neutral position."""
    m = Mechanism("spinning-top")
    disc = Inertia.cylinder(0.06, 0.02, mass=0.5, placement=Placement((0.0, 0.0, 0.05)))
    stem = Inertia.rod((0.0, 0.0, 0.0), (0.0, 0.0, 0.1), mass=0.04)
    m.add_body("top", Spherical(), inertia=disc + stem)
    m.add_frame("stem", "top", Placement((0.0, 0.0, 0.1)))
    return m


def asymmetric_top() -> Mechanism:
    """A book of three unequal edges that tumbles in space, without gravity."""
    m = Mechanism("asymmetric-top", gravity=(0.0, 0.0, 0.0))
    m.add_body("book", Free(), inertia=Inertia.box((0.24, 0.17, 0.04), density=750.0))
    m.add_frame("corner", "book", Placement((0.12, 0.085, 0.02)))
    return m
