"""Which library this is: a hash of its sources, because what they say decides what a kernel computes."""

from __future__ import annotations

import hashlib
import marshal
import os
from functools import cache
from pathlib import Path
from typing import Any

from . import cache as disk

ROOT = Path(__file__).parent.parent.parent
"""The folder of the whole package."""

PACKAGE = __name__.partition(".")[0]
"""The name of the whole package."""

State = list[tuple[str, int, int, int, int]]


def state() -> State:
    """Path of every source file of the library, size, times of the last change and number."""
    try:
        return sorted(_files(str(ROOT)))
    except OSError:  # there is no folder, as inside a zip file
        return []


def _files(folder: str) -> State:
    found: State = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found.append(_file(entry.path))
            elif entry.name != "__pycache__" and entry.is_dir():
                found += _files(entry.path)
    return found


def _file(path: str) -> tuple[str, int, int, int, int]:
    status = os.stat(path)
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


_imported = state()


@cache
def digest(folder: str = "") -> str | None:
    """The hash of the library, or of a folder of it, as it runs in this process; None if it cannot be told.

    Contents, not versions and times: an installation for development has one version for all states of its
    sources, and some tools give all files the same time. Files that have been touched since they were
    imported say nothing about the code that runs, so that there is no hash.

    To read all files takes longer than all else that a new process does for a kernel it finds on disk. So
    the hash is kept there, too, by the state of the files: the time at which a file was put where it is
    cannot be set by the tools that set the other one.
    """
    return _digests().get(folder)


@cache
def _digests() -> dict[str, str]:
    """The hashes of the library and of each of its folders, by name; none if they cannot be told."""
    name = disk.key("sources", _fingerprint())
    known = disk.load(name)
    try:
        found = _made() if known is None else dict(line.split("=") for line in known.decode().split("\n"))
        if any(_file(entry[0]) != entry for entry in _imported):
            return {}
    except (OSError, ValueError):  # files that are gone; an entry that is none of ours
        return {}
    if known is None and found:
        disk.save(name, "\n".join(f"{room}={value}" for room, value in found.items()).encode())
    return found


def _made() -> dict[str, str]:
    """Hashes by the contents of all files."""
    rooms: dict[str, Any] = {}
    for path, size, *_ in _imported:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            own = hashlib.sha256(os.read(handle, size))
        finally:
            os.close(handle)
        within = path.removeprefix(f"{ROOT}{os.sep}")
        for room in {"", within.partition(os.sep)[0]}:
            rooms.setdefault(room, hashlib.sha256()).update(within.encode() + own.digest())
    return {room: whole.hexdigest() for room, whole in rooms.items()}


def _fingerprint() -> str:
    """A hash of the state of all files when they were imported."""
    return hashlib.sha256(marshal.dumps(_imported, 2)).hexdigest()
