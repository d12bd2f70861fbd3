"""Whether an inertia can belong to a body made of matter."""

import numpy as np

from ..spatial import Inertia

TOLERANCE = 1e-9
"""Violations below this share of the largest principal moment are taken for rounding."""


def inertia_fault(inertia: Inertia) -> str | None:
    """What is wrong with an inertia, in words, or None.

    Mass and principal moments about the centre of mass must not be negative, and no moment may
    exceed the sum of the other two. Point masses and massless links are fine.

    >>> inertia_fault(Inertia(mass=1.0, about_com=(1.0, 1.0, 3.0)))
    'principal moments (1, 1, 3) kg m² violate the triangle inequality: 3 > 1 + 1'
    """
    values = np.array([inertia.m, *inertia.h, *inertia.I])
    if values.dtype.kind not in "biuf":
        return f"inertia holds {values[0]!r}: give real numbers"
    if not np.all(np.isfinite(values)):
        return f"inertia holds {values[~np.isfinite(values)][0]}: give finite numbers"
    if inertia.m < 0:
        return f"mass is {inertia.m:g} kg, must not be negative"
    with np.errstate(all="ignore"):
        about_com = inertia.about_com
    if not np.all(np.isfinite(about_com)):
        return f"mass {inertia.m:g} kg is too small for the first moment {inertia.h.tolist()} kg m"
    a, b, c = np.linalg.eigvalsh(about_com)
    moments = f"principal moments ({a:.4g}, {b:.4g}, {c:.4g}) kg m²"
    # Moments are differences of terms as large as those about the frame's origin.
    scale = TOLERANCE * max(abs(c), float(np.max(np.abs(inertia.I))) * 1e-6, 1e-300)
    if a < -scale:
        return f"{moments}: {a:.4g} is negative. Check signs and units"
    if c > a + b + scale:
        return f"{moments} violate the triangle inequality: {c:.4g} > {a:.4g} + {b:.4g}"
    return None
