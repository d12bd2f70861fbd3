"""What a unit of a special coordinate moves, beside the ordinary coordinate; Deepak & Ghosal, figures 4-6."""

from typing import NamedTuple

import numpy as np

from ..dynamics.kinematics import body_velocities, forward_kinematics
from ..errors import ModelError
from ..formulations import special_coordinates
from ..formulations.special_coordinates import Node, SubtreeMap
from ..joints.base import perpendicular
from ..loops.equations.rank import eliminate
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.requirements import without_gears, without_loops
from ..spatial import Array
from ..spatial.rotation import exp, exp_jacobian
from .stage import plane_normal, points

FARTHEST, WIDEST = 0.2, 0.6
"""A motion is shown so far, in sizes of the mechanism and in rad, as far as neither is exceeded."""

LETTERS = "xyz"


class CoordinateMotion(NamedTuple):
    """How a body and all that it carries move for a unit of one coordinate.

    Special coordinates have no positions, so velocities are all that there is of them.

    Attributes:
        label: Of the coordinate.
        body: Number of the body.
        twist: (6,) velocity of the body beside that of its joint, in world coordinates.
        special: (nv,) velocities of joints for a unit of the special coordinate.
        ordinary: (nv,) likewise for the coordinate that it stands in place of.
    """

    label: str
    body: int
    twist: Array
    special: Array
    ordinary: Array


def subtree_motions(m: Mechanism, q: Array, body: str) -> list[CoordinateMotion]:
    """The coordinates [y_j, ξ_j] of a body, beside [y_j, q] with the joints that it carries (figures 5, 6).

    y_j are shifts of the body's origin along the axes of the world and turns about them; of a planar
    mechanism those in its plane.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> [motion.label for motion in subtree_motions(m, np.array([0.3, 0.5]), "upper")]
    ['upper x', 'upper z', 'upper turn y', 'lower']
    """
    check_tree(m)
    mapped = special_coordinates.subtree_coordinates(m, q, body)
    nodes, j, still = special_coordinates.tree_nodes(m, q), mapped.bodies[0], np.zeros(m.nv)
    found = []
    for label, twist in shifts_and_turns(m, q, j):
        special = _joints_below(m, nodes, mapped, mapped.T[:, :6] @ twist)
        found.append(CoordinateMotion(f"{body} {label}", j, twist, special, still))
    for k, columns in zip(mapped.bodies[1:], mapped.columns[1:], strict=True):
        own = range(m.nv)[m.v_index[k]]
        for label, column, unit in zip(joint_labels(m, k), mapped.T[:, columns].T, own, strict=True):
            special = _joints_below(m, nodes, mapped, column)
            found.append(CoordinateMotion(label, j, np.zeros(6), special, np.eye(m.nv)[unit]))
    return found


def joint_motions(m: Mechanism, q: Array, body: str) -> list[CoordinateMotion]:
    """The coordinates [ỹ_c, ỹ_f] of a body, beside shifts, turns and its joint's own (figure 4).

    ỹ_c are shifts of its joint along the axes of the world and turns about them, as many as the joint does
    not leave free. The body answers to each by such a motion of its joint as its inertia asks for.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> [motion.label for motion in joint_motions(m, np.array([0.3, 0.5]), "lower")]
    ['joint x', 'joint z', 'lower']
    """
    check_tree(m)
    mapped = special_coordinates.subtree_coordinates(m, q, body)
    nodes, k = special_coordinates.tree_nodes(m, q), mapped.bodies[0]
    node = nodes[k]
    M = special_coordinates.rfda_by_joints(m, q, np.zeros(m.nv), np.zeros(m.nv))[0][k]
    own, named = range(m.nv)[m.v_index[k]], shifts_and_turns(m, q, k)
    found = []
    for label, twist in (named[i] for i in _beside(node.H[:6], [twist for _, twist in named])):
        u = np.concatenate([twist, np.zeros(len(M) - 6)])
        qd = -np.linalg.solve(node.H.T @ M @ node.H, node.H.T @ (M @ u))
        special = _joints_below(m, nodes, mapped, mapped.T[:, : len(M)] @ (u + node.H @ qd))
        special[own] = qd
        found.append(CoordinateMotion(f"joint {label}", k, twist, special, np.zeros(m.nv)))
    for label, column, unit in zip(joint_labels(m, k), node.H.T, own, strict=True):
        ordinary = np.eye(m.nv)[unit]
        special = _joints_below(m, nodes, mapped, mapped.T[:, : len(M)] @ column) + ordinary
        found.append(CoordinateMotion(label, k, np.zeros(6), special, ordinary))
    return found


def check_tree(m: Mechanism) -> None:
    """ModelError for a mechanism that is no tree."""
    fault = without_loops(m) or without_gears(m)
    if fault is not None:
        raise ModelError(f"special coordinates are those of a tree: {fault}")


