"""Make the pictures of the gallery: `python docs/make_gallery.py [NAME …]`, all mechanisms if none is named.

Each bundled mechanism moves from where it shows what it is for (`wt.examples.start`), or is thrown; what
flies and touches nothing moves without gravity. `Trajectory.animate` draws it; the pictures are then made
small. They are kept with the pages, as all of them take some minutes.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageSequence

import whippletree as wt

FOLDER = Path(__file__).parent / "gallery"
SIDE, FPS, LONGEST = 300, 12, 3.0
"""Pixels, pictures a second, seconds."""


def motion(name: str) -> wt.Trajectory:
    """A few seconds of a bundled mechanism."""
    m, begin = wt.examples.load(name), wt.examples.start(name)
    if name == "painleve-rod":  # rigid, it has no motion
        m.change("slide", stiffness=1e5, damping=50.0)
    if begin.q is not None or begin.qd is not None or m.contacts:
        duration = min(begin.duration, LONGEST)
        return wt.simulate(
            m, begin.q, begin.qd, duration, begin.control, impacts=begin.impacts, progress=False
        )
    if any(body.joint.nv == 6 and body.parent == "ground" for body in m.bodies):
        m.gravity = (0.0, 0.0, 0.0)
    rng = np.random.default_rng(3)
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, 1.5 * rng.choice([-1.0, 1.0], m.nv))
    return wt.simulate(m, q, qd, LONGEST, progress=False)


def make(name: str) -> None:
    """Write NAME.webp, which moves, and NAME.png, its picture in the middle."""
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.gif"
        motion(name).animate(film, FPS)
        with Image.open(film) as drawn:
            frames = [
                frame.convert("RGB").resize((SIDE, SIDE), Image.Resampling.LANCZOS)
                for frame in ImageSequence.Iterator(drawn)
            ]
    options: dict[str, Any] = {"duration": round(1000 / FPS), "loop": 0, "quality": 55, "method": 6}
    frames[0].save(FOLDER / f"{name}.webp", save_all=True, append_images=frames[1:], **options)
    # As many colours as there can be: lines are thin, and theirs must not be lost among the greys of letters.
    frames[len(frames) // 2].quantize(256).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or wt.examples.names():
        print(name, flush=True)
        make(name)
