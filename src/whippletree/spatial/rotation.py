"""Representations of rotation and the conversions between them (RBDA §4.5, Liu & Jain eq 52-56).

R is always the orientation of a frame B in a frame A: its columns are B's axes in A's coordinates,
and it takes B's coordinates to A's. The book's E is Rᵀ. Quaternions are (w, x, y, z), of unit
norm. Angles in rad. Every function takes floats, complex numbers or symbolic scalars.
"""

import math
from typing import Any

import numpy as np

from .scalar import Array, arctan2, array, less, where
from .vectors import cross, dot, skew

AXES = {"x": 0, "y": 1, "z": 2}


def axis_rotation(axis: Array, angle: Any) -> Array:
    """(3, 3) R of a turn about a unit axis (3,).

    >>> np.round(axis_rotation(np.array([0.0, 0.0, 1.0]), np.pi / 2), 12)[0]
    array([ 0., -1.,  0.])
    """
    return _turn(axis, np.cos(angle), np.sin(angle))


def _turn(axis: Array, c: Any, s: Any) -> Array:
    """(3, 3) R of a turn about a unit axis (3,) by an angle whose cosine and sine are given."""
    x, y, z = axis.tolist()
    one = 1.0 - c
    xy, xz, yz = x * y * one, x * z * one, y * z * one
    xs, ys, zs = x * s, y * s, z * s
    # c (1 - x²) + x² rather than c + x² (1 - c): exact for the coordinate axes.
    return array(
        [
            [c * (1.0 - x * x) + x * x, xy - zs, xz + ys],
            [xy + zs, c * (1.0 - y * y) + y * y, yz - xs],
            [xz - ys, yz + xs, c * (1.0 - z * z) + z * z],
        ]
    )


def angle_about(axis: Array, R: Array) -> Any:
    """The angle by which R turns about a unit axis (3,), rad; inverse of `axis_rotation`.

    If R turns about another axis, the angle of the turn about `axis` that comes closest to R.

    >>> z = np.array([0.0, 0.0, 1.0])
    >>> float(round(angle_about(z, axis_rotation(z, 2.5)), 12))
    2.5
    """
    x, y = _direction_about(axis, R)
    return arctan2(y, x)


