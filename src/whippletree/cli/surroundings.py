"""What the command line runs in: streams that are missing or know few letters, and words it cannot read."""

import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

WRONG_USE = 2

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a stream says into which no more can be written."""

USAGE_ERROR: Any = typer.BadParameter.__base__
"""What typer raises for words that it cannot read; it shows only this one of its kinds."""


def prepare_streams() -> None:
    """Let output go nowhere where there is no stream, and escape letters that a stream does not know."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # as long as we live
        elif isinstance(stream, io.TextIOWrapper) and not _knows_all(stream):
            stream.reconfigure(errors="backslashreplace")


def speaks_unicode() -> bool:
    """Whether all letters can be printed."""
    return not isinstance(sys.stdout, io.TextIOWrapper) or _knows_all(sys.stdout)


def _knows_all(stream: io.TextIOWrapper) -> bool:
    return stream.encoding.lower().replace("-", "").startswith("utf")


class OneLineUsage(TyperGroup):
    """Commands whose wrong use is told in one line, as all that goes wrong."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        with _one_line():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:
        with _one_line():
            return super().invoke(ctx)


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no error, but the help
            raise
        path = error.ctx.command_path if error.ctx is not None else "whippletree"
        told = " ".join(error.format_message().split()).rstrip(".")
        typer.echo(f"whippletree: {told}; see `{path} --help`", err=True)
        raise typer.Exit(WRONG_USE) from None
    except OSError as error:
        if error.errno not in FULL:
            raise
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # nothing is written at the end
        typer.echo(f"whippletree: output cannot be written: {error.strerror}", err=True)
        raise typer.Exit(WRONG_USE) from None


def import_own(modules: Sequence[str]) -> None:
    """Import modules of the user, for what they add; the command ends in one line where one is missing."""
    for name in modules:
        try:
            import_module(name)
        except ImportError as error:
            typer.echo(f"whippletree: --with {name}: {error}", err=True)
            raise typer.Exit(WRONG_USE) from None
