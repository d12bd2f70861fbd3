"""The processor at hand, and the way from IR to functions in memory."""

from __future__ import annotations

import os
import weakref
from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from ..trace.precision import DOUBLE, Precision


@dataclass(frozen=True)
class Host:
    """What code is made for.

    Attributes:
        triple: Architecture, vendor and system, as LLVM names them.
        cpu: LLVM's name of the processor.
        features: LLVM's list of what it can do.
        width: Doubles to a vector register: 8 with AVX-512, 4 with AVX2, else 2.
        fma: Whether it has a fused multiply-add.
    """

    triple: str
    cpu: str
    features: str
    width: int
    fma: bool

    @property
    def registers(self) -> int:
        """How many vector registers there are."""
        return 16 if self.triple.startswith(("x86_64", "i686")) and self.width < 8 else 32

    def lanes(self, precision: Precision) -> int:
        """Numbers to a vector register."""
        return self.width * DOUBLE.bytes // precision.bytes


@cache
def host() -> Host:
    """The processor this process runs on."""
    _initialize()
    triple = llvm.get_process_triple()
    features = llvm.get_host_cpu_features()
    has_x86 = triple.startswith(("x86_64", "i686"))
    width = 2
    if has_x86 and features.get("avx512f") and features.get("avx512dq") and features.get("avx512vl"):
        width = 8
    elif has_x86 and features.get("avx2"):
        width = 4
    fma = bool(features.get("fma")) if has_x86 else triple.startswith(("aarch64", "arm64"))
    return Host(triple, llvm.get_host_cpu_name(), features.flatten(), width, fma)


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Both reorder instructions, which come in an order in which few values wait: that takes a quarter of the
    # time, and the registers are worse for it.
    llvm.set_option("whippletree", "-enable-misched=false")
    llvm.set_option("whippletree", "-post-RA-scheduler=0")


def _target_machine(target: Host, effort: int = 2) -> llvm.TargetMachine:
    # Addresses relative to the instruction pointer: constants cost no extra instruction. `load` keeps all
    # sections of an object side by side, so they are always in reach. (On Windows LLVM's loader takes only
    # objects of the default model.)
    near = os.name != "nt"
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=effort,
        reloc="pic" if near else "default",
        codemodel="small" if near else "jitdefault",
        jit=True,
    )


def compile_object(text: str, target: Host, effort: int = 1) -> bytes:
    """Machine code, as an object file, of IR text. No passes over the IR: they cost time and gain nothing.

    The effort is LLVM's, 0 to 3: of straight lines 2 makes the same code as 1, in more time. For what runs
    once a call 0 does as well, in a fifth of the time.
    """
    _initialize()
    module = llvm.parse_assembly(f'target triple = "{target.triple}"\n{text}', llvm.create_context())
    return _target_machine(target, effort).emit_object(module)


class Code:
    """An object file in memory, ready to run as long as this object lives.

    It must not refer to functions outside: LLVM's loader ends the process if it meets one it made no
    room for.
    """

    def __init__(self, data: bytes, target: Host) -> None:
        _initialize()
        _unload()
        context = llvm.create_context()
        empty = llvm.parse_assembly(f'target triple = "{target.triple}"\n', context)
        engine = llvm.create_mcjit_compiler(empty, _target_machine(target), use_lmm=True)
        engine.remove_module(empty)  # else `finalize_object` would make code of it, the slowest of all steps
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
        # Kept apart from this object: were engine and context garbage of the same cycle, the collector
        # could finalize the context first, and LLVM would crash.
        self._key = weakref.ref(self, _unused.append)
        _engines[self._key] = engine, context

    def function(self, name: str) -> int:
        """Address of a function."""
        return self._found(name, _engines[self._key][0].get_function_address(name))

    def variable(self, name: str) -> int:
        """Address of a global variable."""
        return self._found(name, _engines[self._key][0].get_global_value_address(name))

    @staticmethod
    def _found(name: str, address: int) -> int:
        if address == 0:
            raise LookupError(f"there is no {name} in this code")
        return address


_engines: dict[weakref.ref[Any], tuple[llvm.ExecutionEngine, llvm.ContextRef]] = {}

_unused: deque[weakref.ref[Any]] = deque()
"""Code that is gone. Python drops a Ctrl-C that falls into the callback of a weak reference, so that it does
no more than to note it here, without a line of Python; engines are closed by whoever comes next."""


def _unload() -> None:
    """Free the memory of all code that is not used any more."""
    while True:
        try:
            key = _unused.popleft()
        except IndexError:  # asked first, another thread could take the last one in between
            return
        engine, _context = _engines.pop(key)
        engine.close()
