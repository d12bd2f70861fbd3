"""The API reference: every public name, by what it is for. Nobody lists them, so none is missing."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

import whippletree as wt

SUBJECTS = {
    "mechanisms": ("Mechanisms and their parts", ("model", "edit", "examples")),
    "joints": ("Joints", ("joints",)),
    "shapes": ("Shapes, inertias, placements", ("shapes", "spatial")),
    "files": ("Files", ("io",)),
    "dynamics": ("Kinematics and dynamics", ("dynamics",)),
    "loops": ("Closed loops", ("loops",)),
    "compiling": ("Forward dynamics, compilation, derivatives", ("api", "kernels", "checks")),
    "simulation": ("Motion through time", ("simulation", "adjoint")),
    "analysis": ("Driven machines, rest, small motions", ("analysis",)),
    "control": ("Inverse kinematics, control, identification", ("reaching", "control", "identification")),
    "display": ("Pictures, viewer, comparisons", ("display", "benchmark")),
    "errors": ("Errors and warnings", ("errors",)),
}
"""By page: its title, and the rooms whose names of `wt` it shows."""

ROOMS = {
    "rooms-dynamics": ("wt.dynamics: variants of the algorithms", wt.dynamics),
    "rooms-loops": ("wt.loops: methods for closed loops", wt.loops),
    "rooms-contact": ("wt.contact: contact and impact", wt.contact),
    "rooms-lagrange": ("wt.formulations.lagrange", wt.formulations.lagrange),
    "rooms-reduction": ("wt.formulations.reduction", wt.formulations.reduction),
    "rooms-semi-recursive": ("wt.formulations.semi_recursive", wt.formulations.semi_recursive),
    "rooms-special": ("wt.formulations.special_coordinates", wt.formulations.special_coordinates),
    "rooms-interop": ("wt.interop: other libraries", wt.interop),
    "rooms-examples": ("wt.examples: bundled mechanisms", wt.examples),
}
"""By page: its title, and the package whose names it shows as far as `wt` does not."""


INSIDE = ("append", "built", "end_fault", "kinds", "once", "with_parts")
"""Methods of mechanisms and graphs that the library's own files call; nobody else needs them."""

_written: dict[str, list[str]] = {}
"""By name: docstrings as they were before napoleon read them."""


def documented(place: ModuleType) -> dict[str, Any]:
    """Classes that a package shows, and functions with an example: others serve the library itself."""
    shown = {
        name: value
        for name, value in vars(place).items()
        if name[0] != "_" and (inspect.isfunction(value) or inspect.isclass(value))
    }
    return {
        name: value
        for name, value in shown.items()
        if value.__module__.startswith("whippletree")
        and (inspect.isclass(value) or ">>>" in (value.__doc__ or ""))
    }


def pages() -> dict[str, tuple[str, str, list[str]]]:
    """By page: its title, the package, the names in it."""
    top = documented(wt)
    by_room = {room: page for page, (_, rooms) in SUBJECTS.items() for room in rooms}
    made: dict[str, tuple[str, str, list[str]]] = {
        page: (title, "whippletree", []) for page, (title, _) in SUBJECTS.items()
    }
    for name, value in top.items():
        made[by_room[value.__module__.split(".")[1]]][2].append(name)
    for page, (title, place) in ROOMS.items():
        made[page] = (title, place.__name__, [name for name in documented(place) if name not in top])
    return made


def write(app: Sphinx, _: object) -> None:
    """One file a page, which autosummary fills, and the list of them."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    made = pages()
    for page, (title, place, names) in made.items():
        first = summary(place) if page.startswith("rooms") else ""
        rows = "".join(f"   {name}\n" for name in sorted(names, key=str.lower))
        _put(
            folder / f"{page}.rst",
            f"{title}\n{'=' * len(title)}\n\n{first}\n.. currentmodule:: {place}\n\n"
            f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{rows}",
        )
    entries = "".join(f"   {page}\n" for page in made)
    _put(
        folder / "index.rst",
        "API reference\n=============\n\nEvery public name, as its docstring tells it; each function has an "
        "example, which the tests run. In all of them ``wt`` is ``whippletree``, ``np`` is ``numpy``.\n\n"
        f".. toctree::\n   :maxdepth: 1\n\n{entries}",
    )


def summary(place: str) -> str:
    return (inspect.getdoc(importlib.import_module(place)) or "") + "\n"


def _put(path: Path, text: str) -> None:
    """Written only if it changed, so that a second build finds nothing to do."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def plain(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Docstrings are written to be read as they stand: |x| and ** mean what they mean in mathematics."""
    text = [
        line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|").replace("**", r"\*\*")
        for line in lines
    ]
    if "Returns:" in text:
        start = text.index("Returns:")
        end = next((k for k in range(start + 1, len(text)) if text[k][:1] not in ("", " ")), len(text))
        block = [line for line in text[start + 1 : end] if line]
        items = [line for line in block if re.match(r" {4}[\w, ]+: ", line)]
        if len(items) > 1:  # several results by name, a list
            listed = (f"    * {line[4:]}" if line in items else f"      {line.lstrip()}" for line in block)
            text[start:end] = [":returns:", "", *listed, ""]
    if "Attributes:" in text:  # of which Sphinx takes "bodies, joints" for a type and a name
        start = text.index("Attributes:")
        text[start:] = [re.sub(r"(?<=\w), (?=\w+(, \w+)*: )", ",", line) for line in text[start:]]
    lines[:] = text
    _written[name] = list(text)


def property_text(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """As it was written: napoleon takes what stands before a colon for a type, and tells it last."""
    if what in ("attribute", "data", "property"):
        lines[:] = _written.pop(name, lines)


def signature(
    app: Sphinx, what: str, name: str, thing: object, options: object, given: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Without fields that only the library itself fills in."""
    return (re.sub(r", _\w+(=[^,)]+)?", "", given) if given else given), returned


def left_out(app: Sphinx, what: str, name: str, thing: object, skip: bool, options: object) -> bool | None:
    """Fields of named tuples, of which their class tells, and what is for the library itself."""
    return True if type(thing).__name__ == "_tuplegetter" or name in INSIDE else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", write)  # before the sources are listed
    app.connect("autodoc-process-docstring", plain, priority=100)  # before napoleon writes marks of its own
    app.connect("autodoc-process-docstring", property_text, priority=900)  # after it
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", left_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
