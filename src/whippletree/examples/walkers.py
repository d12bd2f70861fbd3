"""Legs of walking machines, in the x-y plane with gravity along -y; closed at q = 0."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Placement
from .bars import Linkage, Point

JANSEN = {
    "a": 0.380, "b": 0.415, "c": 0.393, "d": 0.401, "e": 0.558, "f": 0.394, "g": 0.367,
    "h": 0.657, "i": 0.490, "j": 0.500, "k": 0.619, "l": 0.078, "m": 0.150,
}  # fmt: skip
"""Theo Jansen's "holy numbers", by his letters, a hundredth of his: m."""


def jansen_leg() -> Mechanism:
    """Theo Jansen's leg: a crank moves a foot along a flat stretch and back through the air."""
    n = JANSEN
    axle, pivot, pin = (0.0, 0.0), (-n["a"], -n["l"]), (n["m"], 0.0)
    top = meeting(pivot, n["b"], pin, n["j"])
    heel = meeting(pivot, n["d"], top, n["e"])
    knee = meeting(pin, n["k"], pivot, n["c"])
    ankle = meeting(knee, n["g"], heel, n["f"])
    foot = meeting(knee, n["i"], ankle, n["h"])
    linkage = Linkage("jansen-leg")
    linkage.bar("crank", axle, pin, mass=0.3)
    linkage.bar("upper-rod", pin, top, parent="crank", mass=0.5)
    linkage.bar("lower-rod", pin, knee, parent="crank", mass=0.6)
    linkage.plate("shoulder", (pivot, top, heel), mass=1.2)
    linkage.bar("stay", pivot, knee, mass=0.4)
    linkage.bar("link", heel, ankle, parent="shoulder", mass=0.4)
    linkage.plate("shank", (knee, ankle, foot), parent="stay", mass=1.5)
    linkage.pin("top", top, "upper-rod", "shoulder")
    linkage.pin("knee", knee, "lower-rod", "stay")
    linkage.pin("ankle", ankle, "link", "shank")
    linkage.m.add_frame("foot", "shank", Placement((foot[0] - knee[0], foot[1] - knee[1], 0.0)))
    return linkage.m


def meeting(a: Point, ra: float, b: Point, rb: float) -> Point:
    """Where two circles meet, to the left of the way from a to b."""
    way = np.array(b) - np.array(a)
    d = float(np.hypot(*way))
    along = (d * d + ra * ra - rb * rb) / (2.0 * d)
    aside = np.sqrt(ra * ra - along * along)
    x, y = np.array(a) + (along * way + aside * np.array([-way[1], way[0]])) / d
    return (float(x), float(y))


KLANN = {
    "AC": 0.175, "BH": 0.237, "CF": 0.734, "CH": 0.388, "DE": 0.341,
    "EF": 0.577, "EG": 1.117, "FG": 0.590, "FH": 0.352,
}  # fmt: skip
"""A Klann linkage: A, B, D on the frame, C the crank's pin, H, F on its rod, E, F, G on the leg: m."""


def klann_leg() -> Mechanism:
    """Joe Klann's leg: a crank, a rod, two rockers and a leg, whose foot steps over what is in its way."""
    n = KLANN
    axle, lower, upper, pin = (0.0, 0.0), (-0.388, -0.125), (-0.146, 0.419), (n["AC"], 0.0)
    elbow = meeting(lower, n["BH"], pin, n["CH"])
    knee = meeting(elbow, n["FH"], pin, n["CF"])
    hip = meeting(knee, n["EF"], upper, n["DE"])
    foot = meeting(hip, n["EG"], knee, n["FG"])
    linkage = Linkage("klann-leg")
    linkage.bar("crank", axle, pin, mass=0.3)
    linkage.plate("rod", (pin, elbow, knee), parent="crank", mass=1.0)
    linkage.bar("lower-rocker", lower, elbow, mass=0.4)
    linkage.bar("upper-rocker", upper, hip, mass=0.5)
    linkage.plate("leg", (hip, knee, foot), parent="upper-rocker", mass=1.6)
    linkage.pin("elbow", elbow, "rod", "lower-rocker")
    linkage.pin("knee", knee, "rod", "leg")
    linkage.m.add_frame("foot", "leg", Placement((foot[0] - hip[0], foot[1] - hip[1], 0.0)))
    return linkage.m
