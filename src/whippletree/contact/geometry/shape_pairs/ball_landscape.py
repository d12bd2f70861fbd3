"""Balls and corners against a height function: sphere, capsule, box, convex mesh."""

from typing import Any

from ....shapes import Landscape, Shape
from ....spatial import Array, array
from ..balls import balls_of
from ..duals import Dual
from ..touch import Pose, Touch, unit

ROUNDS = 4
"""Newton steps to the nearest point; they double the digits wherever a ball fits into every hollow."""


def balls_on_landscape(a: Shape, A: Pose, b: Landscape, B: Pose) -> list[Touch]:
    """Each ball or corner of a against z = f(x, y), at the nearest point of that surface."""
    touches = []
    for center, radius in balls_of(a):
        place = B.R.T @ (A.p + A.R @ center - B.p)
        u, v = nearest(b.function, place, place[0], place[1], ROUNDS)
        touches.append(touch_at(b.function, place, u, v, radius, B))
    return touches


def nearest(function: Any, place: Array, u: Any, v: Any, rounds: int) -> tuple[Any, Any]:
    """(u, v) of the point of z = f(u, v) that is nearest to a place (3,), by Newton's steps from a guess."""
    x, y, z = place
    for _ in range(rounds):
        f, fu, fv, fuu, fuv, fvv = second_order(function, u, v)
        # The gradient of half the squared distance is zero where the surface is nearest.
        rise = f - z
        gu, gv = u - x + rise * fu, v - y + rise * fv
        huu, huv, hvv = 1.0 + fu * fu + rise * fuu, fu * fv + rise * fuv, 1.0 + fv * fv + rise * fvv
        determinant = huu * hvv - huv * huv
        u, v = u - (hvv * gu - huv * gv) / determinant, v - (huu * gv - huv * gu) / determinant
    return u, v


def touch_at(function: Any, place: Array, u: Any, v: Any, radius: float, B: Pose) -> Touch:
    """The candidate of a ball around a place (3,) with its nearest point at (u, v), in the axes of B."""
    x, y, z = place
    f, fu, fv, *_ = second_order(function, u, v)
    _, n = unit(array([-fu, -fv, 1.0]), array([0.0, 0.0, 1.0]))
    distance = n @ array([x - u, y - v, z - f])
    n, on_b = B.R @ n, B.p + B.R @ array([u, v, f])
    return Touch(distance - radius, n, on_b + (distance - radius) * n, on_b)


def second_order(function: Any, u: Any, v: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """f and its derivatives f_u, f_v, f_uu, f_uv, f_vv, by dual numbers above those that u and v may be."""

    def along(du: tuple[float, float], dv: tuple[float, float]) -> Any:
        parts = [Dual(Dual(x, d[0], INNER), Dual(d[1], 0.0, INNER), OUTER) for x, d in ((u, du), (v, dv))]
        return _full(function(*parts))

    (f, fu), (_, fuu) = along((1.0, 1.0), (0.0, 0.0))
    (_, fv), (_, fvv) = along((0.0, 0.0), (1.0, 1.0))
    _, (_, fuv) = along((1.0, 0.0), (0.0, 1.0))
    return f, fu, fv, fuu, fuv, fvv


INNER, OUTER = 2, 3
"""Levels of the two directions in the plane; time is below."""


def _full(value: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """((f, inner rate), (outer rate, both rates)) of a result that need not depend on anything."""

    def split(x: Any, level: int) -> tuple[Any, Any]:
        return (x.value, x.rate) if isinstance(x, Dual) and x.level == level else (x, 0.0)

    value, rate = split(value, OUTER)
    return split(value, INNER), split(rate, INNER)
