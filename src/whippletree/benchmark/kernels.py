"""Kernels against Pinocchio and MuJoCo: one state from Python, and batches on one and two threads."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from time import perf_counter

import numpy as np

from ..compile import compile
from ..io import load
from ..joints import Free
from ..kernels.kernel import Kernel
from ..mechanism import Mechanism
from ..public import aba, crba, rnea
from .measure import best_times
from .peers import BATCH_FOR_PEERS, Calls, installed, mujoco_calls, pinocchio_calls

ALGORITHMS = {"rnea": rnea, "crba": crba, "aba": aba}
BATCH = 65_536


@dataclass(frozen=True)
class Row:
    """One algorithm on one robot; times in ns per state, None where a library is not installed."""

    robot: str
    nv: int
    algorithm: str
    operations: int
    compile_seconds: float
    one: float
    one_pinocchio: float | None
    one_mujoco: float | None
    batch: float
    batch_two_threads: float
    batch_pinocchio: float | None
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
    path: Path,
    floating: bool,
    name: str,
    rounds: int = 7,
    progress: Callable[[], None] = lambda: None,
    note: Callable[[str], None] = lambda text: None,
) -> list[Row]:
    """All algorithms on one robot; progress is called once for each, note with what was left out."""
    m = load(path, root=Free()) if floating else load(path)
    single, batch = pinocchio_calls(path, floating) if installed("pinocchio") else ({}, {})
    mujoco: Calls = {}
    if installed("mujoco"):
        try:
            mujoco = mujoco_calls(path, floating)
        except ValueError as refusal:  # it takes no inertia that is not physical, and robots have some
            note(f"MuJoCo refuses {name}: {' '.join(str(refusal).split())}")
    rows = []
    for algorithm in ALGORITHMS:
        rows.append(_measure(m, name, algorithm, single, batch, mujoco, rounds))
        progress()
    return rows


def _measure(
    m: Mechanism, robot: str, algorithm: str, single: Calls, batch: Calls, mujoco: Calls, rounds: int
) -> Row:
    start = perf_counter()
    kernel = compile(ALGORITHMS[algorithm], m)
    states, one = _arguments(m, kernel)
    kernel(*one)
    out = kernel(*states)
    seconds = perf_counter() - start
    ours = {
        "one": lambda: kernel(*one),
        "batch": lambda: kernel(*states, out=out),
        "two": lambda: kernel(*states, out=out, threads=2),
    }
    peers = {
        "one pinocchio": single.get(algorithm),
        "one mujoco": mujoco.get(algorithm),
        "batch pinocchio": batch.get(algorithm),
    }
    times = best_times({**ours, **{k: call for k, call in peers.items() if call is not None}}, rounds)
    ns = {name: 1e9 * seconds for name, seconds in times.items()}
    operations = kernel.cost["mul"] + kernel.cost["add"]
    per_state = ns["batch"] / BATCH
    pinocchio = ns.get("batch pinocchio")
    return Row(
        robot=robot,
        nv=m.nv,
        algorithm=algorithm,
        operations=operations,
        compile_seconds=seconds,
        one=ns["one"],
        one_pinocchio=ns.get("one pinocchio"),
        one_mujoco=ns.get("one mujoco"),
        batch=per_state,
        batch_two_threads=ns["two"] / BATCH,
        batch_pinocchio=None if pinocchio is None else pinocchio / BATCH_FOR_PEERS,
        gflops=operations / per_state,
    )


def _arguments(m: Mechanism, kernel: Kernel) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """A batch of states for the kernel's inputs, and a single one."""
    rng = np.random.default_rng(0)
    some = np.array([m.random(rng) for _ in range(64)])
    q = np.tile(some, (BATCH // 64, 1))
    states = [q, *(rng.normal(size=(BATCH, m.nv)) for _ in kernel.program.inputs[1:])]
    return states, [array[0].copy() for array in states]


def summary(rows: Sequence[Row]) -> dict[str, float]:
    """Geometric means over all rows: what the published figures are."""
    means = {"two_threads_speedup": geometric_mean(row.batch / row.batch_two_threads for row in rows)}
    for name in ("batch_ratio", "one_ratio"):
        ratios = [ratio for row in rows if (ratio := getattr(row, name)) is not None]
        if ratios:
            means[name] = geometric_mean(ratios)
    return means


def record(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as plain data, ratios included."""
    return [{**asdict(row), "one_ratio": row.one_ratio, "batch_ratio": row.batch_ratio} for row in rows]
