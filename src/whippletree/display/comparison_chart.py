"""Figures that compare methods of forward dynamics: what a state costs, and how that grows."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..benchmark.comparison import Comparison
from ..benchmark.scaling import Scaling
from .plots import COLORS, blank_figure, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POWERS = ("1", "n", "n²", "n³")
"""How an order is written."""

NEAR = 0.045
"""Names at the ends of curves keep this share of the axis between them."""


def plot_comparison(
    comparison: Comparison, scaling: Scaling, path: str | os.PathLike[str] | None = None
) -> "Figure":
    """A figure: operations and time of every method for one mechanism, and operations over the size.

    Args:
        comparison: From `compare`.
        scaling: From `scaling`.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.
    """
    with blank_figure((11.5, 5.2)) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        _costs(left, comparison)
        _growth(right, scaling)
        if path is not None:
            write(figure, path)
    return figure


def _costs(axis: "Axes", comparison: Comparison) -> None:
    """Bars of operations with the time of a state beside them, the cheapest method on top."""
    counted = [entry for entry in comparison.methods if entry.operations is not None]
    counted.sort(key=lambda entry: entry.operations or 0, reverse=True)
    counts = [entry.operations or 0 for entry in counted]
    axis.barh([entry.method for entry in counted], counts, color=COLORS[0], height=0.62)
    for row, entry in enumerate(counted):
        time = "" if entry.seconds is None else f", {entry.seconds * 1e9:,.0f} ns"
        axis.text(counts[row], row, f"  {counts[row]:,}{time}", va="center", fontsize=8.0, color="#3b4450")
    axis.set(
        title=f"{comparison.mechanism}: operations, and time of a state in a batch",
        xlim=(0, 1.5 * max(counts, default=1)),
    )
    axis.set_xlabel(f"all accelerations agree to {comparison.largest_difference:.0e}")
    axis.grid(visible=False, axis="y")


def _growth(axis: "Axes", scaling: Scaling) -> None:
    """Operations over n, both logarithmic, each curve named at its end with its order and exponent."""
    n = np.array(scaling.sizes)
    names = sorted(scaling.operations, key=lambda name: scaling.operations[name][-1])
    ends = [float(np.log10(scaling.operations[name][-1])) for name in names]
    for name, at in zip(names, spread(ends, NEAR * (max(ends) - min(ends) + 1.0)), strict=True):
        color = COLORS[names.index(name) % len(COLORS)]
        axis.plot(n, scaling.operations[name], "o-", color=color, markersize=3.5)
        order, exponent = POWERS[scaling.order(name)], scaling.exponent(name)
        axis.annotate(
            f"{name}  {order}  ({exponent:g})",
            (n[-1], 10.0**at),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.0,
            color=color,
        )
    axis.set(xscale="log", yscale="log", xlim=(n[0] * 0.93, n[-1] * (n[-1] / n[0]) ** 0.62))
    axis.set(title=f"operations over n: {scaling.family}", xlabel="n    (in brackets: fitted exponent)")
    axis.set_xticks(n, [str(size) for size in n])
    axis.minorticks_off()


def spread(places: Sequence[float], apart: float) -> list[float]:
    """Places in ascending order, moved as little as keeps them so far apart.

    >>> [round(x, 2) for x in spread([0.0, 0.1, 1.0], 0.3)]
    [-0.1, 0.2, 1.0]
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _low(groups[-1], apart) - _high(groups[-2], apart) < apart:
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_low(group, apart) + k * apart for group in groups for k in range(len(group))]


def _low(group: Sequence[float], apart: float) -> float:
    """The first place of a group that is spread around its mean."""
    return sum(group) / len(group) - 0.5 * apart * (len(group) - 1)


def _high(group: Sequence[float], apart: float) -> float:
    return _low(group, apart) + apart * (len(group) - 1)
