"""What an SDF file says: models in models, with those it includes, each part under its full name."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...errors import FileError
from ...model.parts import GROUND
from ..file_source import Source, read
from ..findings import Findings
from ..mesh_paths import Meshes
from ..xml import Element, parse
from .sdf_parts import MEANINGS, SdfJoint, SdfLink, SdfReader
from .sdf_poses import MODEL, WORLD, PosedFrame, PoseGraph

DEEPEST = 16
"""Files that include files."""

MOST_FILES = 1000
"""Files that are included in all."""

STANDARD_GRAVITY = (0.0, 0.0, -9.8)
"""m/s², of a <world> that says none."""


@dataclass(frozen=True)
class ScopedJoint:
    """A joint, the scope that its names are looked up in, and the frame of its model."""

    joint: SdfJoint
    scope: str
    model: str


class SdfScene:
    """Links, joints and frames of a file and of all that it includes, by their full names.

    With an error among the findings, parts need not fit together.
    """

    def __init__(self, source: Source, packages: Iterable[Path]) -> None:
        self.findings: Findings = Findings()
        self.poses: PoseGraph = PoseGraph(self.findings)
        self.links: dict[str, SdfLink] = {}
        self.joints: dict[str, ScopedJoint] = {}
        self.still: set[str] = set()
        """Links of models that do not move."""
        self.gravity: tuple[float, float, float] | None = None
        self._packages = [Path(package) for package in packages]
        self._files = 0
        self.name = source.path.stem
        self._read(source)

    def _read(self, source: Source) -> None:
        """The model of a file, or the models of its world."""
        root, reader, meshes = self._opened(source, self.findings)
        worlds, models = root.children("world"), root.children("model")
        for second in [*worlds[1:], *(models if worlds else models[1:])]:
            second.set_aside(f"{second} is a second model or world: passed over, one is read")
        if worlds:
            world = worlds[0]
            self.name = world.text("name") or self.name
            gravity = world.child("gravity")
            x, y, z = STANDARD_GRAVITY if gravity is None else gravity.content_numbers(3)
            self.gravity = (x, y, z)
            inside = world.children("model")
            one = len(inside) + len(world.children("include")) == 1
            for model in inside:
                self._model(model, reader, "" if one else model.required("name"), WORLD, source.path, 0)
            for include in world.children("include"):
                self._include(include, reader, "", WORLD, source.path, 0, alone=one)
            self._frames(world, reader, "", WORLD)
            for joint in world.children("joint"):
                self._joint(joint, reader, "", WORLD)
        elif models:
            self.name = models[0].text("name") or self.name
            self._model(models[0], reader, "", WORLD, source.path, 0)
        else:
            self.findings.error(root.line, "<sdf> has neither <model> nor <world>: there is nothing to load")
        meshes.report(self.findings)
        root.report_rest(MEANINGS)

    def _opened(self, source: Source, findings: Findings) -> tuple[Element, SdfReader, Meshes]:
        root = Element(parse(source, findings), findings)
        if root.tag != "sdf":
            raise FileError(
                source.path, f"the root element is <{root.tag}>, an SDF file has <sdf>", root.line
            )
        said = root.text("version") or "1.12"
        words = said.split(".")
        if not all(word.isascii() and word.isdigit() for word in words):
            root.error(f'{root}: version "{said}" is no version, as 1.9')
            words = ["1", "12"]
        meshes = Meshes(source.path, self._packages)
        return root, SdfReader(findings, meshes, tuple(int(word) for word in words)), meshes

    # Models

    def _model(
        self,
        element: Element,
        reader: SdfReader,
        scope: str,
        above: str,
        path: Path,
        depth: int,
        given: Element | None = None,
        inside: str = "",
    ) -> str:
        """Read a model; the <include> that asks for it may say otherwise about name, pose and standing still.

        `above` is the frame that it is placed in, `inside` the scope that frame's names are looked up in.
        Returns the full name of its first link, "" if it has none.
        """
        element.text("name")
        placed = (given or element).child("pose") is not None
        pose = reader.pose(given if given is not None and placed else element)
        own = self.poses.full(scope, MODEL, f"{scope}::{MODEL}" if scope else MODEL)
        by = (
            (given.inner("placement_frame") if given is not None else "") or element.text("placement_frame")
        ) or ""
        canonical = element.text("canonical_link") or ""
        still = element.inner_truth("static", False)
        still = still if given is None else given.inner_truth("static", still)
        before = list(self.links)
        for link in element.children("link"):
            name = self._named(scope, link)
            if name == GROUND:
                link.error(f"link {GROUND!r} has the name of the fixed base: rename it")
            self.links[name] = reader.link(link)
            at = reader.pose(link)
            told = self.poses.full(scope, at.relative_to, own)
            self.poses.add(name, PosedFrame("link", link.line, scope, told, at.placement, name))
        for model in element.children("model"):
            inner = f"{scope}::{model.required('name')}" if scope else model.required("name")
            self._model(model, reader, inner, own, path, depth, inside=scope)
        for include in element.children("include"):
            self._include(include, reader, scope, own, path, depth)
        self._frames(element, reader, scope, own)
        for joint in element.children("joint"):
            self._joint(joint, reader, scope, own)
        new = [name for name in self.links if name not in before]
        first = f"{scope}::{canonical}" if canonical and scope else canonical or (new[0] if new else WORLD)
        told = self.poses.full(inside, pose.relative_to, above)
        by = self.poses.full(scope, by, own) if by else ""
        self.poses.add(own, PosedFrame("model", element.line, scope, told, pose.placement, first, by))
        if still:
            self.still.update(new)
        return first

    def _named(self, scope: str, element: Element) -> str:
        name = element.required("name")
        return f"{scope}::{name}" if scope else name

    def _frames(self, element: Element, reader: SdfReader, scope: str, own: str) -> None:
        for frame in element.children("frame"):
            at, attached = reader.pose(frame), frame.text("attached_to") or ""
            to = self.poses.full(scope, attached, own)
            told = self.poses.full(scope, at.relative_to, own) if at.relative_to else to
            self.poses.add(
                self._named(scope, frame), PosedFrame("frame", frame.line, scope, told, at.placement, to)
            )

    def _joint(self, element: Element, reader: SdfReader, scope: str, own: str) -> None:
        joint, name = reader.joint(element), self._named(scope, element)
        child = self.poses.full(scope, joint.child, own)
        told = self.poses.full(scope, joint.pose.relative_to, own) if joint.pose.relative_to else child
        self.poses.add(name, PosedFrame("joint", element.line, scope, told, joint.pose.placement, child))
        self.joints[name] = ScopedJoint(joint, scope, own)

    # Other files

    def _include(
        self,
        element: Element,
        reader: SdfReader,
        scope: str,
        above: str,
        path: Path,
        depth: int,
        alone: bool = False,
    ) -> None:
        uri = element.inner("uri")
        named = element.inner("name")
        if (element.text("merge") or "").lower() in ("true", "1"):
            element.error(f"{element} of {uri!r} is to be merged into its model: include it without merge")
            return
        self._files += 1
        if depth == DEEPEST or self._files > MOST_FILES:
            element.error(f"{element} of {uri!r}: more than {DEEPEST} files deep, or {MOST_FILES} in all")
            return
        found = self._found(uri, path)
        if found is None:
            element.error(
                f"{element}: {uri!r} is not found near this file; name the folder that has it: packages=[…]"
            )
            return
        findings = Findings()
        try:
            root, inner, meshes = self._opened(read(found), findings)
        except FileError as error:
            element.error(f"{element}: {error}")
            return
        models = root.children("model")
        if len(models) != 1:
            element.error(f"{element}: {found} has {len(models)} models, expected one")
            return
        name = named or models[0].text("name") or found.parent.name
        own = "" if alone else f"{scope}::{name}" if scope else name
        self._model(models[0], inner, own, above, found, depth + 1, element, scope)
        meshes.report(findings)
        root.report_rest(MEANINGS)
        for problem in findings.problems():
            told = f"{found.name}, {problem}"
            (element.error if problem.severity == "error" else element.warn)(told)

    def _found(self, uri: str, path: Path) -> Path | None:
        """The file of a model: itself, or the one that a folder's model.config names, or model.sdf in it."""
        for candidate in Meshes(path, self._packages).candidates(uri):
            if os.path.isfile(candidate):
                return candidate
            for inside in (_in_config(candidate), "model.sdf"):
                if inside and os.path.isfile(candidate / inside):
                    return candidate / inside
        return None


def _in_config(folder: Path) -> str:
    """The file that a folder's model.config names last, which is that of the newest version."""
    if not os.path.isfile(folder / "model.config"):
        return ""
    try:
        config = Element(parse(read(folder / "model.config"), Findings()), Findings())
    except FileError:
        return ""
    names = [entry.content() for entry in config.children("sdf")]
    return os.path.basename(names[-1]) if names else ""
