"""What MuJoCo has compiled out of a file, by names, and where its bodies are in the mechanism."""

from collections.abc import Sequence
from typing import Any

import mujoco as _mujoco
import numpy as np

from ...model.mechanism import GROUND
from ...spatial import Placement
from ..findings import Findings

mujoco: Any = _mujoco
"""It is compiled, and its types leave out most of what it has."""

SHOWN = 4
"""So many names are listed, then how many there are."""


class MjcfView:
    """A compiled model; what has been taken over so far; what is told about the rest.

    Names of bodies, sites and geoms are apart in MJCF; here they are not. The first keeps its name, others
    get their kind behind it, as "tip.site".
    """

    def __init__(self, model: Any, findings: Findings) -> None:
        self.model = model
        self.findings = findings
        self.name: str = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
        self.place: dict[int, tuple[str, Placement]] = {0: (GROUND, Placement())}
        """For each body of the file the body that carries it, and where its frame is in that one's."""
        self.joint_names: dict[int, str] = {}
        self._taken: dict[str, set[str]] = {"place": {GROUND}, "joint": set()}
        self._renamed: list[str] = []
        self._left_out: dict[tuple[str, str], list[str]] = {}

    @property
    def gravity(self) -> tuple[float, float, float]:
        g = np.zeros(3) if self.off("GRAVITY") else self.model.opt.gravity
        return float(g[0]), float(g[1]), float(g[2])

    def off(self, *what: str) -> bool:
        """Whether one of these is switched off in <option><flag …>."""
        flags = int(self.model.opt.disableflags)
        return any(flags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")) for name in what)

    def called(self, space: str, name: str, kind: str, otherwise: str) -> str:
        """A name that nothing else has in a space, "place" or "joint"."""
        wanted = name or otherwise
        chosen, number = wanted, 1
        while chosen in self._taken[space]:
            chosen = f"{wanted}.{kind}" if number == 1 else f"{wanted}.{kind}{number}"
            number += 1
        if name and chosen != name:
            self._renamed.append(f"{kind} {name!r} is {chosen!r}")
        self._taken[space].add(chosen)
        return chosen

    def at(self, body: int, position: Any, quaternion: Any = None) -> tuple[str, Placement]:
        """The body of the mechanism that carries a place on a body of the file, and where it is on it."""
        carrier, frame = self.place[body]
        return carrier, frame @ Placement(position, quaternion=quaternion)

    def named(self, kind: str, number: int) -> str:
        """The name of an element, by its kind as `mjtObj` spells it; "" if it has none."""
        return mujoco.mj_id2name(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), number) or ""

    def left_out(self, what: str, names: Sequence[str], why: str) -> None:
        """Note that things of a kind, given by names, stand in the file and are not carried."""
        if names:
            self._left_out.setdefault((what, why), []).extend(names)

    def tell(self) -> None:
        """Tell all that was left out, each kind once, and which names were taken already."""
        for (what, why), names in self._left_out.items():
            listed = ", ".join(repr(name) for name in names[:SHOWN] if name)
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN and listed else ""
            count = f"{len(names)} × " if len(names) > 1 and not listed else ""
            self.findings.warning(None, f"{count}{what}{' ' if listed else ''}{listed}{more}: {why}")
        self._left_out.clear()
        if self._renamed:
            more = f" and {len(self._renamed) - SHOWN} more" if len(self._renamed) > SHOWN else ""
            shown = ", ".join(self._renamed[:SHOWN])
            self.findings.warning(None, f"names that something else has already: {shown}{more}")
