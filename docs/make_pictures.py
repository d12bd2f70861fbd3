"""Make the drawings of the pages: `python docs/make_pictures.py`. The build draws measured figures itself."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("agg")
import matplotlib.pyplot as plt  # the backend first

import whippletree as wt

DOCS = Path(__file__).parent
AXES = ("#bc4b51", "#5b8e7d", "#33658a")
"""Colours of x, y and z."""


def frame(axes: Any, at: tuple[float, float], angle: float, name: str, size: float = 0.5) -> None:
    """A frame in the plane, x to the right if the angle is zero, z up."""
    for turn, color, letter in ((0.0, AXES[0], "x"), (np.pi / 2, AXES[2], "z")):
        way = size * np.array([np.cos(angle + turn), np.sin(angle + turn)])
        axes.annotate("", np.add(at, way), at, arrowprops={"arrowstyle": "->", "color": color, "lw": 2})
        axes.text(*(np.add(at, 1.15 * way)), letter, color=color, ha="center", va="center", fontsize=9)
    axes.plot(*at, "o", color="black", markersize=4)
    axes.text(at[0] - 0.08, at[1] - 0.22, name, fontsize=9, ha="right")


def frames() -> None:
    figure, axes = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
    elbow, tool, turn = (2.2, 1.1), (3.9, 2.0), 0.49
    frame(axes, (0.0, 0.0), 0.0, "ground")
    frame(axes, elbow, turn, "")
    axes.text(elbow[0] + 0.1, elbow[1] - 0.28, "body, at its joint", fontsize=9)
    frame(axes, tool, turn, "")
    axes.text(tool[0] + 0.12, tool[1] - 0.22, "frame 'tool'", fontsize=9)
    axes.annotate(
        "", elbow, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": "grey", "ls": "--", "lw": 1.2}
    )
    axes.text(
        0.95, 0.72, "placement of the joint,\nin the parent's frame", fontsize=9, color="#555", ha="right"
    )
    axes.annotate("", tool, elbow, arrowprops={"arrowstyle": "-|>", "color": "grey", "ls": "--", "lw": 1.2})
    axes.text(3.35, 1.25, "placement of the frame,\nin the body's frame", fontsize=9, color="#555")
    axes.plot(2.75, 1.85, "o", color="#e3a857", markersize=11)
    axes.text(2.6, 1.95, "com of the inertia,\nin the body's frame", fontsize=9, color="#a3742a", ha="right")
    axes.set(xlim=(-1.0, 5.3), ylim=(-0.5, 2.8), aspect="equal")
    axes.axis("off")
    figure.savefig(DOCS / "start" / "frames.png", dpi=110)


def quaternion() -> None:
    figure = plt.figure(figsize=(7.5, 2.9), layout="constrained")
    for place, (name, direction) in enumerate(zip("xyz", np.eye(3), strict=True)):
        axes: Any = figure.add_subplot(1, 3, place + 1, projection="3d")
        m = wt.Mechanism("turn")
        m.add_body("body", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(1, 1, 1)))
        tilted = m.integrate(m.neutral(), [0.3, -0.4, 0.5])
        q = m.integrate(tilted, 0.7 * direction)
        for turn, alpha in ((tilted, 0.3), (q, 1.0)):
            R = wt.frame_pose(m, turn, "body")[:3, :3]
            for k, color in enumerate(AXES):
                if alpha == 1.0:
                    axes.text(*(1.12 * R[:, k]), "xyz"[k], color=color, fontsize=9)
                axes.quiver(0, 0, 0, *R[:, k], color=color, alpha=alpha, linewidth=2, arrow_length_ratio=0.15)
        axes.set(xlim=(-0.7, 1.0), ylim=(-0.6, 1.1), zlim=(-0.65, 1.05))
        axes.set_box_aspect((1, 1, 1), zoom=1.45)
        axes.set_axis_off()
        axes.set_title(f"0.7 rad along {name} of the body\nq = {np.array2string(q, precision=2)}", fontsize=8)
    figure.savefig(DOCS / "start" / "quaternion.png", dpi=110)


def order() -> None:
    m = wt.Mechanism("tree")
    body = wt.Inertia(1.0, about_com=(1, 1, 1))
    rows = [
        ("trunk", wt.Free(), "ground"),
        ("neck", wt.Revolute("y"), "trunk"),
        ("head", wt.Spherical(), "neck"),
    ]
    rows += [("arm", wt.Revolute("y"), "trunk"), ("hand", wt.Prismatic("x"), "arm")]
    for name, joint, parent in rows:
        m.add_body(name, joint, parent, inertia=body)
    places = {
        "ground": (0, 0),
        "trunk": (1, 0),
        "neck": (2, 0.6),
        "head": (3, 0.6),
        "arm": (2, -0.6),
        "hand": (3, -0.6),
    }
    figure, axes = plt.subplots(figsize=(7.5, 2.8), layout="constrained")
    for i, (name, _, parent) in enumerate(rows):
        axes.plot(*zip(places[parent], places[name], strict=True), color="grey", zorder=0)
        x, y = places[name]
        axes.text(x, y + 0.19, f"{i}: {name}", ha="center", fontsize=9)
        q, v = m.q_index[i], m.v_index[i]
        text = f"q[{q.start}:{q.stop}]  qd[{v.start}:{v.stop}]"
        axes.text(x, y - 0.28, text, ha="center", fontsize=8, color=AXES[2])
    for name, at in places.items():
        axes.plot(*at, "s" if name == "ground" else "o", color="black")
    axes.text(0, 0.19, "-1: ground", ha="center", fontsize=9)
    axes.set(xlim=(-0.5, 3.6), ylim=(-1.1, 1.0))
    axes.axis("off")
    figure.savefig(DOCS / "start" / "order.png", dpi=110)


def coupler() -> None:
    """The picture of tutorials/linkage.md, by the page's own code."""
    import os
    import re
    import tempfile

    page = (DOCS / "tutorials" / "linkage.md").read_text()
    scope: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
            exec(code, scope)
            if "savefig" in code:
                break
        os.chdir(DOCS)
    scope["figure"].savefig(DOCS / "tutorials" / "coupler.png", dpi=110)


if __name__ == "__main__":
    for draw in (frames, quaternion, order, coupler):
        draw()