def joint_labels(m: Mechanism, i: int) -> list[str]:
    """What to call the freedoms of the joint that carries body i."""
    name, joint = m.bodies[i].joint_name, m.bodies[i].joint
    return [name] if joint.nv == 1 else [f"{name} {part}" for part in joint.velocity_labels]


def displaced(m: Mechanism, q: Array, motion: CoordinateMotion, qd: Array, amount: float) -> Array:
    """(nb, 4, 4) poses after a step: joints move by amount · qd, the body and all on it by amount · twist."""
    poses = np.array(forward_kinematics(m, integrate(m, q, amount * qd)), dtype=float)
    turn, shift = amount * motion.twist[:3], amount * motion.twist[3:]
    R = exp(turn)
    for i in m.subtree(motion.body):
        poses[i, :3, 3] = R @ poses[i, :3, 3] + exp_jacobian(turn).T @ shift
        poses[i, :3, :3] = R @ poses[i, :3, :3]
    return poses


def velocities(m: Mechanism, q: Array, motion: CoordinateMotion, qd: Array) -> Array:
    """(nb, 6) velocities of all bodies in world coordinates, (rad/s, m/s), joints moving by qd (nv,)."""
    poses, moving = np.asarray(forward_kinematics(m, q)), np.asarray(body_velocities(m, q, qd))
    found = np.zeros((len(m), 6))
    for i, (pose, v) in enumerate(zip(poses, moving, strict=True)):
        w = pose[:3, :3] @ v[:3]
        found[i] = [*w, *(pose[:3, :3] @ v[3:] + np.cross(pose[:3, 3], w))]
    found[m.subtree(motion.body)] += motion.twist
    return found


def visible_amount(m: Mechanism, q: Array, motion: CoordinateMotion) -> float:
    """How much of a coordinate is to be shown so that it can be seen, in units of the coordinate."""
    places = points(m, q)
    size = max(float(np.max(np.ptp(places, axis=0))), 1e-3)
    both = np.concatenate([velocities(m, q, motion, qd) for qd in (motion.special, motion.ordinary)])
    turn = float(np.max(np.linalg.norm(both[:, :3], axis=1)))
    shift = max(
        float(np.max(np.linalg.norm(twist[3:] + np.cross(twist[:3], places), axis=1))) for twist in both
    )
    return min(WIDEST / max(turn, 1e-9), FARTHEST * size / max(shift, 1e-9))


def shifts_and_turns(m: Mechanism, q: Array, i: int) -> list[tuple[str, Array]]:
    """Shifts of a body's origin along the world's axes and turns about them, in the plane of a planar one."""
    at = np.asarray(forward_kinematics(m, q))[i, :3, 3]
    normal = plane_normal(m, q)
    axes = {letter: np.eye(3)[k] for k, letter in enumerate(LETTERS)}
    shifts, turns = axes, axes
    if normal is not None:
        k = int(np.argmax(np.abs(normal)))
        if abs(abs(normal[k]) - 1.0) < 1e-9:
            shifts = {letter: axis for letter, axis in axes.items() if letter != LETTERS[k]}
            turns = {LETTERS[k]: axes[LETTERS[k]]}
        else:
            shifts = dict(zip(("across", "along"), perpendicular(normal), strict=True))
            turns = {"": normal}
    shift = [(letter, np.concatenate([np.zeros(3), axis])) for letter, axis in shifts.items()]
    turn = [(f"turn {letter}", np.concatenate([axis, np.cross(at, axis)])) for letter, axis in turns.items()]
    return [(label.strip(), twist) for label, twist in (*shift, *turn)]


def _beside(S: Array, twists: list[Array]) -> list[int]:
    """Which twists to take, the first ones first, so that with S they are independent."""
    kept: list[int] = []
    for i, twist in enumerate(twists):
        tried = np.stack([*S.T, *(twists[j] for j in kept), twist])
        if len(eliminate(tried, np.zeros(len(tried))).rows) == len(tried):
            kept.append(i)
    return kept


def _joints_below(m: Mechanism, nodes: list[Node], mapped: SubtreeMap, absolute: Array) -> Array:
    """(nv,) joint velocities of what a body carries, from absolute velocities; 0 for all other joints."""
    qd = np.zeros(m.nv)
    ends = np.cumsum([len(nodes[k].M) for k in mapped.bodies])[:-1]
    ydot = dict(zip(mapped.bodies, np.split(absolute, ends), strict=True))
    for k in mapped.bodies[1:]:
        qd[m.v_index[k]] = np.linalg.pinv(nodes[k].H) @ (ydot[k] - nodes[k].B @ ydot[nodes[k].parent])
    return qd
