"""Body frames that spend fewer operations (RBDA §4.3, §A.4).

Where a joint has an axis, the frame of the body it carries may be turned about that axis and shifted
along it: the joint moves as before, its angle counted from another zero. That freedom is used as
Denavit and Hartenberg did. With the x axis on the common normal of two joint axes, the transform from
one to the next is a screw about x and a screw about z; without, it takes one screw more.
"""

from dataclasses import dataclass, replace
from math import atan2, cos, hypot, sin

import numpy as np

from ..joints.axis_joint import AxisJoint
from ..model.equivalent_inertias import simple_inertias
from ..model.fields import with_open
from ..model.loop_coordinates import counted_turns
from ..model.mechanism import Mechanism
from ..spatial import Array, Inertia, Placement, Transform, TransformProduct, cross, dot
from ..spatial.rotation import to_euler

EPSILON = 1e-14
"""Sines, cosines and lengths below this are taken for zero: they come from rounding a right angle."""


CANDIDATES = 8
"""How many of a body's children are asked for a frame; each is priced against all of them."""


PARALLEL = 1e-2
"""Axes that include an angle with a sine below this count as parallel when a normal is looked for."""


@dataclass(frozen=True)
class Reframed:
    """A mechanism in cheaper frames. A position q of the original is q + offset here; qd and tau agree."""

    mechanism: Mechanism
    offset: Array


def reframe(m: Mechanism) -> Reframed:
    """The same mechanism with body frames chosen for cheap transforms.

    What does not depend on the choice of body frames is the same for both: joint forces and
    accelerations, the inertia matrix, loop constraints, energies, momentum. Gears and loops are kept,
    named frames are left out.
    """
    places = [body.placement for body in m.bodies]
    places += [place for loop in m.loops for place in (loop.placement_p, loop.placement_s)]
    if any(place.position.dtype == object for place in places):
        return Reframed(m, np.zeros(m.nq))  # lengths left open: no frame can be chosen beforehand
    joints = [body.joint.on_axis() for body in m.bodies]
    children: list[list[int]] = [[] for _ in range(len(m) + 1)]
    for i, parent in enumerate(m.parents):
        children[parent + 1].append(i)
    # Place i + 1 belongs to body i, the first one to the ground.
    frames = [_choose_frame(m, joints, i, children[i + 1]) for i in range(-1, len(m))]
    x, y, z = dot(frames[0].rotation.T, np.array(m.gravity))
    bodies, X_T = [], []
    offset = np.zeros(m.nq)
    for i, body in enumerate(m.bodies):
        old = frames[m.parents[i] + 1].inverse() @ body.placement
        inertia = body.inertia.to_child(frames[i + 1].transform())
        joint = joints[i]
        if joint is None:
            bodies.append(replace(body, placement=old, inertia=_clean_inertia(inertia)))
            X_T.append(old.transform())
            continue
        screws, angle, shift = _screws((old @ frames[i + 1]).transform())
        # Quarter turns cost nothing as rotations, an offset would.
        if np.isfinite(joint.screw_pitch) and not _is_quarter(angle):
            offset[m.q_index[i].start] = angle
            # A screw that starts from another angle starts from another height.
            shift = shift - joint.screw_pitch * angle
            angle = 0.0
        last = Transform(_about("z", angle), np.array([0.0, 0.0, _clean_number(shift)]))
        X_T.append(TransformProduct(last, *screws))
        placement = Placement.of(X_T[i])
        bodies.append(
            replace(body, joint=joint.along("z"), placement=placement, inertia=_clean_inertia(inertia))
        )
    loops, gears = [], []
    for loop in m.loops:
        p, s = (m.body_number(body) for body in (loop.predecessor, loop.successor))
        placement_p = _clean_placement(frames[p + 1].inverse() @ loop.placement_p)
        placement_s = _clean_placement(frames[s + 1].inverse() @ loop.placement_s)
        loops.append(replace(loop, placement_p=placement_p, placement_s=placement_s))
    cheap = Mechanism(m.name).with_parts(gravity=(x, y, z), X_T=X_T, bodies=bodies, loops=loops)

    def ahead(joint: str) -> float:
        if not m.has("loop", joint):
            return float(offset[m.q_index[m.joint_number(joint)].start])
        # A loop joint is where it was, but that its turns may be counted from another zero.
        old, new = (counted_turns(made, made.loops[m.number("loop", joint)]) for made in (m, cheap))
        if old is None or new is None:
            return 0.0
        zero = new.zero + sum(sign * offset[k] for k, sign in new.signs.items())
        return 2.0 * np.pi * round((zero - old.zero) / (2.0 * np.pi))

    for gear in m.gears:
        drivers = sum(ratio * ahead(driver) for driver, ratio in gear.terms)
        gears.append(with_open(gear, offset=gear.offset + ahead(gear.driven) - drivers))
    return Reframed(cheap.with_parts(gears=gears, X_T=X_T), offset)


def pass_inertias_on(m: Mechanism) -> Mechanism:
    """A mechanism made here with equivalent inertias that have more zeros (RBDA §9.7)."""
    inertias = simple_inertias(m)
    bodies = [replace(body, inertia=inertia) for body, inertia in zip(m.bodies, inertias, strict=True)]
    return m.with_parts(bodies=bodies, X_T=m.X_T)


