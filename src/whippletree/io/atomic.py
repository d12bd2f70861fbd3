"""Files that are written whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import FileError


def must_be_writable(path: str | os.PathLike[str]) -> None:
    """FileError if no file can be written there: to be raised before what goes into it is computed.

    >>> must_be_writable("/nowhere/a.txt")
    Traceback (most recent call last):
    whippletree.errors.FileError: /nowhere/a.txt: cannot be written: there is no directory '/nowhere'
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(path, f"cannot be written: there is no directory {str(Path(path).parent)!r}")
    if target.is_dir():
        raise FileError(path, "cannot be written: it is a directory")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FileError(path, f"cannot be written: no permission to write into {str(Path(path).parent)!r}")


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file to write bytes into, which takes the place of `path` once the block has ended well.

    Until then, and whatever happens inside, what was at `path` stays as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"text")
    ...     print([entry.name for entry in Path(folder).iterdir()])
    ['a.txt']
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        file = open(temporary, "xb")  # noqa: SIM115  # closed below, before it is moved or removed
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
    try:
        with file:
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
