"""Accelerations in many states of a motion, in machine code."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .choice_groups import choice_groups
from .compiling import made_once
from .forward import accelerations_by
from .forward_methods import Method, find


def accelerations_along(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    method: Method | None = None,
) -> Array:
    """(n, nv) what `forward_dynamics` gives in n states, each argument (n, …); loops are taken as closed."""
    method = find(m, "auto")[1] if method is None else method
    shapes = {} if f_ext is None else {"inputs": {"f_ext": (len(m), 6)}}
    given = [q, qd, tau, *([] if f_ext is None else [f_ext])]
    if method.choose is None or method.quality is None:
        return np.asarray(made_once(accelerations_by, m, method=method, **shapes)(*given))
    found = np.empty((len(q), m.nv))
    for chosen, here in choice_groups(m, q, method.choice, method.choose, method.quality):
        kernel = made_once(accelerations_by, m, method=method, choice=tuple(chosen.items()), **shapes)
        found[here] = kernel(*(part[here] for part in given))
    return found
