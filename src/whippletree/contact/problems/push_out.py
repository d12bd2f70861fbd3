"""Shapes that overlap, moved apart."""

import numpy as np

from ...errors import SolverError
from ...loops.closing.projections import project_position
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ..geometry.contact_kinematics import contact_jacobian, gaps
from ..geometry.contact_pairs import candidates
from ..geometry.contact_states import GAP
from .complementarity import ContactForces, Unsolvable
from .contact_problem import inertia_root
from .gauss_form import gauss_form

STEPS = 50
"""Newton steps after which shapes should be apart; each squares what is left."""


def push_out(m: Mechanism, q: Array) -> Array:
    """The position near q in which no shapes overlap, loops being kept closed.

    Each step is the least one, measured by the inertia, that opens all gaps to first order: (11.44) with
    displacements in place of accelerations.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nq,) joint positions in which no gap is below -1e-9 m.

    Raises:
        SolverError: There is no such position near q; the shapes are named.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> wt.contact.push_out(m, [0.08]).round(12)
    array([0.1])
    """
    depth = np.inf
    for _ in range(STEPS):
        gap = gaps(m, q)
        depth = -float(np.min(gap, initial=0.0))
        if depth <= GAP:
            return q
        B = inertia_root(m, q)
        R = B.T @ contact_jacobian(m, q)[:, 0].T
        found = gauss_form(R, gap)
        if isinstance(found, Unsolvable):
            rows = candidates(m)
            names = "; ".join(rows[k].title for k in found.at_fault)
            raise SolverError(
                f"{m.name!r}: shapes overlap by {depth:.4g} m, and no motion of the joints parts them all, "
                f"{names}: move the shapes, or start from another position"
            )
        assert isinstance(found, ContactForces)
        q = project_position(m, integrate(m, q, B @ (R @ found.force)))
    raise SolverError(
        f"{m.name!r}: shapes still overlap by {depth:.4g} m after {STEPS} steps: start further apart"
    )
