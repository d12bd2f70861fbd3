"""What stands between a file that holds a graph and the mechanism that is made of it."""

from collections.abc import Callable
from typing import Any

from ...errors import ModelError
from ...model.graph import Graph
from ...model.graph_parts import GraphJoint
from ...model.kinds import KINDS, Kind
from ...model.loop import Loop
from ...model.mechanism import GROUND, Body, Mechanism
from ..findings import Findings
from .toml_table import Document


def other_kinds() -> list[Kind]:
    """All kinds of parts but those that a graph has bodies and joints for."""
    return [kind for kind in KINDS.values() if kind.part not in (Body, Loop)]


class Joining:
    """Takes joints of a graph; ModelError for one that ends at a body which the file does not have."""

    def __init__(self, g: Graph) -> None:
        self.name: str = g.name
        self._g = g

    def append(self, joint: GraphJoint) -> None:
        for field in ("predecessor", "successor"):
            fault = self._g.end_fault(joint, field)
            if fault is not None:
                raise ModelError(fault)
        self._g.append(joint)


class Placing:
    """Takes parts in the frames of a graph's bodies, and gives them to its mechanism in those of the tree."""

    def __init__(self, m: Mechanism, placed: Callable[[Any], Any]) -> None:
        self.name: str = m.name
        self._m = m
        self._placed = placed

    def append(self, part: Any) -> None:
        self._m.append(self._placed(part))


class Ways:
    """Which bodies a file joins to the ground, be its joints right or not; asked before they are read."""

    def __init__(self, document: Document) -> None:
        bodies, joints = (document.top.look(key) for key in ("body", "joint"))
        self._bodies = [body.get("name") for body in _tables(bodies)]
        ends = [(joint.get("predecessor"), joint.get("successor")) for joint in _tables(joints)]
        self._ends = [(p, s) for p, s in ends if isinstance(p, str) and isinstance(s, str)]

    def missing(self) -> dict[str, int]:
        """The bodies to which no way leads, with their numbers in the file."""
        reached, before = {GROUND}, 0
        while len(reached) > before:
            before = len(reached)
            for ends in self._ends:
                if not reached.isdisjoint(ends):
                    reached.update(ends)
        named = [(name, number) for number, name in enumerate(self._bodies) if isinstance(name, str)]
        return {name: number for name, number in reversed(named) if name not in reached}  # the first of each


def _tables(entries: Any) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def grown(
    g: Graph, ways: Ways, document: Document, findings: Findings
) -> tuple[Mechanism, Mechanism | Graph | Placing]:
    """The tree of a graph with its loop joints, and what takes all other parts of the file.

    If there is no tree, as bodies or joints are at fault, parts are still read, to find what is wrong with
    them by themselves: the graph takes them.
    """
    for body, number in ways.missing().items():
        words = f"no joint leads from the ground to body {body!r}: add one, as 'free' for a floating body"
        findings.error(document.line(("body", number)), words)
    if findings.first_error() is not None:
        return Mechanism(g.name, g.gravity), g
    try:
        m, placed = g.built()
    except ModelError as error:
        findings.error(document.line(("joint", 0)), str(error))
        return Mechanism(g.name, g.gravity), g
    return m, Placing(m, placed)
