"""The figures of the page on speed, drawn from bench/*.json whenever the site is built."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sphinx.application import Sphinx

mpl.use("agg")
from matplotlib.figure import Figure  # the backend first

BLUE, GREY, RED, GREEN = "#33658a", "#9aa5b1", "#bc4b51", "#5b8e7d"


def draw(app: Sphinx, _: object) -> None:
    """Write docs/speed/*.png, and beside them on what machine and with what versions they were measured."""
    bench, folder = Path(app.srcdir).parent / "bench", Path(app.srcdir) / "speed"
    folder.mkdir(exist_ok=True)
    for name, figure in FIGURES.items():
        data = json.loads((bench / f"{name}.json").read_text())
        figure(data).savefig(folder / f"{name}.png", dpi=110)
        (folder / f"{name}.md").write_text(circumstances(name, data["machine"]))


def circumstances(name: str, machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{peer} {version}" for peer, version in machine["versions"].items())
    return (
        f"`bench/{name}.json`: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}, {versions}; commit {machine['commit']}, {machine['time'][:10]}.\n"
    )


def kernels(data: dict[str, Any]) -> Figure:
    rows = data["rows"]
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    for place, (algorithm, axes) in enumerate(
        zip(("rnea", "crba", "aba"), np.atleast_1d(figure.subplots(1, 3, sharey=True)), strict=True)
    ):
        chosen = [row for row in rows if row["algorithm"] == algorithm]
        at = np.arange(len(chosen))
        bars = (
            ("batch", "here, batch", BLUE, 0.0),
            ("one", "here, one state", GREEN, 0.2),
            ("batch_pinocchio", "Pinocchio, many states", GREY, 0.4),
            ("one_pinocchio", "Pinocchio, one state", RED, 0.6),
        )
        for key, label, color, shift in bars:
            axes.bar(at + shift - 0.3, [row[key] / 1e3 for row in chosen], 0.2, color=color, label=label)
        axes.set_yscale("log")
        axes.set_title(algorithm.upper(), loc="left")
        axes.set_xticks(at, [row["robot"] for row in chosen], rotation=60, ha="right", fontsize=8)
        if place == 0:
            axes.set_ylabel("µs a state, from Python")
            axes.legend(fontsize=7)
    return figure


def loops(data: dict[str, Any]) -> Figure:
    rows = data["rows"]
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    axes = figure.subplots()
    at = np.arange(len(rows))
    axes.bar(at - 0.3, [row["batch"] / 1e3 for row in rows], 0.2, color=BLUE, label="here, batch")
    axes.bar(at - 0.1, [row["one"] / 1e3 for row in rows], 0.2, color=GREEN, label="here, one state")
    for peer, color, shift in (("constraintDynamics", GREY, 0.1), ("lcaba", RED, 0.3)):
        times = [row["peers"].get(peer, np.nan) / 1e3 for row in rows]
        axes.bar(at + shift, times, 0.2, color=color, label=f"Pinocchio, {peer}")
    axes.set_yscale("log")
    axes.set_xticks(at, [row["mechanism"] for row in rows], rotation=25, ha="right", fontsize=8)
    axes.set_ylabel("µs a state, from Python")
    axes.legend(fontsize=7)
    return figure


def derivatives(data: dict[str, Any]) -> Figure:
    rows = data["rows"]
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    for place, (kind, axes) in enumerate(
        zip(("rnea", "aba", "inverse"), np.atleast_1d(figure.subplots(1, 3, sharey=True)), strict=True)
    ):
        chosen = [row for row in rows if row["derivative"] == kind]
        at = np.arange(len(chosen))
        axes.bar(at - 0.2, [row["batch_ratio"] for row in chosen], 0.4, color=BLUE, label="batch")
        axes.bar(at + 0.2, [row["one_ratio"] for row in chosen], 0.4, color=GREEN, label="one state")
        names = [row["robot"] + (", free" if row["free"] else "") for row in chosen]
        axes.set_xticks(at, names, rotation=60, ha="right", fontsize=8)
        axes.axhline(1.0, color="black", linewidth=0.8)
        axes.set_title({"rnea": "∂RNEA", "aba": "∂ABA", "inverse": "H⁻¹"}[kind], loc="left")
        if place == 0:
            axes.set_ylabel("times as fast as Pinocchio")
            axes.legend(fontsize=7)
    return figure


def scale(data: dict[str, Any]) -> Figure:
    rows = data["rows"]
    figure = Figure(figsize=(9.5, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    bodies = [row["bodies"] for row in rows]
    left.semilogx(bodies, [row["ns_per_body"] for row in rows], "o-", color=BLUE)
    left.set(xlabel="bodies in a chain, no two alike", ylabel="ns a body, ABA in a batch", ylim=(0, None))
    right.loglog(bodies, [row["compile_seconds"] for row in rows], "o-", color=RED)
    right.set(xlabel="bodies in a chain, no two alike", ylabel="s to compile")
    return figure


FIGURES = {"kernels": kernels, "loops": loops, "derivatives": derivatives, "scale": scale}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
