"""A control of the user as machine code, where it depends on nothing but its arguments."""

from functools import lru_cache
from typing import Any

from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplify
from ..kernels.trace.recording import trace
from .acting import is_control
from .memoryless import Memoryless, memoryless


def recorded_control(control: Any, nq: int, nv: int) -> Kernel | None:
    """The control recorded and compiled; None if it reads what may change, or cannot be recorded."""
    known = memoryless(control)
    found = None if known is None else _kernel(known, nq, nv)
    return found if is_control(found, nq, nv) else None


@lru_cache(maxsize=32)
def _kernel(known: Memoryless, nq: int, nv: int) -> Kernel | None:
    try:
        program = trace(known.function, {"t": (), "q": (nq,), "qd": (nv,)})
    except Exception:  # whatever a function that cannot be recorded raises: it is called as it stands
        return None
    return Kernel(simplify(program), "control")
