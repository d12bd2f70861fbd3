"""Programs kept on disk, so that a function is recorded and simplified once and not in every process.

An entry is a line of JSON, which says all but the numbers, and after it the numbers as arrays.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..trace.arguments import entries, structures
from ..trace.program import Columns, Cycle, Program
from ..trace.structure import Branch, Leaf, Structure, size
from . import cache as disk
from .content import own_name

_KIND = "program"
_FLOAT, _INT, _BYTE = np.dtype("<f8"), np.dtype("<i4"), np.dtype("u1")
_BRANCHES: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}


def program(parts: tuple[str, ...] | None, record: Callable[[], Program]) -> Program:
    """The program of that name, from the cache, or recorded now and kept.

    Args:
        parts: Texts that together say everything the program depends on; None if that is not known.
        record: Makes it.
    """
    if parts is None:
        return record()
    name = disk.key(_KIND, *parts)
    data = disk.load(name)
    found = None if data is None else unpack(data)
    if found is not None:
        return found
    made = record()
    packed = pack(made)
    if packed is not None:
        disk.save(name, packed)
    return made


def pack(program: Program) -> bytes | None:
    """The entry for a program; None if arrays are nested in classes or by keys that a file cannot name."""
    inputs = [[name, _structure_data(structure)] for name, structure in structures(program.inputs).items()]
    outputs = _structure_data(program.outputs)
    if outputs is None or any(structure is None for _, structure in inputs):
        return None
    bodies = [
        (first, loop.times, loop.apart, pack(loop.body) or b"") for first, loop in program.loops.items()
    ]
    ops, codes, operands = program.columns
    head = {
        "inputs": inputs,
        "outputs": outputs,
        "cost": program.cost,
        "digest": program.digest,
        "constants": len(program.constants),
        "instructions": program.n_instructions,
        "ops": ops,
        "loops": [[first, count, apart, len(body)] for first, count, apart, body in bodies],
    }
    return b"".join(
        [
            json.dumps(head).encode() + b"\n",
            np.array(program.constants, _FLOAT).tobytes(),
            codes.astype(_BYTE).tobytes(),
            operands.T.astype(_INT).tobytes(),
            np.array(program.results, _INT).tobytes(),
            *(body for *_, body in bodies),
        ]
    )


def unpack(data: bytes) -> Program | None:
    """The program of an entry, None if it is not one of ours."""
    line, _, body = data.partition(b"\n")
    try:
        head = json.loads(line)
        inputs = entries({name: _structure(data) for name, data in head["inputs"]})
        outputs = _structure(head["outputs"])
        known = {"cost": head["cost"], "digest": head["digest"]}
        names, n_constants, n = tuple(head["ops"]), head["constants"], head["instructions"]
        n_results = size(outputs)
        whole = 8 * n_constants + (1 + 3 * 4) * n + 4 * n_results
        loops = _loops(head["loops"], body[whole:])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if loops is None or len(body) < whole:
        return None
    constants = np.frombuffer(body, _FLOAT, n_constants)
    codes = np.frombuffer(body, _BYTE, n, 8 * n_constants)
    operands = np.frombuffer(body, _INT, 3 * n, 8 * n_constants + n).reshape(3, n).T
    results = np.frombuffer(body, _INT, n_results, 8 * n_constants + 13 * n)
    columns = Columns(names, codes.astype(np.int64), operands.astype(np.int64, order="C"))
    program = Program(inputs, tuple(constants.tolist()), columns, tuple(results.tolist()), outputs, loops)
    vars(program).update(known)  # so that they need not be found out again
    return program


def _loops(listed: Any, data: bytes) -> dict[int, Cycle] | None:
    """The loops whose bodies lie one after the other; None if they do not."""
    loops: dict[int, Cycle] = {}
    begin = 0
    for first, count, apart, length in listed:
        body = unpack(data[begin : begin + length])
        if body is None:
            return None
        loops[first] = Cycle(count, body, apart)
        begin += length
    return loops if begin == len(data) else None


def _structure_data(structure: Structure) -> Any:
    """A structure as JSON has it, None if it holds a class or a key that a file cannot name."""
    if isinstance(structure, Leaf):
        return list(structure.shape)
    kind = structure.kind.__name__ if structure.kind in _BRANCHES.values() else own_name(structure.kind)
    children = [_structure_data(child) for child in structure.children]
    if kind is None or None in children or not all(type(key) in (str, int) for key in structure.keys):
        return None
    return {"kind": kind, "children": children, "keys": list(structure.keys)}


def _structure(data: Any) -> Structure:
    """The structure back again."""
    if isinstance(data, list):
        return Leaf(tuple(data))
    kind = _BRANCHES.get(data["kind"])
    if kind is None:
        module, _, name = data["kind"].partition(":")
        kind = getattr(sys.modules[module], name)
        if not isinstance(kind, type) or own_name(kind) != data["kind"]:
            raise ValueError(f"{data['kind']} is not a class of this library")
    children = tuple(_structure(child) for child in data["children"])
    return Branch(kind, children, tuple(data["keys"]))
