"""Many states that share what is chosen by numbers: each choice is made once, and compiled once."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .compiling import made_once

WORSE = 0.03
"""What is chosen in one state serves others where it is at least this share as good."""


def choice_groups(
    m: Mechanism,
    q: Array,
    argument: str,
    choose: Callable[[Mechanism, Array], Any],
    quality: Callable[..., Any],
) -> Iterator[tuple[dict[str, Any], Array]]:
    """Choices, each by its argument's name, with the numbers of the states out of q (n, nq) that it serves.

    Args:
        m: The mechanism.
        q: (n, nq) positions.
        argument, choose, quality: As in `Method`.
    """
    left = np.arange(len(q))
    while len(left):
        chosen = {argument: choose(m, q[left[0]])}
        found = np.broadcast_to(np.asarray(made_once(quality, m, **chosen)(q[left])), (len(left),))
        good = found >= WORSE * found[0]
        good[0] = True
        yield chosen, left[good]
        left = left[~good]
