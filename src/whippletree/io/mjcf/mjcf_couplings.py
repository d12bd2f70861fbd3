"""What couples bodies and joints of an MJCF model: equalities as loops and gears, tendons as springs.

MuJoCo holds equalities by forces that grow with the error; a loop or a gear is what they are when stiff.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ModelError
from ...joints import Fixed, Spherical
from ...model.gear import Gear
from ...model.loop import Loop
from ...model.mechanism import GROUND, Mechanism
from ...spatial import Placement
from .mjcf_view import MjcfView, mujoco


def add_couplings(m: Mechanism, view: MjcfView) -> None:
    """Loops, gears and springs, and the forces that hold up bodies with gravcomp."""
    if view.off("EQUALITY", "CONSTRAINT") and view.model.neq:
        view.left_out("equalities", [""] * view.model.neq, "the file switches them off")
    else:
        for e in range(view.model.neq):
            _equality(m, view, e)
    for t in range(view.model.ntendon):
        _tendon(m, view, t)
    _gravity_compensation(m, view)


def _equality(m: Mechanism, view: MjcfView, e: int) -> None:
    model = view.model
    kind = mujoco.mjtEq(int(model.eq_type[e]))
    word = kind.name.removeprefix("mjEQ_").lower()
    name = view.called("joint", view.named("EQUALITY", e), "equality", f"{word}{e + 1}")
    if not model.eq_active0[e]:
        view.left_out(f"{word} equality", [name], "is not active in the file, and cannot be switched on here")
        return
    make: Callable[[MjcfView, int, str], Any] | None = {
        mujoco.mjtEq.mjEQ_CONNECT: _connect,
        mujoco.mjtEq.mjEQ_WELD: _weld,
        mujoco.mjtEq.mjEQ_JOINT: _joint_gear,
        mujoco.mjtEq.mjEQ_TENDON: _tendon_gear,
    }.get(kind)
    try:
        part = None if make is None else make(view, e, name)
        if part is None:
            raise ModelError("has no counterpart")
        m.add(part)
    except ModelError as error:
        view.left_out(f"{word} equality", [name], str(error))


def _ends(view: MjcfView, e: int) -> list[tuple[str, Placement]] | None:
    """The sites that an equality holds together, or None: it names bodies."""
    model = view.model
    if int(model.eq_objtype[e]) != int(mujoco.mjtObj.mjOBJ_SITE):
        return None
    sites = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    return [view.at(int(model.site_bodyid[s]), model.site_pos[s], model.site_quat[s]) for s in sites]


def _connect(view: MjcfView, e: int, name: str) -> Loop:
    """Two points that stay together: a ball joint."""
    model, data = view.model, np.array(view.model.eq_data[e])
    ends = _ends(view, e) or [
        view.at(int(model.eq_obj1id[e]), data[:3]),
        view.at(int(model.eq_obj2id[e]), data[3:6]),
    ]
    return _loop(name, Spherical(), ends)


def _weld(view: MjcfView, e: int, name: str) -> Loop:
    """Two frames that stay together: no joint at all."""
    model, data = view.model, np.array(view.model.eq_data[e])
    ends = _ends(view, e) or [
        view.at(int(model.eq_obj1id[e]), data[3:6], data[6:10]),
        view.at(int(model.eq_obj2id[e]), data[:3]),
    ]
    return _loop(name, Fixed(), ends)


def _loop(name: str, joint: Any, ends: list[tuple[str, Placement]]) -> Loop:
    (body_1, at_1), (body_2, at_2) = ends
    if body_1 == body_2:
        where = "the ground" if body_1 == GROUND else f"body {body_1!r}"
        raise ModelError(f"holds two places of {where} together, which do not move apart")
    return Loop(name, joint, body_1, body_2, at_1, at_2)


def _joint_gear(view: MjcfView, e: int, name: str) -> Gear | None:
    """y - y₀ = c₀ + c₁ (x - x₀) between two joints, y₀ and x₀ being their positions in the file."""
    model, c = view.model, np.array(view.model.eq_data[e][:5])
    first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if second < 0:
        raise ModelError("holds a joint in its place: lock it, or give it a driver")
    _refuse_curves(c)
    y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (first, second))
    names = view.joint_names
    return Gear(name, names[second], names[first], float(c[1]), float(y0 + c[0] - c[1] * x0))


def _tendon_gear(view: MjcfView, e: int, name: str) -> Gear | None:
    """L - L₀ = c₀ + c₁ (K - K₀) between the lengths of one or two fixed tendons: sums over joints."""
    model, c = view.model, np.array(view.model.eq_data[e][:5])
    first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if second >= 0:
        _refuse_curves(c)
    total: dict[str, float] = {}
    length = float(c[0])
    for tendon, factor in ((first, 1.0), (second, -float(c[1]))):
        if tendon < 0:
            continue
        terms = _fixed_terms(view, tendon)
        if terms is None:
            raise ModelError("the length of a tendon in space is no sum over joints")
        length += factor * float(model.tendon_length0[tendon])
        for joint, coefficient in terms.items():
            total[joint] = total.get(joint, 0.0) + factor * coefficient
    driven, *drivers = [joint for joint, coefficient in total.items() if coefficient] or [""]
    if not drivers:
        raise ModelError("holds a joint in its place: lock it, or give it a driver")
    ratios = tuple(-total[joint] / total[driven] for joint in drivers)
    return Gear(name, tuple(drivers), driven, ratios, length / total[driven])


def _refuse_curves(c: Any) -> None:
    if np.any(c[2:]):
        raise ModelError("is a curve of joint positions, and gears are linear")


def _fixed_terms(view: MjcfView, t: int) -> dict[str, float] | None:
    """The joints of a fixed tendon with their coefficients; None for one in space."""
    model = view.model
    wraps = range(model.tendon_adr[t], model.tendon_adr[t] + model.tendon_num[t])
    if any(int(model.wrap_type[w]) != int(mujoco.mjtWrap.mjWRAP_JOINT) for w in wraps):
        return None
    return {view.joint_names[int(model.wrap_objid[w])]: float(model.wrap_prm[w]) for w in wraps}


def _tendon(m: Mechanism, view: MjcfView, t: int) -> None:
    """A spring, if a tendon is one between two sites; else what it does is told."""
    model = view.model
    name = view.named("TENDON", t) or f"tendon{t + 1}"
    stiffness = 0.0 if view.off("SPRING") else float(model.tendon_stiffness[t])
    damping = 0.0 if view.off("DAMPER") else float(model.tendon_damping[t])
    wraps = range(model.tendon_adr[t], model.tendon_adr[t] + model.tendon_num[t])
    kinds = [int(model.wrap_type[w]) for w in wraps]
    lower, upper = (float(x) for x in model.tendon_lengthspring[t])
    left = []
    if (stiffness or damping) and kinds == [int(mujoco.mjtWrap.mjWRAP_SITE)] * 2 and lower == upper:
        sites = [int(model.wrap_objid[w]) for w in wraps]
        ends = [view.at(int(model.site_bodyid[s]), model.site_pos[s]) for s in sites]
        (body_a, at_a), (body_b, at_b) = ends
        if body_a != body_b:
            m.add_spring(name, body_a, at_a.position, body_b, at_b.position, stiffness, damping, lower)
    elif stiffness or damping:
        left.append("spring or damper")
    for what, values in (
        ("range", model.tendon_limited),
        ("friction", model.tendon_frictionloss),
        ("armature", model.tendon_armature),
        ("curve of its spring", np.any(model.tendon_stiffnesspoly, axis=1)),
        ("curve of its damper", np.any(model.tendon_dampingpoly, axis=1)),
        ("plastic spring", model.tendon_plasticadr >= 0),
    ):
        if values[t]:
            left.append(what)
    if left:
        why = "of tendons only springs between two sites have a counterpart"
        view.left_out(f"{' and '.join(left)} of tendon", [name], why)


def _gravity_compensation(m: Mechanism, view: MjcfView) -> None:
    """A constant force at the centre of mass of each body that is held up."""
    model = view.model
    for b in range(1, model.nbody):
        share = float(model.body_gravcomp[b]) * float(model.body_mass[b])
        carrier, at = view.at(b, model.body_ipos[b])
        if share and carrier != GROUND and any(view.gravity):
            name = f"{view.named('BODY', b) or f'body{b}'}.gravcomp"
            place = view.called("place", "", "frame", name)
            m.add_frame(place, carrier, at)
            m.add_force(name, place, [-share * g for g in view.gravity], reference="aligned")
