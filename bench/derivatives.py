"""Derivatives against Pinocchio and finite differences, in turn, in one run: python bench/derivatives.py.

∂RNEA, ∂ABA and H⁻¹ of robots on fixed and free roots: batches on one core, and one state called from Python.
Pinocchio has no batches of these; it takes one state after the other, as it is called from Python, which is
what ratios are of, and in a loop of C++ where a compiler is found (`pinocchio_loop.py`). Finite differences
are forward ones on our own batched kernels, 2 nv + 1 evaluations a state. Both libraries have to agree before
anything is timed. Products without matrices are counted in operations of their function. A table, and a JSON
file. Ends with an error if a target is missed.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from pinocchio_loop import calls, native_loop
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.robots import robot_file
from whippletree.io.atomic import whole

pin: Any = import_module("pinocchio")

ROBOTS = ("ur5", "panda", "anymal", "g1", "talos")
TARGETS = {"rnea": (18.0, 5.5), "aba": (14.0, 4.5), "inverse": (20.0, 5.0)}
"""Geometric means over all robots against Pinocchio: batched, and one state."""
HUMANOIDS, LEAST = ("g1", "talos"), 8.0
"""No humanoid's ∂ABA may be below this in batches."""
PRODUCTS = {"aba": 2.1, "rnea": 2.5, "grcr": 3.0}
"""Operations of a vjp, as a multiple of those of the function: geometric means."""
BYTES = 1 << 18
"""Results of a batch: with its states and what is in between, what stays in a second cache of 1 MB."""
AGREE = 1e-9


class Row(NamedTuple):
    """Times of one derivative of one robot, ns a state."""

    robot: str
    free: bool
    nv: int
    derivative: str
    operations: int
    batch: float
    one: float
    pinocchio: float
    loop: float | None
    differences: float | None

    @property
    def batch_ratio(self) -> float:
        """How many times as fast as Pinocchio in batches."""
        return self.pinocchio / self.batch

    @property
    def one_ratio(self) -> float:
        """How many times as fast for one state."""
        return self.pinocchio / self.one


class Case(NamedTuple):
    """A robot in both libraries."""

    name: str
    free: bool
    m: wt.Mechanism
    model: Any
    data: Any
    convention: wt.Convention

    @staticmethod
    def of(name: str, free: bool) -> "Case":
        path = str(robot_file(name))
        m = wt.load(path, root=wt.Free() if free else None, keep_zero_limits=True)
        root = (pin.JointModelFreeFlyer(),) if free else ()
        model = pin.buildModelFromUrdf(path, *root)
        return Case(
            name, free, m, model, model.createData(), wt.Convention("pinocchio", m, list(model.names)[1:])
        )


