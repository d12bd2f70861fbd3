"""The formats that files have: one row of a table each, by suffix."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import FileError, ModelError
from ..joints import Joint
from ..model.graph import Graph
from ..model.mechanism import Mechanism
from ..uncollected import uncollected
from .file_source import Source, reading
from .findings import Problem


@dataclass(frozen=True)
class Format:
    """How files of one suffix are read and written.

    Attributes:
        load: (source, root, packages) to the mechanism in a file, whose content is `source.data` and whose
            name `source.path`. `root`, the joint between the ground and the root link or None, and
            `packages`, directories to look for meshes in, are as given to `wt.load`. Raises FileError, with
            the line where it knows one. What a mechanism refuses, and whatever else is raised, become one.
        problems: (source, packages) to all that is wrong or odd in a file; None: the error for which `load`
            refuses it, or the warnings it gives.
        save: (m, path) writes a file, whole or not at all (`io.atomic.whole`); None: it is only read.
        is_urdf: Whether it leaves open what `wt.load` has options for.
    """

    load: Callable[..., Mechanism]
    problems: Callable[[Source, Iterable[Path]], list[Problem]] | None = None
    save: Callable[[Mechanism, Path], None] | None = None
    is_urdf: bool = False

    def read(
        self, source: Source, root: Joint | None, packages: Iterable[Path], **options: bool
    ) -> Mechanism:
        """The mechanism in a file; FileError for whatever is wrong with it."""
        try:
            with reading(source.path, "cannot be read"), uncollected():
                return self.load(source, root, packages, **options)
        except ModelError as error:
            raise FileError(source.path, str(error)) from error

    def found(self, source: Source, packages: Iterable[Path]) -> list[Problem]:
        """All that is wrong or odd in a file; FileError if that cannot be told."""
        if self.problems is not None:
            return self.problems(source, packages)
        return [Problem(None, warning, "warning") for warning in self.read(source, None, packages).warnings]


def _ours(module: str, name: str) -> Callable[..., Any]:
    """A function of a module here, which is imported on use."""

    def function(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f".{module}", __package__), name)(*arguments, **options)

    return function


expanded_by_name: Callable[..., Source] = _ours("urdf.xacro_file", "expanded")
"""A text with macros of xacro in URDF, as (source, packages, arguments) tells it."""

graph_of: Callable[[Source], Graph] = _ours("toml.toml_read", "load_graph")
"""The graph in a TOML text, as (source) tells it."""

_ROOT_ELEMENT = re.compile(rb"<(?!!--)(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)

_URDF = Format(
    _ours("urdf.urdf_read", "load"),
    _ours("urdf.urdf_read", "problems"),
    _ours("urdf.urdf_write", "save"),
    is_urdf=True,
)

FORMATS: dict[str, Format] = {
    ".urdf": _URDF,
    ".xacro": Format(_ours("urdf.xacro_file", "load"), _ours("urdf.xacro_file", "problems"), is_urdf=True),
    ".xml": Format(
        _ours("mjcf.mjcf_read", "load"), _ours("mjcf.mjcf_read", "problems"), _ours("mjcf.mjcf_write", "save")
    ),
    ".sdf": Format(_ours("sdf.sdf_read", "load"), _ours("sdf.sdf_read", "problems")),
    ".toml": Format(
        _ours("toml.toml_read", "load"), _ours("toml.toml_read", "problems"), _ours("toml.toml_write", "save")
    ),
}
"""By suffix, in small letters and with its dot. A new format is one line here."""

XML_ROOTS = {"robot": ".urdf", "mujoco": ".xml", "mujocoinclude": ".xml", "sdf": ".sdf"}
"""Which of the formats an XML text is, by its root element; others go to URDF's reader, which tells them."""


def format_of(source: Source) -> Format:
    """How a content is read of which no suffix tells."""
    data = source.data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not (data.startswith((b"<", b"\xff\xfe", b"\xfe\xff")) or b"<?xml" in data[:10_000]):
        return FORMATS[".toml"]
    root = _ROOT_ELEMENT.search(_ASIDE.sub(b"", data))
    return FORMATS[XML_ROOTS.get("" if root is None else root[1].decode(), ".urdf")]
