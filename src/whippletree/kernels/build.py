"""The machine code of a program, from the cache or newly made."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import llvmlite

from . import cache
from .call_ir import call_text
from .fuse import fuse
from .llvm import module_text
from .machine import Code, Host, compile_object
from .program import Program

_FORMAT = "1"  # to be raised when the same program comes to give other code


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # used from its source, not installed
        return "source"


def kernel_code(program: Program, target: Host, width: int) -> Code:
    """Code of `wt_batch`, and of `wt_one` for width 1."""
    return _code(program, target, f"kernel {width}")


def call_code(program: Program, target: Host) -> Code:
    """Code of `wt_call`."""
    return _code(program, target, "call")


def _code(program: Program, target: Host, kind: str) -> Code:
    name = cache.key(
        program.digest,
        kind,
        target.triple,
        target.cpu,
        target.features,
        f"fma {target.fma}",
        _version("whippletree"),
        llvmlite.__version__,
        _FORMAT,
    )
    data = cache.load(name)
    if data is None:
        data = compile_object(_text(program, target, kind), target)
        cache.save(name, data)
    return Code(data, target)


def _text(program: Program, target: Host, kind: str) -> str:
    if kind == "call":
        return call_text(program)
    return kernel_text(program, target, int(kind.split()[1]))


def kernel_text(program: Program, target: Host, width: int) -> str:
    """IR of a program's code for `width` states at a time."""
    return module_text(fuse(program) if target.fma else program, width, target.fma)
