"""The command `export`: a function of a mechanism as source code that needs nothing of this library."""

from pathlib import Path
from typing import Annotated

import typer

from ..api.compiling import kernel
from ..io.atomic import must_be_writable, whole
from . import source as cli_source
from .options import Floating, Source, one_line_errors


def export(
    source: Source,
    function: Annotated[
        str, typer.Option(help="Which function of the mechanism: forward_dynamics, rnea, crba, jacobian …")
    ] = "forward_dynamics",
    frame: Annotated[str | None, typer.Option(help="The frame of a function that takes one.")] = None,
    c: Annotated[bool, typer.Option("--c", help="As one file of C99; so by default.")] = False,
    python: Annotated[bool, typer.Option("--python", help="As Python, with math alone.")] = False,
    llvm: Annotated[bool, typer.Option("--llvm", help="As LLVM IR, vector code for this processor.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where it goes; standard output by default.")] = None,
    floating: Floating = False,
) -> None:
    """Write a function of a mechanism as source code, recorded and simplified for this one mechanism."""
    chosen = [name for name, wanted in (("c", c), ("python", python), ("llvm", llvm)) if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter(f"--{chosen[0]} and --{chosen[1]} are two languages: choose one")
    with one_line_errors():
        if out is not None:
            must_be_writable(out)
        m = cli_source.load(source, floating)
        options = {} if frame is None else {"frame": frame}
        text = kernel(m, function, **options).source(chosen[0] if chosen else "c")
        if out is not None:
            with whole(out) as file:
                file.write(text.encode())
    if out is None:
        typer.echo(text)
    else:
        typer.echo(f"{function} of {m.name} in {len(text.splitlines())} lines, written {out}")
