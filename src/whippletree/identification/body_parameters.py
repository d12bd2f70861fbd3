"""The numbers that identification is after: their names, their values, and a mechanism with others."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect, listed, real_vector
from ..spatial import Array, Inertia

INERTIAL = (
    "mass",
    *(f"moment.{axis}" for axis in "xyz"),
    *(f"inertia.{pair}" for pair in ("xx", "xy", "yy", "xz", "yz", "zz")),
)
"""What inertias are linear in: kg; kg m, mass times centre of mass; kg m², about the body's origin."""

OF_JOINT = ("armature", "damping", "friction")
"""Of a body's joint: kg m² or kg; N m s/rad or N s/m; N m or N."""


def regressor_names(m: Mechanism) -> list[str]:
    """Names of the parameters that the columns of `regressor` belong to, 13 for each body.

    "body.mass", kg; "body.moment.x" …, the mass times the centre of mass, kg m; "body.inertia.xx" …, kg m²,
    about the origin of the body's frame; "body.armature", "body.damping" and "body.friction" of its joint.

    >>> import whippletree as wt
    >>> wt.regressor_names(wt.examples.load("pendulum"))[:5]
    ['rod.mass', 'rod.moment.x', 'rod.moment.y', 'rod.moment.z', 'rod.inertia.xx']
    """
    expect("regressor_names", "m", m, Mechanism, "a Mechanism")
    return [f"{body.name}.{name}" for body in m.bodies for name in (*INERTIAL, *OF_JOINT)]


def regressor_values(m: Mechanism) -> Array:
    """(13 nb,) what a mechanism has for the parameters of `regressor_names`.

    >>> import whippletree as wt
    >>> wt.regressor_values(wt.examples.load("pendulum")).round(3)[:4]
    array([ 1. ,  0. ,  0. , -0.5])
    """
    expect("regressor_values", "m", m, Mechanism, "a Mechanism")
    rows = [[b.inertia.m, *b.inertia.h, *b.inertia.I, b.armature, b.damping, b.friction] for b in m.bodies]
    return np.array(rows, dtype=float).reshape(-1)


def with_regressor_values(m: Mechanism, values: Array) -> Mechanism:
    """A copy of a mechanism with other values (13 nb,) of the parameters of `regressor_names`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> heavy = wt.with_regressor_values(m, 2.0 * wt.regressor_values(m))
    >>> float(wt.total_mass(heavy))
    2.0
    """
    expect("with_regressor_values", "m", m, Mechanism, "a Mechanism")
    size = len(INERTIAL) + len(OF_JOINT)
    values = real_vector(values, (size * len(m),), "values", "one entry per name of regressor_names")
    bodies = [
        replace(
            body,
            inertia=Inertia.from_parts(float(row[0]), row[1:4].copy(), row[4:10].copy()),
            **dict(zip(OF_JOINT, row[10:].tolist(), strict=True)),
        )
        for body, row in zip(m.bodies, values.reshape(len(m), size), strict=True)
    ]
    return m.with_parts(bodies=bodies)


def unknown(m: Mechanism, known: Sequence[str]) -> list[int]:
    """Numbers of all parameters but those named; InputError for names that are none."""
    names = regressor_names(m)
    for name in listed(known, "known", "names of parameters", names):
        if name not in names:
            raise InputError(
                f"known has {name!r}, which is no parameter of {m.name!r}: see wt.regressor_names"
            )
    return [k for k, name in enumerate(names) if name not in set(known)]


def pseudo_inertia(row: Array) -> Array:
    """(4, 4) the pseudo-inertia of ten inertial parameters: positive definite for every body there can be.

    Wensing, Kim & Slotine, IEEE Robotics and Automation Letters 3(1), 2018: [Σ, h; hᵀ, m] with the second
    moments Σ = ½ tr(I) 1 - I, the integral of r rᵀ over the mass.

    >>> pseudo_inertia(np.array([2.0, 0.2, 0.0, 0.0, 1.0, 0.0, 1.5, 0.0, 0.0, 1.5])).diagonal()
    array([1. , 0.5, 0.5, 2. ])
    """
    mass, h, (xx, xy, yy, xz, yz, zz) = row[0], row[1:4], row[4:10]
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[0.5 * np.trace(I) * np.eye(3) - I, h[:, None]], [h[None], np.array([[mass]])]])
