"""The flat form of a kernel: a list of instructions, which interpreter, counter and emitters each read once.

Every value has one number and is written once. The numbers are, in order:

    inputs        all scalars of all inputs, in the order of `inputs`, each input in C order
    constants     one for every entry of `constants`
    instructions  one for every entry of `instructions`

An instruction is `(op, out, in1, in2, in3)`: the name of a row of `OPS`, the number of its result and the
numbers of its operands, -1 where it has fewer than three. Operands always have smaller numbers than the
result, no instruction is without use, and none stands there twice. Inputs, constants and outputs are real
numbers; conditions live only between instructions.

A loop is a program of its own, its body. Its operands are more than three: they are put, one by one, at
consecutive places of a memory beside the numbered values, and its results are taken from there: `LOOP_OPS`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .arguments import Input, arrays, bind, structures
from .ops import COSTS, LOOP_OPS, OPS
from .structure import Structure, leaves, unflatten

Instruction = tuple[str, int, int, int, int]


class Columns(NamedTuple):
    """Instructions as arrays, for what is asked of all of them at once.

    Attributes:
        names: The operations used, sorted.
        codes: (n,) operation of every instruction, an index into `names`.
        operands: (n, 3) numbers of the operands, -1 for none.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int64]
    operands: NDArray[np.int64]

    @staticmethod
    def of(names: Sequence[str], codes: NDArray[np.int64], operands: NDArray[np.int64]) -> Columns:
        """Columns with only the names that are used, sorted."""
        used = [
            name for name, times in zip(names, np.bincount(codes, minlength=len(names)), strict=True) if times
        ]
        used.sort()
        place = np.array([used.index(name) if name in used else -1 for name in names], np.int64)
        return Columns(tuple(used), place[codes], operands)


