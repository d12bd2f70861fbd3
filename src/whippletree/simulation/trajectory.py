"""The motion of a mechanism over time, as arrays."""

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..api.accelerations_along import accelerations_along
from ..api.compiling import made_once
from ..api.frame_motion import FrameMotion, frame_motion
from ..api.reaction_history import Driving, Reactions, reactions_along
from ..contact.geometry.contact_kinematics import contact_jacobian
from ..dynamics.passive import passive_powers
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting
from .equations import Accounts, Common
from .events import Occurrence
from .touching.contact_history import NO_CONTACTS, ContactHistory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..display.viewer import Viewer


class Unchanging(NamedTuple):
    """A mechanism that nobody changes, as that of a snapshot."""

    m: Mechanism


class _Mechanism:
    """The mechanism of a trajectory: of one that nobody may change a copy, made when it is first asked for.

    Most are never asked for, and a copy takes as long as many steps.
    """

    def __get__(self, run: "Trajectory | None", owner: type) -> Any:
        if run is None:
            return self
        found = run.__dict__["mechanism"]
        if isinstance(found, Unchanging):
            found = run.__dict__["mechanism"] = found.m.copy()
        return found

    def __set__(self, run: "Trajectory", m: Any) -> None:
        run.__dict__["mechanism"] = None if m is self else m


