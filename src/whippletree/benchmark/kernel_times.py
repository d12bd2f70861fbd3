"""Kernels against Pinocchio, MuJoCo and dynibo: one state from Python, and batches on one and two threads."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean

import numpy as np

from ..api.compiling import compile
from ..dynamics import aba, crba, rnea
from ..errors import SingularError
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from .measure import best_times
from .peers import BATCH_FOR_PEERS, Calls, one_line, peer_calls
from .robots import Robot
from .startup import startup

ALGORITHMS: dict[str, Callable[..., object]] = {"rnea": rnea, "crba": crba, "aba": aba}
BATCH = 65_536
COMPARED = 4_096
"""States of a batch whose results in float32 are held against those in float64."""


@dataclass(frozen=True)
class KernelTimes:
    """One algorithm on one robot; times in ns per state, None where a library is not installed or refuses.

    `compile_seconds` is what the first process ever waits for the kernel, `cached_seconds` what later ones
    wait; see `startup`. `batch_single` is the time of a batch in float32, `single_error` the largest error of
    its results, by those in float64, as a share of the largest result of a state.
    """

    robot: str
    nv: int
    algorithm: str
    operations: int
    compile_seconds: float
    cached_seconds: float
    one: float
    one_pinocchio: float | None
    one_mujoco: float | None
    one_dynibo: float | None
    batch: float
    batch_two_threads: float
    batch_pinocchio: float | None
    batch_single: float
    single_error: float
    gflops: float

    @property
    def one_ratio(self) -> float | None:
        """How many times faster than Pinocchio called from Python."""
        return None if self.one_pinocchio is None else self.one_pinocchio / self.one

    @property
    def batch_ratio(self) -> float | None:
        """How many times the states per second of Pinocchio, on one thread each."""
        return None if self.batch_pinocchio is None else self.batch_pinocchio / self.batch


def measure_robot(
    robot: Robot,
    rounds: int = 20,
    progress: Callable[[], None] = lambda: None,
    note: Callable[[str], None] = lambda text: None,
) -> list[KernelTimes]:
    """All algorithms on one robot; progress is called once for each, note with what was left out."""
    if robot.m.loops:
        note(f"{robot.name}: its loops are open, as RNEA, CRBA and ABA are of trees")
    calls = peer_calls(robot, note)
    rows = []
    for algorithm, function in ALGORITHMS.items():
        peers = {label: some[algorithm] for label, some in calls.items() if algorithm in some}
        try:
            kernel = compile(function, robot.m)
        except SingularError as error:  # as for ABA where a joint moves no inertia
            note(f"{robot.name}, {algorithm}: left out, {one_line(error)}")
        else:
            rows.append(_measure(robot, algorithm, kernel, peers, rounds))
        progress()
    return rows


def _measure(robot: Robot, algorithm: str, kernel: Kernel, peers: Calls, rounds: int) -> KernelTimes:
    m, waits = robot.m, startup(robot.m, algorithm)
    states, one = _arguments(m, kernel)
    kernel(*one)  # compiled now, not while it is timed
    out = kernel(*states)
    single = Kernel(kernel.program, dtype="float32")
    rounded = [array.astype(np.float32) for array in states]
    single_out = single(*rounded)
    error = _error(out[:COMPARED], single_out[:COMPARED])
    ours = {
        "one": lambda: kernel(*one),
        "batch": lambda: kernel(*states, out=out),
        "two": lambda: kernel(*states, out=out, threads=2),
        "single": lambda: single(*rounded, out=single_out),
    }
    times = best_times({**ours, **peers}, rounds)
    ns = {name: 1e9 * seconds for name, seconds in times.items()}
    operations = kernel.cost["mul"] + kernel.cost["add"]
    per_state = ns["batch"] / BATCH
    pinocchio = ns.get("batch pinocchio")
    return KernelTimes(
        robot=robot.name,
        nv=m.nv,
        algorithm=algorithm,
        operations=operations,
        compile_seconds=waits.fresh,
        cached_seconds=waits.cached,
        one=ns["one"],
        one_pinocchio=ns.get("one pinocchio"),
        one_mujoco=ns.get("one mujoco"),
        one_dynibo=ns.get("one dynibo"),
        batch=per_state,
        batch_two_threads=ns["two"] / BATCH,
        batch_pinocchio=None if pinocchio is None else pinocchio / BATCH_FOR_PEERS,
        batch_single=ns["single"] / BATCH,
        single_error=error,
        gflops=operations / per_state,
    )


def _error(exact: np.ndarray, found: np.ndarray) -> float:
    """The largest difference of results (n, ...) as a share of the largest result of a state."""
    axes = tuple(range(1, exact.ndim))
    return float(np.max(np.abs(found - exact).max(axis=axes) / np.abs(exact).max(axis=axes)))


def _arguments(m: Mechanism, kernel: Kernel) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """A batch of states for the kernel's inputs, and a single one."""
    rng = np.random.default_rng(0)
    some = np.array([m.random(rng) for _ in range(64)])
    q = np.tile(some, (BATCH // 64, 1))
    states = [q, *(rng.normal(size=(BATCH, m.nv)) for _ in kernel.program.inputs[1:])]
    return states, [array[0].copy() for array in states]


def summary(rows: Sequence[KernelTimes]) -> dict[str, float]:
    """Geometric means over all rows: what the published figures are."""
    means = {
        "two_threads_speedup": geometric_mean(row.batch / row.batch_two_threads for row in rows),
        "single_speedup": geometric_mean(row.batch / row.batch_single for row in rows),
        "single_error": max(row.single_error for row in rows),
    }
    for name in ("batch_ratio", "one_ratio"):
        ratios = [ratio for row in rows if (ratio := getattr(row, name)) is not None]
        if ratios:
            means[name] = geometric_mean(ratios)
    return means


def record(rows: Sequence[KernelTimes]) -> list[dict[str, object]]:
    """The rows as plain data, ratios included."""
    return [{**asdict(row), "one_ratio": row.one_ratio, "batch_ratio": row.batch_ratio} for row in rows]
