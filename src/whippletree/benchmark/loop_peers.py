"""Other libraries, set up with the same closed mechanism: loops as points that are held together."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ..joints import Revolute, Universal
from ..model.mechanism import Body, Mechanism
from ..spatial import Array, Placement


class Peer(NamedTuple):
    """One function of one library.

    Attributes:
        call: Computes the accelerations of the state it was made for, as a user's loop would.
        accelerations: Takes (q, qd), in our order, and returns (nv,) qdd in our order.
        at_rest: Whether it agrees with exact loops only where nothing moves.
    """

    call: Callable[[], object]
    accelerations: Callable[[Array, Array], Array]
    at_rest: bool = False


SETTINGS = [(mu, accuracy) for accuracy in (1e-6, 1e-9, 1e-12) for mu in (1e-10, 1e-8, 1e-6, 1e-4)]
"""Proximal terms and accuracies that Pinocchio's functions are tried with."""


def pinocchio_peers(m: Mechanism, q: Array, qd: Array, expected: Array, agree: float) -> dict[str, Peer]:
    """`constraintDynamics` and `lcaba`, everything that can be prepared prepared.

    A revolute loop joint becomes one point, which in a plane says the same but for rows that are redundant
    there: hence a proximal term. Of all settings each function gets those that take the fewest iterations
    among the ones that agree with what is expected; if none does, the most accurate ones.
    """
    pin: Any = import_module("pinocchio")
    from_q, from_v = _pinocchio_order(m)
    there, speed, zero = q[from_q].copy(), qd[from_v].copy(), np.zeros(m.nv)
    back = np.argsort(from_v)

    def peer(name: str) -> Peer:
        function = getattr(pin, name)
        model, constraints, datas = _pinocchio_model(pin, m)
        data = model.createData()
        if name == "lcaba":
            pin.computeJointMinimalOrdering(model, data, constraints)
        else:
            pin.initConstraintDynamics(model, data, constraints, datas)
        tried = []
        for mu, accuracy in SETTINGS:
            settings = pin.ProximalSettings(accuracy, accuracy, mu, 20)
            found = np.array(function(model, data, there, speed, zero, constraints, datas, settings))[back]
            error = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
            tried.append((not error <= agree, settings.iter if error <= agree else error, len(tried)))
            if error <= agree and settings.iter <= 1:
                break
        mu, accuracy = SETTINGS[min(tried)[-1]]
        settings = pin.ProximalSettings(accuracy, accuracy, mu, 20)

        def accelerations(q: Array, qd: Array) -> Array:
            arguments = (q[from_q], qd[from_v], zero, constraints, datas, settings)
            return np.array(function(model, data, *arguments))[back]

        return Peer(
            lambda: function(model, data, there, speed, zero, constraints, datas, settings), accelerations
        )

    return {name: peer(name) for name in ("constraintDynamics", "lcaba")}


def _pinocchio_model(pin: Any, m: Mechanism) -> tuple[Any, Any, Any]:
    def se3(placement: Placement) -> Any:
        return pin.SE3(placement.rotation, placement.position)

    model = pin.Model()
    model.gravity.linear = np.array(m.gravity)
    numbers = {-1: 0}
    for i in _branch_by_branch(m):
        body = m.bodies[i]
        joint = _pinocchio_joint(pin, body)
        numbers[i] = model.addJoint(numbers[m.parents[i]], joint, se3(body.placement), body.joint_name)
        inertia = pin.Inertia(body.inertia.m, body.inertia.com, body.inertia.about_com)
        model.appendBodyToJoint(numbers[i], inertia, pin.SE3.Identity())
    constraints, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in m.loops:
        p, s = (numbers[m.body_number(body)] for body in (loop.predecessor, loop.successor))
        kind, frame = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
        places = se3(loop.placement_p), se3(loop.placement_s)
        constraints.append(pin.RigidConstraintModel(kind, model, p, places[0], s, places[1], frame))
    for constraint in constraints:
        datas.append(constraint.createData())
    return model, constraints, datas


def _branch_by_branch(m: Mechanism) -> list[int]:
    """Numbers of the bodies in an order in which every subtree is contiguous: Pinocchio relies on it."""
    order: list[int] = []
    below: dict[int, list[int]] = {-1: []}
    for i, parent in enumerate(m.parents):
        below.setdefault(parent, []).append(i)
    stack = below[-1][::-1]
    while stack:
        order.append(stack.pop())
        stack += below.get(order[-1], [])[::-1]
    return order