@dataclass(frozen=True)
class Blow:
    """A jump of drivers' speeds: when it was, s, their names, and the impulse (nd,) of each.

    That is along the driven coordinate, N m s or N s.
    """

    t: float
    drivers: tuple[str, ...]
    impulse: Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What `simulate` recorded, n states one after the other.

    Attributes:
        t: (n,) time, s; two states of equal times where an event's action, or a jump of a driver's speed,
            changed the state.
        q: (n, nq) positions, rad or m; quaternions of unit norm.
        qd: (n, nv) velocities, rad/s or m/s.
        tau: (n, nv) forces of the actuators within their limits, N m or N.
        kinetic: (n,) kinetic energy, J.
        potential: (n,) energy of gravity and of the springs, J.
        step: (n,) length of the integrator's step that led to each state, s; 0 for the first.
        constraint_error: (n, nc) how far loops are open, rad or m; no columns for a tree.
        elastic: (n,) the part of the potential energy that is in springs and stops, J.
        lost_power: (n,) what dampers, friction and stops take away, W.
        external_power: (n,) what forces on frames and bodies bring in, W.
        events: What happened on the way.
        method: The integrator.
        reason: Why it, if it was chosen automatically.
        dynamics: By which method of forward dynamics accelerations were found, or by which, one after the
            other: "grcr, lambda-first"; or "rigid contact".
        joints: Names of the joints, for each the entries of q and of qd.
        mechanism: What moved; None where a file did not tell.
        contacts: What contacts did, a `ContactHistory`; empty where they were not looked at, or a file did
            not tell.
        acting: What acted from outside; None where a file did not tell.
        driven: Names of loop joints and distances that drivers moved: tau has what moves the tree alike.
        blows: Where speeds of drivers jumped, and the impulses that it took.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    kinetic: Array
    potential: Array
    step: Array
    constraint_error: Array
    elastic: Array
    lost_power: Array
    external_power: Array
    events: tuple[Occurrence, ...] = ()
    method: str = ""
    reason: str = ""
    dynamics: str = ""
    joints: tuple[tuple[str, int, int], ...] = ()
    mechanism: Mechanism | None = field(default=_Mechanism(), repr=False)  # pyright: ignore[reportAssignmentType]
    contacts: ContactHistory = field(default=NO_CONTACTS, repr=False)
    acting: Acting | None = field(default=None, repr=False)
    driven: tuple[str, ...] = ()
    blows: tuple[Blow, ...] = ()

    @property
    def energy(self) -> Array:
        """(n,) kinetic and potential energy together, J; its rate is power + external_power - lost_power."""
        return self.kinetic + self.potential

    @property
    def power(self) -> Array:
        """(n,) power of the actuators, W."""
        return np.sum(self.tau * self.qd, axis=1)

    @cached_property
    def qdd(self) -> Array:
        """(n, nv) accelerations, rad/s² or m/s²: of all that acted, contacts included.

        >>> import whippletree as wt
        >>> run = wt.simulate(wt.examples.load("pendulum"), [0.5], duration=0.1, method="rk4")
        >>> run.qdd[0].round(3)
        array([-7.055])
        """
        m = self._moved()
        tau = self.tau
        if len(self.contacts.titles):
            J = made_once(contact_jacobian, m)(self.q)
            tau = tau + np.einsum("ncdv,ncd->nv", J, self.contacts.force)
        method = None if self.acting is None else self.acting.method
        return accelerations_along(m, self.q, self.qd, tau, self._outside(), method)

    def frame(self, name: str) -> FrameMotion:
        """Where a frame or body was, and how it moved: a `FrameMotion`.

        >>> import whippletree as wt
        >>> run = wt.simulate(wt.examples.load("pendulum"), [0.5], duration=0.1, method="rk4")
        >>> run.frame("tip").position[0].round(3)
        array([-0.479,  0.   , -0.878])
        """
        return frame_motion(self._moved(), self.q, self.qd, self.qdd, name)

    def reactions(self) -> Reactions:
        """Force and moment that every joint transmitted, loop joints too, in every state.

        >>> import whippletree as wt
        >>> run = wt.simulate(wt.examples.load("four-bar"), duration=0.1, method="rk4")
        >>> found = run.reactions()
        >>> found.of("pin", "world")[0].round(3)
        array([ 0.   ,  0.   ,  0.   ,  0.512, -3.372,  0.   ])
        >>> found.unique("pin", "world")[0]
        array([False, False,  True,  True,  True, False])
        """
        if len(self.contacts.titles):
            raise InputError(
                "reactions of a run with contacts are not told: give contacts=None to wt.simulate"
            )
        if self.acting is not None and self.acting.method is not None:
            raise InputError(
                "reactions of a run with a tolerance are not told: they are those of loops that do not close"
            )
        tau, driving = self.tau, None
        if self.driven:
            given, driving = self._driving()
            tau = given + driving.of_tree(self._moved())
        return reactions_along(self._moved(), self.q, self.qd, self.qdd, tau, self._outside(), driving)

    def _driving(self) -> tuple[Array, Driving]:
        """(n, nv) forces of the control, asked for again, and those of the drivers."""
        if self.acting is None or self.acting.drive is None:
            raise InputError(
                f"{self.driven[0]!r} was driven in this run, and a file does not hold its force: ask for "
                "reactions before it is saved"
            )
        given = np.zeros(self.tau.shape)
        if self.acting.control is not None:
            states = zip(self.t.tolist(), self.q, self.qd, strict=True)
            given = np.array([self.acting.limited(self.acting.given(*state)[0]) for state in states])
        drive = self.acting.drive
        return given, Driving(drive.driven, drive.shares(self.q, self.tau - given))

    def _moved(self) -> Mechanism:
        if self.mechanism is None:
            raise InputError(
                "this trajectory does not say what moved, as it was read from a table: save it as .npz"
            )
        return self.mechanism

    def _outside(self) -> Array | None:
        """(n, nb, 6) forces on the bodies that a function of the user gave, asked for again."""
        m = self._moved()
        if self.acting is None:
            brought = made_once(passive_powers, m)(self.q, self.qd)[1]
            if not np.allclose(self.external_power, brought, rtol=1e-6, atol=1e-9):
                raise InputError(
                    "forces from outside acted in this run, and a file does not hold them: ask for qdd and "
                    "reactions before it is saved"
                )
        if self.acting is None or self.acting.external is None:
            return None
        states = zip(self.t.tolist(), self.q, self.qd, strict=True)
        return np.array([self.acting.outside(*state) for state in states])

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return "" if self.mechanism is None else self.mechanism.name

    def labels(self, which: str) -> list[str]:
        """A name for each column of "q", or of "qd" and "tau": the joint's, numbered if it has several."""
        if not isinstance(which, str) or which not in ("q", "qd", "tau"):
            raise InputError(f'which is {which!r:.60}: give "q", "qd" or "tau"')
        result = []
        for joint, nq, nv in self.joints:
            count = nq if which == "q" else nv
            result += [joint] if count == 1 else [f"{joint}[{k}]" for k in range(count)]
        return result

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        end = f", {self.t[0]:g} … {self.t[-1]:g} s" if len(self) else ""
        return f"<Trajectory of {self.name!r}: {len(self)} states{end}, {self.method}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trajectory into a file, whole or not at all; the suffix says how.

        .npz keeps everything, the mechanism included unless it has a joint type of your own. .csv and
        .parquet (needs pyarrow) are tables with a column for each number, a row for each state.
        `load_trajectory` reads all three. It refuses numbers that are not finite, so they are not written.

        >>> import tempfile
        >>> import whippletree as wt
        >>> run = wt.simulate(wt.examples.load("pendulum"), [0.5], duration=0.1, method="rk4")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.save(f"{folder}/run.npz")
        ...     bool(np.all(wt.load_trajectory(f"{folder}/run.npz").q == run.q))
        True
        """
        from .files import save

        save(self, path)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Figure":
        """A figure of coordinates, velocities, energies and phase; written to a file if one is named.

        Needs matplotlib: pip install whippletree[plot].
        """
        from ..display.plots import plot

        return plot(self, path)

    def animate(self, path: str | os.PathLike[str], fps: int = 30) -> None:
        """Write a moving picture at the speed of the motion: .gif or .mp4.

        Bodies are drawn as lines between the places where they are joined, shapes by their edges. Needs
        matplotlib: pip install whippletree[view].
        """
        from ..display.animation import animate

        animate(self, path, fps)

    def view(self, *, port: int | None = None, host: str = "127.0.0.1") -> "Viewer":
        """Play the motion in the browser; see `whippletree.view`. Needs viser: pip install whippletree[view].

        >>> import whippletree as wt
        >>> run = wt.simulate(wt.examples.load("pendulum"), [0.5], duration=0.1, method="rk4")
        >>> with run.view() as viewer:
        ...     viewer.q
        array([0.5])
        """
        from ..display.viewer import view

        return view(self, port=port, host=host)


def build(
    m: Mechanism, common: Common, external_power: Array, accounts: Array, **recorded: Any
) -> Trajectory:
    """The trajectory of recorded states, with what follows from them.

    Args:
        m: What moved; nobody changes it.
        common: Its compiled functions.
        external_power: (n,) W, of what is not part of the mechanism.
        accounts: (n, 5) of the states, see `Accounts`.
        recorded: Fields of the trajectory.
    """
    found = Accounts(*np.ascontiguousarray(accounts.T))
    q = recorded["q"]
    # All at once: set one by one, as a frozen class has to, fields take longer than many steps.
    run = object.__new__(Trajectory)
    run.__dict__.update(
        recorded,
        mechanism=Unchanging(m),  # which is told by its copy
        kinetic=found.kinetic,
        potential=found.gravity + found.elastic,
        elastic=found.elastic,
        lost_power=found.lost,
        external_power=external_power + found.brought,
        joints=m.once(_joints),
        constraint_error=common.gaps(q) if m.loops else np.zeros((len(q), 0)),
    )
    return run


def _joints(m: Mechanism) -> tuple[tuple[str, int, int], ...]:
    """Names of the joints, for each the entries of q and of qd."""
    return tuple((body.joint_name, body.joint.nq, body.joint.nv) for body in m.bodies)
