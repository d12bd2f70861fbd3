"""Which library this is: a hash of its sources, because what they say decides what a kernel computes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
"""The folder of the whole package."""

PACKAGE = __name__.partition(".")[0]
"""The name of the whole package."""

State = dict[str, tuple[int, int]]


def state() -> State:
    """Size and time of the last change of every source file of the library, by path."""
    try:
        return dict(sorted(_files(str(ROOT))))
    except OSError:  # there is no folder, as inside a zip file
        return {}


def _files(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, (status.st_size, status.st_mtime_ns)
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
    """Hash of every file by path."""
    hashes = {}
    try:
        for path in _imported:
            with open(path, "rb", buffering=0) as file:
                hashes[path] = hashlib.sha256(file.read()).digest()
    except OSError:
        return None
    return hashes if hashes and state() == _imported else None
