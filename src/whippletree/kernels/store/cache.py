"""Machine code kept on disk, so that a kernel is compiled once and not in every process.

One file an entry, named by the hash of all that determines its content. The cache is a convenience: whatever
is wrong with it (no such directory, read-only, full, damaged, files of others) costs a compilation and
nothing else. It holds code that will run, so a directory or file that someone else could write is not used,
nor a link, nor what is no plain file. What was used least recently goes when it grows too large.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"whippletree code 1\n"
_SUFFIX = ".wtk"
_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FRESH = 3600.0  # s; when an entry was used is noted no more often

LIMIT = 256_000_000
"""Bytes of all entries together. Beyond, those used least recently are removed, down to three quarters."""

_LOOK = 1 / 64
"""Shares of the limit that are written, on average, between two looks at how much there is: with thousands of
entries a look takes longer than writing one."""


class CacheInfo(NamedTuple):
    """The directory of the cache, None if there is no place for one; its entries and their bytes in all."""

    path: Path | None
    entries: int
    bytes: int


class Cleared(NamedTuple):
    """What was removed, as in `CacheInfo`; and what could not be, every path with the reason."""

    path: Path | None
    entries: int
    bytes: int
    left: tuple[tuple[Path, str], ...]


def directory() -> Path:
    """Where code is kept: the place the operating system has for caches, `whippletree/kernels` in it.

    Raises:
        RuntimeError: There is no such place, as there is no home directory.
    """
    if sys.platform == "win32":
        given, below = os.environ.get("LOCALAPPDATA", ""), ("AppData", "Local")
    elif sys.platform == "darwin":
        given, below = "", ("Library", "Caches")
    else:
        given, below = os.environ.get("XDG_CACHE_HOME", ""), (".cache",)
    base = Path(given) if os.path.isabs(given) else Path.home().joinpath(*below)
    if not base.is_absolute():
        raise RuntimeError(f"the home directory {str(Path.home())!r} is no absolute path")
    return base / "whippletree" / "kernels"


def key(*parts: str) -> str:
    """The name of an entry: a hash of everything its content depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """The entry of that name, None if there is none or it cannot be trusted."""
    try:
        folder = directory()
        if not _trusted(folder):
            return None
        path = folder / (name + _SUFFIX)
        with open(os.open(path, os.O_RDONLY | _NO_LINK_NO_WAIT), "rb") as file:
            status = os.fstat(file.fileno())
            if not _private(status, stat.S_ISREG):
                return None
            content = file.read()
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None
    head = len(_MAGIC) + hashlib.sha256().digest_size
    checksum, data = content[len(_MAGIC) : head], content[head:]
    if not content.startswith(_MAGIC) or hashlib.sha256(name.encode() + data).digest() != checksum:
        return None
    if time.time() - status.st_mtime > _FRESH:
        with suppress(OSError):
            os.utime(path, follow_symlinks=False)  # used: others go first
    return data


def save(name: str, data: bytes) -> None:
    """Keep an entry, if that can be done. It appears whole or not at all, whoever else writes meanwhile."""
    temporary = None
    try:
        folder = directory()
        for parent in [] if folder.exists() else [*reversed(folder.parents), folder]:
            if parent == folder and not _trusted_place(folder.parent):
                return
            if not parent.exists():
                parent.mkdir(
                    mode=0o700, exist_ok=True
                )  # each: `parents=True` lets others into all but the last
        if not _trusted(folder):
            return
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-", suffix=_SUFFIX)  # mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(name.encode() + data).digest() + data)
        os.replace(temporary, folder / (name + _SUFFIX))
        if _drawn(name) * _LOOK * LIMIT <= len(data):
            _evict()
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        if not isinstance(error, OSError | RuntimeError):
            raise


def _drawn(name: str) -> float:
    """A number from 0 to 1 of the entry's own: a lot that needs no memory, neither here nor on disk."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def _evict() -> None:
    """Remove what was used least recently, if there is too much."""
    found = sorted(_files(), key=lambda file: file[1].st_mtime_ns)
    total = sum(status.st_size for _, status in found)
    if total <= LIMIT:
        return
    for path, status in found[:-1]:  # what was just written stays, however large
        with suppress(FileNotFoundError):  # another process was faster
            path.unlink()
        total -= status.st_size
        if total <= 0.75 * LIMIT:
            return


def info() -> CacheInfo:
    """Count and size of what is kept.

    >>> info().entries >= 0
    True
    """
    try:
        folder = directory()
    except RuntimeError:
        return CacheInfo(None, 0, 0)
    sizes = []
    with suppress(OSError):
        sizes = [status.st_size for _, status in _files()]
    return CacheInfo(folder, len(sizes), sum(sizes))


def clear() -> Cleared:
    """Remove all entries; returns what was removed and what was not. Kernels already loaded keep working."""
    count = total = 0
    left: list[tuple[Path, str]] = []
    try:
        folder = directory()
    except RuntimeError:
        return Cleared(None, 0, 0, ())
    try:
        found = _entries()
    except (FileNotFoundError, NotADirectoryError):
        found = []
    except OSError as error:
        found, left = [], [(folder, _reason(error))]
    for path in found:
        try:
            size = path.lstat().st_size
            path.unlink()
        except FileNotFoundError:  # another process was faster
            continue
        except OSError as error:
            left.append((path, _reason(error)))
        else:
            count, total = count + 1, total + size
    return Cleared(folder, count, total, tuple(left))


def _entries() -> list[Path]:
    """All that is named like files of ours, leftovers of interrupted writes among them; or OSError."""
    folder = directory()
    if _is_link(folder):
        raise NotADirectoryError(f"{folder} is a link")
    return [folder / name for name in sorted(os.listdir(folder)) if name.endswith(_SUFFIX)]


def _files() -> list[tuple[Path, os.stat_result]]:
    """Those of the entries that are plain files; or OSError."""
    found = []
    for path in _entries():
        with suppress(OSError):  # another process may have removed it
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found.append((path, status))
    return found


def _is_link(folder: Path) -> bool:
    """Whether the directory is elsewhere, or the one above it; users may link what is above both."""
    return folder.is_symlink() or folder.parent.is_symlink()


def _trusted(folder: Path) -> bool:
    """Whether nobody else can put code there: not into the directory, nor another one in its place."""
    return _trusted_place(folder.parent) and _trusted_place(folder)


def _trusted_place(place: Path) -> bool:
    return _private(place.lstat(), stat.S_ISDIR)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _private(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether this is of the kind expected, ours, and nobody else can write it."""
    if not is_kind(status.st_mode):
        return False
    if os.name != "posix":
        return True  # below the user's own profile, which Windows keeps from others
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
