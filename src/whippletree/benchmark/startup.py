"""How long a new process waits for a kernel: the code made, and the code taken from the disk."""

import tempfile
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .. import dynamics
from ..api.compiling import compile
from ..io import load, save
from ..kernels.store import cache
from ..model.mechanism import Mechanism

_RUNS = 3
_ENOUGH = 1.0  # s; what takes longer is not run again

# A server that has imported the library starts processes that have it, in milliseconds.
_processes: Any = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")


class Startup(NamedTuple):
    """Seconds until a kernel has computed its first state and its first batch; see `startup`."""

    fresh: float
    cached: float


def startup(m: Mechanism, algorithm: str) -> Startup:
    """Time a kernel in processes of its own: with an empty cache, and with what such a one left.

    The clock runs from `compile` to the results of one state and of a batch, in a process that has imported
    the library and loaded the mechanism. The best of three runs counts, each way, or of fewer that have taken
    a second.
    """
    _processes.set_forkserver_preload([__name__])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.toml"
        save(m, path)
        fresh = _best(path, algorithm, [Path(folder) / f"cache{k}" for k in range(_RUNS)])
        return Startup(fresh, _best(path, algorithm, [Path(folder) / "cache0"] * _RUNS))


def _best(path: Path, algorithm: str, caches: list[Path]) -> float:
    """The shortest time of runs with these caches."""
    times: list[float] = []
    for folder in caches:
        here, there = _processes.Pipe(duplex=False)
        process = _processes.Process(target=_measure, args=(path, algorithm, folder, there))
        process.start()
        there.close()  # so that `recv` ends if the process does
        times.append(here.recv())
        process.join()
        if sum(times) > _ENOUGH:
            break
    return min(times)


def _measure(path: Path, algorithm: str, folder: Path, told: Connection) -> None:
    cache.directory = lambda: folder
    m = load(path)
    one = [m.neutral(), np.zeros(m.nv), np.zeros(m.nv)]
    start = perf_counter()
    kernel = compile(getattr(dynamics, algorithm), m)
    one = one[: len(kernel.program.inputs)]
    kernel(*one)
    kernel(*(np.array([x, x]) for x in one))
    told.send(perf_counter() - start)
