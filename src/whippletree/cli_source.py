"""Which mechanism a word on the command line means: a bundled one, or one in a file."""

from collections.abc import Sequence
from pathlib import Path

from . import examples, io
from .errors import FileError, InputError
from .joints import Free
from .mechanism import Mechanism


def load(source: str, floating: bool = False, packages: Sequence[Path] = ()) -> Mechanism:
    """The bundled mechanism of this name or, if there is none, the one in the file.

    >>> load("pendulum")
    <Mechanism 'pendulum': 1 bodies, nq = 1, nv = 1>
    """
    if floating and not is_urdf(source):
        raise InputError(f"--floating: {source} has its own root, only URDF files need one")
    if source in examples.names():
        return examples.load(source)
    must_exist(source)
    return io.load(source, Free() if floating else None, packages)


def is_urdf(source: str) -> bool:
    """Whether it is a URDF file, by its name."""
    return source not in examples.names() and Path(source).suffix.lower() == ".urdf"


def must_exist(source: str) -> None:
    """FileError if there is no such file."""
    if not Path(source).exists():
        raise FileError(source, "no such file, and no bundled mechanism: `whippletree examples` lists those")
