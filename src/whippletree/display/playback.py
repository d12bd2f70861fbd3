"""The time of a trajectory: states between recorded ones, and how playing moves on."""

import numpy as np

from ..contact.geometry.contact_kinematics import contact_frames
from ..model.mechanism import Mechanism
from ..model.positions import difference, integrate
from ..simulation.trajectory import Trajectory
from ..spatial import Array


def state_at(m: Mechanism, trajectory: Trajectory, t: float) -> tuple[Array, Array]:
    """Position (nq,) and velocity (nv,) at a time, s; the first or last state outside the recorded time.

    Between two recorded states the position follows a cubic with their velocities, in the coordinates of
    `Mechanism.difference` from the first; the velocity a line.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> run = wt.simulate(m, [0.5], duration=1.0)
    >>> state_at(m, run, 0.0)[0]
    array([0.5])
    """
    times = trajectory.t
    if len(times) == 1 or t <= times[0]:
        return trajectory.q[0], trajectory.qd[0]
    if t >= times[-1]:
        return trajectory.q[-1], trajectory.qd[-1]
    k = int(np.searchsorted(times, t, side="right"))
    h = times[k] - times[k - 1]
    s = (t - times[k - 1]) / h
    q0, qd0, qd1 = trajectory.q[k - 1], trajectory.qd[k - 1], trajectory.qd[k]
    change = difference(m, q0, trajectory.q[k])
    start, end = h * qd0, h * qd1
    path = s * (1 - s) ** 2 * start + s * s * (3 - 2 * s) * change - s * s * (1 - s) * end
    q = integrate(m, q0, path)
    for i, body in enumerate(m.bodies):
        if not body.joint.is_holonomic:  # it ends where it was recorded, whichever way led there
            q[m.q_index[i]] += s * (trajectory.q[k] - integrate(m, q0, change))[m.q_index[i]]
    return q, (1 - s) * qd0 + s * qd1


def contact_arrows(m: Mechanism, trajectory: Trajectory, t: float, q: Array, length: float) -> Array:
    """(k, 2, 3) feet and tips, in the world, of the contact forces recorded last before a time, s.

    The largest of the trajectory has the length, m; they stand where shapes touch at the position q (nq,).

    >>> import whippletree as wt
    >>> m = wt.examples.load("rocking-block")
    >>> run = wt.simulate(m, duration=0.1, contacts="rigid")
    >>> contact_arrows(m, run, 0.1, run.q[-1], 0.3).shape
    (4, 2, 3)
    """
    forces = trajectory.contacts.force
    largest = float(np.max(np.linalg.norm(forces, axis=-1), initial=0.0))
    if not largest:
        return np.zeros((0, 2, 3))
    row = max(0, int(np.searchsorted(trajectory.t, t, side="right")) - 1)
    frames = contact_frames(m, q)
    pushes = np.einsum("ck,ckj->cj", forces[row], frames.axes) * (length / largest)
    acting = np.any(pushes, axis=1)
    return np.stack([frames.point, frames.point + pushes], axis=1)[acting]


def thinned(trajectory: Trajectory, until: float, count: int) -> tuple[Array, Array, Array]:
    """Times and kinetic and potential energies recorded up to a time, at most about `count` of them."""
    n = int(np.searchsorted(trajectory.t, until, side="right"))
    every = max(1, -(-len(trajectory) // count))
    chosen = np.arange(0, n, every)
    if n and chosen[-1] != n - 1:
        chosen = np.append(chosen, n - 1)
    return trajectory.t[chosen], trajectory.kinetic[chosen], trajectory.potential[chosen]
