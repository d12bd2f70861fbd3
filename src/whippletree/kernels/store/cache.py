"""Machine code kept on disk, so that a kernel is compiled once and not in every process.

One file an entry, named by the hash of all that determines its content. The cache is a convenience: whatever
is wrong with it (no such directory, read-only, full, damaged, files of others) costs a compilation and
nothing else. It holds code that will run, so a directory or file that someone else could write is not used.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"whippletree code 1\n"
_SUFFIX = ".wtk"


class CacheInfo(NamedTuple):
    """The directory of the cache, the number of entries in it and their bytes in all."""

    path: Path
    entries: int
    bytes: int


class Cleared(NamedTuple):
    """What was removed, as in `CacheInfo`; and what could not be, every path with the reason."""

    path: Path
    entries: int
    bytes: int
    left: tuple[tuple[Path, str], ...]


def directory() -> Path:
    """Where code is kept: the place the operating system has for caches, `whippletree/kernels` in it."""
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        base = Path(local) if local else home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if os.path.isabs(given) else home / ".cache"
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
        if not _private(folder.stat(), stat.S_ISDIR):
            return None
        with open(folder / (name + _SUFFIX), "rb") as file:
            if not _private(os.fstat(file.fileno()), stat.S_ISREG):
                return None
            content = file.read()
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None
    head = len(_MAGIC) + hashlib.sha256().digest_size
    checksum, data = content[len(_MAGIC) : head], content[head:]
    if not content.startswith(_MAGIC) or hashlib.sha256(name.encode() + data).digest() != checksum:
        return None
    return data


def save(name: str, data: bytes) -> None:
    """Keep an entry, if that can be done. It appears whole or not at all, whoever else writes meanwhile."""
    temporary = None
    try:
        folder = directory()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _private(folder.stat(), stat.S_ISDIR):
            return
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-", suffix=_SUFFIX)  # mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(name.encode() + data).digest() + data)
        os.replace(temporary, folder / (name + _SUFFIX))
    except (OSError, RuntimeError):
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def info() -> CacheInfo:
    """Count and size of what is kept.

    >>> info().entries >= 0
    True
    """
    sizes = []
    with suppress(OSError):
        for path in _entries():
            with suppress(OSError):  # another process may have removed it
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    sizes.append(status.st_size)
    return CacheInfo(directory(), len(sizes), sum(sizes))


def clear() -> Cleared:
    """Remove all entries; returns what was removed and what was not. Kernels already loaded keep working."""
    count = total = 0
    left: list[tuple[Path, str]] = []
    folder = directory()
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
    return [folder / name for name in sorted(os.listdir(folder)) if name.endswith(_SUFFIX)]


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _private(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether this is of the kind expected, ours, and nobody else can write it."""
    if not is_kind(status.st_mode):
        return False
    if os.name != "posix":
        return True  # below the user's own profile, which Windows keeps from others
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
