"""The tree a URDF file describes: links and joints, checked to fit together."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...errors import FileError
from ...model.fields import near_names
from ..file_source import Source
from ..findings import Findings
from ..mesh_paths import Meshes
from ..xml import Element, parse
from .urdf_parts import MEANINGS, WEIGHTLESS, LinkJoint, PartReader, UrdfLink

HINTS, MOST_HINTS, LONGEST_HINT = 10, 2000, 100
"""Near names are told for so many that are misspelt, among so many, of so many letters: each takes time."""

WORLD = "world"

Part = TypeVar("Part", UrdfLink, LinkJoint)


class UrdfTree:
    """What a URDF file says: links by name, joints by name in the order of the file, and the root.

    `findings` holds what is wrong; with an error among it, the parts need not fit together.
    """

    def __init__(self, source: Source, packages: Iterable[Path], keep_zero_limits: bool = False) -> None:
        """Read a text; raises FileError if it is not XML or contains no robot."""
        self.findings: Findings = Findings()
        self._hints = HINTS
        path, raw = source.path, parse(source, self.findings)
        robot = Element(raw, self.findings)
        if robot.tag != "robot":
            others = "an MJCF file <mujoco>, an SDF file <sdf>"
            message = f"the root element is <{robot.tag}>: a URDF file has <robot>, {others}"
            raise FileError(path, message, robot.line)
        _refuse_macros(path, raw)
        self.name: str = (robot.text("name") or "").strip()
        if not self.name:
            self.name = path.stem
            self.findings.warning(robot.line, f"<robot> has no name: it is called {self.name!r}, as its file")
        meshes = Meshes(path, packages)
        reader = PartReader(robot, meshes, self.findings, keep_zero_limits)
        self.links: dict[str, UrdfLink] = self._by_name(
            [reader.link(part) for part in robot.children("link")], "link"
        )
        self.joints: dict[str, LinkJoint] = self._by_name(
            [reader.joint(part) for part in robot.children("joint")], "joint"
        )
        self.carrier: dict[str, LinkJoint] = {}
        """The joint each link hangs on; the root has none."""
        self._imply_world()
        self._join()
        self.root: str = self._find_root(robot.line)
        self.order: list[LinkJoint] = self._parents_first()
        """The joints as they stand in the file, each preceded by its ancestors that have not come yet."""
        self._check_circles()
        self._check_mimics()
        meshes.report(self.findings)
        robot.report_rest(MEANINGS)

    def _parents_first(self) -> list[LinkJoint]:
        order: list[LinkJoint] = []
        seen: set[str] = set()
        for joint in self.joints.values():
            chain: list[LinkJoint] = []
            above: LinkJoint | None = joint
            while above is not None and above.name not in seen:
                seen.add(above.name)
                chain.append(above)
                above = self.carrier.get(above.parent)
            order += reversed(chain)
        return order

    # Checks

    def _by_name(self, parts: list[Part], kind: str) -> dict[str, Part]:
        """The parts by name; of two with the same name, which is an error, the first counts."""
        table: dict[str, Part] = {}
        for part in parts:
            first = table.setdefault(part.name, part)
            # A missing name has been reported already.
            if first is not part and part.name:
                self.findings.error(
                    part.line,
                    f"a second {kind} is named {part.name!r}, the first on line {first.line}: rename one",
                )
        return table

    def _imply_world(self) -> None:
        """A link "world" where joints hang on one that the file does not have, as Drake reads it."""
        held = [joint for joint in self.joints.values() if joint.parent == WORLD]
        if held and WORLD not in self.links:
            line = held[0].line
            self.findings.warning(
                line, f"parent of {held[0].name!r} is 'world', which is no <link>: taken as one"
            )
            self.links[WORLD] = UrdfLink(WORLD, line, WEIGHTLESS, (), ())

    def _join(self) -> None:
        """Find the joint that carries each link."""
        for joint in self.joints.values():
            for end, name in (("parent", joint.parent), ("child", joint.child)):
                if name and name not in self.links:
                    self.findings.error(
                        joint.line,
                        f"{end} of joint {joint.name!r} is {name!r}: there is no link of this name"
                        + self._near(name, self.links),
                    )
            if joint.parent == joint.child and joint.child:
                self.findings.error(
                    joint.line, f"joint {joint.name!r} has the link {joint.child!r} as parent and as child"
                )
            first = self.carrier.setdefault(joint.child, joint)
            if first is not joint and joint.child in self.links:
                self.findings.error(
                    joint.line,
                    f"link {joint.child!r} is the child of joint {joint.name!r} and of joint {first.name!r} "
                    f"on line {first.line}: remove one of them, URDF has no closed loops",
                )

    def _find_root(self, line: int) -> str:
        roots = [link for link in self.links.values() if link.name not in self.carrier]
        if not self.links:
            self.findings.consequence(line, "<robot> has no <link>: there is nothing to load")
        elif not roots:
            self.findings.consequence(line, "every link is the child of a joint: no root to start from")
        elif len(roots) > 1:
            listed = ", ".join(f"{link.name!r} (line {link.line})" for link in roots[:6])
            more = f" and {len(roots) - 6} more" if len(roots) > 6 else ""
            self.findings.consequence(
                roots[1].line,
                f"{len(roots)} links are not the child of any joint: {listed}{more}. Keep one as the root, "
                "join the others to it or remove them",
            )
        return roots[0].name if roots else ""

    def _check_circles(self) -> None:
        """Report joints that lead back to themselves."""
        known: set[str] = set()
        for joint in self.joints.values():
            path: dict[str, LinkJoint] = {}
            above: LinkJoint | None = joint
            while above is not None and above.name not in known and above.name not in path:
                path[above.name] = above
                above = self.carrier.get(above.parent)
            if above is not None and above.name in path and above.parent != above.child:
                names = list(path)
                circle = _some([*names[names.index(above.name) :], above.name], " on ")
                self.findings.consequence(
                    above.line, f"joints form a circle, {circle}: a link cannot carry itself"
                )
            known.update(path)

    def _check_mimics(self) -> None:
        known: set[str] = set()
        for joint in self.joints.values():
            if joint.mimic is None:
                continue
            driver = joint.mimic.driver
            fault = self._mimic_fault(joint, driver)
            if driver == joint.name:
                fault = "which is itself"
            if fault is not None:
                self.findings.error(joint.mimic.line, f"joint {joint.name!r} mimics {driver!r}, {fault}")
                continue
            path = {joint.name: None}  # which keeps the order
            while driver in self.joints and driver not in path and driver not in known:
                path[driver] = None
                mimic = self.joints[driver].mimic
                driver = "" if mimic is None else mimic.driver
            if driver in path:
                names = list(path)
                circle = _some([*names[names.index(driver) :], driver], ", ")
                self.findings.error(joint.mimic.line, f"joints mimic each other in a circle: {circle}")
            known.update(path)

    def _mimic_fault(self, joint: LinkJoint, driver: str) -> str | None:
        if joint.joint.nv != 1:
            return f"but has {joint.joint.nv} degrees of freedom: only a joint with one can mimic"
        if not driver:
            return None  # reported already
        if driver not in self.joints:
            return "but there is no joint of this name" + self._near(driver, self.joints)
        target = self.joints[driver]
        if target.joint.nv == 0:
            return "which is fixed and has no position"
        if target.joint.nv != 1:
            return f"which has {target.joint.nv} degrees of freedom: only one with one can be mimicked"
        return None

    def _near(self, name: str, known: dict[str, UrdfLink] | dict[str, LinkJoint]) -> str:
        """Names that may be meant, for the end of a message; looked for behind the first few only."""
        if self._hints == 0 or len(name) > LONGEST_HINT:
            return ""
        self._hints -= 1
        names = [other for other in known if len(other) <= LONGEST_HINT][:MOST_HINTS]
        near = near_names(name, names)
        return f"; there is {', '.join(map(repr, near))}" if near else ""


def _refuse_macros(path: Path, raw: etree._Element) -> None:
    for element in raw.iter("{*}*"):
        if "xacro" in element.tag and "xacro" in element.tag.rpartition("}")[0]:  # its vocabulary
            tag = f"{element.prefix}:{etree.QName(element).localname}"
            raise FileError(
                path,
                f"<{tag}> is a macro of xacro, expanded in .xacro files only: rename the file, or run "
                "`xacro robot.urdf.xacro -o robot.urdf` and load the result",
                int(element.sourceline or 1),
            )


def _some(names: list[str], between: str) -> str:
    """The names, the middle of a long list left out."""
    shown = [repr(name) for name in names]
    return between.join(shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]])
