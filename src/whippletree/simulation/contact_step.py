"""Steps of many trajectories with contact: what it adds to the state, and what it does in a step."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..api.forward_methods import METHODS, Method
from ..contact.compliant.compliant_contact import (
    Compliant,
    PatchState,
    compliant_forces,
    laws_of,
    stage_forces,
)
from ..contact.compliant.explicit_limit import step_limits
from ..contact.geometry.contact_pairs import candidates, contact_pairs
from ..contact.geometry.pair_table import PAIRS
from ..contact.geometry.wrenches import contact_wrenches
from ..contact.sweeps.moreau import Rigid, free_accelerations, moreau_impulses, struck_residual
from ..errors import InputError, StepLengthWarning, tell, with_article
from ..kernels.run.iterate import overwritten
from ..loops.equations.constraints import constraint_jacobian
from ..model.mechanism import Mechanism
from ..spatial import Array, array, known, maximum
from .closed_step import DAMPING, Rows
from .equations import Law, motion, stepped
from .integrators import Integrator
from .systems import Force, Traced

FACTORED = Method(free_accelerations, ())
"""Forward dynamics of trees with the factors of H that rigid contact needs as well."""

KINDS: dict[str, "Compliant | Rigid"] = {"compliant": Compliant(), "rigid": Rigid()}
"""How surfaces meet, by name."""


@dataclass(frozen=True)
class ContactMode:
    """Contact in a rollout.

    Its state is one array more of the iteration: of compliant surfaces their patches and the forces of the
    step, of rigid ones the impulses of the step and the largest residual so far, 0 if nobody asks for it.

    Attributes:
        how: The laws, or how impulses are solved for.
        residual: Whether it is asked for.
    """

    how: Compliant | Rigid
    residual: bool = False

    def tell_long_step(self, m: Mechanism, q: Array, h: float) -> None:
        """Warn of a step with which a surface that gives way cannot come to rest; loops only help."""
        if isinstance(self.how, Rigid) or m.loops:
            return
        limits = step_limits(m, q, self.how)
        least = int(np.argmin(limits))
        if h > limits[least]:
            tell(
                f"dt is {h:g} s, more than the {limits[least]:.3g} s with which {candidates(m)[least].title} "
                "comes to rest where trajectories start: reduce dt or stiffness, or take contacts='rigid'",
                StepLengthWarning,
            )

    def size(self, m: Mechanism) -> int:
        """Numbers of the state."""
        count = len(candidates(m))
        return 7 * count if isinstance(self.how, Compliant) else 3 * count + 1

    def start(self, m: Mechanism) -> Array:
        """The state at the start."""
        return np.zeros(self.size(m))

    def accelerations(self, m: Mechanism, best: Method) -> Method:
        """The method that suits best, given the one that would without contact.

        Impulses need H⁻¹ and, with loops, K H⁻¹Kᵀ: methods that have these share them, and hold everywhere.
        """
        if not isinstance(self.how, Rigid):
            return best
        if m.loops or m.gears:
            by_forces = METHODS["lambda-first"]
            return by_forces if by_forces.fault(m) is None else best
        return FACTORED

    def held(self, m: Mechanism, rows: Rows) -> None:
        """InputError if impulses could break what only the method of forward dynamics holds together."""
        if isinstance(self.how, Rigid) and m.gears and not rows:
            raise InputError(
                f"impulses would tear the gears of {m.name!r} apart, which this method of forward dynamics "
                "knows nothing of: give dynamics='lambda-first'"
            )

    def forces(self, m: Mechanism, states: Array, h: float) -> Array:
        """(..., nc, 3) forces of the last step, N, out of states (..., size)."""
        count = len(candidates(m))
        of = states[..., 4 * count :] if isinstance(self.how, Compliant) else states[..., :-1] / h
        return of.reshape(*states.shape[:-1], count, 3)


def touching_of(m: Mechanism, contacts: Any, integrator: str, residual: bool) -> ContactMode | None:
    """How contact is treated, checked; None if it is not."""
    if contacts is None:
        if residual:
            raise InputError("residual is asked for, but contacts is None: give contacts='rigid'")
        return None
    how = KINDS.get(contacts) if isinstance(contacts, str) else contacts
    if not isinstance(how, Compliant | Rigid):
        known = ", ".join(map(repr, KINDS))
        raise InputError(
            f"contacts is {contacts!r}; known: {known}, a wt.contact.Compliant or a wt.contact.Rigid"
        )
    if not m.contacts:
        raise InputError(f"contacts is {contacts!r}, but {m.name!r} has no contact: m.add_contact adds one")
    for pair in contact_pairs(m):
        kinds = pair.a.shape.kind, pair.b.shape.kind
        if kinds not in PAIRS and kinds[::-1] not in PAIRS:
            on = " on ".join(map(with_article, kinds))
            raise InputError(
                f"contact {pair.contact.name!r}: {on} is found by search, and a "
                "rollout is machine code throughout: put spheres or capsules where they touch"
            )
    if isinstance(how, Compliant):
        laws_of(m, how)
        if residual:
            raise InputError("residual is that of rigid contact: compliant forces are not solved for")
    elif integrator != "euler":
        raise InputError(
            f"rigid contact is stepped by method 'euler', not by {integrator!r}; contacts=None leaves it out"
        )
    return ContactMode(how, residual)


class ContactRecord:
    """What of the contacts a user wants to see, and where it goes.

    Args:
        m: The mechanism.
        touching: How contact is treated.
        lead: Axes of the trajectories and of the recorded steps.
        forces: (*lead, nc, 3) to write into, or None.
        residual: lead, likewise.
    """

    def __init__(
        self, m: Mechanism, touching: ContactMode | None, lead: tuple[int, ...], forces: Any, residual: Any
    ) -> None:
        self.m = m
        self.touching = touching
        self.lead = lead
        self.forces = forces
        self.residual = residual
        self._states: Array | None = None
        if forces is not None:
            if touching is None:
                raise InputError("contact_forces are asked for, but contacts is None: nothing touches")
            _check_place(forces, (*lead, len(candidates(m)), 3), "contact_forces")
        if residual is not None:
            _check_place(residual, lead, "residual")

    def states(self, count: int, recorded: int, kept: bool, dtype: np.dtype[Any]) -> Array:
        """(count, recorded, size) room for the states of the contacts.

        If nobody wants to see them and they need not be kept, all steps of a trajectory share one place.
        """
        assert self.touching is not None
        if kept or self.forces is not None or self.residual is not None:
            self._states = np.empty((count, recorded, self.touching.size(self.m)), dtype)
            return self._states
        return overwritten(np.empty((count, self.touching.size(self.m)), dtype), recorded)

    def write(self, h: float) -> None:
        """Hand on what is in that room."""
        if self._states is None or self.touching is None:
            return
        if self.forces is not None:
            self.forces[...] = self.touching.forces(self.m, self._states, h).reshape(self.forces.shape)
        if self.residual is not None:
            self.residual[...] = self._states[..., -1].reshape(self.lead)


def _check_place(place: Any, shape: tuple[int, ...], name: str) -> None:
    if not isinstance(place, np.ndarray) or place.dtype != np.float64 or place.shape != shape:
        told = f"{place.dtype} {place.shape}" if isinstance(place, np.ndarray) else type(place).__name__
        raise InputError(f"{name} is {told}, expected an array to write into: float64 {shape}")


class Contacting(NamedTuple):
    """What a step with contact is made of."""

    integrator: Integrator
    rows: Rows
    law: Law
    touching: ContactMode


def contact_advance(
    m: Mechanism, q: Array, qd: Array, touch: Array, force: Force, t: Any, h: Any, how: Contacting
) -> tuple[Array, Array]:
    """(nq + nv,) the state after a step, loops not yet closed, and that of the contacts."""
    step = _compliant if isinstance(how.touching.how, Compliant) else _rigid
    return step(m, q, qd, touch, force, t, h, how)


def _compliant(
    m: Mechanism, q: Array, qd: Array, touch: Array, force: Force, t: Any, h: Any, how: Contacting
) -> tuple[Array, Array]:
    laws, count = how.touching.how, len(candidates(m))
    assert isinstance(laws, Compliant)
    depth, slip, _ = np.split(touch, [2 * count, 4 * count])
    before = PatchState(depth.reshape(count, 2), slip.reshape(count, 2))
    pushed = compliant_forces(m, q, qd, before, h, laws)
    begun = contact_wrenches(m, q, pushed.forces)

    def wrenches(at: Any, q: Array, qd: Array) -> Array:
        # Where the step begins, whether a patch is touched hangs on the last bit of q: it is found once.
        if known(at - t) == 0.0:
            return begun
        return contact_wrenches(m, q, stage_forces(m, q, qd, pushed.state, at - t, laws))

    y = how.integrator.step(Traced(m, force, how.law, wrenches), t, np.concatenate([q, qd]), h)
    after = [pushed.state.depth, pushed.state.slip, pushed.forces]
    return y, np.concatenate([part.ravel() for part in after])


def _rigid(
    m: Mechanism, q: Array, qd: Array, touch: Array, force: Force, t: Any, h: Any, how: Contacting
) -> tuple[Array, Array]:
    touching = how.touching
    assert isinstance(touching.how, Rigid)
    qdd, moved = motion(m, q, qd, force(t, q, qd), h=h, law=how.law)
    turning = [body.joint.turning(q[m.q_index[i]], qd[m.v_index[i]]) for i, body in enumerate(m.bodies)]
    free = qd + h * (qdd + np.concatenate([np.zeros(0), *turning]))
    K = constraint_jacobian(m, q)[list(how.rows)] if how.rows else np.zeros((0, m.nv))
    start = touch[:-1].reshape(-1, 3)
    struck = moreau_impulses(moved, q, qd, free, h, start, K, DAMPING, touching.how)
    residual = touch[-1]
    if touching.residual:
        residual = maximum(residual, struck_residual(m, struck))
    y = stepped(m, q, qd, qdd + struck.change / h, h)
    return y, np.concatenate([struck.impulses.ravel(), array([residual])])
