"""Newton's method for contact forces with Coulomb friction, once it is known which of them slip."""

import numpy as np

from ...spatial import Array


def newton_steps(M: Array, d: Array, friction: Array, sliding: Array, force: Array, steps: int = 6) -> Array:
    """Forces (nc, 3) by Newton's method, contacts sticking, slipping or open as they are by these forces.

    Alart & Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods
    (1991); dependent equations are solved by least squares, which changes forces as little as can be.
    """
    nc = len(d)
    flat, x = M.reshape(3 * nc, 3 * nc), force.ravel().copy()
    open_, sticks = (
        force[:, 0] <= 0.0,
        np.hypot(force[:, 1], force[:, 2]) < friction * force[:, 0] * (1 - 1e-9),
    )
    for _ in range(steps):
        u = flat @ x + d.ravel()
        rows, right = np.zeros((3 * nc, 3 * nc)), np.zeros(3 * nc)
        for i in range(nc):
            at = slice(3 * i, 3 * i + 3)
            slip = float(np.hypot(u[3 * i + 1], u[3 * i + 2]))
            given = bool(np.any(sliding[i]))
            if open_[i]:
                rows[at, at], right[at] = np.eye(3), x[at]
            elif not given and (sticks[i] or slip == 0.0):
                rows[at], right[at] = flat[at], u[at]
            else:
                scale = np.trace(flat[at, at]) / 3.0
                along = sliding[i] if given else u[at][1:] / slip
                stiff = 0.0 if given else friction[i] * x[3 * i] / slip
                turn = stiff * (np.eye(2) - np.outer(along, along))
                rows[3 * i], right[3 * i] = flat[3 * i], u[3 * i]
                sides = np.arange(3 * i + 1, 3 * i + 3)
                rows[sides] = scale * turn @ flat[sides]
                rows[sides, sides] += scale
                rows[sides, 3 * i] += scale * friction[i] * along
                right[sides] = scale * (x[sides] + friction[i] * x[3 * i] * along)
        x = x - np.linalg.lstsq(rows, right, rcond=1e-12)[0]
    return x.reshape(nc, 3)
