"""Forces that a mechanism holds in itself, moving nothing, and the reactions with the least of them.

All λ with Kᵀλ = 0 are Z x: with K = B K_r, K_r being independent rows of K, every other row i gives a column
of Z, 1 at i and -B_i at the chosen rows. What such a λ makes joints transmit, N x, may be added to reactions,
and rigid bodies cannot tell. Those told are the least in a measure of all joints at once,

    Σ |f|² + |n|² / ℓ²    over the joints of the tree and the loop joints alike, and so for gears,

n being the moment about the point midway between the two frames of a joint, and ℓ the size of a link
(`loop_sizes.link_size`). Neither knows which joints are cut, so the reactions do not depend on it. It is how
a machine shares its loads whose links are rigid and whose joints all give way alike, by forces as by moments
at the end of a link: the complementary energy is least (Castigliano's theorem of least work).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...model.gear import joint_called
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross, solve_spd
from ..equations.local_motions import LocalMotions
from ..equations.loop_sizes import link_size
from ..equations.relations import loop_position
from .transmission import transmitted


class Wrenches(NamedTuple):
    """What joints (nb, 6) and loops (nl, 6) transmit, as in `reactions`, by constraint forces lam (nc,)."""

    joints: Array
    loops: Array
    lam: Array


def least_wrenches(m: Mechanism, q: Array, found: Wrenches, B: Array, rows: Sequence[int]) -> Wrenches:
    """The least that joints can transmit, given some wrenches that move the mechanism as it does.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        found: What all joints transmit, their own springs and motors included, and drivers in loop joints.
        B: (nc - r, r) all other rows of K by the independent ones.
        rows: Numbers of those, r of them.
    """
    stresses = self_stresses(m, q, B, rows)
    if not stresses:
        return found
    measure = Measure(m, q)
    N = np.stack([measure(stress) for stress in stresses])
    x = solve_spd(N @ N.T, N @ measure(found))
    for share, stress in zip(x, stresses, strict=True):
        found = Wrenches(*(total - share * part for total, part in zip(found, stress, strict=True)))
    return found


def spread(m: Mechanism, q: Array, B: Array, rows: Sequence[int]) -> tuple[Array, Array]:
    """How far self-stresses reach: (nb, 2, 3, 3) moments and forces of tree joints, (nl, …) of loop joints.

    The sum of w wᵀ over self-stresses that are orthonormal in the measure, moments by ℓ. Arguments as in
    `least_wrenches`.
    """
    stresses, measure = self_stresses(m, q, B, rows), Measure(m, q)
    if not stresses:
        return np.zeros((len(m), 2, 3, 3)), np.zeros((len(m.loops), 2, 3, 3))
    N = np.stack([measure(stress) for stress in stresses])
    joints, loops = (np.stack([stress[k] for stress in stresses]) for k in (0, 1))
    other = solve_spd(N @ N.T, np.concatenate([part.reshape(len(N), -1) for part in (joints, loops)], axis=1))
    split = 6 * len(m)
    return (
        _products(joints, other[:, :split].reshape(joints.shape), measure.size),
        _products(loops, other[:, split:].reshape(loops.shape), measure.size),
    )


def _products(first: Array, second: Array, size: Any) -> Array:
    """(count, 2, 3, 3) sums of w uᵀ over wrenches (k, count, 6), moments and forces apart, moments by ℓ."""
    total: Any = np.zeros((first.shape[1], 2, 3, 3))
    for one, other in zip(first, second, strict=True):
        w, u = one.reshape(-1, 2, 3), other.reshape(-1, 2, 3)
        total = total + w[..., :, None] * u[..., None, :]
    return total * np.array([1.0 / (size * size), 1.0])[:, None, None]


def self_stresses(m: Mechanism, q: Array, B: Array, rows: Sequence[int]) -> list[Wrenches]:
    """What each column of Z makes joints transmit; none of it moves anything."""
    still, rest = m.copy(), np.zeros(m.nv)
    still.gravity = (0.0, 0.0, 0.0)
    count, found = len(rows) + len(B), []
    for number, row in zip(others(range(count), rows), B, strict=True):
        lam = placed(count, [number, *rows], [1.0, *(-row)])
        found.append(Wrenches(*transmitted(still, q, rest, rest, None, lam), lam))
    return found


def others(all_rows: Sequence[Any] | Array, rows: Sequence[int]) -> list[int]:
    """Numbers of the rows that are not among those chosen."""
    return [k for k in range(len(all_rows)) if k not in rows]


def placed(count: int, numbers: Sequence[int], values: Sequence[Any] | Array) -> Array:
    """(count,) values at the places with these numbers, zeros elsewhere, for any scalar."""
    entries: list[Any] = [0.0] * count
    for k, value in zip(numbers, values, strict=True):
        entries[k] = value
    return array(entries) if entries else np.zeros(0)


class Measure:
    """The measure of what joints transmit, as the length of a vector."""

    def __init__(self, m: Mechanism, q: Array) -> None:
        self.size: Any = link_size(m)
        motions = LocalMotions(m, q, np.zeros(m.nv))
        placed = [(body.joint, q[m.q_index[i]]) for i, body in enumerate(m.bodies)]
        placed += [loop_position(m, loop, motions)[1:] for loop in m.loops]
        X = [joint.transform(at) for joint, at in placed]
        self._middles = [-0.5 * (x.E @ x.r) for x in X]  # in the frame on the body, or on the successor
        driven = [joint_called(m, gear.driven) for gear in m.gears]
        self._gears = [1.0 if joint.units == ("m",) else 1.0 / self.size for joint in driven]

    def __call__(self, found: Wrenches) -> Array:
        parts: list[Any] = []
        for w, c in zip([*found.joints, *found.loops], self._middles, strict=True):
            parts += [(w[:3] - cross(c, w[3:])) / self.size, w[3:]]
        forces = found.lam[len(found.lam) - len(self._gears) :]
        parts.append(array([share * force for share, force in zip(self._gears, forces, strict=True)]))
        return np.concatenate([part for part in parts if len(part)])
