"""Trajectories in files: .npz with everything, .csv and .parquet as tables."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError
from ..io.atomic import whole
from ..io.bounds import LARGEST_RECORD
from ..io.content import Source, read
from ..spatial import Array
from .events import Occurrence
from .trajectory import Trajectory

FORMAT = 1
"""The version of the .npz format; a file of a later one is refused."""

_VECTORS = ("t", "kinetic", "potential", "step", "elastic", "lost_power", "external_power")
ARRAYS = (*_VECTORS, "q", "qd", "tau", "constraint_error")


def save(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory; see `Trajectory.save`."""
    path = Path(path)
    if path.suffix not in _WRITERS:
        raise FileError(path, f"has the unknown suffix {path.suffix!r}; known: {', '.join(_WRITERS)}")
    content = _WRITERS[path.suffix](trajectory)
    with whole(path) as file:
        file.write(content)


def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Read a trajectory that `Trajectory.save` has written: .npz, .csv or .parquet (needs pyarrow).

    Nothing in the file is executed. A table has no mechanism, no method and no events, so neither has
    what is read from it.

    Raises:
        FileError: The file cannot be read, is damaged or holds something else.

    >>> load_trajectory("nowhere.npz")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    whippletree.errors.FileError: nowhere.npz: no such file (looked in ...)
    """
    path = Path(path)
    if path.suffix not in _READERS:
        raise FileError(path, f"has the unknown suffix {path.suffix!r}; known: {', '.join(_READERS)}")
    return _READERS[path.suffix](path, read(path, LARGEST_RECORD).data)


# .npz: an array for each quantity, and a text with everything else.


def _to_npz(trajectory: Trajectory) -> bytes:
    from ..io.toml_write import dumps  # on use, as all readers and writers

    try:
        mechanism = None if trajectory.mechanism is None else dumps(trajectory.mechanism)
    except ValueError:  # a joint type of the user's own
        mechanism = None
    head = {
        "format": FORMAT,
        "method": trajectory.method,
        "reason": trajectory.reason,
        "dynamics": trajectory.dynamics,
        "joints": trajectory.joints,
        "events": [event.name for event in trajectory.events],
        "mechanism": mechanism,
    }
    arrays: dict[str, Any] = {name: getattr(trajectory, name) for name in ARRAYS}
    arrays["event_t"] = np.array([event.t for event in trajectory.events])
    nq, nv = trajectory.q.shape[1], trajectory.qd.shape[1]
    arrays["event_q"] = np.array([event.q for event in trajectory.events]).reshape(-1, nq)
    arrays["event_qd"] = np.array([event.qd for event in trajectory.events]).reshape(-1, nv)
    # Bytes rather than a string: they need four times less room, and no pickle either.
    arrays["whippletree"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _from_npz(path: Path, content: bytes) -> Trajectory:
    from zipfile import BadZipFile

    from ..io.toml import load

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            if "whippletree" not in file:
                raise FileError(path, "is not a Whippletree trajectory: it has no entry 'whippletree'")
            head = json.loads(file["whippletree"].tobytes())
            if head["format"] != FORMAT:
                raise FileError(path, f"has format {head['format']}; this version reads format {FORMAT}")
            names = (*ARRAYS, "event_t", "event_q", "event_qd")
            arrays = {name: np.array(file[name], dtype=float) for name in names}
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        BadZipFile,
        NotImplementedError,
    ) as error:
        raise FileError(path, f"is not a Whippletree trajectory, or damaged: {error}") from None
    times, positions, velocities = (arrays.pop(name) for name in ("event_t", "event_q", "event_qd"))
    joints = tuple((str(name), int(nq), int(nv)) for name, nq, nv in head["joints"])
    _check_shapes(path, arrays, joints)
    if not len(head["events"]) == len(times) == len(positions) == len(velocities):
        raise FileError(path, "is damaged: the lists of event names and event times have different lengths")
    return Trajectory(
        **arrays,
        events=tuple(
            Occurrence(str(name), float(t), q, qd)
            for name, t, q, qd in zip(head["events"], times, positions, velocities, strict=True)
        ),
        method=str(head["method"]),
        reason=str(head["reason"]),
        dynamics=str(head.get("dynamics", "")),
        joints=joints,
        mechanism=None if head["mechanism"] is None else load(Source(path, str(head["mechanism"]).encode())),
    )


def _check_shapes(path: Path, arrays: dict[str, Array], joints: tuple[tuple[str, int, int], ...]) -> None:
    n = len(arrays["t"])
    nq, nv = sum(joint[1] for joint in joints), sum(joint[2] for joint in joints)
    expected: dict[str, tuple[int, ...]] = {"q": (n, nq), "qd": (n, nv), "tau": (n, nv)}
    expected.update(dict.fromkeys(_VECTORS, (n,)))
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise FileError(path, f"is damaged: {name} has shape {arrays[name].shape}, expected {shape}")
    if arrays["constraint_error"].ndim != 2 or len(arrays["constraint_error"]) != n:
        raise FileError(path, "is damaged: constraint_error does not have one row for each state")


# Tables: a column for each number.


def _columns(trajectory: Trajectory) -> dict[str, Array]:
    columns: dict[str, Array] = {"t": trajectory.t}
    for name in ("q", "qd", "tau"):
        for k, label in enumerate(trajectory.labels(name)):
            columns[f"{name}:{label}"] = getattr(trajectory, name)[:, k]
    columns |= {name: getattr(trajectory, name) for name in _VECTORS[1:]}
    for k in range(trajectory.constraint_error.shape[1]):
        columns[f"constraint_error:{k}"] = trajectory.constraint_error[:, k]
    return columns


def _from_columns(path: Path, columns: dict[str, Array]) -> Trajectory:
    for name in _VECTORS:
        if name not in columns:
            raise FileError(path, f"is not a Whippletree trajectory: it has no column {name!r}")
    groups: dict[str, list[str]] = {"q": [], "qd": [], "tau": [], "constraint_error": []}
    for column in columns:
        group, _, label = column.partition(":")
        if group in groups and label:
            groups[group].append(label)
        elif column not in _VECTORS:
            raise FileError(path, f"is not a Whippletree trajectory: it has the unknown column {column!r}")
    if groups["qd"] != groups["tau"]:
        raise FileError(path, "is damaged: the columns of qd and tau are not of the same joints")
    names = list(dict.fromkeys(_joint(label) for label in (*groups["q"], *groups["qd"])))
    joints = tuple(
        (name, *(sum(_joint(label) == name for label in groups[group]) for group in ("q", "qd")))
        for name in names
    )
    arrays = {name: columns[name] for name in _VECTORS}
    for group, labels in groups.items():
        table = [columns[f"{group}:{label}"] for label in labels]
        arrays[group] = np.array(table).T if table else np.zeros((len(columns["t"]), 0))
    return Trajectory(**arrays, joints=joints)  # pyright: ignore[reportArgumentType]  # (name, nq, nv) each


def _joint(label: str) -> str:
    """The joint of a label as `Trajectory.labels` makes them."""
    name, _, number = label.rpartition("[")
    return name if name and number.endswith("]") and number[:-1].isdigit() else label


def _to_csv(trajectory: Trajectory) -> bytes:
    columns = _columns(trajectory)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(columns)
    writer.writerows([repr(float(value)) for value in row] for row in zip(*columns.values(), strict=True))
    return buffer.getvalue().encode()


def _from_csv(path: Path, content: bytes) -> Trajectory:
    try:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(path, f"is not a table: {error}") from None
    if not rows:
        raise FileError(path, "is empty")
    head, body = rows[0], rows[1:]
    for line, row in enumerate(body, start=2):
        if len(row) != len(head):
            raise FileError(path, f"has {len(row)} entries, expected {len(head)}", line)
    try:
        values = np.array(body, dtype=float).reshape(-1, len(head))
    except ValueError as error:
        raise FileError(path, f"contains values that are not numbers: {error}") from None
    return _from_columns(path, dict(zip(head, values.T, strict=True)))


def _pyarrow(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FileError(path, "needs pyarrow: pip install pyarrow, or use .npz or .csv") from None
    return pyarrow


def _to_parquet(trajectory: Trajectory) -> bytes:
    arrow = _pyarrow(Path(".parquet"))
    sink = arrow.BufferOutputStream()
    columns = {name: np.ascontiguousarray(column) for name, column in _columns(trajectory).items()}
    arrow.parquet.write_table(arrow.table(columns), sink)
    return sink.getvalue().to_pybytes()


def _from_parquet(path: Path, content: bytes) -> Trajectory:
    arrow = _pyarrow(path)
    try:
        table = arrow.parquet.read_table(io.BytesIO(content))
        columns = {name: np.array(table.column(name), dtype=float) for name in table.column_names}
    except (arrow.ArrowException, OSError, ValueError, TypeError) as error:
        raise FileError(path, f"is not a table, or damaged: {error}") from None
    return _from_columns(path, columns)


_WRITERS = {".npz": _to_npz, ".csv": _to_csv, ".parquet": _to_parquet}
SUFFIXES = tuple(_WRITERS)
"""Of the files that can be written."""

_READERS = {".npz": _from_npz, ".csv": _from_csv, ".parquet": _from_parquet}
