"""How long a new process waits for a kernel: the code made, and the code taken from the disk."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .. import dynamics
from ..api.compiling import compile
from ..io import load, save
from ..kernels.store import cache
from ..model.mechanism import Mechanism

_RUNS = 3


class Startup(NamedTuple):
    """Seconds until a kernel has computed its first state and its first batch; see `startup`."""

    fresh: float
    cached: float


def startup(m: Mechanism, algorithm: str) -> Startup:
    """Time a kernel in processes of its own: with an empty cache, and with what such a one left.

    The clock runs from `compile` to the results of one state and of a batch, in a process that has imported
    the library and loaded the mechanism. The best of three runs counts, each way.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.toml"
        save(m, path)

        def run(cache: str) -> float:
            command = [sys.executable, "-m", __name__, str(path), algorithm, str(Path(folder) / cache)]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return float(json.loads(done.stdout))

        fresh = min(run(f"cache{k}") for k in range(_RUNS))
        return Startup(fresh, min(run("cache0") for _ in range(_RUNS)))


def _main(path: str, algorithm: str, folder: str) -> None:
    cache.directory = lambda: Path(folder)
    m = load(path)
    one = [m.neutral(), np.zeros(m.nv), np.zeros(m.nv)]
    start = perf_counter()
    kernel = compile(getattr(dynamics, algorithm), m)
    one = one[: len(kernel.program.inputs)]
    kernel(*one)
    kernel(*(np.array([x, x]) for x in one))
    print(json.dumps(perf_counter() - start))


if __name__ == "__main__":
    _main(*sys.argv[1:])
