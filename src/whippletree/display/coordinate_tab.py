"""The panel's page on special coordinates: a ghost shows what a unit of each moves."""

from collections.abc import Callable
from typing import Any

from ..model.mechanism import Mechanism
from ..model.requirements import moving_inertias, without_gears, without_loops
from .coordinate_motions import CoordinateMotion, displaced, joint_motions, subtree_motions, visible_amount
from .field_numbers import read
from .ghost import Ghost
from .session import Session

NOTHING, SPECIAL, ORDINARY = "nothing", "special", "ordinary"

MOTIONS = {"it and all it carries": subtree_motions, "it on its joint": joint_motions}
"""Whose coordinates are shown: those of Deepak & Ghosal's figures 5 and 6, or those of figure 4."""

UNLISTED = "–"
"""In place of a coordinate, as long as none is shown: with many bodies there is some work in them."""


def has_special_coordinates(m: Mechanism) -> bool:
    """Whether a mechanism is a tree of bodies in which every joint moves some inertia."""
    faults = (check(m) for check in (without_loops, without_gears, moving_inertias))
    return len(m) > 0 and all(fault is None for fault in faults)


class CoordinateTab:
    """Which coordinate the ghost shows, of which body, and how far.

    The ghost is a step away from the mechanism, which stays where it is: special coordinates have no
    positions to be set by a slider.
    """

    def __init__(
        self, gui: Any, session: Session, ghost: Ghost, on: Callable[[Callable[[], None]], Any]
    ) -> None:
        self._session, self._ghost = session, ghost
        names = tuple(body.name for body in session.m.bodies)
        self._shown = gui.add_dropdown("ghost shows", (NOTHING, SPECIAL, ORDINARY), initial_value=NOTHING)
        self._body = gui.add_dropdown("body", names, initial_value=names[0])
        self._of = gui.add_dropdown("coordinates of", tuple(MOTIONS), initial_value=next(iter(MOTIONS)))
        self._coordinate = gui.add_dropdown("coordinate", (UNLISTED,), initial_value=UNLISTED)
        self._amount = gui.add_slider("step", min=-1.0, max=1.0, step=0.01, initial_value=1.0)
        self._listed: tuple[str, str] | None = None
        self._step = 1.0
        for handle in (self._shown, self._body, self._of, self._coordinate):
            handle.on_update(on(lambda: None))  # what was changed, `refresh` shows
        self._amount.on_update(on(self._set_step))

    def _set_step(self) -> None:
        self._step = read(self._amount)

    def refresh(self) -> None:
        """Bring the ghost to where the widgets and the position of the mechanism ask for."""
        if self._shown.value == NOTHING:
            self._ghost.show({})
            return
        chosen = (self._of.value, self._body.value)
        m, q = self._session.m, self._session.q
        motions = MOTIONS[self._of.value](m, q, self._body.value)
        if chosen != self._listed:
            self._offer(motions)
            self._listed = chosen
        motion = next(motion for motion in motions if motion.label == self._coordinate.value)
        qd = motion.special if self._shown.value == SPECIAL else motion.ordinary
        poses = displaced(m, q, motion, qd, self._step * visible_amount(m, q, motion))
        self._ghost.show({i: poses[i] for i in m.subtree(motion.body)})

    def _offer(self, motions: list[CoordinateMotion]) -> None:
        """List the coordinates to choose from, the first being chosen."""
        labels = tuple(motion.label for motion in motions)
        self._coordinate.options = labels
        self._coordinate.value = labels[0]
