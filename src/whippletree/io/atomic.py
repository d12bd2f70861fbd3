"""Files that are written whole or not at all."""

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import FileError

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed anyway
    fcntl = None

_STALE = 60.0
"""s: what is older and locked by nobody was left by a process that was killed."""

_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
}


def must_be_writable(path: str | os.PathLike[str]) -> None:
    """FileError if no file can be written there: to be raised before what goes into it is computed.

    >>> must_be_writable("/nowhere/a.txt")
    Traceback (most recent call last):
    whippletree.errors.FileError: /nowhere/a.txt: cannot be written: there is no directory '/nowhere'
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(path, f"cannot be written: there is no directory {str(Path(path).parent)!r}")
    _replaced(path, target)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FileError(path, f"cannot be written: no permission to write into {str(Path(path).parent)!r}")


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file to write bytes into, which takes the place of `path` once the block has ended well.

    Until then, and whatever happens inside, what was at `path` stays as it was. The new file has its mode.
    What a process that was killed has left unfinished is removed when the same file is written again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"text")
    ...     print([entry.name for entry in Path(folder).iterdir()])
    ['a.txt']
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    before = _replaced(path, target)
    _remove_stale(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        file = open(temporary, "xb")  # noqa: SIM115  # closed below, before it is moved or removed
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
    try:
        with file:
            _lock(file)
            if before is not None:
                os.chmod(temporary, stat.S_IMODE(before.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise FileError(path, f"cannot be written: {error.strerror or error}") from None
        raise


def _replaced(path: str | os.PathLike[str], target: Path) -> os.stat_result | None:
    """What is known of the file there, None if there is none; FileError for what is no file."""
    try:
        status = target.stat()
    except (OSError, ValueError):  # no such file, or none that can be: whoever opens it will tell
        return None
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFREG:
        return status
    hint = "" if kind == stat.S_IFDIR else ": give the path of a file"
    raise FileError(path, f"cannot be written: it is a {_KINDS.get(kind, 'special file')}{hint}")


def _lock(file: BinaryIO) -> bool:
    """Hold a file for as long as it is open or this process lives; whether that can be done."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody holds it, or the file system has no locks
        return False
    return True


def _remove_stale(target: Path) -> None:
    """Remove unfinished files for the same target that nobody writes any more."""
    unfinished = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.part")
    with suppress(OSError):
        for name in filter(unfinished.fullmatch, os.listdir(target.parent)):
            part = target.with_name(name)
            with suppress(OSError):
                status = part.lstat()
                if not stat.S_ISREG(status.st_mode) or time.time() - status.st_mtime < _STALE:
                    continue
                with open(part, "rb") as file:
                    free = _lock(file)
                if free:
                    part.unlink()
