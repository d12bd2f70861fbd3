"""What several commands take and do alike: arguments, files to write, errors in one line."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..errors import FileError, WhippletreeError
from ..io.atomic import must_be_writable
from .surroundings import WRONG_USE

PROBLEMS_FOUND = 1

Source = Annotated[
    str, typer.Argument(metavar="FILE|EXAMPLE", help="A robot file, or the name of a bundled mechanism.")
]
Stops = Annotated[
    bool, typer.Option("--stops/--no-stops", help="Let the limits of a URDF's joints push back.")
]
Floating = Annotated[bool, typer.Option("--floating", help="Let the root of a URDF move freely.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, for programs to read.")]
Guess = Annotated[
    str | None,
    typer.Option(
        "--q0", help="Position to begin with: all numbers, or joint=value pairs; neutral by default."
    ),
]
Drive = Annotated[
    str | None,
    typer.Option("--drive", metavar="JOINT=SPEED", help="What drives it: speeds of joints, rad/s or m/s."),
]


def writable(path: Path, suffixes: Collection[str]) -> Path:
    """The path, if its suffix is known and it can be written: refused before anything is computed."""
    if path.suffix not in suffixes:
        raise FileError(path, f"has the suffix {path.suffix!r}; known: {', '.join(suffixes)}")
    must_be_writable(path)
    return path


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Errors that are the user's to mend go to standard error in one line, with exit code 2."""
    try:
        yield
    except (WhippletreeError, OSError) as error:
        typer.echo(f"whippletree: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(WRONG_USE) from None
