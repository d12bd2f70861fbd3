"""Room for the quantities of a recursion over the bodies."""

from typing import Any

import numpy as np


def per_body(n: int, quantities: int) -> tuple[list[Any], ...]:
    """For each quantity a list with a slot per body and a last one, reached as -1, for the base.

    Every slot starts as a zero spatial vector, which is what the base's velocity is. Slots are
    rebound, never written into, so that any scalar may come.
    """
    zero = np.zeros(6)
    return tuple([zero] * (n + 1) for _ in range(quantities))
