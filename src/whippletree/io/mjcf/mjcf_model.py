"""A mechanism out of a model that MuJoCo has compiled."""

from pathlib import Path
from typing import Any

from ...errors import FileError
from ...model.mechanism import Mechanism
from ..findings import Findings
from .mjcf_actuators import add_actuators
from .mjcf_bodies import add_bodies
from .mjcf_couplings import add_couplings
from .mjcf_numbers import refuse_huge_numbers
from .mjcf_rest import tell_rest
from .mjcf_shapes import add_shapes
from .mjcf_view import MjcfView


def mechanism_of(model: Any, path: Path, findings: Findings) -> Mechanism:
    """The mechanism; what has no counterpart goes to the findings, FileError for what cannot be rigid."""
    view = MjcfView(model, findings)
    if model.nflex:
        raise FileError(
            path, f"flex {view.named('FLEX', 0)!r} is a deformable body: mechanisms have rigid ones"
        )
    if model.nbody == 1:
        findings.warning(None, "there is no <body> in its <worldbody>: nothing in it moves")
    refuse_huge_numbers(view, path)
    m = Mechanism(view.name or path.stem, view.gravity)
    add_bodies(m, view)
    add_couplings(m, view)
    add_actuators(m, view)
    add_shapes(m, view)
    tell_rest(view)
    view.tell()
    return m