@dataclass(frozen=True, eq=False)
class Program:
    """A function as a list of instructions; see the head of this file for the numbering of values.

    Attributes:
        inputs: Name and shape of every input array, in the order of the function's arguments.
        constants: The numbers used.
        columns: The instructions, in an order in which they can be executed.
        results: Number of the value of every output scalar, outputs flattened in C order.
        outputs: What the function returns: arrays and numbers, perhaps nested.
        loops: The loops, by the place at which their arguments begin.
    """

    inputs: tuple[Input, ...]
    constants: tuple[float, ...]
    columns: Columns
    results: tuple[int, ...]
    outputs: Structure
    loops: Mapping[int, Cycle] = field(default_factory=dict)

    @cached_property
    def n_inputs(self) -> int:
        """Number of input scalars."""
        return sum(entry.size for entry in self.inputs)

    @property
    def n_instructions(self) -> int:
        """Number of instructions."""
        return len(self.columns.codes)

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions one by one."""
        names, codes, operands = self.columns
        numbers = range(self.first_instruction, self.n_values)
        return tuple(zip(map(names.__getitem__, codes.tolist()), numbers, *operands.T.tolist(), strict=True))

    @cached_property
    def read_inputs(self) -> frozenset[int]:
        """Numbers of the input scalars that instructions or results read."""
        read = np.concatenate([self.columns.operands.ravel(), np.array(self.results, np.int64)])
        return frozenset(read[(read >= 0) & (read < self.n_inputs)].tolist())

    @property
    def n_outputs(self) -> int:
        """Number of output scalars."""
        return len(self.results)

    @property
    def first_constant(self) -> int:
        """Number of the first constant."""
        return self.n_inputs

    @property
    def first_instruction(self) -> int:
        """Number of the first instruction's result."""
        return self.n_inputs + len(self.constants)

    @property
    def n_values(self) -> int:
        """Number of values of all kinds."""
        return self.first_instruction + self.n_instructions

    @cached_property
    def cost(self) -> dict[str, int]:
        """Operations by kind. Subtractions count as additions, changes of sign are free.

        Kinds: mul, add, div, sqrt, trig (sin, cos, tan and their inverses), exp (and log), select (where,
        minimum, maximum, abs, floor), compare (and the logic of comparisons). A loop's count as often as they
        are done.
        """
        names, codes, _ = self.columns
        total = dict.fromkeys(COSTS, 0)
        for name, times in zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True):
            for kind in () if name in LOOP_OPS else OPS[name].cost:
                total[kind] += times
        for loop in self.loops.values():
            for kind, times in loop.body.cost.items():
                total[kind] += loop.times * times
        return total

    @cached_property
    def n_executed(self) -> int:
        """Number of instructions that are executed: those of loops as often as they are."""
        passes = (loop.times * loop.body.n_executed for loop in self.loops.values())
        return self.n_instructions + sum(passes)

    @property
    def n_places(self) -> int:
        """Places of the loops' memory."""
        return max((first + loop.n_arguments for first, loop in self.loops.items()), default=0)

    def with_bodies(self, change: Callable[[Program], Program]) -> dict[int, Cycle]:
        """The loops with their bodies changed."""
        return {first: loop._replace(body=change(loop.body)) for first, loop in self.loops.items()}

    @cached_property
    def digest(self) -> str:
        """Hash of the whole content, the same in every process: equal programs have equal digests."""
        names, codes, operands = self.columns
        loops = [(first, loop.times, loop.apart, loop.body.digest) for first, loop in self.loops.items()]
        head = repr((self.inputs, self.outputs, names, len(self.constants), loops, sys.byteorder))
        digest = hashlib.sha256(head.encode())
        for part in (np.array(self.constants, np.float64), codes, operands, np.array(self.results, np.int64)):
            digest.update(part.tobytes())
        return digest.hexdigest()

    def last_uses(self) -> list[int]:
        """For every value the place in `instructions` that reads it last; -1: none, outputs: the end."""
        last = [-1] * self.n_values
        for place, (_, _, *operands) in enumerate(self.instructions):
            for operand in operands:
                if operand >= 0:
                    last[operand] = place
        for result in self.results:
            last[result] = len(self.instructions)
        return last

    def __call__(self, *arguments: Any) -> Any:
        """Interpret the program by NumPy: the reference for every emitter.

        Args:
            arguments: As the function's, every array (..., *shape), real or complex; the leading axes
                broadcast.

        Returns:
            The outputs in their structure, every array (..., *shape).

        >>> from whippletree.kernels.trace.recording import trace
        >>> norm = trace(lambda x, y: (x * x + y * y).sqrt(), {"x": (), "y": ()})
        >>> norm(np.array([3.0, 5.0]), np.array([4.0, 12.0]))
        array([ 5., 13.])
        """
        nested = structures(self.inputs)
        values = zip(nested.items(), bind(list(nested), arguments, {}), strict=True)
        flat = [array for (name, structure), value in values for array in arrays(name, structure, value)]
        batch, columns = self._columns(flat)
        return self._pack(batch, self._evaluate(columns))

    def flat(self, *arguments: Any) -> Any:
        """As a call with one argument for every input array, all outputs in one array (..., n_outputs)."""
        batch, columns = self._columns(arguments)
        return _stack(batch, self._evaluate(columns))

    def _evaluate(self, columns: list[Any]) -> list[Any]:
        """Every output scalar, computed instruction by instruction."""
        values: list[Any] = [*columns, *(np.float64(c) for c in self.constants)]
        values.extend([None] * len(self.instructions))
        rows = {name: row.value for name, row in OPS.items()} | _Memory(self).operations()
        last = self.last_uses()
        with np.errstate(all="ignore"):
            for place, (op, out, a, b, c) in enumerate(self.instructions):
                if b < 0:
                    values[out] = rows[op](values[a])
                elif c < 0:
                    values[out] = rows[op](values[a], values[b])
                else:
                    values[out] = rows[op](values[a], values[b], values[c])
                for operand in (a, b, c):  # a batch of a long program would not fit into memory otherwise
                    if operand >= 0 and last[operand] == place:
                        values[operand] = None
        return [values[r] for r in self.results]

    def _columns(self, arguments: Sequence[Any]) -> tuple[tuple[int, ...], list[Any]]:
        """The batch shape common to all arguments, and every input scalar over that batch."""
        batches, columns = [], []
        for entry, argument in zip(self.inputs, arguments, strict=True):
            value = np.asarray(argument)
            if value.dtype.kind not in "fc":
                value = value.astype(np.float64)
            split = value.ndim - len(entry.shape)
            if split < 0 or value.shape[split:] != entry.shape:
                expected = ", ".join(["...", *map(str, entry.shape)])
                raise InputError(f"{entry.name} has shape {value.shape}, expected ({expected})")
            batches.append(value.shape[:split])
            flat = value.reshape((*value.shape[:split], entry.size))
            columns.extend(flat[..., i] for i in range(entry.size))
        return np.broadcast_shapes(*batches), columns

    def _pack(self, batch: tuple[int, ...], values: list[Any]) -> Any:
        """Arrange output scalars as the function returned them."""
        arrays, start = [], 0
        for leaf in leaves(self.outputs):
            part = _stack(batch, values[start : start + leaf.size])
            start += leaf.size
            arrays.append(part.reshape((*batch, *leaf.shape))[()])
        return unflatten(self.outputs, arrays)


