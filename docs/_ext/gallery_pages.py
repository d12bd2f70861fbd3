"""The gallery: every bundled mechanism, by the kind of machine it is. Nobody lists them."""

from pathlib import Path

from sphinx.application import Sphinx

import whippletree as wt
from whippletree.examples import _BUILDERS  # pyright: ignore[reportPrivateUsage]  # the file tells the kind

KINDS = {
    "arms": "Arms",
    "pendulums": "Pendulums and tops",
    "tops": "Pendulums and tops",
    "linkages": "Linkages",
    "rings": "Linkages",
    "bars": "Linkages",
    "walkers": "Linkages",
    "gearings": "Gears and belts",
    "parallel": "Parallel machines",
    "machinery": "Machines",
    "vehicles": "Vehicles",
    "legged": "Robots with legs",
    "trees": "Trees",
    "touching_bodies": "Things that touch",
    "touching_machines": "Things that touch",
    "touching_legs": "Things that touch",
}


def write(app: Sphinx, _: object) -> None:
    """Write gallery/index.md: a picture of each, and below them each in motion, with what it is."""
    folder = Path(app.srcdir) / "gallery"
    groups: dict[str, list[str]] = {title: [] for title in KINDS.values()}
    for name in wt.examples.names():
        room = _BUILDERS[name].__module__.rpartition(".")[2]
        groups.setdefault(KINDS.get(room, "More"), []).append(name)
    text = [
        "# Gallery\n\nEvery bundled mechanism. `wt.examples.load(NAME)` is one of them, `whippletree view "
        "NAME` opens it in the browser, where it can be taken in hand, and `wt.examples.start(NAME)` has the "
        "state in which it shows what it is for. All pictures are made by the library itself, by "
        "`Trajectory.animate`: `python docs/make_gallery.py`.\n"
    ]
    for title, names in groups.items():
        if not names:
            continue
        text.append(f"\n## {title}\n\n{{.gallery}}")
        text += [f"[![{name}]({name}.png)](#{name})" for name in names]
        for name in names:
            text.append(f"\n### {name}\n\n{wt.examples.about(name)}\n\n![{name} in motion]({name}.webp)\n")
    page = "\n".join(text)
    path = folder / "index.md"
    if not path.exists() or path.read_text() != page:
        path.write_text(page)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