def _direction_about(axis: Array, R: Array) -> tuple[Any, Any]:
    """Cosine and sine of the angle by which R turns about a unit axis (3,), both times the same number."""
    sine = dot(axis, array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
    return R[0, 0] + R[1, 1] + R[2, 2] - dot(axis, dot(R, axis)), sine


def turn_about(axis: Array, R: Array) -> Array:
    """(3, 3) the turn about a unit axis (3,) that comes closest to R; 1 if all of them are as close.

    It is that by `angle_about`, which is not computed, nor is its sine or cosine.

    >>> z = np.array([0.0, 0.0, 1.0])
    >>> turn_about(z, axis_rotation(z, 2.5))[0].round(12) + 0.0
    array([-0.80114362, -0.59847214,  0.        ])
    """
    x, y = _direction_about(axis, R)
    square = x * x + y * y
    is_none = square == 0.0
    inverse = 1.0 / np.sqrt(where(is_none, 1.0, square))
    return _turn(axis, where(is_none, 1.0, x * inverse), y * inverse)


def from_quaternion(p: Array) -> Array:
    """(3, 3) R of a unit quaternion (4,) (RBDA 4.12, transposed).

    >>> from_quaternion(np.array([0.0, 1.0, 0.0, 0.0])).diagonal()
    array([ 1., -1., -1.])
    """
    w, x, y, z = p
    return 2.0 * array(
        [
            [w * w + x * x - 0.5, x * y - w * z, x * z + w * y],
            [x * y + w * z, w * w + y * y - 0.5, y * z - w * x],
            [x * z - w * y, y * z + w * x, w * w + z * z - 0.5],
        ]
    )


def to_quaternion(R: Array) -> Array:
    """(4,) unit quaternion of a rotation matrix, with the largest of its four entries positive.

    4 p pᵀ can be read off R; the row with the largest diagonal entry is divided by its root, so
    nothing small is ever divided by.

    >>> to_quaternion(np.eye(3))
    array([1., 0., 0., 0.])
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    best = array([1.0 + a + e + i, h - f, c - g, d - b])
    for row in (
        array([h - f, 1.0 + a - e - i, b + d, c + g]),
        array([c - g, b + d, 1.0 - a + e - i, f + h]),
        array([d - b, c + g, f + h, 1.0 - a - e + i]),
    ):
        better = less(_largest(best), _largest(row))
        best = array([where(better, new, old) for new, old in zip(row, best, strict=True)])
    return best / np.sqrt(dot(best, best))


def _largest(row: Array) -> Any:
    """Norm of a row of 4 p pᵀ: four times the entry of p it belongs to, squared."""
    return dot(row, row)


def quaternion_product(p: Array, q: Array) -> Array:
    """(4,) p q: the turn q followed, in the fixed frame, by the turn p; R(p q) = R(p) R(q).

    >>> quaternion_product(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0]))
    array([0., 0., 0., 1.])
    """
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([array([w]), p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])])


def quaternion_conjugate(p: Array) -> Array:
    """(4,) the inverse turn of a unit quaternion."""
    return np.concatenate([p[:1], -p[1:]])


def quaternion_rate(p: Array, w: Array) -> Array:
    """(4,) dp/dt of a frame turning with angular velocity w (3,) in its own axes (RBDA 4.13)."""
    return 0.5 * quaternion_product(p, np.concatenate([np.zeros(1), w]))


def from_euler(angles: Array, sequence: str = "zyx") -> Array:
    """(3, 3) R of three successive turns about the axes of the moving frame.

    >>> np.round(from_euler(np.array([0.3, 0.0, 0.0])) @ np.array([1.0, 0.0, 0.0]), 4)
    array([0.9553, 0.2955, 0.    ])
    """
    R = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        R = dot(R, axis_rotation(np.eye(3)[AXES[letter]], angle))
    return R


def to_euler(R: Array, sequence: str = "zyx") -> Array:
    """(3,) angles of the turns about the moving axes; inverse of `from_euler` for all 12 sequences.

    The middle angle lies in [-π/2, π/2] if the three letters differ, in [0, π] if first and last
    agree. At the ends of that range only a sum of the outer angles counts: the last one is then 0 to
    rounding. The rotation comes back to full precision everywhere.
    """
    i, j, last = (AXES[letter] for letter in sequence)
    k = 3 - i - j
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    if i == last:
        across = np.sqrt(R[i, j] * R[i, j] + R[i, k] * R[i, k])
        first, middle = arctan2(R[j, i], -parity * R[k, i]), arctan2(across, R[i, i])
    else:
        across = np.sqrt(R[i, i] * R[i, i] + R[i, j] * R[i, j])
        first, middle = arctan2(-parity * R[j, k], R[k, k]), arctan2(parity * R[i, k], across)
    first = where(less(across, 1e-15), arctan2(parity * R[k, j], R[j, j]), first)
    # With the first turn undone, row j is that of the last turn alone, whatever the middle one is.
    row = np.cos(first) * R[j] + parity * np.sin(first) * R[k]
    other = 3 - j - last
    third = arctan2(-row[other] if (last - j) % 3 == 2 else row[other], row[j])
    return array([first, middle, third])


def from_rpy(rpy: Array) -> Array:
    """(3, 3) R of roll, pitch, yaw about the fixed x, y, z axes, in this order, as URDF has them.

    >>> np.round(from_rpy(np.array([0.0, 0.0, np.pi / 2])), 12)[:, 0]
    array([0., 1., 0.])
    """
    return from_euler(array([rpy[2], rpy[1], rpy[0]]), "zyx")


def to_rpy(R: Array) -> Array:
    """(3,) roll, pitch, yaw; inverse of `from_rpy`, roll being 0 where pitch is ±π/2."""
    return to_euler(R, "zyx")[::-1]


def _power_series(u: Any, first: int, derivatives: int = 0) -> Any:
    """Σ (-u)^k / (first + 2k)!, or a derivative of it by u; to full precision for |u| ≤ 1."""
    coefficients = [(-1.0) ** k / math.factorial(first + 2 * k) for k in range(11)]
    for _ in range(derivatives):
        coefficients = [k * c for k, c in enumerate(coefficients)][1:]
    total = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * u + c
    return total


def exponential_coefficients(u: Any) -> tuple[Any, Any, Any]:
    """sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³ as functions of u = θ²; power series for θ < 1."""
    small = less(u, 1.0)
    safe = where(small, 1.0, u)
    theta = np.sqrt(safe)
    a = np.sin(theta) / theta
    b = (1.0 - np.cos(theta)) / safe
    c = (1.0 - a) / safe
    return (
        where(small, _power_series(u, 1), a),
        where(small, _power_series(u, 2), b),
        where(small, _power_series(u, 3), c),
    )


def chord(angle: Any) -> tuple[Any, Any]:
    """sin θ/θ and (1 - cos θ)/θ: the chord of a unit arc that turns by θ; means of cos and sin on the way."""
    a, b, _ = exponential_coefficients(angle * angle)
    return a, angle * b


def exp(w: Array) -> Array:
    """(3, 3) R of the rotation vector w (3,): a turn by |w| about w (Rodrigues).

    >>> bool(np.allclose(exp(np.array([0.0, 0.0, np.pi])), np.diag([-1.0, -1.0, 1.0])))
    True
    """
    a, b, _ = exponential_coefficients(w @ w)
    W = skew(w)
    return np.eye(3) + a * W + b * (W @ W)


def log(R: Array) -> Array:
    """(3,) rotation vector of a rotation matrix, of length at most π; right at and near 0 and π.

    >>> np.round(log(np.diag([-1.0, -1.0, 1.0])), 12)
    array([0.        , 0.        , 3.14159265])
    """
    return quaternion_log(to_quaternion(R))


def quaternion_exp(w: Array) -> Array:
    """(4,) unit quaternion of the rotation vector w (3,)."""
    half = 0.5 * w
    u = half @ half
    a, b, _ = exponential_coefficients(u)
    # cos θ = 1 - θ² (1 - cos θ)/θ², so no branch of its own is needed.
    return np.concatenate([array([1.0 - u * b]), a * half])


def quaternion_log(p: Array) -> Array:
    """(3,) rotation vector of a unit quaternion, of length at most π."""
    sign = where(less(p[0], 0.0), -1.0, 1.0)
    w, v = sign * p[0], sign * p[1:]
    ss = v @ v
    tiny = less(ss, 1e-300)
    s = np.sqrt(where(tiny, 1.0, ss))
    return where(tiny, 2.0, 2.0 * arctan2(s, w) / s) * v


def exp_jacobian(w: Array) -> Array:
    """(3, 3) T with ω = T dw/dt, ω being the angular velocity of the turned frame in its own axes."""
    _, b, c = exponential_coefficients(w @ w)
    W = skew(w)
    return np.eye(3) - b * W + c * (W @ W)


def exp_jacobian_rate(w: Array, wd: Array) -> Array:
    """(3, 3) dT/dt at the rate wd = dw/dt, so that ω̇ = T d²w/dt² + (dT/dt) dw/dt (Liu & Jain eq 56)."""
    u = w @ w
    _, b, c = exponential_coefficients(u)
    (db, dc), _ = _coefficient_slopes(u)
    ud = 2.0 * (w @ wd)
    W, Wd = skew(w), skew(wd)
    return -db * ud * W - b * Wd + dc * ud * (W @ W) + c * (Wd @ W + W @ Wd)


def exp_bias_gradient(w: Array, wd: Array) -> Array:
    """(3, 3) the derivative of (dT/dt) dw/dt of `exp_jacobian_rate` with respect to w, dw/dt being constant.

    With y = w × wd it is -b' u̇ y + c' u̇ w × y + c wd × y, where u̇ = 2 w·wd: the terms of wd × wd vanish.
    """
    u, ud, y = w @ w, 2.0 * (w @ wd), cross(w, wd)
    _, _, c = exponential_coefficients(u)
    (db, dc), (ddb, ddc) = _coefficient_slopes(u)
    wy, wdy = cross(w, y), cross(wd, y)
    columns = []
    for e in np.eye(3):
        du, dud, dy = 2.0 * (w @ e), 2.0 * (wd @ e), cross(e, wd)
        turned = cross(e, y) + cross(w, dy)
        columns.append(
            -(ddb * du * ud + db * dud) * y
            - db * ud * dy
            + (ddc * du * ud + dc * dud) * wy
            + dc * ud * turned
            + dc * du * wdy
            + c * cross(wd, dy)
        )
    return array(columns).T


def _coefficient_slopes(u: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """First and second derivatives of the last two of `exponential_coefficients` with respect to u = θ²."""
    small = less(u, 1.0)
    safe = where(small, 1.0, u)
    a, b, c = exponential_coefficients(u)
    # For small u the series is differentiated term by term.
    da = (1.0 - u * b - a) / (2.0 * safe)
    db = where(small, _power_series(u, 2, 1), (0.5 * a - b) / safe)
    dc = where(small, _power_series(u, 3, 1), -(da + c) / safe)
    dda = -(b + u * db + 3.0 * da) / (2.0 * safe)
    ddb = where(small, _power_series(u, 2, 2), (0.5 * da - 2.0 * db) / safe)
    ddc = where(small, _power_series(u, 3, 2), -(dda + 2.0 * dc) / safe)
    return (db, dc), (ddb, ddc)
