"""Trajectories computed by the workers of an executor, on this machine or on others.

What is sent is the recorded step, a list of operations, and not the mechanism or the controller it was
recorded from: a worker needs to know neither of their classes and functions, compiles the operations that
this process would, and so finds the same bits. It compiles them once.

A piece of the batch whose worker is lost is sent again. Executors differ in what they can do then. Those of
clusters, as Dask's, continue with the workers that are left, and send some pieces again by themselves. A
`ProcessPoolExecutor` is broken for good by one worker that dies: no piece can be sent to it from then on, all
that is left to do is to make a new one and to call again.
"""

import pickle
import zlib
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import llvmlite
import numpy as np

from .._version import __version__
from ..errors import WorkerError
from ..kernels.run.guarded import Guarded
from ..kernels.run.iterate import Iteration, Series
from ..kernels.run.threads import checked
from ..spatial import Array
from .progress import Progress

PIECES = 32
"""Pieces of a batch, about, unless they would be too large: a worker that dies takes one of them with it."""

BYTES = 8_000_000
"""What the inputs and the results of a piece should not exceed together, so that it can be sent."""

IN_FLIGHT = 64
"""Pieces that an executor has at a time, which bounds the memory it takes."""

ATTEMPTS = 3
"""How often a piece is sent before it is given up."""

GRAIN = 8
"""Pieces are multiples of this, save the last: of as many doubles as a processor computes at once."""


@dataclass
class Piece:
    """Some trajectories of a batch, and how often they have been sent."""

    rows: slice
    sent: int = 0


