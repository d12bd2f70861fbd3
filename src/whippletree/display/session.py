"""What a viewer shows and may be asked to do, without a server and without a picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.driven_kinematics import DrivenMotion
from ..analysis.modes import Modes
from ..api.compiling import made_once
from ..dynamics.energy import energy
from ..dynamics.kinematics import forward_kinematics
from ..dynamics.momentum import center_of_mass
from ..errors import InputError, SolverError
from ..loops.closing.assembly import assemble
from ..loops.closing.projections import project_velocity
from ..model.mechanism import Mechanism
from ..model.values import vector
from ..simulation import Trajectory, simulate
from ..simulation.driver import Control
from ..spatial import Array
from .charts import Slider
from .playback import contact_arrows, state_at
from .played import played_modes, played_motion
from .strokes import traces

STRIDE = 0.1
"""rad or m: a loop mechanism follows a slider in steps no larger, to stay on its branch."""

STRIDES = 25
"""At most so many of them in one go."""

TRACED = 400
"""Points of the path of a frame."""

FRAMES = 60.0
"""States that a simulation records for each second."""


class Session:
    """A mechanism in a position, with a velocity and perhaps a trajectory to play.

    Attributes:
        m: The mechanism, a copy; its gravity may be changed.
        q, qd: The position (nq,) and velocity (nv,) shown.
        trajectory: What is played, or None.
        time: s, within the trajectory.
        playing: Whether time advances.
        speed: Seconds of the trajectory in a second.
        repeat: Whether playing starts again at the end.
        control: What acts in simulations, as in `simulate`; None: no forces.
        impacts: The law of impacts in them.
        problems: What could not be done as the mechanism asks, in words.

    >>> import whippletree as wt
    >>> session = Session(wt.examples.load("pendulum"))
    >>> session.take(session.simulated(1.0))
    >>> session.advance(0.25)
    >>> session.playing, session.time
    (True, 0.25)
    """

    def __init__(self, m: Mechanism, trajectory: Trajectory | None = None) -> None:
        self.m: Mechanism = m.copy()
        self.problems: list[str] = []
        self._first_trajectory, self._first_gravity = trajectory, self.m.gravity
        self._first_q = self._start() if trajectory is None else np.array(trajectory.q[0])
        self._first_qd = np.zeros(self.m.nv)
        self.control: Control | None = None
        self.impacts: str = "poisson"
        self.speed: float = 1.0
        self.repeat: bool = True
        self.reset()

    def _start(self) -> Array:
        """Neutral, but within limits, and with loops closed and gears in mesh where that is possible."""
        m = self.m
        q = m.neutral()
        for body, index in zip(m.bodies, m.q_index, strict=True):
            if body.joint.nq == body.joint.nv and body.limits.lower <= body.limits.upper:
                q[index] = np.clip(q[index], body.limits.lower, body.limits.upper)
        if not m.loops and not m.gears:
            return q
        try:
            return assemble(m, q)
        except SolverError as error:
            self.problems.append(str(error))
            return q

    def reset(self) -> None:
        """Back to what was shown first."""
        self.m.gravity = self._first_gravity
        self.trajectory = self._first_trajectory
        self.q, self.qd = self._first_q.copy(), self._first_qd.copy()
        self.time, self.playing = 0.0, False
        if self.trajectory is not None:
            self.seek(float(self.trajectory.t[0]))

    def begin(self, q: Array, qd: Array, control: Control | None, impacts: str) -> None:
        """Show a position (nq,) and velocity (nv,) first, and let simulations have a control and a law."""
        self._first_q, self._first_qd = np.array(q, dtype=float), np.array(qd, dtype=float)
        self.control, self.impacts = control, impacts
        self.reset()

    def show(self, q: Array, qd: Array | None = None) -> None:
        """Show a position (nq,) and velocity (nv,), rest by default; playing stops."""
        self.playing = False
        self.q, self.qd = np.array(q, dtype=float), np.zeros(self.m.nv) if qd is None else np.array(qd)

    # Positions

    def value(self, slider: Slider) -> float:
        """The number of a joint that a slider stands for, rad or m."""
        joint, index = self.m.bodies[slider.body].joint, self.m.q_index[slider.body]
        return float(joint.numbers(self.q[index])[slider.entry])

    def describes(self, body: int, values: Any) -> bool:
        """Whether a body's joint is at the position of these numbers, whatever numbers are its own."""
        joint, index = self.m.bodies[body].joint, self.m.q_index[body]
        there = joint.from_numbers(np.array(values, dtype=float))
        way = joint.difference if joint.is_holonomic else np.subtract  # what rolls may be anywhere
        return bool(np.max(np.abs(way(self.q[index], there)), initial=0.0) < 1e-9)

    def move(self, slider: Slider, values: Any) -> None:
        """Bring a joint to the position of these numbers (nv,), the other joints of loops and gears with it.

        At rest, playing stopped. A mechanism with loops goes there step by step, as far as it can.

        Raises:
            SolverError: It cannot get there; it is shown where it got.
        """
        m, body = self.m, self.m.bodies[slider.body]
        index = m.q_index[slider.body]
        self.playing, self.qd = False, np.zeros(m.nv)
        there = body.joint.from_numbers(np.array(values, dtype=float))
        if not m.loops and not m.gears:
            self.q = _with(self.q, index, there)
            return
        way = body.joint.difference(self.q[index], there)
        largest = float(np.max(np.abs(way), initial=0.0))
        count = int(np.clip(np.ceil(largest / STRIDE), 1, STRIDES)) if m.loops else 1
        for left in range(count, 0, -1):
            way = body.joint.difference(self.q[index], there)
            part = there if left == 1 else body.joint.integrate(self.q[index], way / left)
            self.q = assemble(m, _with(self.q, index, part), hold=[body.joint_name])

    def spin(self, k: int, value: float) -> None:
        """Give velocity number k a value, rad/s or m/s; playing stops."""
        self.playing = False
        self.qd = self.qd.copy()
        self.qd[k] = value
        if self.m.loops or self.m.gears:
            joint = next(i for i, index in enumerate(self.m.v_index) if index.start <= k < index.stop)
            self.qd = project_velocity(self.m, self.q, self.qd, hold=[self.m.bodies[joint].joint_name])

    # Time

    def seek(self, t: float) -> None:
        """Show the state of the trajectory at a time, s."""
        if self.trajectory is not None:
            self.time = float(np.clip(t, self.trajectory.t[0], self.trajectory.t[-1]))
            self.q, self.qd = state_at(self.m, self.trajectory, self.time)

    def play(self) -> None:
        """Let time advance, from the start if it is at its end; nothing without a trajectory."""
        if self.trajectory is not None:
            if self.time >= self.trajectory.t[-1]:
                self.time = float(self.trajectory.t[0])
            self.playing = True

    def advance(self, seconds: float) -> None:
        """Go on by so many seconds of the clock on the wall, if playing."""
        if not self.playing or self.trajectory is None:
            return
        t, end = self.time + self.speed * seconds, float(self.trajectory.t[-1])
        if t > end and self.repeat:
            start = float(self.trajectory.t[0])
            t = start + (t - start) % max(end - start, 1e-9)
        self.seek(t)
        self.playing = self.repeat or t < end

    # Motion

    def pull(self, gravity: Sequence[float]) -> None:
        """Change the gravity, m/s²: of the energy shown, and of simulations to come.

        Raises:
            InputError: It is no three finite numbers.
        """
        x, y, z = vector(gravity, (3,), "gravity", "along x, y and z").tolist()
        self.m.gravity = (x, y, z)

    def simulated(self, duration: float) -> Trajectory:
        """The motion from the state shown, for a duration, s. Nothing of the session changes.

        Raises:
            WhippletreeError: It could not be computed.
        """
        m, q, qd = self.m, self.q, self.qd
        if m.loops or m.gears:  # between two recorded states they are not closed to the last digit
            q = assemble(m, q)
            qd = project_velocity(m, q, qd)
        return simulate(
            m, q, qd, duration, self.control, impacts=self.impacts, sample=1.0 / FRAMES, progress=False
        )

    def take(self, run: Trajectory) -> None:
        """Play a trajectory of this mechanism from its start."""
        self.trajectory = run
        self.seek(float(run.t[0]))
        self.playing = True

    # What is reported

    def energies(self) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity and springs, of the state shown, J."""
        kinetic, potential = energy(self.m, self.q, self.qd)
        return float(kinetic), float(potential)

    def center(self) -> Array:
        """(3,) the centre of mass, m; the origin where there is no mass."""
        if not any(float(body.inertia.m) > 0.0 for body in self.m.bodies):
            return np.zeros(3)
        return np.asarray(center_of_mass(self.m, self.q), dtype=float)

    def contact_arrows(self, length: float) -> Array:
        """(k, 2, 3) feet and tips of contact forces at the time shown, the largest of all so long, m."""
        if self.trajectory is None:
            return np.zeros((0, 2, 3))
        return contact_arrows(self.m, self.trajectory, self.time, self.q, length)

    def traces(self) -> list[Array]:
        """(n, 3) paths in the world of the frames that bodies carry, along the trajectory that is played."""
        if self.trajectory is None:
            return []
        times = np.linspace(self.trajectory.t[0], self.trajectory.t[-1], TRACED)
        q = np.array([state_at(self.m, self.trajectory, float(t))[0] for t in times])
        poses = np.asarray(made_once(forward_kinematics, self.m)(q)).reshape(TRACED, len(self.m), 4, 4)
        return list(traces(self.m, poses).values())


def _with(q: Array, index: slice, part: Array) -> Array:
    changed = q.copy()
    changed[index] = part
    return changed


def check(what: Any) -> tuple[Mechanism, Trajectory | None]:
    """The mechanism to be shown and its trajectory, if it has one; InputError for anything else."""
    if isinstance(what, Mechanism):
        return what, None
    if isinstance(what, DrivenMotion):
        what = played_motion(what)
    if isinstance(what, Modes):
        what = played_modes(what)
    if not isinstance(what, Trajectory):
        raise InputError(
            f"view: {what!r} is none of Mechanism, Trajectory, DrivenMotion (of wt.kinematics) and Modes"
        )
    if what.mechanism is None:
        raise InputError(
            "view: this trajectory has no mechanism; tables carry none, save it as .npz to keep it"
        )
    if len(what) == 0:
        raise InputError("view: this trajectory has no states")
    return what.mechanism, what
