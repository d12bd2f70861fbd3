"""Runs that go as one before them went, from other starts: what was set up for that is used again.

Setting a run up takes as long as thousands of steps of a small mechanism. Of a run in which nothing had to be
decided, which one stride led from its start to its end, all but the start is kept. The next run with the same
mechanism and options takes that stride at once; where something is to be decided after all, it is set up as
always. So results are the same to the last bit, whatever ran before.
"""

from collections.abc import Hashable
from typing import Any, NamedTuple

from ..api.forward_methods import METHODS, Method
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..model.singular import joints_in_doubt
from ..spatial import Array
from .acting import is_control
from .balance import Balance, Runaway
from .choice import keeps_energy
from .integrators import INTEGRATORS, Integrator
from .log import Row
from .regular_start import regular_start
from .run import Run
from .run_parts import Whole, tell_long_step
from .steppers import ChosenSteps, FixedSteps
from .strides.shelf import Shelf
from .trajectory import Trajectory


class Options(NamedTuple):
    """What decides how a run goes, but for the mechanism and the start; see `simulate`.

    Attributes:
        integrator, solver: What the names of method and dynamics stand for, which others may stand for later.
    """

    duration: float
    method: str
    dynamics: str
    dt: float | None
    rtol: float
    atol: float
    control: Kernel | None
    integrator: Integrator | None
    solver: Method | None


class Rerun:
    """A run that one stride led from its start to its end.

    Args:
        run: The run, which is over.
        whole: What took its steps.
    """

    def __init__(self, run: Run, whole: Whole) -> None:
        self._run, self._steps, self._strides = run, whole.steps, whole.strides
        self._always_this = run.plan.method != "auto" or keeps_energy(run.system)
        run.begin_records()  # what it recorded is told, and nobody's any more

    def again(self, y: Array) -> Trajectory | None:
        """The same from another start y (nq + nv,); None if something is to be decided."""
        run, steps, begun = self._run, self._steps, self._begun(y)
        if begun is None or run.is_too_fast(begun) or not self._same_method(begun):
            return None
        if isinstance(steps, ChosenSteps):
            steps.begin_again()
        found = self._strides.whole(begun)
        if found is None:
            return None
        h, t, states = found
        rows, fault = run.rows(t, states, h)
        if fault is not None:
            return None
        try:
            balance = self._balance(rows)
        except Runaway:
            return None
        if isinstance(steps, FixedSteps):  # only now: a run that is set up after all tells it itself
            tell_long_step(run, steps, begun)
        run.tell_balance(balance)
        return run.told(rows)

    def _balance(self, rows: Row) -> Balance:
        powers = self._run.powers_along(rows)
        begun = (0.0, 0.0) if powers is None else (float(powers[0, 0]), float(powers[0, 1]))
        balance = Balance(self._run.m, rows.accounts[0], begun)
        balance.add(rows.t, rows.accounts, powers)
        balance.close()
        return balance

    def _same_method(self, y: Array) -> bool:
        """Whether the integrator is the same from a start y (nq + nv,), if it is chosen; why, is learned."""
        if self._always_this:
            return True
        run = self._run
        method, run.reason = run.suitable(y)
        return method == run.method

    def _begun(self, y: Array) -> Array | None:
        """The start with loops closed, if it is not singular and what is in use is what it begins with."""
        run = self._run
        if run.closing is None:
            return y
        begun = regular_start(run.m, run.closing, run.system.equations.common, y)
        same = begun is not None and run.in_use.begins_alike(run.system, begun[: run.m.nq])
        return begun if same else None


class Reruns:
    """Those of a mechanism; each is used by one run at a time.

    Args:
        m: The mechanism, which nobody changes.
    """

    def __init__(self, m: Mechanism) -> None:
        self._kept = Shelf()

    def take(self, options: Hashable, y: Array) -> Trajectory | None:
        """A run from a start y (nq + nv,), if one went by these options before and this one goes like it."""
        rerun: Rerun | None = self._kept.take(options, lambda: None)
        if rerun is None:
            return None
        found = rerun.again(y)
        if found is not None:  # else the run that is set up now takes its place
            self._kept.put(options, rerun)
        return found

    def keep(self, options: Hashable, run: Run, whole: Whole) -> None:
        """Let others go like a run that is over, unless that turns on its start."""
        system, forces, q = run.system, run.plan.forces, run.log.first.y[: run.m.nq]
        asks = not forces.gives_nothing and not is_control(forces.control, run.m.nq, run.m.nv)
        if not asks and not run.m.once(joints_in_doubt) and run.in_use.begins_alike(system, q):
            self._kept.put(options, Rerun(run, whole))


def options_of(
    duration: float, method: str, dynamics: Any, dt: Any, rtol: float, atol: float, control: Any, *others: Any
) -> Options | None:
    """The options of a run, if they allow it to go as another one; all others should be absent."""
    plain = type(dynamics) is str and (dt is None or type(dt) is float)
    if not plain or not (control is None or isinstance(control, Kernel)):
        return None
    if any(other is not None for other in others):
        return None
    meant = INTEGRATORS.get(method), METHODS.get(dynamics)
    return Options(duration, method, dynamics, dt, rtol, atol, control, *meant)
