"""What is to be read: the content of a file, taken whole and within bounds; whatever fails is a FileError."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FileError, InputError, WhippletreeError
from .bounds import LARGEST_TEXT


@dataclass(frozen=True)
class Source:
    """A content, and the path that errors name and beside which meshes are looked for."""

    path: Path
    data: bytes


def named(path: Any) -> Path:
    """The path of a file; InputError for what is none."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"path is {path!r}: give the name of a file")
    return Path(path)


def read(path: Path, largest: int = LARGEST_TEXT) -> Source:
    """The content of a regular file, neither empty nor too large; FileError otherwise."""
    try:
        # A pipe without a writer would be waited for.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise FileError(path, f"no such file (looked in {path.absolute().parent})") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte in it
        raise FileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    with reading(path, "cannot be read"), open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileError(path, "cannot be read: it is no regular file, but a directory, pipe or device")
        return of(path, file, largest)


def of(path: Path, file: Any, largest: int = LARGEST_TEXT) -> Source:
    """The content of an open file, which gives bytes or text."""
    with reading(path, "cannot be read"):
        data = file.read(largest + 1)
        if isinstance(data, str):
            data = data.encode()
        if not isinstance(data, bytes | bytearray | memoryview):
            raise FileError(path, f"cannot be read: it gives {type(data).__name__}, expected bytes or text")
    return checked(path, bytes(data), largest)


def checked(path: Path, data: bytes, largest: int = LARGEST_TEXT) -> Source:
    """A content that is not empty and not too large; FileError otherwise."""
    if len(data) > largest:
        raise FileError(path, f"is larger than {largest >> 20} MB, the most that is read")
    if not data.strip():
        raise FileError(path, f"is empty ({len(data)} bytes)")
    return Source(path, data)


@contextmanager
def reading(path: Path, fault: str) -> Iterator[None]:
    """Where a library reads what anybody may have written: whatever it raises, the file is at fault."""
    try:
        yield
    except WhippletreeError:
        raise
    except Exception as error:
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise FileError(path, f"{fault}: {told if len(told) <= 200 else told[:199] + '…'}") from None
