"""Trajectories computed in this process, some at a time, so that Ctrl-C is heard and progress is shown."""

from collections.abc import Sequence

from ..kernels.run.guarded import Guarded
from ..kernels.run.iterate import Iteration, Series
from ..spatial import Array
from .distribute import GRAIN, cut
from .progress import Progress

WORK = 4_000_000
"""Steps of all trajectories together between two looks at the outside: a second or two, at most."""

LEAST = 16 * GRAIN
"""Trajectories of a block for each thread, so that none waits for another."""


def compute_here(
    iteration: Iteration | Guarded,
    starts: Sequence[Array],
    series: Sequence[Series],
    outs: Sequence[Array],
    *,
    steps: int,
    every: int,
    threads: int,
    progress: bool,
) -> None:
    """Run an iteration block by block: as a call of the iteration, with the same arguments."""
    count, shapes = len(outs[0]), iteration.shapes
    size = max(LEAST * threads, WORK // steps // GRAIN * GRAIN)
    with Progress(count, progress, "trajectories") as bar:
        for first in range(0, count, size):
            rows = slice(first, min(first + size, count))
            _, own, inputs = cut(starts, series, shapes, rows)
            parts = [Series.of(array, shape) for array, shape in zip(inputs, shapes, strict=True)]
            places = [out[rows] for out in outs]
            iteration(own, parts, places, steps=steps, every=every, threads=threads)
            bar.at(rows.stop)
