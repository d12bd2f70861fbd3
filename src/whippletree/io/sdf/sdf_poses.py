"""Frames of an SDF file: each is placed in another one, by name (sdformat.org, "Pose frame semantics").

Names are told in full, as "arm::hand::palm"; the frame of a model is "arm::__model__".
"""

from dataclasses import dataclass
from typing import Literal

from ...spatial import Placement
from ..findings import Findings

WORLD = "world"
MODEL = "__model__"

HERE = Placement()
"""Of what has no <pose>."""


@dataclass(frozen=True)
class PosedFrame:
    """Something with a pose: what it is, where it is told, and in which frame."""

    kind: Literal["model", "link", "joint", "frame"]
    line: int
    inside: str
    """The scope that names are looked up in, "" at the top."""
    relative_to: str
    placement: Placement
    attached_to: str
    """By its full name: what a frame moves with, the child of a joint, the first link of a model."""
    placed_by: str = ""
    """Of a model, the frame inside it that its pose places in its stead, by its full name."""


class PoseGraph:
    """All frames of a file by their full names."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.frames: dict[str, PosedFrame] = {}
        self._found: dict[str, Placement] = {WORLD: HERE}

    def add(self, name: str, frame: PosedFrame) -> None:
        first = self.frames.setdefault(name, frame)
        if first is not frame:
            own = name.removesuffix(f"::{MODEL}")
            kind = "frame" if own == name else "model"
            self._findings.error(
                frame.line, f"a second {kind} is named {own!r}, the first on line {first.line}: rename one"
            )

    def full(self, scope: str, name: str, model: str) -> str:
        """The full name of what a name means in a scope whose model frame is `model`."""
        if name in (WORLD, ""):
            return WORLD if name else model
        if name == MODEL:
            return model
        return f"{scope}::{name}" if scope else name

    def frame(self, name: str) -> PosedFrame | None:
        """What has this full name; a model stands for its frame."""
        return self.frames.get(name) or self.frames.get(f"{name}::{MODEL}")

    def pose(self, name: str) -> Placement:
        """Where a frame is in the world; reported, and the world's own, if that leads nowhere."""
        waiting = [name]
        while waiting:
            at = waiting[-1]
            if at in self._found:
                waiting.pop()
                continue
            frame = self.frame(at)
            if frame is None:
                self._findings.error(None, f"there is no frame {at!r}")
                self._found[at] = HERE
                continue
            if frame.relative_to in self._found:
                self._found[at] = self._found[frame.relative_to] @ frame.placement @ self._own(at, frame)
            elif self.frame(frame.relative_to) is None:
                self._findings.error(
                    frame.line,
                    f"{frame.kind} {at!r} is placed in {frame.relative_to!r}, which does not exist",
                )
                self._found[at] = HERE
            elif frame.relative_to in waiting:
                self._findings.error(
                    frame.line, f"{frame.kind} {at!r} is placed in itself: {_circle(waiting)}"
                )
                self._found[at] = HERE
            else:
                waiting.append(frame.relative_to)
        return self._found[name]

    def _own(self, name: str, frame: PosedFrame) -> Placement:
        """Where a model's frame is, seen from the frame in it that its pose places; usually the same."""
        if not frame.placed_by:
            return HERE
        chain, at = HERE, frame.placed_by
        for _ in range(len(self.frames) + 1):
            if at == name:
                return chain.inverse()
            inner = self.frame(at)
            if inner is None:
                break
            chain, at = inner.placement @ chain, inner.relative_to
        self._findings.error(frame.line, f"placement frame {frame.placed_by!r} does not lead to {name!r}")
        return HERE

    def link_of(self, name: str) -> str | None:
        """The link that a frame moves with, WORLD, or None if there is none."""
        for _ in range(len(self.frames) + 1):
            if name == WORLD:
                return WORLD
            frame = self.frame(name)
            if frame is None:
                return None
            if frame.kind == "link":
                return name
            name = frame.attached_to
        return None


def _circle(names: list[str]) -> str:
    return " in ".join(map(repr, names[:6]))
