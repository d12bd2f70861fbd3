"""Spheres and capsules against each other: the nearest points of two centres or centre lines."""

from typing import Any

from ....shapes import Capsule, Sphere
from ....spatial import maximum, minimum, where
from ..touch import TINY, Pose, Touch, between, beyond, clamp


def sphere_on_sphere(a: Sphere, A: Pose, b: Sphere, B: Pose) -> list[Touch]:
    """One candidate, on the line of the centres."""
    return [between(A.p, a.radius, B.p, b.radius, B.R[:, 2])]


def sphere_on_capsule(a: Sphere, A: Pose, b: Capsule, B: Pose) -> list[Touch]:
    """One candidate, at the point of the capsule's centre line that is nearest to the sphere's centre."""
    k, half = B.R[:, 2], 0.5 * b.length
    along = k @ (A.p - B.p)
    touch = between(A.p, a.radius, B.p + clamp(along, -half, half) * k, b.radius, B.R[:, 0])
    return [touch._replace(feature=beyond(along, -half, half))]


def capsule_on_capsule(a: Capsule, A: Pose, b: Capsule, B: Pose) -> list[Touch]:
    """One candidate, at the nearest points of the centre lines; the middle of those that lie side by side."""
    s, t = nearest_on_lines(A, 0.5 * a.length, B, 0.5 * b.length)
    on_a, on_b = A.p + s * A.R[:, 2], B.p + t * B.R[:, 2]
    return [between(on_a, a.radius, on_b, b.radius, B.R[:, 0])]


def nearest_on_lines(A: Pose, half_a: float, B: Pose, half_b: float) -> tuple[Any, Any]:
    """How far along their z axes the nearest points of two lines of given half lengths lie, m.

    The unbounded lines first, then each bound in turn (Ericson, Real-Time Collision Detection, §5.1.9).
    """
    ka, kb, apart = A.R[:, 2], B.R[:, 2], A.p - B.p
    cosine, along_a, along_b = ka @ kb, ka @ apart, kb @ apart
    square = 1.0 - cosine * cosine
    parallel = square < TINY**0.5
    crossing = (cosine * along_b - along_a) / where(parallel, 1.0, square)
    beside = 0.5 * (maximum(-half_a, -along_a - half_b) + minimum(half_a, half_b - along_a))
    s = clamp(where(parallel, beside, crossing), -half_a, half_a)
    t = clamp(cosine * s + along_b, -half_b, half_b)
    return clamp(cosine * t - along_a, -half_a, half_a), t
