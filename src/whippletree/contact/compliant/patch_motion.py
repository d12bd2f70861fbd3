"""The rates of patches, and what they do to bodies, at an instant (RBDA 11.73-11.79)."""

from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.mechanism import Mechanism
from ...spatial import Array, array, known, maximum, where
from ..geometry.contact_kinematics import contact_frames, contact_velocity
from ..geometry.contact_pairs import Candidate
from ..geometry.wrenches import contact_wrenches
from .compliant_contact import BY_NUMBERS, Compliant, laws_of
from .patch_friction import friction
from .patch_law import PatchLaw, decay


class PatchMotion(NamedTuple):
    """Patches at an instant, one row a candidate.

    Attributes:
        wrenches: (nb, 6) what contact does to the bodies, in body coordinates, N m and N.
        force: (nc, 3) on shape a, along n, t1 and t2 of `contact_frames`, N.
        patch: (nc, 4) z and x of `PatchState`, m.
        patch_rate: (nc, 4) how they change under a body, m/s; 0 where none touches.
        gap: (nc,) p, m.
        velocity: (nc, 3) of a against b, along n, t1 and t2, m/s.
        clear, clear_rate: (nc,) how far bodies are above patches that they do not touch, m, and its rate.
        grip: (nc,) positive as long as a body that has touched a patch goes on to.
        hold: (nc,) μ f_n - |f_stick|, N: positive where a patch sticks, negative where it slides.
        stored: J, the energy of all springs.
        lost: W, what dampers and friction take.
    """

    wrenches: Array
    force: Array
    patch: Array
    patch_rate: Array
    gap: Array
    velocity: Array
    clear: Array
    clear_rate: Array
    grip: Array
    hold: Array
    stored: Any
    lost: Any


def patch_motion(
    m: Mechanism,
    q: Array,
    qd: Array,
    patch: Array,
    touches: Array,
    since: Array,
    how: Compliant = BY_NUMBERS,
) -> PatchMotion:
    """What patches do, given which of them are touched.

    A patch that is touched moves with the body, ż = ṗ (11.73 with the force of 11.74), and is dragged along
    by what its friction allows, ẋ = -(K x + f)/D (11.78). One that is not goes back by itself, exp(-K t/D)
    of what it was when it was left: that is exact, and however stiff it is, no integrator has to follow.

    Args:
        m: A mechanism with contacts that have a stiffness, and those with friction a damping.
        q, qd: (nq,), (nv,) joint positions, rad or m, and velocities.
        patch: (nc, 4) z and x of `PatchState`, m; of patches that nothing touches as they were left.
        touches: (nc,) 1 where a body touches a patch, else 0.
        since: (nc,) s since patches that nothing touches were left.
        how: The laws.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", stiffness=2e4, damping=60.0)
    >>> patch, one = np.array([[-1e-3, 0, 0, 0]]), np.ones(1)
    >>> at = patch_motion(m, np.array([0.099]), np.array([-0.1]), patch, one, one)
    >>> at.force.round(9) + 0.0, round(float(at.stored), 9), round(float(at.lost), 9)
    (array([[26.,  0.,  0.]]), 0.01, 0.6)
    """
    laws, gap, velocity = laws_of(m, how), contact_frames(m, q).gap, contact_velocity(m, q, qd)
    rows = [
        _patch(row, law, patch[i][: law.states], patch[i][2:], touches[i] > 0.5, since[i], velocity[i])
        for i, (row, law) in enumerate(laws)
    ]
    force, z, x, z_rate, x_rate, back, grip, hold, stored, lost = (
        [row[k] for row in rows] for k in range(len(_Patch._fields))
    )
    clear = gap - array([sum(z_i) for z_i in z])
    return PatchMotion(
        contact_wrenches(m, q, array(force)),
        array(force), _joined(z, x), _joined(z_rate, x_rate),
        gap, velocity, clear, velocity[:, 0] - array(back), array(grip), array(hold), sum(stored), sum(lost),
    )  # fmt: skip


class _Patch(NamedTuple):
    """A row of `PatchMotion`; stored and lost of one patch alone."""

    force: Array
    z: Array
    x: Array
    z_rate: Array
    x_rate: Array
    back: Any
    grip: Any
    hold: Any
    stored: Any
    lost: Any


def _patch(
    row: Candidate, law: PatchLaw, z: Array, x: Array, touched: Any, since: Any, velocity: Array
) -> _Patch:
    """One patch with its law; z and x as in the arguments of `patch_motion`."""
    p_rate, v = velocity[0], velocity[1:]
    z = where(touched, z, law.freed(z, since))
    z_rate, back = law.rates(z, p_rate), law.free_rates(z)
    # A step may go on beyond where the body leaves, and is cut there: it is exact if its law has no kink.
    normal = where(touched, law.push(z, p_rate), 0.0)
    lost = -(normal * p_rate) - law.tension(z) @ where(touched, z_rate, back)
    f, hold, x_rate, slack = np.zeros(2), 0.0, np.zeros(2), 0.0
    if row.contact.friction:
        K, D = law.tangential
        bound, x = row.contact.friction * maximum(0.0, normal), where(touched, x, x * decay(K, D, since))
        f, _ = friction(x, v, bound, K, D)
        stick, x_rate = K * x + D * v, -(K * x + f) / D  # 11.78; without a force, x goes back
        hold = bound - np.sqrt(stick @ stick)
        slack = 0.5 * K * (x @ x)
        lost = lost - f @ v - K * (x @ x_rate)
        x_rate = where(touched, x_rate, 0.0)
    stored, force = law.stored(z) + slack, array([normal, *f])
    z_rate, grip = where(touched, z_rate, 0.0), law.grip(z, p_rate)
    return _Patch(force, z, x, z_rate, x_rate, sum(back), grip, hold, stored, lost)


def check_dampers(m: Mechanism, how: Compliant) -> None:
    """ModelError for surfaces with friction on which what slides would go back at once."""
    for row, law in laws_of(m, how):
        if row.contact.friction and known(law.tangential[1]) == 0.0:
            raise ModelError(
                f"contact {row.contact.name!r} has friction {row.contact.friction:g}, but no damping along "
                "its surface: give damping, in N s/m, or HuntCrossley(…, along=(K, D)), or friction=0"
            )


def _joined(z: list[Array], x: list[Array]) -> Array:
    return array([[*z_i, *[0.0] * (2 - len(z_i)), *x_i] for z_i, x_i in zip(z, x, strict=True)])
