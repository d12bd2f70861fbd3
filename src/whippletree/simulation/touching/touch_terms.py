"""The motion of a mechanism with contacts, as it is without contact forces (RBDA §11.3)."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...api.compiling import compile
from ...contact.geometry.contact_kinematics import contact_bias, contact_jacobian, features, gaps
from ...dynamics.crba import crba
from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import bias_force
from ...kernels.trace.refusal import TraceError
from ...loops.equations.constraints import constraint_equation, constraint_error, constraint_jacobian
from ...model.mechanism import Mechanism
from ...model.positions import rate
from ...model.snapshot import Snapshot
from ...spatial import Array
from ..equations import limited

SINGULAR = 1e-11
"""Constraints that move nothing but this share of what others move depend on those."""


def touch_terms(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> tuple[Any, ...]:
    """dq/dt, H, τ - C of all that acts, K and k of loops and gears, J and its bias of contacts, gaps."""
    acting, forces = with_own_forces(m, q, qd, limited(m, tau), f_ext)
    acting = acting - bias_force(m, q, qd, forces)
    K, k = constraint_equation(m, q, qd)
    J, bias = contact_jacobian(m, q), contact_bias(m, q, qd)
    return rate(m, q, qd), crba(m, q), acting, K, k, J, bias, gaps(m, q)


def touch_geometry(m: Mechanism, q: Array) -> tuple[Array, Array, Array, Array]:
    """δ (n,) and K (n, nv) of loops and gears, gaps (nc,) and J (nc, 3, nv) of contacts."""
    return constraint_error(m, q), constraint_jacobian(m, q), gaps(m, q), contact_jacobian(m, q)


class TouchKernels(NamedTuple):
    """These and `features`, compiled; plain Python where shapes cannot be recorded."""

    terms: Callable[..., Any]
    geometry: Callable[..., Any]
    features: Callable[..., Any]


def touch_kernels(m: Mechanism, external: bool) -> TouchKernels:
    """Those of equal mechanisms are made once."""
    return _kernels(Snapshot(m), external)


@lru_cache(maxsize=16)
def _kernels(now: Snapshot, external: bool) -> TouchKernels:
    shapes = {"f_ext": (len(now.m), 6)} if external else {}
    try:
        terms = compile(touch_terms, now.m, inputs=shapes)
        return TouchKernels(terms, compile(touch_geometry, now.m), compile(features, now.m))
    except TraceError:
        return TouchKernels(*(partial(f, now.m) for f in (touch_terms, touch_geometry, features)))


class Unforced(NamedTuple):
    """A motion without contact forces, in velocities x with qd = B x, where the inertia is 1.

    Contact forces λ (nc, 3) give qdd + B W λ and dζ/dt = WᵀW λ + d (RBDA 11.34); loops stay closed.

    Attributes:
        B: (nv, nv) with B Bᵀ = H⁻¹, or G (GᵀHG)⁻¹Gᵀ with loops.
        W: (nv, nc, 3) BᵀJᵀ.
        d: (nc, 3) dζ/dt, m/s².
        qdd: (nv,) rad/s² or m/s².
        rate: (nq,) dq/dt.
        velocity: (nc, 3) ζ = J qd, m/s.
        gap: (nc,) m.
    """

    B: Array
    W: Array
    d: Array
    qdd: Array
    rate: Array
    velocity: Array
    gap: Array

    def mobility(self, rows: list[int]) -> Array:
        """(k, 3, k, 3) M = WᵀW of some contacts."""
        flat = self.W[:, rows].reshape(len(self.W), -1)
        return (flat.T @ flat).reshape(len(rows), 3, len(rows), 3)

    def accelerations(self, force: Array) -> Array:
        """(nv,) under forces (nc, 3)."""
        return self.qdd + self.jump(force)

    def jump(self, impulse: Array) -> Array:
        """(nv,) the change of velocities by impulses (nc, 3)."""
        return self.B @ (self.W.reshape(len(self.W), -1) @ impulse.ravel())


def unforced(terms: tuple[Any, ...], qd: Array) -> Unforced:
    """The motion out of `touch_terms`; numbers that are not finite give ones that are not."""
    rate_q, H, acting, K, k, J, bias, gap = (np.asarray(part) for part in terms)
    nc, nv = len(J), len(qd)
    if not np.all(np.isfinite(H)) or not np.all(np.isfinite(acting)):
        nothing = np.full((nv, nc, 3), np.nan)
        return Unforced(np.full((nv, nv), np.nan), nothing, nothing[0], acting * np.nan, rate_q, bias, gap)
    B = np.linalg.inv(np.linalg.cholesky(H)).T
    own = np.zeros(nv)
    if len(K):
        pseudo = np.linalg.pinv(K @ B, rcond=SINGULAR)
        own = B @ (pseudo @ k)
        B = B - B @ (pseudo @ (K @ B))
    qdd = B @ (B.T @ (acting - H @ own)) + own
    flat = J.reshape(3 * nc, nv)
    W = (B.T @ flat.T).reshape(nv, nc, 3)
    d = (flat @ qdd).reshape(nc, 3) + bias
    return Unforced(B, W, d, qdd, rate_q, (flat @ qd).reshape(nc, 3), gap)
