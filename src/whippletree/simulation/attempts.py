"""Ways across singular positions of loops, and how far they err."""

from typing import NamedTuple

import numpy as np

from ..spatial import Array
from .bridge import BENT, Bridge
from .passage import Passage

Way = Passage | Bridge

COARSEST = 1e-6
"""Share of a state's largest entry, or of 1, that errors of single steps must stay below, as those of several
must below `BENT`, where the next way that starts closer is worse."""


class Attempt(NamedTuple):
    """A way across, and how far it errs.

    Attributes:
        way: None: there is none.
        excess: The largest error of an entry of the state, as a share of what that entry may err.
        share: The largest error, as a share of the largest entry, or of 1.
    """

    way: Way | None = None
    excess: float = np.inf
    share: float = np.inf

    @property
    def fair(self) -> Way | None:
        """The way, if it will do where the next one is worse."""
        most = BENT if isinstance(self.way, Bridge) else COARSEST
        return self.way if self.share < most else None

    def last_resort(self, t: float, y: Array) -> Way | None:
        """The way, if it leads through a state y at a time t and will do where there is no other.

        What comes so close to a singular position goes on as rounding will have it.
        """
        way, most = self.way, BENT * max(1.0, float(np.max(np.abs(y))))
        if way is None or self.share >= BENT or not way.t <= t < way.end:
            return None
        return way if float(np.max(np.abs(way.state(t) - y))) < most else None
