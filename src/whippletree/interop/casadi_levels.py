"""A kernel, its Jacobians and theirs, in the form in which CasADi asks for them.

CasADi asks for the Jacobian of a function as a function: its inputs are those of the function and then its
results, which are of no use here; its results, for each result of the function and each input in turn, a
matrix of (entries of the result) x (entries of the input), of which only the entries that are not always zero
are given, column by column. The Jacobian of the Jacobian is asked for likewise.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..kernels.run.kernel import Kernel
from ..kernels.trace.arguments import Input
from ..kernels.trace.program import Program
from ..kernels.trace.structure import Branch, Leaf, leaves
from .derived import jacobians


@dataclass(frozen=True)
class Pattern:
    """A matrix of which some entries are given.

    Attributes:
        rows, columns: Its size.
        places: Numbers of the entries given, counted column by column, rising.
    """

    rows: int
    columns: int
    places: NDArray[np.int64]

    @staticmethod
    def full(rows: int) -> "Pattern":
        """A column without zeros."""
        return Pattern(rows, 1, np.arange(rows))

    @property
    def n_places(self) -> int:
        """Number of entries given."""
        return len(self.places)

    def compressed(self) -> tuple[list[int], list[int]]:
        """Where each column begins in the list of entries, and the row of each."""
        begins = np.searchsorted(self.places, self.rows * np.arange(self.columns + 1))
        return begins.tolist(), (self.places % self.rows).tolist()


@dataclass(frozen=True)
class Level:
    """The function, or a Jacobian.

    Attributes:
        kernel: Takes the input arrays as columns; gives a tuple of the entries of each result that has any.
        inputs: Patterns of all inputs. The kernel takes the first ones.
        results: Patterns of all results.
    """

    kernel: Kernel
    inputs: tuple[Pattern, ...]
    results: tuple[Pattern, ...]

    def jacobian(self, given: Kernel | None = None) -> "Level":
        """The next level; from a kernel of Jacobians of all inputs if there is one."""
        own = self.kernel.program.inputs
        program = (given or jacobians(self.kernel, [entry.name for entry in own])).program
        zeros = _zeros(program)
        values = np.array(program.results)
        blocks, begin = {}, 0
        filled = [r for r, pattern in enumerate(self.results) if pattern.n_places]
        for i, entry in enumerate(own):
            for r in filled:
                n = self.results[r].n_places * entry.size
                blocks[r, i] = values[begin : begin + n].reshape(-1, entry.size)
                begin += n
        results, wanted = [], []
        for r, pattern in enumerate(self.results):
            for i, argument in enumerate(self.inputs):
                rows, columns = pattern.rows * pattern.columns, argument.rows * argument.columns
                found = blocks.get((r, i), np.full((pattern.n_places, columns), -1))
                by_column = found.T
                taken = ~np.isin(by_column, [-1, *zeros])
                places = (rows * np.arange(columns))[:, None] + pattern.places
                results.append(Pattern(rows, columns, places[taken]))
                wanted.append(by_column[taken])
        return Level(
            Kernel(_flat(program, wanted), f"{self.kernel.name}_jacobian"),
            (*self.inputs, *self.results),
            tuple(results),
        )


def first_level(k: Kernel) -> Level:
    """The function itself, each array as a column in C order."""
    values, groups, begin = np.array(k.program.results), [], 0
    for leaf in leaves(k.program.outputs):
        groups.append(values[begin : begin + leaf.size])
        begin += leaf.size
    program = _flat(k.program, groups)
    inputs = tuple(Pattern.full(entry.size) for entry in program.inputs)
    return Level(Kernel(program, k.name), inputs, tuple(Pattern.full(len(group)) for group in groups))


def _flat(program: Program, groups: list[NDArray[np.int64]]) -> Program:
    """The program with columns as inputs, and as results some of its values in groups; none of empty ones."""
    inputs = tuple(Input(f"x{n}", (entry.size,)) for n, entry in enumerate(program.inputs))
    filled = [group for group in groups if len(group)]
    outputs = Branch(tuple, tuple(Leaf((len(group),)) for group in filled))
    results = tuple(int(value) for group in filled for value in group)
    return replace(program, inputs=inputs, results=results, outputs=outputs)


def _zeros(program: Program) -> list[int]:
    """Numbers of the values that are zero."""
    return [program.first_constant + n for n, value in enumerate(program.constants) if value == 0.0]