class Cycle(NamedTuple):
    """A state that goes through a body over and over, or many that go through it once.

    Attributes:
        times: How often.
        body: Takes `state` (n,) and `given` (m,), what it needs besides; gives the next state (n,).
        apart: Whether every pass has a state of its own.
    """

    times: int
    body: Program
    apart: bool = False

    @property
    def n_state(self) -> int:
        """Number of scalars of the state."""
        return self.body.n_outputs

    @property
    def n_kept(self) -> int:
        """Number of places of all states."""
        return self.times * self.n_state if self.apart else self.n_state

    @property
    def n_arguments(self) -> int:
        """Number of places: the states first, then what is given."""
        return self.n_kept + self.body.n_inputs - self.n_state

    def reads(self, k: int) -> bool:
        """Whether any pass reads its k-th argument; what none reads need not be given."""
        number = k % self.n_state if k < self.n_kept else k - self.n_kept + self.n_state
        return number in self.body.read_inputs

    def run(self, places: Sequence[Any], through: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """What is at the places of the states afterwards; `through` is the body."""
        states, given = list(places[: self.n_kept]), list(places[self.n_kept :])
        for k in range(self.times):
            first = k * self.n_state if self.apart else 0
            here = slice(first, first + self.n_state)
            states[here] = through([*states[here], *given])
        return states


class _Memory:
    """The loops' memory while a program is interpreted."""

    def __init__(self, program: Program) -> None:
        self.loops = program.loops
        self.places: dict[int, Any] = {}

    def operations(self) -> dict[str, Callable[..., Any]]:
        """What the operations of loops do."""
        return {"argument": self.put, "repeat": self.run, "item": self.take}

    def put(self, order: Any, value: Any, place: Any) -> None:
        self.places[int(place)] = value

    def take(self, order: Any, place: Any) -> Any:
        return self.places[int(place)]

    def run(self, order: Any, first: Any) -> None:
        loop, start = self.loops[int(first)], int(first)
        places = [self.places.get(start + k, 0.0) for k in range(loop.n_arguments)]
        self.places.update(enumerate(loop.run(places, loop.body._evaluate), start))


def _stack(batch: tuple[int, ...], values: list[Any]) -> Any:
    """Scalars over a batch as one array, the scalars along the last axis."""
    if not values:
        return np.empty((*batch, 0))
    return np.stack([np.broadcast_to(value, batch) for value in values], axis=-1)


def operands(program: Program) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Instructions as (op, out, operands), without the padding: for readers that need not be fast."""
    for op, out, *numbers in program.instructions:
        yield op, out, tuple(n for n in numbers if n >= 0)
