"""What a simulation records, and its energy held against what acts on it."""

from functools import cached_property

import numpy as np

from ..errors import EnergyWarning, SimulationError, tell
from ..model.mechanism import Mechanism
from ..spatial import Array
from . import faults
from .acting import acting_along, acting_at
from .balance import SHARE, Balance, Runaway
from .integrators import INTEGRATORS
from .log import Log, Row
from .plan import Plan
from .systems import Compiled


class Records:
    """The states of a run on their way into its log.

    Attributes:
        plan: What it is asked to do.
        m: The mechanism.
        method: Name of the integrator.
        log: What was recorded.
    """

    plan: Plan
    m: Mechanism
    method: str
    log: Log

    @cached_property
    def system(self) -> Compiled:
        """The motion."""
        raise NotImplementedError

    def begin_records(self) -> None:
        """Nothing is recorded yet."""
        self.log = Log()
        self._balance: Balance | None = None

    def split(self, y: Array) -> tuple[Array, Array]:
        """q (nq,) and qd (nv,) of a state, behind which there may be more."""
        return y[: self.m.nq], y[self.m.nq : self.m.nq + self.m.nv]

    @property
    def last(self) -> Array:
        """(nq + nv,) the state recorded last."""
        return self.log.last.y

    def fail(self, what: str, t: float, joint: str | None) -> SimulationError:
        """What ends the run at a time, s."""
        raise NotImplementedError

    def record(self, t: float, y: Array, h: float) -> None:
        state = y[: self.m.nq + self.m.nv].copy()
        self.log.add(Row(t, state, h, self.system.equations.common.accounts(state), *self._acting(t, state)))

    def _acting(self, t: float, y: Array) -> tuple[Array | None, float | None]:
        """What acts at a state (nq + nv,), see `acting_at`; None if nothing ever does."""
        forces = self.plan.forces
        return (None, None) if forces.idle else acting_at(forces, t, *self.split(y))

    @property
    def balance(self) -> Balance:
        """The energy of the run."""
        if self._balance is None:
            first = self.log.first
            self._balance = Balance(self.m, first.accounts, self._powers(first, first.y))
        return self._balance

    def _powers(self, row: Row, y: Array) -> tuple[float, float]:
        """W: of the actuators and of what else acts, at a state y (nq + nv, …) that was recorded."""
        acting = 0.0 if row.tau is None else float(row.tau @ self.split(y)[1])
        return acting, (row.power or 0.0) - self.rubbed(row.t, y)

    def rubbed(self, t: float, y: Array) -> float:
        """W: what surfaces that touch take away at a state (nq + nv,), by rubbing."""
        return 0.0

    def rubbed_along(self, rows: Row) -> Array | float:
        """(n,) W: the same at many states, or 0 if nothing ever rubs."""
        return 0.0

    def keep(self, rows: Row) -> None:
        """Record many states."""
        self.log.extend(rows)

    def weigh(self, t: float, y: Array) -> None:
        """Hold the energy at the end of a step, or behind an action, against what has acted until then."""
        row, state = self.log.last, y[: self.m.nq + self.m.nv].copy()
        if row.t != t:
            row = Row(t, state, 0.0, row.accounts, *self._acting(t, state))
        try:
            accounts = self.system.equations.common.accounts(state)
            self.balance.add(np.array([t]), accounts[None], np.array([self._powers(row, y)]))
        except Runaway as found:
            raise self._runaway(found) from None

    def record_many(self, t: Array, y: Array, h: Array, told: Array | None = None) -> None:
        """Weigh states (n, nq + nv) at the ends (n,) of steps h (n,), and record those told (n,), or all."""
        found, fault = self.rows(t, y, h)
        self.keep(found if told is None else found.among(told[: len(found.t)]))
        try:
            self.balance.add(found.t, found.accounts, self.powers_along(found))
        except Runaway as found:
            raise self._runaway(found) from None
        if fault is not None:
            raise fault

    def powers_along(self, rows: Row) -> Array | None:
        """(n, 2) W: of the actuators and of what else acts, at many states; None if nothing ever does."""
        rubbed = self.rubbed_along(rows)
        if rows.tau is not None:
            acting = np.einsum("ij,ij->i", rows.tau, rows.y[:, self.m.nq :])
            return np.stack([acting, rows.power - rubbed], axis=1)
        if isinstance(rubbed, np.ndarray):
            return np.stack([np.zeros(len(rubbed)), -rubbed], axis=1)
        return None

    def record_within(self, t: Array, y: Array, h: Array) -> None:
        """Record states (n, nq + nv) at times (n,) within steps, h (n,) after their starts."""
        found, fault = self.rows(t, y, h)
        self.keep(found)
        if fault is not None:
            raise fault

    def rows(self, t: Array, y: Array, h: Array) -> tuple[Row, BaseException | None]:
        """Many states with what acts, as `acting_at` has it, up to where a function fails, and how."""
        accounts = self.system.equations.common.accounts
        found = Row(t, y, h, accounts(y[0])[None] if len(y) == 1 else accounts(y))  # one has a quicker door
        if self.plan.forces.idle:
            return found, None
        q, qd = np.ascontiguousarray(y[:, : self.m.nq]), np.ascontiguousarray(y[:, self.m.nq :])
        tau, power, fault = acting_along(self.plan.forces, t, q, qd)
        return found.among(slice(len(tau)))._replace(tau=tau, power=power), fault

    def settle(self) -> None:
        """Warn if energy is not what went in and out."""
        try:
            self.balance.close()
        except Runaway as found:
            raise self._runaway(found) from None
        self.tell_balance(self.balance)

    def tell_balance(self, balance: Balance) -> None:
        """The same for what has been looked at."""
        past = balance.past
        if not past.error:
            return
        scale = balance.scale(past)
        share = abs(past.error) / scale
        if share > SHARE:
            told = faults.unaccounted(self.m, past.error, past.at, share, scale)
            tell(f"{told} ({self.method}): {self.remedy}", EnergyWarning)

    @property
    def remedy(self) -> str:
        """What to do about steps that are too long, by who chooses them."""
        fixed = self.method in INTEGRATORS
        return "reduce dt, or use a method that chooses its steps" if fixed else "reduce rtol and atol"

    def _runaway(self, found: Runaway) -> SimulationError:
        self.log.until(found.t)
        joint = faults.joint_of_worst(self.system, found.t, self.last)
        return self.fail(faults.runs_away(found, joint, self.remedy), found.t, joint)
