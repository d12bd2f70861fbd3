"""Which library this is: a hash of its sources, because what they say decides what a kernel computes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from . import cache as disk

ROOT = Path(__file__).parent.parent.parent
"""The folder of the whole package."""

PACKAGE = __name__.partition(".")[0]
"""The name of the whole package."""

_HASH = hashlib.sha256().digest_size

State = dict[str, tuple[int, ...]]


def state() -> State:
    """Size, times of the last change and number of every source file of the library, by path."""
    try:
        return dict(sorted(_files(str(ROOT))))
    except OSError:  # there is no folder, as inside a zip file
        return {}


def _files(folder: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path)


_imported = state()


@cache
def digest(folder: str = "") -> str | None:
    """The hash of the library, or of a folder of it, as it runs in this process; None if it cannot be told.

    Contents, not versions and times: an installation for development has one version for all states of its
    sources, and some tools give all files the same time. Files that have been touched since they were
    imported say nothing about the code that runs, so that there is no hash.
    """
    hashes = _hashes()
    if hashes is None:
        return None
    start = os.path.join(ROOT, folder)
    inside = [(path[len(str(ROOT)) :], found) for path, found in hashes.items() if path.startswith(start)]
    return hashlib.sha256(repr(inside).encode()).hexdigest()


@cache
def _hashes() -> dict[str, bytes] | None:
    """Hash of every file by path.

    To read all files takes longer than all else that a new process does for a kernel it finds on disk. So
    their hashes are kept there, too, by the state of the files: the time at which a file was put where it is
    cannot be set by the tools that set the other one.
    """
    name = disk.key("sources", repr(_imported))
    known = disk.load(name)
    if known is None or len(known) != _HASH * len(_imported):
        try:
            known = b"".join(_hash(path) for path in _imported)
        except OSError:
            return None
        if state() == _imported:
            disk.save(name, known)
    hashes = {path: known[_HASH * k : _HASH * (k + 1)] for k, path in enumerate(_imported)}
    return hashes if hashes and state() == _imported else None


def _hash(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return hashlib.sha256(file.read()).digest()
