"""The relations of a mechanism on their way through the recursion of coordinate reduction."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, largest
from ..equations.constraints import stabilizing_term
from ..equations.relations import position_errors, relations
from .group import EliminationStep, Group, Handle, Minimized, Sheared, Substituted, merged
from .reduction import Choices, Pivot


class LoopEquations:
    """Coefficients of all loops and gears, and the choices by which they are solved.

    Attributes:
        k: Right-hand side of each relation; changes as variables are replaced.
        columns: For each velocity variable the relations that involve it, with their coefficients.
        bases: For each body, -1 being the ground, the relations whose base it is.
        pivots: Each pivot that was divided by, as a share of the largest coefficient of its relation.
    """

    def __init__(
        self, m: Mechanism, q: Array, qd: Array, stabilization: float | None, choices: Choices
    ) -> None:
        self.choices = choices
        self.k: list[Array] = []
        self.columns: dict[int, list[tuple[int, Array]]] = {}
        self.bases: dict[int, list[int]] = {}
        self.pivots: list[Any] = []
        self._sizes: list[Any] = []
        errors = position_errors(m, q) if stabilization is not None else []
        for l, relation in enumerate(relations(m, q, qd)):
            rows = list(choices.rows(l, relation.K))
            k = relation.k
            if stabilization is not None:
                k = k + stabilizing_term(relation.rate, errors[l], stabilization)
            self.k.append(k[rows])
            self._sizes.append(largest(relation.K.flat))
            self.bases.setdefault(relation.base, []).append(l)
            for variable, column in zip(relation.columns, relation.K[rows].T, strict=True):
                self.columns.setdefault(variable, []).append((l, column))

    def tie(self, group: Group, variable: int) -> None:
        """Tell a group which relations involve a variable that has just come in."""
        for l, column in self.columns.get(variable, []):
            group.C.setdefault(l, {})[variable] = column

    def solve(
        self, base: int, groups: list[Group], handle: Handle
    ) -> tuple[list[EliminationStep], list[Group]]:
        """Solve all relations of one base body; returns the steps taken and the groups that are left."""
        steps: list[EliminationStep] = []
        pending = list(self.bases.get(base, []))
        while pending:
            l = self.choices.next_relation(pending, groups) if len(pending) > 1 else pending[0]
            pending.remove(l)
            group = merged(group for group in groups if l in group.C)
            groups = [other for other in groups if l not in other.C]
            for _, row, variable in self.choices.dependents(l, group) if l in group.C else ():
                steps.append(self._solve_row(l, row, variable, group, handle))
            group.C.pop(l, None)
            steps += self.release(group, handle)
            if group.variables:
                groups.append(group)
        return steps, groups

    def _solve_row(self, l: int, row: int, d: int, group: Group, handle: Handle) -> Substituted:
        """Solve one row of a relation for one variable and put the solution in its place."""
        entries = {v: column[row] for v, column in group.coefficients(l)}
        pivot = entries.pop(d)
        self.pivots.append(abs(pivot) / self._sizes[l])
        reciprocal = 1.0 / pivot
        G = {v: -(entry * reciprocal) for v, entry in entries.items() if not _is_zero(entry)}
        return group.substitute(d, G, self.k[l][row] * reciprocal, self.k, handle)

    def release(self, group: Group, handle: Handle) -> list[Minimized | Sheared]:
        """Eliminate the variables that no relation ties, and those that others can stand for."""
        steps: list[Minimized | Sheared] = [
            group.minimize(v, handle) for v in list(group.variables) if not group.tied(v)
        ]
        if not group.variables:
            return steps
        variables, pivots = self.choices.release(group)
        if variables:
            factors = self._solve_columns(group, pivots, variables)
            for variable, c in zip(variables, factors, strict=True):
                steps.append(group.shear(variable, c))
                steps.append(group.minimize(variable, handle))
        return steps

    def _solve_columns(
        self, group: Group, pivots: Sequence[Pivot], variables: Sequence[int]
    ) -> list[dict[int, Any]]:
        """For each variable the factors c with C_variable = Σ c_j C_j over the pivots' variables j."""
        order = [*(pivot.variable for pivot in pivots), *variables]
        rows = [[group.C[l][v][row] if v in group.C[l] else 0.0 for v in order] for l, row, _ in pivots]
        size = len(pivots)
        for a in range(size):
            self.pivots.append(abs(rows[a][a]) / self._sizes[pivots[a].relation])
            reciprocal = 1.0 / rows[a][a]
            rows[a] = [0.0] * (a + 1) + [entry * reciprocal for entry in rows[a][a + 1 :]]
            for b in range(size):
                factor = rows[b][a]
                if b != a and not _is_zero(factor):
                    rows[b] = [entry - factor * own for entry, own in zip(rows[b], rows[a], strict=True)]
        return [
            {pivots[a].variable: rows[a][size + i] for a in range(size) if not _is_zero(rows[a][size + i])}
            for i in range(len(variables))
        ]


def _is_zero(entry: Any) -> bool:
    """Whether an entry is zero whatever the position: a plain number, or a symbol known to be zero."""
    value = getattr(entry, "known", entry)
    return isinstance(value, float | int | np.floating) and value == 0.0
