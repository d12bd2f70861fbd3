"""What an MJCF model says and a mechanism has no place for."""

import numpy as np

from .mjcf_view import MjcfView
from .mjcf_write_joints import VELOCITY

LISTS = (
    ("SENSOR", "nsensor", "sensors are no part of a mechanism; wt.frame_velocity and its kin tell the same"),
    ("KEY", "nkey", "keyframes are states, no part of a mechanism: give q and qd to wt.simulate"),
    ("CAMERA", "ncam", "cameras are no part of a mechanism"),
    ("LIGHT", "nlight", "lights are no part of a mechanism"),
    ("SKIN", "nskin", "skins are looks only"),
    ("TEXTURE", "ntex", "textures are not kept, colours are"),
    ("NUMERIC", "nnumeric", "what it is for the file does not say"),
    ("TEXT", "ntext", "what it is for the file does not say"),
    ("TUPLE", "ntuple", "what it is for the file does not say"),
)
"""Elements that move nothing: their kind, how many there are, and why they are left out."""


def tell_rest(view: MjcfView) -> None:
    """Tell of forces that are left out first, then of all that does not move anything."""
    model, opt = view.model, view.model.opt
    if opt.density or opt.viscosity:
        view.findings.warning(
            None, f"fluid of density {opt.density:g} and viscosity {opt.viscosity:g}: its drag is left out"
        )
    if np.any(opt.wind):
        view.findings.warning(None, "wind: it is left out")
    if model.nplugin:
        view.left_out("plugin", [""] * model.nplugin, "what they do is left out")
    moved = [b for b in range(1, model.nbody) if model.body_mocapid[b] >= 0]
    view.left_out(
        "mocap body", [view.named("BODY", b) for b in moved], "stands still, it is a frame on the ground"
    )
    for kind, count, why in LISTS:
        names = [view.named(kind, k) for k in range(getattr(model, count))]
        names = [name for name in names if not name.startswith(VELOCITY)]
        view.left_out("keyframe" if kind == "KEY" else kind.lower(), names, why)
