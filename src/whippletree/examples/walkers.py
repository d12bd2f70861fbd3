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