def distribute(
    executor: Executor,
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
    """Run an iteration by an executor's workers: as a call of the iteration, with the same arguments.

    Raises:
        WorkerError: Pieces did not come back although they were sent several times; `outs` hold nan for
            them, and the results of all others.
    """
    job, shapes = (_packed(iteration), steps, every, threads), iteration.shapes
    waiting = [Piece(rows) for rows in _cuts(starts, series, outs)][::-1]  # taken from the end
    total = len(waiting)
    running: dict[Future[Any], Piece] = {}
    lost: list[tuple[Piece, str]] = []
    done = 0

    def send(piece: Piece) -> None:
        piece.sent += 1
        arrays = cut(starts, series, shapes, piece.rows)
        running[executor.submit(compute, *job, *arrays, piece.sent)] = piece

    try:
        with Progress(len(outs[0]), progress, "trajectories") as bar:
            while waiting or running:
                try:
                    while waiting and len(running) < IN_FLIGHT:
                        send(waiting[-1])
                        waiting.pop()
                except Exception as error:
                    # It takes no more work, for whatever reason; what is on its way may still come back.
                    lost += [(piece, _told(error)) for piece in waiting]
                    waiting.clear()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    piece = running.pop(future)
                    fault = _collected(future, [out[piece.rows] for out in outs])
                    if fault is None:
                        done += piece.rows.stop - piece.rows.start
                        bar.at(done)
                    elif piece.sent < ATTEMPTS:
                        waiting.append(piece)
                    else:
                        lost.append((piece, fault))
    finally:
        for future in running:  # nobody waits for them now
            future.cancel()
    if lost:
        raise _account(lost, total, outs)


def _cuts(starts: Sequence[Array], series: Sequence[Series], outs: Sequence[Array]) -> list[slice]:
    """The pieces of a batch: many, none too large, and each of whole SIMD registers."""
    count = len(outs[0])
    given = sum(abs(array.strides[0]) for array in starts) + sum(abs(entry.row) for entry in series)
    bytes_each = given + sum(out.strides[0] for out in outs)
    size = min(-(-count // PIECES), BYTES // max(bytes_each, 1))
    size = max(1, -(-size // GRAIN)) * GRAIN
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


def cut(
    starts: Sequence[Array], series: Sequence[Series], shapes: Sequence[tuple[int, ...]], rows: slice
) -> tuple[int, list[Array], list[Array]]:
    """How many trajectories a piece has, their starts and their further inputs."""
    own = [array if len(array) == 1 else array[rows] for array in starts]
    inputs = []
    for (array, row, _), shape in zip(series, shapes, strict=True):
        common = array if array.ndim == len(shape) else array[:1]
        inputs.append(array[rows] if row else common)
    return rows.stop - rows.start, own, inputs


@dataclass
class Raised:
    """What the computation itself raised: it would do so anywhere, and is not sent again."""

    error: Exception


def compute(
    packed: bytes,
    steps: int,
    every: int,
    threads: int,
    count: int,
    starts: list[Array],
    inputs: list[Array],
    attempt: int,
) -> "list[Array] | Raised":
    """What a worker does: the recorded states of a piece's trajectories.

    Args:
        packed: The iteration, from `_packed`.
        steps, every, threads: As in a call of it.
        count: How many trajectories.
        starts: For each state (count, *shape), or (1, *shape) if all start alike.
        inputs: For each further input as `Series.of` takes them.
        attempt: Which one this is. Some executors take calls with equal arguments for one and the same.
    """
    try:
        iteration = _unpacked(packed)
        series = [Series.of(array, shape) for array, shape in zip(inputs, iteration.shapes, strict=True)]
        outs = [np.empty((count, steps // every, *shape)) for shape in iteration.state_shapes]
        starts = [np.require(start, np.float64, ["C", "A"]) for start in starts]
        iteration(starts, series, outs, steps=steps, every=every, threads=checked(threads))
    except (OSError, MemoryError):
        raise  # another worker may have more of everything
    except Exception as error:
        return Raised(error)
    return outs


def _versions() -> dict[str, str]:
    """What must be the same here and at the workers, lest the last bits differ."""
    return {"whippletree": __version__, "llvmlite": llvmlite.__version__}


def _packed(iteration: Iteration | Guarded) -> bytes:
    # Packed twice: a worker of another version must not open the inner one.
    return zlib.compress(pickle.dumps((_versions(), pickle.dumps(iteration))), level=1)


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> Iteration | Guarded:
    """The iteration, compiled; pieces of one batch share it."""
    versions, inner = pickle.loads(zlib.decompress(packed))
    if versions != _versions():
        here, there = (
            ", ".join(f"{name} {number}" for name, number in which.items())
            for which in (versions, _versions())
        )
        raise WorkerError(f"a worker has {there}, this process {here}: install the same versions there")
    return pickle.loads(inner)


def _collected(future: "Future[Any]", places: Sequence[Array]) -> str | None:
    """Put the results of a piece in place; why there are none, if that is the executor's fault."""
    try:
        results = future.result()
    except (Exception, CancelledError) as error:
        return _told(error)
    if isinstance(results, Raised):
        raise results.error
    expected = [f"float64 {place.shape}" for place in places]
    given = list(map(_kind, results)) if isinstance(results, list | tuple) else _kind(results)
    if given != expected:
        return f"the executor gave back {given}, expected {expected}"
    for place, result in zip(places, results, strict=True):
        place[...] = result
    return None


def _kind(result: Any) -> str:
    """What came back, in few words."""
    return f"{result.dtype} {result.shape}" if isinstance(result, np.ndarray) else type(result).__name__


def _told(error: BaseException) -> str:
    """The error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")


def _account(lost: Sequence[tuple[Piece, str]], total: int, outs: Sequence[Array]) -> WorkerError:
    """The error that tells what is missing, which is nan from now on."""
    for piece, _ in lost:
        for out in outs:
            out[piece.rows] = np.nan
    in_order = sorted(lost, key=lambda entry: entry[0].rows.start)  # not as they came back
    reasons = list(dict.fromkeys(reason for _, reason in in_order))
    trajectories = sum(piece.rows.stop - piece.rows.start for piece, _ in lost)
    more = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
    return WorkerError(
        f"{len(lost)} of {total} pieces, {trajectories} of {len(outs[0])} trajectories, were not computed: "
        f"{reasons[0]}{more}. A piece is sent {ATTEMPTS} times, as long as the executor takes it: "
        "give an executor whose workers stay alive"
    )
