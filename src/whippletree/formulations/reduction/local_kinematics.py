"""How the links of one loop follow from its independent coordinates: Q, R, W, X, Y, Z, G and H.

Critchley & Anderson §3.1 and §4. In print, (32), (33) and (67) write ⁰V̂^k for ⁰V̂^{k-1}, (35) R^{k+1} for
R^k, and the left side of (66) should be R^k. Pᵀ R P adds rad² and m², so pivots depend on units; results do
not.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array


class Dependence(NamedTuple):
    """What the phantom's standing still says of one dependent coordinate: u_k = x (⁰V̂^{k-1} + …) (eq 33).

    Attributes:
        Q: The reciprocal of its pivot Pᵀ R^{k+1} P (eq 28, 34).
        x: (6,) -Q Pᵀ R^{k+1}.
        X: (6, 6) P x (eq 40, 77).
        W: (6, 6) 1 + X (eq 39, 76).
        left: (6,) R^{k+1} P, the part of P that the dependent coordinates further out do not make up.
    """

    Q: Any
    x: Array
    X: Array
    W: Array
    left: Array


def dependences(P: Sequence[Any], dependents: Sequence[int]) -> dict[int, Dependence]:
    """Q, R, W, X of the dependent links of a loop, from the phantom inward (eq 27-40, 65-77).

    Args:
        P: Partial velocities of all links.
        dependents: The links of the loop whose coordinates are dependent, from the base outward; R passes
            the others unchanged (eq 66).
    """
    R = np.eye(6)
    found: dict[int, Dependence] = {}
    for k in reversed(dependents):
        left = R @ P[k]
        Q = 1.0 / (P[k] @ left)
        x = -(Q * left)  # R is symmetric
        X = np.outer(P[k], x)
        found[k] = Dependence(Q, x, X, np.eye(6) + X, left)
        R = R + np.outer(left, x)  # eq 36
    return found


class Place(NamedTuple):
    """⁰Â^k = Y ⁰Â^p + Z ⁰A_t^n + Σ H_r P_r u̇_r of one link beyond p (eq 45, 78).

    Attributes:
        Y, Z: (6, 6).
        H: For every independent coordinate r beyond p the (6,) H_r P_r, those that are zero left out.
        y, z: (6,) likewise for a dependent coordinate, u̇_k = y ⁰Â^p + z ⁰A_t^n + Σ h_r u̇_r; else None.
        h: For every r its factor.
    """

    Y: Array
    Z: Array
    H: dict[int, Array]
    y: Any
    z: Any
    h: dict[int, Any]


def places(
    P: Sequence[Any], path: Sequence[int], dependent: dict[int, Dependence], independent: Sequence[int]
) -> dict[int, Place]:
    """Y, Z and H of the links beyond p, from p outward (eq 42-44, 79-81).

    Args:
        P: Partial velocities of all links.
        path: The links from p + 1 to the phantom n_i.
        dependent: From `dependences`.
        independent: The links of `path` whose coordinates are independent.
    """
    Y, Z, H = np.eye(6), np.zeros((6, 6)), dict[int, Array]()
    found: dict[int, Place] = {}
    for k in path:
        if k not in dependent:
            # W = 1, X = 0, G_k = 1 (eq 73, 76, 77); a link without a coordinate goes with the one before.
            if k in independent:
                H = H | {k: H[k] + P[k] if k in H else P[k]}
            found[k] = Place(Y, Z, H, None, None, {})
            continue
        _, x, X, W, _ = dependent[k]
        seen = dict(H)
        for r in independent:
            if r > k:  # G_r = X for those outboard of k (eq 73)
                seen[r] = seen[r] + P[r] if r in seen else P[r]
        y, z = x @ Y, x + x @ Z
        h = {r: x @ vector for r, vector in seen.items()}
        Y, Z = W @ Y, X + W @ Z
        H = {r: H[r] + P[k] * factor if r in H else P[k] * factor for r, factor in h.items()}  # eq 81
        found[k] = Place(Y, Z, H, y, z, h)
    return found
