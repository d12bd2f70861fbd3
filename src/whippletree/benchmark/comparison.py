"""Every way to forward dynamics side by side: agreement, operations, time."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from ..api.compiling import record
from ..api.forward import accelerations_by, forward_dynamics
from ..api.forward_methods import METHODS, applicable
from ..checks.checking import checked
from ..errors import SingularError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.program import Program
from ..loops.closing.assembly import assemble
from ..loops.closing.projections import project_velocity
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..spatial import Array
from .measure import best_times
from .text_table import aligned

STATES = 1024
"""How many states a kernel is given at once when it is timed."""

LARGEST = 100_000
"""Operations of the longest program that is compiled only to be timed: beyond, that takes a minute."""

ROUNDS = 5
"""Rounds of which the best counts, all methods taking turns."""


@dataclass(frozen=True)
class Compared:
    """One method of forward dynamics.

    Attributes:
        method: Its name, as in `methods(m)`.
        how: What it is, in a line.
        difference: The largest difference of its accelerations from those of the first method, in plain
            Python and as machine code, as a share of the largest acceleration, or of a thousandth of what
            that is without tau, or at rest: forces that hold the balance leave nothing but rounding.
            Infinite if one is NaN.
        operations: Additions, multiplications, divisions, square roots and the like of its recorded program
            for this mechanism; None for a method that takes decisions by the values it meets.
        seconds: Time of one state in a batch on one core, as machine code; None if it was not compiled.
    """

    method: str
    how: str
    difference: float
    operations: int | None
    seconds: float | None


@dataclass(frozen=True)
class Comparison:
    """All methods for one state of a mechanism.

    Attributes:
        mechanism: Its name.
        qdd: (nv,) the accelerations by the first method, the one "auto" takes, rad/s² or m/s².
        methods: Those that apply, "auto" first.
        refused: Those that do not, in this state or at all, and what is in the way.
    """

    mechanism: str
    qdd: Array
    methods: tuple[Compared, ...]
    refused: Mapping[str, str]

    @property
    def largest_difference(self) -> float:
        """How far any two methods are apart at most, about: from the first one, relative."""
        return max(entry.difference for entry in self.methods)

    def data(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        return {
            "mechanism": self.mechanism,
            "qdd": self.qdd.tolist(),
            "largest_difference": self.largest_difference,
            "methods": [asdict(entry) for entry in self.methods],
            "refused": dict(self.refused),
        }

    def rows(self) -> list[list[str]]:
        """Cells of a table: method, what it is, difference, operations, time a state."""
        return [
            [
                entry.method,
                entry.how,
                f"{entry.difference:.0e}" if k else "reference",
                "—" if entry.operations is None else f"{entry.operations:,}",
                "—" if entry.seconds is None else time_text(entry.seconds),
            ]
            for k, entry in enumerate(self.methods)
        ]

    def __str__(self) -> str:
        return "\n".join([*aligned(HEADINGS, self.rows(), NUMBERS), *left_out(self.refused)])


def left_out(refused: Mapping[str, str]) -> list[str]:
    """A line for each reason, with all methods that it keeps out.

    >>> left_out({"acs": "it is a tree", "geared": "it has no gears", "kkt": "it is a tree"})
    ['acs, kkt: it is a tree', 'geared: it has no gears']
    """
    by_reason: dict[str, list[str]] = {}
    for name, why in refused.items():
        by_reason.setdefault(why, []).append(name)
    return [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]


LEFT = 1e-3
"""Of terms that cancel, the least share that measures a difference: sums keep the errors of terms."""

HEADINGS = ("method", "how", "difference", "operations", "time a state")
NUMBERS = ("difference", "operations", "time a state")


@checked
def compare(m: Mechanism, q: Array, qd: Array, tau: Array) -> Comparison:
    """The accelerations of one state by every method and formulation there is.

    Every method that applies is run in plain Python, recorded, compiled and run again; all accelerations are
    compared with those of the first. Times are the best of some rounds in which all take turns, for batches
    on one core: let nothing else run meanwhile. Compiling takes some milliseconds to some seconds a method.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.

    Returns:
        A report; `print` shows it as a table.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> found = wt.compare(m, [0.3, 0.5], [1.0, -0.4], [0.2, 0.1])
    >>> found.methods[0].method, found.largest_difference < 1e-12
    ('crba', True)
    >>> found.refused["geared"]
    "'double-pendulum' has no gears"
    """
    refused = {name: fault for name, method in METHODS.items() if (fault := method.fault(m)) is not None}
    found: dict[str, list[Array]] = {}
    programs: dict[str, Program] = {}
    for name in applicable(m):
        try:
            found[name] = [forward_dynamics(m, q, qd, tau, name)]
            if METHODS[name].recordable:
                programs[name] = recorded(m, q, name)
        except SingularError as error:  # in this state only
            refused[name] = str(error)
    counts = {name: sum(program.cost.values()) for name, program in programs.items()}
    kernels = {name: Kernel(program, name) for name, program in programs.items() if counts[name] <= LARGEST}
    times = _times(kernels, q, qd, tau)
    if not found:
        raise SingularError(f"no method finds an acceleration here: {list(refused.values())[-1]}")
    first = next(iter(found.values()))[0]
    for name, kernel in kernels.items():
        found[name].append(kernel(q, qd, tau))
    rest, way = np.zeros(m.nv), next(iter(found))
    terms = [forward_dynamics(m, q, speed, rest, way) for speed in (qd, rest)]
    entries = tuple(
        Compared(
            name,
            title(name),
            max(relative_difference(qdd, first, *terms) for qdd in both),
            counts.get(name),
            times.get(name),
        )
        for name, both in found.items()
    )
    return Comparison(m.name, first, entries, refused)


def recorded(m: Mechanism, q: Array, name: str) -> Program:
    """The simplified program of a method for a mechanism, with the choice that suits q (nq,) best."""
    method = METHODS[name]
    return record(accelerations_by, m, method=method, choice=tuple(method.chosen(m, q).items()))


def title(name: str) -> str:
    """What a method is: the first line of the file that it stands in."""
    doc = sys.modules[METHODS[name].accelerations.__module__].__doc__ or ""
    return doc.partition("\n")[0].removeprefix("Forward dynamics ").rstrip(".")


def some_state(m: Mechanism) -> tuple[Array, Array, Array]:
    """q (nq,), qd and tau (nv,) at random, the same at every call; near neutral if loops must be closed."""
    rng = np.random.default_rng(1)
    q, qd, tau = m.random(rng), rng.normal(size=m.nv), rng.normal(size=m.nv)
    if m.loops:
        q = assemble(m, integrate(m, m.neutral(), 0.1 * rng.normal(size=m.nv)))
        qd = project_velocity(m, q, qd)
    return q, qd, tau


def relative_difference(values: Array, reference: Array, *terms: Array) -> float:
    """Largest difference of two vectors as a share of the largest entry of the second.

    Terms that are much larger, and of which it is what is left, count by `LEFT`.

    >>> relative_difference(np.array([1.0, 2.5]), np.array([1.0, 2.0]), np.array([-5000.0, 3.0]))
    0.1
    >>> relative_difference(np.array([np.nan]), np.array([1.0]))
    inf
    """
    sizes = [LEFT * float(np.max(np.abs(term), initial=0.0)) for term in terms]
    largest = max(float(np.max(np.abs(reference), initial=1e-300)), *sizes, 1e-300)
    difference = float(np.max(np.abs(values - reference), initial=0.0) / largest)
    return difference if np.isfinite(difference) else np.inf


def time_text(seconds: float) -> str:
    """A time in the unit that suits it, three digits.

    >>> time_text(0.00123), time_text(4.56e-8)
    ('1.23 ms', '45.6 ns')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _times(kernels: Mapping[str, Kernel], *state: Array) -> dict[str, float]:
    """Seconds a state of each kernel, all in turn."""
    batch = [np.tile(part, (STATES, 1)) for part in state]
    calls: dict[str, Callable[[], object]] = {
        name: partial(kernel, *batch, out=kernel(*batch)) for name, kernel in kernels.items()
    }
    return {name: time / STATES for name, time in best_times(calls, ROUNDS, at_least=0.01).items()}
