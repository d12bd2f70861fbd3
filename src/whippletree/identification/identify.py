"""Identification: the masses, inertias and friction of a mechanism from a recorded motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..api.compiling import compile, kernel
from ..dynamics.passive import passive_forces
from ..dynamics.rnea import bias_force
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect, positions, velocities
from ..simulation.trajectory import Trajectory
from ..spatial import Array
from .base_parameters import BaseParameters, combined, refuse_loops
from .body_parameters import (
    INERTIAL,
    OF_JOINT,
    regressor_names,
    regressor_values,
    unknown,
    with_regressor_values,
)
from .consistency import is_consistent, nearest_consistent

PRIOR = 10.0
"""How far from the model, in shares of their size, parameters are expected that the data do not tell."""

SURE = 1e6
"""How much more the data count than the model, at most: beyond, rounding would lose what the model says."""

LENGTH = 0.1
"""m: how far a centre of mass is off at least, for the sizes of moments and inertias."""

NORMAL = 1.959964
"""Standard deviations of a normal distribution around 95 % of it."""


class MeasuredMotion(NamedTuple):
    """A motion that was measured, n states, for `identify`.

    Attributes:
        q: (n, nq) positions, rad or m.
        qd, qdd: (n, nv) velocities and accelerations, per s and s².
        tau: (n, nv) forces of the motors, N m or N.

    >>> import numpy as np, whippletree as wt
    >>> t = np.linspace(0.0, 2.0, 100)[:, None]
    >>> seen = wt.MeasuredMotion(np.sin(t), np.cos(t), -np.sin(t), 4.905 * np.sin(np.sin(t)) - np.sin(t) / 3)
    >>> wt.identify(wt.examples.load("pendulum"), seen).noise.max() < 1e-9
    np.True_
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class Identified:
    """What a motion tells about a mechanism.

    Attributes:
        mechanism: The mechanism with the values found.
        names: Of all parameters, 13 a body, as by `regressor_names`.
        values: (13 nb,) those of bodies that there can be, as near to the data as such can be, and as near to
            the given mechanism as the data allow.
        bounds: (13 nb,) half the width of the interval that holds a value with 95 %; infinite for what the
            data do not determine by itself; 0 for what was known.
        base: The combinations of parameters that the data do determine.
        base_values: (len(base),) by least squares alone.
        base_bounds: (len(base),) half the width of their intervals of 95 %.
        noise: (nv,) standard deviation of the joint forces from what the model says, N m or N.
        consistent: Whether least squares alone gave bodies that there can be.
    """

    mechanism: Mechanism
    names: tuple[str, ...]
    values: Array
    bounds: Array
    base: BaseParameters
    base_values: Array
    base_bounds: Array
    noise: Array
    consistent: bool

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of parameters that the data do not determine by themselves, but at most in combinations."""
        return tuple(name for name, bound in zip(self.names, self.bounds, strict=True) if np.isinf(bound))

    def __str__(self) -> str:
        lines = [f"{len(self.base)} combinations of {len(self.names)} parameters are determined:"]
        for name, value, bound in zip(self.base.names, self.base_values, self.base_bounds, strict=True):
            weak = "  (not told from 0)" if bound > abs(value) else ""
            lines.append(f"  {value:12.5g} ± {bound:<9.2g} {name}{weak}")
        if self.base.absent:
            lines.append(f"without effect on this motion: {', '.join(self.base.absent)}")
        if self.undetermined:
            lines.append(f"not determined by themselves: {len(self.undetermined)}; they stay near the model")
        return "\n".join(lines)


def identify(m: Mechanism, motion: Trajectory | MeasuredMotion, *, known: Sequence[str] = ()) -> Identified:
    """Masses, centres of mass, inertias, armature and friction from a motion and its joint forces.

    Joint forces are linear in these (see `regressor`). The combinations that the motion shows (Gautier 1991)
    are found by least squares, weighted with the noise of each joint, which tells their bounds. Of all
    parameters that agree with them, those nearest to the mechanism are taken that bodies can have:
    pseudo-inertias without negative eigenvalues (Wensing, Kim & Slotine 2018), nothing negative in joints.

    Args:
        m: A tree, as it is believed to be; its springs, stops and forces are taken as they are.
        motion: What `simulate` recorded, whose accelerations are taken from a spline through its velocities,
            or measurements. Filter them before: noise of positions and velocities is not accounted for.
        known: Names of parameters, as by `regressor_names`, that keep the values they have in m.

    Returns:
        A report, with the identified mechanism; `print` shows it as text.

    Raises:
        InputError: The motion does not fit the mechanism.
        ModelError: clarabel is needed and not installed.

    >>> import numpy as np, whippletree as wt
    >>> m, rng = wt.Mechanism("crank"), np.random.default_rng(0)
    >>> inertia = wt.Inertia(2.0, (0.3, 0, 0.1), (0.1, 0.2, 0.15))
    >>> m.add_body("crank", wt.Revolute("y"), inertia=inertia, damping=0.3, friction=0.2)
    >>> q, qd, qdd = wt.exciting_trajectory(m).at(np.linspace(0.0, 10.0, 500))
    >>> tau = wt.compile(wt.regressor, m)(q, qd, qdd) @ wt.regressor_values(m)
    >>> tau = tau + 0.01 * rng.normal(size=(500, 1))
    >>> found = wt.identify(m, wt.MeasuredMotion(q, qd, qdd, tau), known=["crank.armature"])
    >>> found.base.names
    ('crank.moment.x', 'crank.moment.z', 'crank.inertia.yy', 'crank.damping', 'crank.friction')
    >>> bool(np.all(found.base_bounds < 0.01))
    True
    """
    import scipy.linalg  # on use: it takes longer to import than all the rest

    expect("identify", "m", m, Mechanism, "a Mechanism")
    refuse_loops(m, "identify")
    data, names = _measured(m, motion), regressor_names(m)
    free = np.array(unknown(m, known), dtype=int)
    model = regressor_values(m)
    W = kernel(m, "regressor")(data.q, data.qd, data.qdd).reshape(-1, len(names))
    y = (data.tau + _own_forces(m, data)).reshape(-1)
    y = y - np.delete(W, free, axis=1) @ np.delete(model, free)
    base = combined(W[:, free], [names[k] for k in free], free.tolist(), len(names))
    if len(y) <= len(base):
        raise InputError(
            f"the motion has {len(data.q)} states, {len(y)} forces, for {len(base)} combinations of "
            "parameters: give more"
        )
    noise = np.ones(m.nv)
    columns = list(base.columns)
    R, found = np.zeros((0, 0)), np.zeros(0)
    for _ in range(3):  # weights from residuals, residuals from weights
        weights = np.tile(1.0 / noise, len(data.q))
        Q, R = np.linalg.qr(weights[:, None] * W[:, columns])
        found = scipy.linalg.solve_triangular(R, Q.T @ (weights * y))
        left = (y - W[:, columns] @ found).reshape(-1, m.nv)
        spread = np.sqrt(np.sum(left**2, axis=0) / (len(data.q) - len(base) / m.nv))
        noise = np.maximum(spread, 1e-12 * np.maximum(1.0, np.sqrt(np.mean(y**2))))
    deviation = np.linalg.norm(scipy.linalg.solve_triangular(R, np.eye(len(R))), axis=1)
    values, consistent = _consistent(R, found, base, free, model, _sizes(m, data))
    bounds = np.zeros(len(names))
    bounds[free] = np.inf
    for row, column, own in zip(base.matrix, columns, NORMAL * deviation, strict=True):
        if np.count_nonzero(row) == 1:
            bounds[column] = own
    return Identified(
        with_regressor_values(m, values),
        tuple(names),
        values,
        bounds,
        base,
        found,
        NORMAL * deviation,
        noise,
        consistent,
    )


def _consistent(
    R: Array, found: Array, base: BaseParameters, free: Array, model: Array, sizes: Array
) -> tuple[Array, bool]:
    """Parameters that bodies can have, and whether least squares alone gave them."""
    sizes = PRIOR * sizes[free]
    data = R @ base.matrix[:, free] * sizes
    weight = min(1.0, SURE / max(float(np.linalg.norm(data, 2)), 1.0)) if data.size else 1.0
    A = np.concatenate([weight * data, np.eye(len(free))])
    b = np.concatenate([weight * (R @ found), model[free] / sizes])
    values = model.copy()
    values[free] = sizes * np.linalg.lstsq(A, b, rcond=None)[0]
    if is_consistent(values):
        return values, True
    return nearest_consistent(A, b, sizes, free, values), False


def _sizes(m: Mechanism, data: MeasuredMotion) -> Array:
    """(13 nb,) what parameters of such bodies are of the order of."""
    mean, rows = max(sum(body.inertia.m for body in m.bodies) / len(m), 1e-3), []
    for i, body in enumerate(m.bodies):
        mass, index = max(body.inertia.m, mean), m.v_index[i]
        length = max(float(np.linalg.norm(body.inertia.com)), LENGTH)
        force = 0.1 * float(np.sqrt(np.mean(data.tau[:, index] ** 2))) + 1e-6 if body.joint.nv else 1.0
        speed = float(np.sqrt(np.mean(data.qd[:, index] ** 2))) + 1e-3 if body.joint.nv else 1.0
        joint = [
            max(body.armature, mass * length**2),
            max(body.damping, force / speed),
            max(body.friction, force),
        ]
        rows += [mass, *[mass * length] * 3, *[mass * length**2] * (len(INERTIAL) - 4), *joint]
    return np.array(rows)


def _own_forces(m: Mechanism, data: MeasuredMotion) -> Array:
    """(n, nv) what springs, stops and forces of the mechanism do, as joint forces."""
    silent = regressor_values(m).reshape(len(m), -1)
    silent[:, len(INERTIAL) : len(INERTIAL) + len(OF_JOINT)] = 0.0
    return compile(own_joint_forces, with_regressor_values(m, silent.reshape(-1)))(data.q, data.qd)


def own_joint_forces(m: Mechanism, q: Array, qd: Array) -> Array:
    """(nv,) `passive_forces` with those on bodies as joint forces."""
    tau, f_ext = passive_forces(m, q, qd)
    if f_ext is None:
        return tau + 0.0 * qd
    rest = np.zeros(m.nv)
    return tau + bias_force(m, q, rest) - bias_force(m, q, rest, f_ext)


def _measured(m: Mechanism, motion: Trajectory | MeasuredMotion) -> MeasuredMotion:
    """What is given, checked."""
    import scipy.interpolate  # on use: it takes longer to import than all the rest

    if isinstance(motion, Trajectory):
        if len(motion) < 4 or np.any(np.diff(motion.t) <= 0.0):
            raise InputError(
                f"the trajectory has {len(motion)} states, some perhaps of equal times, and accelerations "
                "cannot be told: give 4 or more of a motion without jumps, or a MeasuredMotion"
            )
        qdd = scipy.interpolate.CubicSpline(motion.t, motion.qd).derivative()(motion.t)
        motion = MeasuredMotion(motion.q, motion.qd, qdd, motion.tau)
    if not isinstance(motion, MeasuredMotion):
        raise InputError(
            f"motion is {type(motion).__name__}, expected a Trajectory or a MeasuredMotion(q, qd, qdd, tau)"
        )
    q = positions(m, motion.q, "motion.q")
    rates = [velocities(m, getattr(motion, name), f"motion.{name}") for name in ("qd", "qdd", "tau")]
    for name, array in zip(("q", "qd", "qdd", "tau"), (q, *rates), strict=True):
        if array.ndim != 2 or len(array) != len(q) or array.dtype.kind != "f":
            raise InputError(
                f"motion.{name} has shape {array.shape} and dtype {array.dtype}, expected one row of real "
                f"numbers for each state, as motion.q {q.shape}"
            )
    return MeasuredMotion(q, *rates)