def measure(case: Case, rounds: int) -> list[Row]:
    """∂RNEA, ∂ABA and H⁻¹ of one robot."""
    m, rng = case.m, np.random.default_rng(0)
    count = max(64, BYTES // (8 * 3 * m.nv**2) // 8 * 8)
    q = np.array([m.random(rng) for _ in range(count)])
    qd, x = rng.normal(size=(2, count, m.nv))
    kernels = {
        "rnea": (m.kernel("rnea_derivatives"), (q, qd, x), m.kernel("rnea")),
        "aba": (m.kernel("aba_derivatives"), (q, qd, x), m.kernel("aba")),
        "inverse": (m.kernel("inverse_inertia"), (q,), None),
    }
    to = case.convention
    pq, pqd = to.to_position(q[0]), to.to_velocity(q[0], qd[0])
    pa, ptau = to.to_acceleration(q[0], qd[0], x[0]), to.to_force(q[0], x[0])
    model, data = case.model, case.data
    theirs: dict[str, Callable[[], Any]] = {
        "rnea": lambda: pin.computeRNEADerivatives(model, data, pq, pqd, pa),
        "aba": lambda: pin.computeABADerivatives(model, data, pq, pqd, ptau),
        "inverse": lambda: pin.computeMinverse(model, data, pq),
    }
    loop = native_loop()
    native: dict[str, Callable[[], object]] = {}
    if loop is not None:
        states = [
            np.array([to.to_position(q[i]) for i in range(count)]),
            np.array([to.to_velocity(q[i], qd[i]) for i in range(count)]),
            np.array([to.to_acceleration(q[i], qd[i], x[i]) for i in range(count)]),
            np.array([to.to_force(q[i], x[i]) for i in range(count)]),
        ]
        native = dict(calls(loop, model, *states))
    rows = []
    for name, (k, batch, function) in kernels.items():
        one = tuple(array[0].copy() for array in batch)
        _agree(case, q[0], name, k(*one), theirs[name]())
        out = k(*batch)
        timed: dict[str, Callable[[], object]] = {
            "batch": lambda k=k, batch=batch, out=out: k(*batch, out=out),
            "one": lambda k=k, one=one: k(*one),
            "pinocchio": theirs[name],
        }
        if function is not None:
            moved = tuple(np.repeat(array[: count // 8], 2 * m.nv + 1, axis=0) for array in batch)
            values = function(*moved)
            timed["differences"] = lambda f=function, moved=moved, values=values: f(*moved, out=values)
        if name in native:
            timed["loop"] = native[name]
        times = best_times(timed, rounds=rounds)
        differences = times["differences"] * 1e9 / (count // 8) if function is not None else None
        scaled = (times["batch"] * 1e9 / count, times["one"] * 1e9, times["pinocchio"] * 1e9)
        in_loop = times["loop"] * 1e9 / count if name in native else None
        about = (case.name, case.free, m.nv, name, sum(k.cost.values()))
        rows.append(Row(*about, *scaled, in_loop, differences))
    return rows


def _agree(case: Case, q: np.ndarray, name: str, ours: Any, theirs: Any) -> None:
    """Stop if the two libraries do not find the same."""
    T = case.convention.velocity_matrix(q)
    mine = ours if isinstance(ours, tuple) else (ours,)
    other = [np.array(part) for part in (theirs if isinstance(theirs, tuple) else (theirs,))]
    other[-1] = np.triu(other[-1]) + np.triu(other[-1], 1).T  # inertias: the upper half is filled
    for a, b in zip(mine, other, strict=True):
        difference = np.abs(T @ a @ T.T - b).max() / np.abs(b).max()
        if not difference < AGREE:
            sys.exit(f"{case.name}: {name} differs from Pinocchio's by {difference:.1e} of its largest entry")


def products(cases: list[Case]) -> dict[str, list[float]]:
    """Operations of vjp as a multiple of those of the function."""
    found: dict[str, list[float]] = {name: [] for name in PRODUCTS}
    for case in cases:
        for name, wrt in (("aba", ("q", "qd", "tau")), ("rnea", ("q", "qd", "qdd"))):
            function = getattr(wt, name)
            found[name].append(
                _operations(wt.vjp(function, case.m, wrt=wrt)) / _operations(case.m.kernel(name))
            )
    for name in ("four-bar", "quick-return", "stewart-platform", "linkage-quadruped"):
        m = wt.examples.load(name)
        q = wt.assemble(m, m.neutral())
        k = wt.vjp(wt.loops.grcr, m, wrt=("q", "qd", "tau"), at=q)
        found["grcr"].append(_operations(k) / _operations(wt.compile(wt.loops.grcr, m, at=q)))
    return found


def _operations(k: wt.Kernel) -> int:
    return sum(k.cost.values())


def mean(values: list[float]) -> float:
    """The geometric mean."""
    return prod(values) ** (1.0 / len(values))


def main(
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("bench/derivatives.json"),
    rounds: Annotated[int, typer.Option(help="How often each call has its turn.")] = 20,
    only: Annotated[str, typer.Option(help="Measure only robots that have this in their name.")] = "",
) -> None:
    """Measure derivatives."""
    console = Console(width=None if sys.stdout.isatty() else 160)  # lines are not broken for a file
    chosen = [(name, free) for name in ROBOTS if only in name for free in (False, True)]
    rows: list[Row] = []
    cases: list[Case] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(chosen) + 1)
        for name, free in chosen:
            progress.update(task, description=f"{name}, {'free' if free else 'fixed'}")
            cases.append(Case.of(name, free))
            rows += measure(cases[-1], rounds)
            progress.advance(task)
        progress.update(task, description="products")
        counted = products(cases)
    machine = machine_record()
    console.print(_table(rows))
    means = {
        name: {
            "batch": mean([row.batch_ratio for row in rows if row.derivative == name]),
            "one": mean([row.one_ratio for row in rows if row.derivative == name]),
        }
        for name in TARGETS
    }
    for name, both in means.items():
        console.print(f"{name}: batched {both['batch']:.1f}×, one state {both['one']:.1f}× (geometric means)")
        natively = [row.loop / row.batch for row in rows if row.derivative == name and row.loop is not None]
        if natively:
            console.print(f"{name}: batched {mean(natively):.1f}× Pinocchio in C++")
    for name, values in counted.items():
        console.print(f"vjp of {name}: {mean(values):.2f} of its operations, at most {max(values):.2f}")
    console.print(f"{machine['cpu']}; commit {machine['commit']}")
    report = {
        "machine": machine,
        "means": means,
        "products": counted,
        "rows": [
            row._asdict() | {"batch_ratio": row.batch_ratio, "one_ratio": row.one_ratio} for row in rows
        ],
    }
    with whole(out) as file:
        file.write((json.dumps(report, indent=2) + "\n").encode())
    console.print(f"written to {out}")
    missed = _missed(rows, means, counted)
    for text in missed:
        console.print(text, style="red")
    sys.exit(1 if missed else 0)


def _missed(
    rows: list[Row], means: dict[str, dict[str, float]], counted: dict[str, list[float]]
) -> list[str]:
    """Targets that were not reached."""
    texts = []
    for name, (batch, one) in TARGETS.items():
        for kind, target in (("batch", batch), ("one", one)):
            if means[name][kind] < target:
                texts.append(f"{name}, {kind}: {means[name][kind]:.1f}×, the target is {target}×")
    for row in rows:
        if row.derivative == "aba" and row.robot in HUMANOIDS and row.batch_ratio < LEAST:
            root = "free" if row.free else "fixed"
            texts.append(f"aba of {row.robot}, {root}: {row.batch_ratio:.1f}×, the target is {LEAST}×")
    for name, target in PRODUCTS.items():
        if mean(counted[name]) > target:
            texts.append(f"vjp of {name}: {mean(counted[name]):.2f}, the target is {target}")
    return texts


def _table(rows: list[Row]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="µs a state")
    headings = (
        "robot",
        "root",
        "nv",
        "derivative",
        "operations",
        "batch",
        "one state",
        "Pinocchio",
        "in C++",
        "differences",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("robot", "root", "derivative") else "right")
    for row in rows:
        table.add_row(
            row.robot,
            "free" if row.free else "fixed",
            str(row.nv),
            row.derivative,
            f"{row.operations:,}",
            f"{1e-3 * row.batch:,.3f} ({row.batch_ratio:.0f}×)",
            f"{1e-3 * row.one:,.2f} ({row.one_ratio:.1f}×)",
            f"{1e-3 * row.pinocchio:,.2f}",
            *("—" if time is None else f"{1e-3 * time:,.2f}" for time in (row.loop, row.differences)),
        )
    return table


if __name__ == "__main__":
    typer.run(main)