def _pinocchio_joint(pin: Any, body: Body) -> Any:
    if body.joint.moves_freely:
        return pin.JointModelFreeFlyer()
    axis, *second = _axes(body)
    if second:
        return pin.JointModelUniversal(np.array(axis), np.array(second[0]))
    for name in "XYZ":
        if np.array_equal(axis, np.eye(3)["XYZ".index(name)]):
            return getattr(pin, f"JointModelR{name}")()
    return pin.JointModelRevoluteUnaligned(*axis)


def _axes(body: Body) -> list[Array]:
    """The axes a body turns about, one after the other."""
    if not isinstance(body.joint, Revolute | Universal):
        raise TypeError(
            f"{body.name} has a {type(body.joint).__name__} joint, which no peer is built for here"
        )
    return [column[:3] for column in _turning(body).T]


def _turning(body: Body) -> Array:
    """(6, nv) directions of the joint's velocities where it stands at zero."""
    return np.asarray(body.joint.motion_subspace(np.zeros(body.joint.nq)), dtype=float)


def _pinocchio_order(m: Mechanism) -> tuple[list[int], list[int]]:
    """Where its positions and velocities stand in ours: quaternions end with w, linear velocity leads."""
    q: list[int] = []
    v: list[int] = []
    for i in _branch_by_branch(m):
        at_q, at_v, free = m.q_index[i], m.v_index[i], m.bodies[i].joint.moves_freely
        own_q, own_v = list(range(at_q.start, at_q.stop)), list(range(at_v.start, at_v.stop))
        q += [own_q[k] for k in (0, 1, 2, 4, 5, 6, 3)] if free else own_q
        v += own_v[3:] + own_v[:3] if free else own_v
    return q, v


def mujoco_peer(m: Mechanism, q: Array, qd: Array) -> Peer:
    """`mj_forward`, loops as `connect` constraints made as hard as they go, no contacts, no sleep.

    Its loops are springs and dampers, however stiff, and the acceleration that turning bodies have of
    themselves is left out of them: it agrees with rigid loops where nothing moves.
    """
    mujoco: Any = import_module("mujoco")
    model = _mujoco_spec(mujoco, m).compile()
    data = mujoco.MjData(model)
    q_at, v_at = _mujoco_order(model, m)

    def place(q: Array, qd: Array) -> None:
        data.qpos[q_at], data.qvel[v_at] = q, qd

    def accelerations(q: Array, qd: Array) -> Array:
        place(q, qd)
        mujoco.mj_forward(model, data)
        return data.qacc[v_at].copy()

    place(q, qd)
    return Peer(lambda: mujoco.mj_forward(model, data), accelerations, at_rest=True)


def _mujoco_spec(mujoco: Any, m: Mechanism) -> Any:
    spec = mujoco.MjSpec()
    spec.option.gravity = m.gravity
    bodies = {"ground": spec.worldbody}
    for body in m.bodies:
        at = body.placement
        new = bodies[body.parent].add_body(name=body.name, pos=at.position, quat=at.quaternion)
        new.explicitinertial = 1
        new.mass, new.ipos = body.inertia.m, body.inertia.com
        # It wants a moment about every axis; thin rods have none about their own, which none here needs.
        moments, axes = np.linalg.eigh(body.inertia.about_com)
        I = axes @ np.diag(np.maximum(moments, 1e-6)) @ axes.T
        new.fullinertia = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        if body.joint.moves_freely:
            new.add_freejoint(name=f"{body.joint_name}/0")
        else:
            for k, axis in enumerate(_axes(body)):
                new.add_joint(name=f"{body.joint_name}/{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        bodies[body.name] = new
    for loop in m.loops:
        sites = []
        for body, place in ((loop.predecessor, loop.placement_p), (loop.successor, loop.placement_s)):
            sites.append(f"{loop.name}-{body}")
            bodies[body].add_site(name=sites[-1], pos=place.position)
        equality = spec.add_equality(name=loop.name, type=mujoco.mjtEq.mjEQ_CONNECT)
        equality.objtype, equality.name1, equality.name2 = mujoco.mjtObj.mjOBJ_SITE, *sites
        equality.solimp = (0.9999, 0.9999, 0.001, 0.5, 2)
    return spec


def _mujoco_order(model: Any, m: Mechanism) -> tuple[list[int], list[int]]:
    """Where our positions and velocities stand in its arrays: it numbers bodies branch by branch.

    Of a free joint ours has angular velocity first; linear velocity is the same where the base is upright.
    """
    q: list[int] = []
    v: list[int] = []
    for body in m.bodies:
        first = model.joint(f"{body.joint_name}/0")
        q0, v0 = int(first.qposadr[0]), int(first.dofadr[0])
        q += range(q0, q0 + body.joint.nq)
        v += (
            [v0 + k for k in (3, 4, 5, 0, 1, 2)] if body.joint.moves_freely else range(v0, v0 + body.joint.nv)
        )
    return q, v
