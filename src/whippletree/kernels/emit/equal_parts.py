"""Equal parts of a program, to be computed side by side in the lanes of a vector.

Limbs that are alike give instructions that are alike: the same operations on the same kinds of operands, with
other constants and inputs. Values are of one kind if they are computed in the same way, constants, inputs and
signs aside. Where there are as many values of a kind as there are parts, these are each other's counterparts;
from there it goes back to their operands, one by one. Nothing is known here of limbs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..trace.program import Instruction, Program
from .pack_gain import Pack, Tuple, saved

# Operations on vectors: name without signs, and the signs of the operands. A product has the first one's.
_PLAIN: dict[str, tuple[str, Tuple]] = {
    "add": ("add", (0, 0)),
    "sub": ("add", (0, 1)),
    "mul": ("mul", (0, 0)),
    "div": ("div", (0, 0)),
    "neg": ("neg", (0,)),
    "fma": ("fma", (0, 0, 0)),
    "fms": ("fma", (0, 0, 1)),
    "fnma": ("fma", (1, 0, 0)),
}
_COMMUTE = {"add", "mul", "fma"}

LEAST = 0.1
"""Share of all operations that must be saved: values that wait for others, to fill a vector, cost, too."""

TRIED = 2
"""Numbers of parts that are tried: those of the most values, until one gains enough."""


def equal_parts(program: Program, instructions: Sequence[Instruction], widest: int) -> list[Pack]:
    """Packs by which some instructions of a program are computed with fewer operations, if with far fewer.

    Args:
        program: The program.
        instructions: Those that may be packed, in order.
        widest: Lanes there may be.

    >>> from whippletree.kernels.trace.recording import trace
    >>> def two_parts(x, y):
    ...     return [a * b / (1.5 * a - b * b) + c for a, b, c in zip(x, y, (0.3, 0.7))]
    >>> program = trace(two_parts, {"x": (2,), "y": (2,)})
    >>> [pack.op for pack in equal_parts(program, program.instructions, 8)]
    ['add', 'div', 'add', 'mul', 'mul', 'mul']
    """
    parts = _Parts(program, instructions)
    counts = Counter[int]()
    for members in parts.members.values():
        counts[len(members)] += len(members)
    del counts[1]
    least = LEAST * len(instructions)
    for count, values in counts.most_common(TRIED):
        if values > least:
            packs = parts.packs(count, widest)
            if saved(program, instructions, packs) > least:
                return packs
    return []


class _Parts:
    """Instructions by their kinds.

    Attributes:
        kind: By number of a value. Values of one kind are equally many operations away from inputs, so that
            of two packs never each needs the other.
        bare: Operations without signs, operands in the order of their kinds where it is free, and signs.
        members: Numbers of the values of each kind that may be packed.
    """

    def __init__(self, program: Program, instructions: Sequence[Instruction]) -> None:
        kinds: dict[object, int] = {"input": 0, "constant": 1}
        first = [0] * program.n_inputs + [1] * len(program.constants)
        # The last entry is that of no operand.
        self.kind: list[int] = first + [0] * (program.n_instructions + 1)
        self.bare: dict[int, tuple[str, Tuple, Tuple]] = {}
        self.members: dict[int, list[int]] = {}
        kind = self.kind
        for op, out, a, b, c in program.instructions:
            name = op
            if op in _PLAIN:
                name, signs = _PLAIN[op]
                if name in _COMMUTE and kind[a] > kind[b]:
                    a, b = b, a
                    signs = signs[::-1] if name == "add" else signs
                self.bare[out] = name, (a, b, c)[: len(signs)], signs
            kind[out] = kinds.setdefault((name, kind[a], kind[b], kind[c]), len(kinds))
        for instruction in instructions:
            if instruction[1] in self.bare:
                self.members.setdefault(kind[instruction[1]], []).append(instruction[1])

    def packs(self, count: int, widest: int) -> list[Pack]:
        """Packs, if there are so many parts. Later kinds come first: they lead to all that is before them."""
        found: list[Pack] = []
        bare, kind = self.bare, self.kind
        left = {number for members in self.members.values() for number in members}
        for last in sorted((k for k, members in self.members.items() if len(members) == count), reverse=True):
            members = self.members[last]
            stack = [tuple(members[k : k + widest]) for k in range(0, count, widest)]
            while stack:
                numbers = stack.pop()
                distinct = len(set(numbers)) == len(numbers) > 1
                if not distinct or not left.issuperset(numbers) or len({kind[n] for n in numbers}) > 1:
                    continue
                left.difference_update(numbers)
                rows = [bare[n] for n in numbers]
                operands, signs = (tuple(zip(*(row[k] for row in rows), strict=True)) for k in (1, 2))
                found.append(Pack(rows[0][0], numbers, operands, signs))
                stack += operands
        return found
