"""Natural modes: how a mechanism swings about a position of rest."""

import os
from dataclasses import dataclass, field

import numpy as np

from ..api.forward import forward_dynamics
from ..errors import InputError
from ..loops.closing.projections import project_position
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.values import real_vector, whole_number
from ..spatial import Array
from .driven_system import joint_of_velocity
from .linear_model import linearize

AT_REST = 1e-6
"""Accelerations, as a share of those that gravity or forces cause in free joints, that count as none."""


MOST = 100_000
"""Positions of a swing, at most."""


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes about a position of rest, slowest first; those that do not swing last.

    Attributes:
        eigenvalues: (n,) of the motion, 1/s: one of each pair that swings, with its imaginary part positive,
            and all that are real.
        frequency: (n,) of what is seen, Hz: imaginary part over 2π.
        damping: (n,) share of critical damping: 1 and more does not swing, below 0 grows.
        shapes: (n, nv) joint motions, the largest entry 1; complex where joints do not move in step.
        q: (nq,) the position of rest.
        mechanism: What swings.
    """

    eigenvalues: Array
    frequency: Array
    damping: Array
    shapes: Array
    q: Array
    mechanism: Mechanism = field(repr=False)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        told = ", ".join(
            f"{f:.4g} Hz" + (f" ({100.0 * d:.3g} %)" if abs(d) > 1e-9 else "")
            for f, d in zip(self.frequency, self.damping, strict=True)
            if f > 0.0
        )
        creeping = int(np.sum(self.frequency == 0.0))
        parts = [part for part in (told, f"{creeping} that do not swing" if creeping else "") if part]
        return f"<Modes of {self.mechanism.name!r}: {'; '.join(parts) or 'none'}>"

    def animate(self, path: str | os.PathLike[str], mode: int = 0, amplitude: float = 0.2) -> None:
        """Write a moving picture of a mode, each swing a second, whatever it takes: .gif or .mp4.

        Args:
            path: Where to.
            mode: Its number, 0 being the first.
            amplitude: Of the joint that moves most, rad or m.
        """
        from ..display.animation import animate
        from ..display.played import played_modes

        animate(played_modes(self, mode, amplitude), path)

    def motion(self, mode: int, amplitude: float = 0.2, count: int = 60) -> Array:
        """(count, nq) positions of one swing of a mode, undamped, loops closed: to be shown by `Viewer.show`.

        Args:
            mode: Its number, 0 being the first.
            amplitude: Of the joint that moves most, rad or m.
            count: Positions in one swing.
        """
        if whole_number(mode, "mode", 0) >= len(self):
            raise InputError(f"mode is {mode}, expected 0 … {len(self) - 1}")
        if whole_number(count, "count") > MOST:
            raise InputError(f"count is {count}, expected {MOST} at most")
        amplitude = real_vector(amplitude, (), "amplitude", "of the joint that moves most, rad or m").item()
        m, shape = self.mechanism, self.shapes[mode]
        found = []
        for angle in 2.0 * np.pi * np.arange(count) / count:
            moved = integrate(m, self.q, amplitude * np.real(shape * np.exp(1j * angle)))
            found.append(project_position(m, moved) if m.loops or m.gears else moved)
        return np.array(found)


def modes(m: Mechanism, q: Array, tau: Array | None = None) -> Modes:
    """Frequencies, damping and shapes of the small motions about a position of rest, loops closed.

    They are the eigenvalues and eigenvectors of `linearize`, springs, dampers and loads included.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m: an equilibrium, as from `equilibrium`.
        tau: (nv,) forces of the motors that hold it there, N m or N; none by default.

    Raises:
        InputError: It does not rest there; names the joint that moves most.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> found = wt.modes(m, [0.0, 0.0])
    >>> found.frequency.round(4), found.shapes.round(3)
    (array([0.4266, 1.1441]), array([[ 1.   ,  0.431],
           [-0.323,  1.   ]]))
    """
    tau = np.zeros(m.nv) if tau is None else tau
    rest = np.zeros(m.nv)
    qdd = forward_dynamics(m, q, rest, tau)
    model = linearize(m, q, rest, tau)
    k = model.G.shape[1]
    scale = float(np.max(np.abs(model.A[k:, :k]), initial=0.0)) + float(np.linalg.norm(m.gravity))
    if np.max(np.abs(qdd), initial=0.0) > AT_REST * scale:
        worst = int(np.argmax(np.abs(qdd)))
        raise InputError(
            f"q is no equilibrium of {m.name!r}: joint {joint_of_velocity(m, worst)!r} accelerates by "
            f"{qdd[worst]:.3g} rad/s² or m/s²; take q from wt.equilibrium"
        )
    values, vectors = np.linalg.eig(model.A)
    kept = [n for n in range(len(values)) if values[n].imag >= 0.0]
    kept.sort(key=lambda n: (values[n].imag == 0.0, abs(values[n].imag), -values[n].real))
    shapes = [_scaled(model.G @ vectors[:k, n]) for n in kept]
    found = values[kept]
    size = np.abs(found)
    damping = np.where(size > 0.0, -np.real(found) / np.where(size > 0.0, size, 1.0), 0.0)
    return Modes(found, np.imag(found) / (2.0 * np.pi), damping, np.array(shapes).reshape(-1, m.nv), q, m)


def _scaled(shape: Array) -> Array:
    """The shape with its largest entry 1, real if all joints move in step."""
    largest = shape[int(np.argmax(np.abs(shape)))]
    if largest == 0.0:
        return shape
    scaled = shape / largest
    return scaled if np.max(np.abs(scaled.imag)) > 1e-9 else scaled.real
