"""Which function knows how two shapes touch: one row for each pair of kinds."""

from ...errors import ModelError, with_article
from ...shapes import Shape
from .shape_pairs.ball_ball import capsule_on_capsule, sphere_on_capsule, sphere_on_sphere
from .shape_pairs.ball_box import sphere_on_box
from .shape_pairs.ball_heights import balls_on_heights
from .shape_pairs.ball_landscape import balls_on_landscape
from .shape_pairs.ball_plane import balls_on_plane
from .shape_pairs.box_box import box_on_box
from .shape_pairs.convex_convex import CONVEX_KINDS, nearest_points
from .shape_pairs.cylinder_plane import cylinder_on_plane
from .shape_pairs.ellipsoid_plane import ellipsoid_on_plane
from .touch import PairFunction, swapped

PAIRS: dict[tuple[str, str], PairFunction] = {
    ("sphere", "plane"): balls_on_plane,
    ("capsule", "plane"): balls_on_plane,
    ("box", "plane"): balls_on_plane,
    ("mesh", "plane"): balls_on_plane,
    ("cylinder", "plane"): cylinder_on_plane,
    ("ellipsoid", "plane"): ellipsoid_on_plane,
    ("sphere", "landscape"): balls_on_landscape,
    ("capsule", "landscape"): balls_on_landscape,
    ("box", "landscape"): balls_on_landscape,
    ("mesh", "landscape"): balls_on_landscape,
    ("sphere", "heights"): balls_on_heights,
    ("capsule", "heights"): balls_on_heights,
    ("sphere", "sphere"): sphere_on_sphere,
    ("sphere", "capsule"): sphere_on_capsule,
    ("capsule", "capsule"): capsule_on_capsule,
    ("sphere", "box"): sphere_on_box,
    ("box", "box"): box_on_box,
}
"""Pairs in closed form, which can be recorded. Each is found the other way round too."""


def pair_function(a: Shape, b: Shape) -> PairFunction:
    """How two shapes touch; ModelError if nobody knows."""
    if (a.kind, b.kind) in PAIRS:
        return PAIRS[a.kind, b.kind]
    if (b.kind, a.kind) in PAIRS:
        return swapped(PAIRS[b.kind, a.kind])
    if {a.kind, b.kind} <= CONVEX_KINDS:
        return nearest_points
    known = ", ".join(f"{x} on {y}" for x, y in PAIRS)
    raise ModelError(
        f"there is no contact of {with_article(a.kind)} with {with_article(b.kind)}; known: {known}, and any "
        f"two of {', '.join(sorted(CONVEX_KINDS))}; more: PAIRS in whippletree.contact"
    )