def _choose_frame(m: Mechanism, joints: list[AxisJoint | None], i: int, children: list[int]) -> Placement:
    """Where in body i's old frame its new one sits: the candidate with the cheapest ways to its children."""
    joint = joints[i] if i != -1 else None
    if i != -1 and joint is None:
        return Placement()
    axes = [
        (m.bodies[c].placement.position, dot(m.bodies[c].placement.rotation, np.array(child.axis)))
        for c in children
        if (child := joints[c]) is not None
    ]
    if joint is None and not axes:
        return Placement()
    # The ground may be turned at will: its z axis is that of the first joint on it.
    origin, z = (np.zeros(3), np.array(joint.axis)) if joint is not None else axes[0]
    normals = [_common_normal(origin, z, point, direction) for point, direction in axes[:CANDIDATES]]
    candidates = [(0.0, _across(z)), *normals]
    frames = [_frame(origin + t * z, x, z) for t, x in candidates]
    return Placement.of(min(frames, key=lambda frame: sum(_price(frame, *axis) for axis in axes)))


def _across(z: Array) -> Array:
    """A coordinate axis, or what of it is normal to the given unit vector; never of small length."""
    first = next(k for k in range(3) if abs(z[k]) < 0.8)
    return cross(z, cross(np.eye(3)[first], z))


def _common_normal(origin: Array, z: Array, point: Array, direction: Array) -> tuple[float, Array]:
    """Foot on the axis (origin, z), as distance along it, and direction of its normal to another line."""
    normal = cross(z, direction)
    square = dot(normal, normal)
    between = point - origin
    if square < PARALLEL**2:  # the normal through the other line's own point
        t = float(dot(between, z))
        x = between - t * z
        if dot(x, x) < 1e-20:  # the same line
            x = _across(z)
        return t, x
    return float(dot(cross(between, direction), normal) / square), normal


def _frame(origin: Array, x: Array, z: Array) -> Transform:
    """To the frame with these two axes, given by directions at right angles, z of length 1."""
    x = x / np.sqrt(dot(x, x))
    return Transform(_clean(np.array([x, cross(z, x), z])), _clean(origin))


def _price(frame: Transform, point: Array, direction: Array) -> int:
    """Multiplications of a vector on its way from a frame to a child with the given axis."""
    p, (x, y, z) = dot(frame.E, point - frame.r), dot(frame.E, direction).tolist()
    alpha = atan2(hypot(x, y), z)
    beta, shifts = _shifts(p.tolist(), atan2(x, -y), alpha)
    turns = [cos(alpha), sin(alpha), cos(beta), sin(beta)]
    return 2 * sum(abs(x) >= EPSILON and abs(abs(x) - 1.0) >= EPSILON for x in (*turns, *turns, *shifts))


def _screws(X: Transform) -> tuple[list[Transform], float, float]:
    """A placement as Rz(β) shifted by b, Rx(α) shifted by a, Rz(angle) shifted by d, each along its axis.

    Args:
        X: To the frame that is placed.

    Returns:
        The transforms of the first two, the second first, those that change nothing left out; angle, rad;
        d, m.
    """
    old_beta, alpha, angle = to_euler(X.E.T, "zxz").tolist()
    beta, shifts = _shifts(X.r.tolist(), old_beta, alpha)
    angle += old_beta - beta if cos(alpha) > 0.0 else beta - old_beta
    x, *along_z, d = (_clean_number(shift) for shift in shifts)
    screws = [
        Transform(_about("x", alpha), np.array([x, 0.0, 0.0])),
        Transform(_about("z", beta), np.array([0.0] * (3 - len(along_z)) + along_z)),
    ]
    moving = [X for X in screws if X.r.any() or not np.array_equal(X.E, np.eye(3))]
    return moving, _clean_number(angle), d


def _shifts(p: list[float], beta: float, alpha: float) -> tuple[float, list[float]]:
    """β, which may be any angle if the axes are parallel, and the shifts a, b, d of `_screws`.

    Where the axes are nearly parallel the feet of the common normal are far away: there b is all of p, which
    loses no digits, and the others are 0.
    """
    p1, p2, p3 = p
    c, s = cos(alpha), sin(alpha)
    if abs(s) < EPSILON:  # β points to the other axis
        beta = atan2(p2, p1) if hypot(p1, p2) > EPSILON else 0.0
    elif abs(s) < PARALLEL:
        return beta, [0.0, p1, p2, p3, 0.0]
    along, across = p1 * cos(beta) + p2 * sin(beta), p2 * cos(beta) - p1 * sin(beta)
    d = -across / s if abs(s) >= PARALLEL else 0.0
    return beta, [along, p3 - d * c, d]


def _is_quarter(angle: float) -> bool:
    """Whether an angle is a multiple of π/2."""
    return abs(sin(2.0 * angle)) < EPSILON


def _about(axis: str, angle: float) -> Array:
    """E of a turn about x or z, right angles exact."""
    c, s = _clean_number(cos(angle)), _clean_number(sin(angle))
    if axis == "x":
        return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def _clean(values: Array) -> Array:
    """The values with what is whole but for rounding made exactly so."""
    rounded = np.round(values)
    return np.where(np.abs(values - rounded) < EPSILON, rounded, values) + 0.0


def _clean_number(value: float) -> float:
    """The same for a single number."""
    rounded = float(round(value))
    return (rounded if abs(value - rounded) < EPSILON else value) + 0.0


def _clean_placement(placement: Placement) -> Placement:
    return Placement.of(Transform(_clean(placement.rotation.T), _clean(placement.position)))


def _clean_inertia(inertia: Inertia) -> Inertia:
    """The inertia without the dust that rotations leave: terms far below the largest of their kind."""
    if inertia.I.dtype == object:  # numbers left open
        return inertia
    return Inertia.from_parts(inertia.m, _without_dust(inertia.h), _without_dust(inertia.I))


def _without_dust(values: Array) -> Array:
    """The values with those that are far below the largest one made zero."""
    numbers = values.tolist()
    least = EPSILON * max(map(abs, numbers))
    return np.array([0.0 if abs(x) < least else x for x in numbers])
