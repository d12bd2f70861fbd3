"""Trajectories in files: .npz with everything, .csv and .parquet as tables."""

import csv
import io
import json
import os
from array import array
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError
from ..io.atomic import whole
from ..io.bounds import LARGEST_RECORD, unpacked
from ..io.file_source import Source, named, read, reading
from ..spatial import Array
from .events import Occurrence
from .touching.history_files import contact_entries, contact_history
from .trajectory import Blow, Trajectory

FORMAT = 1
"""The version of the .npz format; a file of a later one is refused."""

_VECTORS = ("t", "kinetic", "potential", "step", "elastic", "lost_power", "external_power")
ARRAYS = (*_VECTORS, "q", "qd", "tau", "constraint_error")
EVENT_ARRAYS = ("event_t", "event_q", "event_qd")
BLOW_ARRAYS = ("blow_t", "blow_impulse")


def save(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory; see `Trajectory.save`."""
    path = named(path)
    if path.suffix not in _WRITERS:
        raise FileError(path, f"has the unknown suffix {path.suffix!r}; known: {', '.join(_WRITERS)}")
    for name in ARRAYS:
        wrong = np.argwhere(~np.isfinite(getattr(trajectory, name)))
        if len(wrong):
            value = getattr(trajectory, name)[tuple(wrong[0])]
            fault = f"{name} of state {wrong[0][0]} is {value}, which could not be read again"
            raise FileError(path, f"cannot be written: {fault}")
    content = _WRITERS[path.suffix](trajectory)
    with whole(path) as file:
        file.write(content)


def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Read a trajectory that `Trajectory.save` has written: .npz, .csv or .parquet (needs pyarrow).

    Nothing in the file is executed. A table has no mechanism, no method, no events and no contacts, so
    neither has what is read from it.

    Raises:
        FileError: The file cannot be read, is damaged or holds something else.

    >>> import whippletree as wt
    >>> wt.load_trajectory("nowhere.npz")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    whippletree.errors.FileError: nowhere.npz: no such file (looked in ...)
    """
    path = named(path)
    if path.suffix not in _READERS:
        raise FileError(path, f"has the unknown suffix {path.suffix!r}; known: {', '.join(_READERS)}")
    run = _READERS[path.suffix](path, read(path, LARGEST_RECORD).data)
    if not len(run):
        raise FileError(path, "is damaged: it has no states")
    return run


# .npz: an array for each quantity, and a text with everything else.


def _to_npz(trajectory: Trajectory) -> bytes:
    from ..io.toml.toml_write import dumps  # on use, as all readers and writers

    try:
        mechanism = None if trajectory.mechanism is None else dumps(trajectory.mechanism)
    except ValueError:  # a joint type of the user's own
        mechanism = None
    touched, words = contact_entries(trajectory.contacts)
    head = {
        "format": FORMAT,
        "method": trajectory.method,
        "reason": trajectory.reason,
        "dynamics": trajectory.dynamics,
        "joints": trajectory.joints,
        "events": [event.name for event in trajectory.events],
        "mechanism": mechanism,
        "contacts": words,
        "driven": trajectory.driven,
        "drivers": trajectory.blows[0].drivers if trajectory.blows else (),
    }
    arrays: dict[str, Any] = {name: getattr(trajectory, name) for name in ARRAYS} | touched
    arrays["event_t"] = np.array([event.t for event in trajectory.events])
    nq, nv = trajectory.q.shape[1], trajectory.qd.shape[1]
    arrays["event_q"] = np.array([event.q for event in trajectory.events]).reshape(-1, nq)
    arrays["event_qd"] = np.array([event.qd for event in trajectory.events]).reshape(-1, nv)
    arrays["blow_t"] = np.array([blow.t for blow in trajectory.blows])
    impulses = [blow.impulse for blow in trajectory.blows]
    arrays["blow_impulse"] = np.array(impulses).reshape(len(impulses), len(head["drivers"]))
    # Bytes rather than a string: they need four times less room, and no pickle either.
    arrays["whippletree"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    # What is packed too well, as a robot at rest, a reader would take for a trap.
    if sum(part.nbytes + 1000 for part in arrays.values()) > unpacked(buffer.tell()):
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
    return buffer.getvalue()


def _from_npz(path: Path, content: bytes) -> Trajectory:
    from ..io.toml.toml_read import load

    with reading(path, "is not a Whippletree trajectory, or damaged"):
        entries = _entries(path, content)
        if "whippletree" not in entries:
            raise FileError(path, "is not a Whippletree trajectory: it has no entry 'whippletree'")
        head = json.loads(entries.pop("whippletree").tobytes())
        if head["format"] != FORMAT:
            raise FileError(path, f"has format {head['format']}; this version reads format {FORMAT}")
        arrays: dict[str, Any] = {name: entries[name] for name in ARRAYS}
        times, positions, velocities = (entries[name] for name in EVENT_ARRAYS)
        joints = tuple((str(name), int(nq), int(nv)) for name, nq, nv in head["joints"])
        names = [str(name) for name in head["events"]]
        mechanism = head["mechanism"]
        told: dict[str, Any] = {"method": str(head["method"]), "reason": str(head["reason"])}
        told["dynamics"] = str(head.get("dynamics", ""))
        driven, drivers = (tuple(str(name) for name in head.get(key, ())) for key in ("driven", "drivers"))
        blows = {name: entries.get(name, np.zeros((0, 0)[: k + 1])) for k, name in enumerate(BLOW_ARRAYS)}
        contacts = contact_history(path, entries, head.get("contacts"), entries["t"].size)
    nq, nv = _check_shapes(path, arrays, joints)
    if not len(names) == len(times) == len(positions) == len(velocities):
        raise FileError(path, "is damaged: the lists of event names and event times have different lengths")
    if times.ndim != 1 or positions.shape[1:] != (nq,) or velocities.shape[1:] != (nv,):
        raise FileError(path, "is damaged: the states of the events do not have the shape of the others")
    at, impulses = blows.values()
    if at.ndim != 1 or impulses.shape != (len(at), len(drivers)):
        raise FileError(path, "is damaged: blows do not have an impulse for each driver")
    _check_numbers(path, {**arrays, **blows, "event_t": times, "event_q": positions, "event_qd": velocities})
    moved = None if mechanism is None else load(Source(path, str(mechanism).encode()))
    if moved is not None and joints != tuple((b.joint_name, b.joint.nq, b.joint.nv) for b in moved.bodies):
        raise FileError(path, "is damaged: the joints are not those of the mechanism")
    return Trajectory(
        **arrays,
        events=tuple(
            Occurrence(name, float(t), q, qd)
            for name, t, q, qd in zip(names, times, positions, velocities, strict=True)
        ),
        **told,
        joints=joints,
        mechanism=moved,
        contacts=contacts,
        driven=driven,
        blows=tuple(Blow(float(t), drivers, impulse) for t, impulse in zip(at, impulses, strict=True)),
    )


def _entries(path: Path, content: bytes) -> dict[str, Array]:
    """The arrays of an archive by name. What they claim to hold is looked at before anything is unpacked."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        claimed = sum(member.file_size for member in members)
        if claimed > unpacked(len(content)):
            raise FileError(path, f"claims to unpack from {len(content)} bytes to {claimed}: it is damaged")
        entries: dict[str, Array] = {}
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name in entries:
                raise FileError(path, f"is damaged: it has two entries {name!r}")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise FileError(path, f"is damaged: {name!r} is packed in an unknown way")
            entries[name] = _array(path, name, archive.read(member))
    return entries


def _array(path: Path, name: str, data: bytes) -> Array:
    """An array as numpy writes it; only of the two types that a trajectory has."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise FileError(path, f"is damaged: {name!r} has the version {version}, expected (1, 0)")
    shape, columns_first, dtype = np.lib.format.read_array_header_1_0(file)
    wanted = np.dtype(np.uint8) if name == "whippletree" else np.dtype("<f8")
    if dtype != wanted:
        raise FileError(path, f"is not a Whippletree trajectory, or damaged: {name!r} holds {dtype}")
    # A copy, as what is made from bytes cannot be written to.
    values = np.frombuffer(data, dtype=dtype, offset=file.tell()).copy()
    return values.reshape(shape, order="F" if columns_first else "C")


def _check_shapes(
    path: Path, arrays: dict[str, Array], joints: tuple[tuple[str, int, int], ...]
) -> tuple[int, int]:
    """FileError if the arrays do not fit together; nq and nv."""
    if arrays["t"].ndim != 1:
        raise FileError(path, "is damaged: t is not a list of times")
    if any(count < 0 for _, *counts in joints for count in counts):
        raise FileError(path, "is damaged: a joint has fewer than 0 variables")
    if len({name for name, _, _ in joints}) != len(joints):
        raise FileError(path, "is damaged: two joints have the same name")
    n = len(arrays["t"])
    nq, nv = sum(joint[1] for joint in joints), sum(joint[2] for joint in joints)
    expected: dict[str, tuple[int, ...]] = {"q": (n, nq), "qd": (n, nv), "tau": (n, nv)}
    expected.update(dict.fromkeys(_VECTORS, (n,)))
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise FileError(path, f"is damaged: {name} has shape {arrays[name].shape}, expected {shape}")
    if arrays["constraint_error"].ndim != 2 or len(arrays["constraint_error"]) != n:
        raise FileError(path, "is damaged: constraint_error does not have one row for each state")
    return nq, nv


def _check_numbers(path: Path, arrays: dict[str, Array], first_line: int | None = None) -> None:
    """FileError for numbers that are not finite and times that go back; lines are those of a table."""
    for name, values in arrays.items():
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            state, value = int(wrong[0][0]), values[tuple(wrong[0])]
            line = None if first_line is None else first_line + state
            raise FileError(path, f"is damaged: {name} of state {state} is {value}", line)
    back = np.flatnonzero(np.diff(arrays["t"]) < 0)
    if len(back):
        state = int(back[0]) + 1
        line = None if first_line is None else first_line + state
        before, after = arrays["t"][state - 1 : state + 1]
        raise FileError(path, f"is damaged: the time goes back from {before} s to {after} s", line)


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


def _from_columns(path: Path, names: list[str], table: Array, first_line: int | None) -> Trajectory:
    """A trajectory from a table (rows, columns); its first row stands on `first_line`, if it has lines."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(path, f"is damaged: it has the column {twice[0]!r} more than once")
    columns = dict(zip(names, table.T, strict=True))
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
    counts = [Counter(map(_joint, groups[group])) for group in ("q", "qd")]
    joints = tuple((name, counts[0][name], counts[1][name]) for name in counts[0] | counts[1])
    arrays = {name: columns[name] for name in _VECTORS}
    for group, labels in groups.items():
        parts = [columns[f"{group}:{label}"] for label in labels]
        arrays[group] = np.array(parts).T if parts else np.zeros((len(table), 0))
    _check_numbers(path, {"t": arrays["t"], **columns}, first_line)
    run = Trajectory(**arrays, joints=joints)
    expected = {group: run.labels(group) for group in ("q", "qd")}
    expected["constraint_error"] = [str(k) for k in range(len(groups["constraint_error"]))]
    for group, labels in expected.items():
        if groups[group] != labels:
            shown = ", ".join(labels[:6])
            raise FileError(path, f"is damaged: the columns of {group} are not numbered as {shown}")
    return run


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
    with reading(path, "is not a table"):
        text = content.decode()
    lines = text.count("\n")
    if not text.endswith("\n"):
        raise FileError(path, "is cut short: its last line has no end", lines + 1)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    values = array("d")
    with reading(path, "is not a table"):
        head = next(rows)
    try:
        for row in rows:
            if len(row) != len(head):
                raise FileError(path, f"has {len(row)} entries, expected {len(head)}", rows.line_num)
            values.extend(map(float, row))
    except csv.Error as error:
        raise FileError(path, f"is not a table: {error}", rows.line_num) from None
    except ValueError as error:
        raise FileError(path, f"contains values that are not numbers: {error}", rows.line_num) from None
    table = np.array(values).reshape(-1, len(head))
    return _from_columns(path, head, table, rows.line_num - len(table) + 1)


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
    # Numbers as they are: what is packed too well, as a robot at rest, a reader would take for a trap.
    arrow.parquet.write_table(arrow.table(columns), sink, use_dictionary=False, compression="none")
    return sink.getvalue().to_pybytes()


def _from_parquet(path: Path, content: bytes) -> Trajectory:
    arrow = _pyarrow(path)
    with reading(path, "is not a table, or damaged"):
        file = arrow.parquet.ParquetFile(io.BytesIO(content))
        names, rows = list(file.schema_arrow.names), file.metadata.num_rows
        claimed = 8 * rows * len(names)
        if claimed > unpacked(len(content)):
            raise FileError(path, f"claims to unpack from {len(content)} bytes to {claimed}: it is damaged")
        for name, kind in zip(names, file.schema_arrow.types, strict=True):
            if kind != arrow.float64():
                raise FileError(path, f"is not a table, or damaged: the column {name!r} holds {kind}")
        columns = [np.asarray(column, dtype=float) for column in file.read().columns]
        table = np.array(columns).reshape(len(names), rows).T
    return _from_columns(path, names, table, None)


_WRITERS = {".npz": _to_npz, ".csv": _to_csv, ".parquet": _to_parquet}
SUFFIXES = tuple(_WRITERS)
"""Of the files that can be written."""

_READERS = {".npz": _from_npz, ".csv": _from_csv, ".parquet": _from_parquet}
