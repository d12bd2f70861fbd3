"""Operations of recursive coordinate reduction, the paper's and ours: python bench/reductions.py [a.png].

Exact, whatever the machine. Critchley & Anderson §6: RCR and GCL are O(n + m), ACS has n_I³ beside that, and
ways by constraint forces or by the whole equation grow with powers of n and m.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import whippletree as wt
from whippletree.api.compiling import record
from whippletree.display.plots import COLORS, STYLE
from whippletree.examples.rings import ring

reduction = wt.formulations.reduction

FUNCTIONS = {
    "rcr": reduction.rcr,
    "acs": reduction.acs,
    "gcl": reduction.gcl,
    "grcr": wt.loops.grcr,
    "lambda-first": wt.loops.lambda_first,
    "kkt": wt.loops.kkt,
}


class Family(NamedTuple):
    """Mechanisms of one kind: how they are built, closed when neutral; of which sizes; by which methods.

    ACS and GCL take the same dependent coordinates, so that they can be compared: these, or what they choose.
    """

    title: str
    axis: str
    build: Callable[[int], wt.Mechanism]
    sizes: tuple[int, ...]
    methods: tuple[str, ...]
    dependents: Callable[[wt.Mechanism], list[str]] = lambda m: []


def tower(storeys: int) -> wt.Mechanism:
    """Four-bars, each standing on the coupler of the one below; upright in its neutral position."""
    m = wt.Mechanism("tower")
    bar = wt.Inertia(1.0, (0.0, 0.5, 0.0), (0.1, 0.01, 0.1))
    floor = wt.Inertia(2.0, (0.5, 0.0, 0.0), (0.02, 0.2, 0.2))
    below = "ground"
    for i in range(storeys):
        m.add_body(f"left{i}", wt.Revolute("z"), below, wt.Placement((0.0, 0.1, 0.0)), bar)
        m.add_body(f"floor{i}", wt.Revolute("z"), f"left{i}", wt.Placement((0.1, 1.0, 0.0)), floor)
        m.add_body(f"right{i}", wt.Revolute("z"), below, wt.Placement((1.2, 0.0, 0.0)), bar)
        foot, head = wt.Placement((1.0, 0.1, 0.0)), wt.Placement((-0.1, 1.2, 0.0))
        m.add_loop(f"pin{i}", wt.Revolute("z"), f"floor{i}", f"right{i}", foot, head)
        below = f"floor{i}"
    return m


FAMILIES = (
    Family(
        "A ring of n general hinges",
        "hinges n",
        ring,
        (8, 12, 16, 24, 32),
        ("rcr", "gcl", "grcr", "lambda-first", "kkt"),
        lambda m: [*m.joint_names[-5:], "closure"],
    ),
    Family(
        "A ring with planar parts at its ends",
        "parallel hinges at each end",
        lambda planar: ring(4, planar),
        (4, 6, 8, 12, 16, 24),
        ("acs", "gcl", "grcr", "lambda-first", "kkt"),
        lambda m: [*m.joint_names[m.nv // 2 - 1 : m.nv // 2 + 2], *m.joint_names[-2:], "closure"],
    ),
    Family(
        "A tower of N four-bars",
        "loops N",
        tower,
        (2, 4, 8, 16, 24),
        ("rcr", "gcl", "grcr", "lambda-first", "kkt"),
    ),
)


def operations(method: str, m: wt.Mechanism, dependents: list[str]) -> int:
    """Of one kernel of a method, with what it chooses at the neutral position or is told to."""
    q = m.neutral()
    choice = wt.method_choice(m, q, method)
    if dependents and method in ("acs", "gcl"):
        choice["dependents"] = reduction.named_dependents(m, q, dependents)
    return sum(record(FUNCTIONS[method], m, **choice).cost.values())


def table(family: Family) -> dict[str, list[int]]:
    """Print and return the operations of every method and size."""
    mechanisms = [family.build(size) for size in family.sizes]
    print(f"\n{family.title:38}" + "".join(f"{size:>10}" for size in family.sizes) + "    growth")
    found = {}
    for method in family.methods:
        found[method] = [operations(method, m, family.dependents(m)) for m in mechanisms]
        last, before = np.log(found[method][-1:-3:-1])
        power = (last - before) / np.log(family.sizes[-1] / family.sizes[-2])
        print(
            f"{method:38}" + "".join(f"{count:>10,}" for count in found[method]) + f"{power:10.2f}",
            flush=True,
        )
    loops = [reduction.adjusted_loops(m, m.neutral()) for m in mechanisms]
    added = [sum(own.fictitious for loop in every for own in loop) for every in loops]
    print(f"{'freedoms of fictitious joints':38}" + "".join(f"{count:>10}" for count in added), flush=True)
    return found


def picture(path: str, tables: list[dict[str, list[int]]]) -> None:
    """Draw the tables, both axes by powers of ten."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    color = dict(zip(FUNCTIONS, COLORS, strict=False))
    style: Any = STYLE  # its keys are names, which the stubs list one by one
    with mpl.rc_context(style):
        figure = Figure(figsize=(11.0, 3.8), layout="constrained")
        for axes, family, found in zip(figure.subplots(1, 3), FAMILIES, tables, strict=True):
            for method, counts in found.items():
                axes.loglog(family.sizes, counts, "o-", color=color[method], label=method, markersize=3.5)
            axes.set_title(family.title)
            axes.set_xlabel(family.axis)
            axes.set_xticks(family.sizes, [str(size) for size in family.sizes])
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.minorticks_off()
            axes.legend()
        figure.axes[0].set_ylabel("operations a state")
        FigureCanvasAgg(figure).print_png(path)


if __name__ == "__main__":
    tables = [table(family) for family in FAMILIES]
    if len(sys.argv) > 1:
        picture(sys.argv[1], tables)
