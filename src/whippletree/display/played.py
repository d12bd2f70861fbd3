"""Driven motions and modes as trajectories, so that they are played, filmed and kept as runs are."""

import numpy as np

from ..analysis.driven_kinematics import DrivenMotion
from ..analysis.modes import Modes
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.positions import difference
from ..model.snapshot import Snapshot
from ..simulation.equations import common
from ..simulation.events import Occurrence
from ..simulation.trajectory import Trajectory, build
from ..spatial import Array

SWINGS = 3
"""How often each mode is shown when all are."""


def played_motion(motion: DrivenMotion) -> Trajectory:
    """A driven motion as a trajectory; positions that do not determine velocities are left out.

    >>> import whippletree as wt
    >>> m = wt.examples.load("crank-slider")
    >>> played_motion(wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 5)))
    <Trajectory of 'crank-slider': 5 states, 0 … 3.14159 s, kinematics>
    """
    told = np.all(np.isfinite(motion.qd), axis=1)
    states = (motion.t[told], motion.q[told], motion.qd[told], motion.tau[told])
    return _recorded(motion.mechanism, *states, "kinematics")


def played_modes(modes: Modes, mode: int | None = None, amplitude: float = 0.2) -> Trajectory:
    """Swings of one mode, or of all one after the other, as a trajectory: a second each, whatever they take.

    An event tells where each mode begins, with its frequency.

    Args:
        modes: From `wt.modes`.
        mode: Which, 0 being the first; None: all that swing.
        amplitude: Of the joint that moves most, rad or m.

    >>> import whippletree as wt
    >>> run = played_modes(wt.modes(wt.examples.load("double-pendulum"), [0.0, 0.0]))
    >>> run, [event.name for event in run.events]  # doctest: +NORMALIZE_WHITESPACE
    (<Trajectory of 'double-pendulum': 361 states, 0 … 6 s, modes>,
     ['mode 0: 0.426553 Hz', 'mode 1: 1.14411 Hz'])
    """
    m = modes.mechanism
    shown = [k for k in range(len(modes)) if modes.frequency[k] > 0.0] if mode is None else [mode]
    if not shown:
        raise InputError(f"no mode of {m.name!r} swings: name one, as mode=0, to see how it creeps")
    one = [modes.motion(k, amplitude) for k in shown]
    count = len(one[0])
    speeds = [
        0.5 * count * np.array([difference(m, q[k - 1], q[(k + 1) % count]) for k in range(count)])
        for q in one
    ]
    q, qd = (np.concatenate([np.tile(part, (SWINGS, 1)) for part in parts]) for parts in (one, speeds))
    q, qd = np.concatenate([q, one[-1][:1]]), np.concatenate([qd, speeds[-1][:1]])
    t = np.arange(len(q)) / count
    events = [
        Occurrence(f"mode {k}: {modes.frequency[k]:g} Hz", float(SWINGS * i), one[i][0], speeds[i][0])
        for i, k in enumerate(shown)
    ]
    return _recorded(m, t, q, qd, np.zeros((len(q), m.nv)), "modes", tuple(events))


def _recorded(
    m: Mechanism, t: Array, q: Array, qd: Array, tau: Array, method: str, events: tuple[Occurrence, ...] = ()
) -> Trajectory:
    step = np.diff(t, prepend=t[:1])
    states = {"t": t, "q": q, "qd": qd, "tau": tau, "step": step}
    found, still = common(m), np.zeros(len(t))
    accounts = found.accounts(np.concatenate([q, qd], axis=1))
    return build(Snapshot(m).m, found, still, accounts, method=method, events=events, **states)
