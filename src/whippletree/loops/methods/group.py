"""Quadratic forms over joint accelerations that cannot be eliminated yet, as loops still tie them.

A group belongs to a body, its handle, of acceleration a. Together with the body's articulated inertia
and bias force it says what forces the bodies outboard exert:

    on the handle:        I^A a + p^A + Σ_v N_v x_v,
    on the variable v:    N_v·a + r_v + Σ_w W_vw x_w,

x being the variables of the group. The force on a variable vanishes once no relation involves it. A
relation l says Σ C_lv x_v = k_l. Entries that are missing are zero.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...spatial import Array, ArticulatedInertia


@dataclass
class Handle:
    """Articulated inertia and bias force of a body; None for the ground, which no force moves."""

    I: ArticulatedInertia | None
    p: Any


@dataclass
class Minimized:
    """A variable eliminated by its own equation: x = -(r + N·a + Σ W_v x_v) / D."""

    variable: int
    reciprocal: Any
    r: Any
    N: Array | None
    W: dict[int, Any]

    def undo(self, x: dict[int, Any], a: Array) -> None:
        """Find the variable, all others of its group and the handle's acceleration being known."""
        force = self.r if self.N is None else self.r + self.N @ a
        for v, w in self.W.items():
            force = force + w * x[v]
        x[self.variable] = -(force * self.reciprocal)


@dataclass
class Substituted:
    """A variable eliminated by a relation: x = constant + Σ G_v x_v."""

    variable: int
    constant: Any
    G: dict[int, Any]

    def undo(self, x: dict[int, Any], a: Array) -> None:
        """Find the variable from those it depends on."""
        value = self.constant
        for v, g in self.G.items():
            value = value + g * x[v]
        x[self.variable] = value


@dataclass
class Sheared:
    """Variables renamed: what the group calls x_j is x_j + c_j x_i from then on."""

    variable: int
    c: dict[int, Any]

    def undo(self, x: dict[int, Any], a: Array) -> None:
        """Return to the old meaning of each variable."""
        for j, c in self.c.items():
            x[j] = x[j] - c * x[self.variable]


EliminationStep = Minimized | Substituted | Sheared


@dataclass
class Group:
    """Variables and their quadratic form; `mixed` are the relations that others have been put into."""

    variables: list[int] = field(default_factory=list)
    N: dict[int, Array] = field(default_factory=dict)
    r: dict[int, Any] = field(default_factory=dict)
    W: dict[tuple[int, int], Any] = field(default_factory=dict)
    C: dict[int, dict[int, Array]] = field(default_factory=dict)
    mixed: set[int] = field(default_factory=set)

    def inertia(self, v: int, w: int) -> Any:
        """W_vw."""
        return self.W.get((v, w) if v >= w else (w, v), 0.0)

    def add_inertia(self, v: int, w: int, value: Any) -> None:
        """W_vw += value."""
        key = (v, w) if v >= w else (w, v)
        self.W[key] = self.W[key] + value if key in self.W else value

    def tied(self, v: int) -> bool:
        """Whether a relation involves a variable."""
        return any(v in row for row in self.C.values())

    def coefficients(self, l: int) -> Iterator[tuple[int, Array]]:
        """The variables of relation l and their columns, in the group's order."""
        row = self.C.get(l, {})
        return ((v, row[v]) for v in self.variables if v in row)

    def minimize(self, y: int, handle: Handle) -> Minimized:
        """Eliminate a variable that no relation involves, by its own equation of motion."""
        self.variables.remove(y)
        W = {v: self.inertia(y, v) for v in self.variables if (max(y, v), min(y, v)) in self.W}
        reciprocal = 1.0 / self.W.pop((y, y))
        N, r = self.N.pop(y, None), self.r.pop(y)
        for v in W:
            del self.W[max(y, v), min(y, v)]
        scaled = {v: w * reciprocal for v, w in W.items()}
        for v, w in scaled.items():
            self.r[v] = self.r[v] - w * r
            if N is not None:
                self.N[v] = self.N[v] - w * N
        for a, v in enumerate(W):
            for u in list(W)[: a + 1]:
                self.add_inertia(v, u, -(scaled[v] * W[u]))
        if handle.I is not None and N is not None:
            handle.I = handle.I.minus_outer(N[:, None], (reciprocal * N)[:, None])
            handle.p = handle.p - N * (reciprocal * r)
        return Minimized(y, reciprocal, r, N, W)

    def substitute(
        self, d: int, G: dict[int, Any], constant: Any, k: list[Array], handle: Handle
    ) -> Substituted:
        """Put x_d = constant + Σ G_v x_v in place of a variable; right-hand sides k change along."""
        others = [v for v in self.variables if v != d]
        W_d = {v: self.inertia(d, v) for v in others}
        W_dd, N, r = self.inertia(d, d), self.N.pop(d, None), self.r.pop(d)
        self.W = {key: w for key, w in self.W.items() if d not in key}
        self.variables = others
        force = r + W_dd * constant
        for v in others:
            self.r[v] = self.r[v] + W_d[v] * constant
        for v, g in G.items():
            self.r[v] = self.r[v] + g * force
            if N is not None:
                self.N[v] = self.N[v] + g * N
            for u in others:
                if u not in G:
                    self.add_inertia(v, u, g * W_d[u])
        pairs = list(G.items())
        for a, (v, g) in enumerate(pairs):
            shared = g * W_dd
            for u, h in pairs[: a + 1]:
                value = shared * h + g * W_d[u] + h * W_d[v]
                self.add_inertia(v, u, value)
        if N is not None:
            handle.p = handle.p + N * constant
        for l, row in self.C.items():
            if d in row:
                column = row.pop(d)
                self.mixed.add(l)
                k[l] = k[l] - column * constant
                for v, g in G.items():
                    row[v] = row[v] + g * column if v in row else g * column
        return Substituted(d, constant, G)

    def shear(self, i: int, c: dict[int, Any]) -> Sheared:
        """Let x_j stand for x_j + c_j x_i, so that relations no longer see x_i."""
        for j, factor in c.items():
            self.r[i] = self.r[i] - factor * self.r[j]
            if j in self.N:
                self.N[i] = self.N[i] - factor * self.N[j]
            change = factor * self.inertia(j, j) - 2.0 * self.inertia(i, j)
            self.add_inertia(i, i, factor * change)
            for v in self.variables:
                if v != i:
                    self.add_inertia(i, v, -(factor * self.inertia(j, v)))
        for row in self.C.values():
            row.pop(i, None)
        return Sheared(i, c)


def merged(groups: Iterable[Group]) -> Group:
    """One group of several with no variable in common."""
    result = Group()
    for group in groups:
        result.variables += group.variables
        result.N |= group.N
        result.r |= group.r
        result.W |= group.W
        result.mixed |= group.mixed
        for l, row in group.C.items():
            result.C[l] = result.C.get(l, {}) | row
    return result
