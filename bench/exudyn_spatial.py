"""Mechanisms in space as models of Exudyn: bodies of six coordinates with joints as constraints, or one tree.

Both are made out of one of our mechanisms, as planar ones are in `exudyn_models`: its bodies, joints, loops,
springs between points and gravity, from a state of it.
"""

from importlib import import_module
from typing import Any

import numpy as np
from exudyn_models import solve

import whippletree as wt


def axis_of(joint: wt.Joint) -> int:
    """0, 1 or 2: along which axis of its frame a joint turns or slides."""
    assert isinstance(joint, wt.Revolute | wt.Prismatic)
    number = int(np.argmax(joint.axis))
    assert joint.axis[number] == 1.0
    return number


def held(joint: wt.Joint) -> list[int]:
    """Which of three shifts and three turns a joint holds, 1 for those that it does."""
    if isinstance(joint, wt.Spherical):
        return [1, 1, 1, 0, 0, 0]
    if isinstance(joint, wt.Universal):
        assert (joint.first, joint.second) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        return [1, 1, 1, 0, 0, 1]  # x of the first body stays across y of the second
    free = axis_of(joint) + (3 if isinstance(joint, wt.Revolute) else 0)
    return [int(k != free) for k in range(6)]


class SpatialModel:
    """A mechanism in space, body by body, its joints as constraints.

    Args:
        m: Revolute, prismatic, spherical and universal joints, about axes of their frames.
        q, qd: (nq,), (nv,) where it starts, with loops closed.
        redundant: By name of a loop, which of its three shifts and three turns, 0 … 5, the others imply.
    """

    def __init__(
        self, m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, redundant: dict[str, int] | None = None
    ) -> None:
        self._exudyn: Any = import_module("exudyn")
        self._items: Any = import_module("exudyn.itemInterface")
        rigid: Any = import_module("exudyn.rigidBodyUtilities")
        self._container = self._exudyn.SystemContainer()
        self._system = self._container.AddSystem()
        self._coms = [[float(x) for x in body.inertia.com] for body in m.bodies]
        self._ground, self._bodies = self._system.AddObject(self._items.ObjectGround()), []
        poses = wt.forward_kinematics(m, q)
        for body, pose, com in zip(m.bodies, poses, self._coms, strict=True):
            velocity = wt.jacobian(m, q, body.name, "aligned") @ qd
            inertia = rigid.RigidBodyInertia(mass=body.inertia.m, inertiaTensor=body.inertia.about_com)
            number = self._system.CreateRigidBody(
                inertia=inertia.Translated(com),
                referencePosition=pose[:3, 3].tolist(),
                referenceRotationMatrix=pose[:3, :3],
                initialVelocity=velocity[3:].tolist(),
                initialAngularVelocity=velocity[:3].tolist(),
                gravity=[float(g) for g in m.gravity],
            )
            self._bodies.append(number)
        for i, body in enumerate(m.bodies):
            self._join(held(body.joint), (m.parents[i], body.placement), (i, wt.Placement()))
        for loop in m.loops:
            p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
            axes = held(loop.joint)
            if redundant and loop.name in redundant:
                axes[redundant[loop.name]] = 0
            self._join(axes, (p, loop.placement_p), (s, loop.placement_s))
        for spring in m.springs:
            ends = ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
            markers = [self._marker(m.body_number(name), at) for name, at in ends]
            add_spring(self._system, self._items, markers, spring)
        self._system.Assemble()

    def _marker(self, number: int, at: Any) -> int:
        body = self._ground if number < 0 else self._bodies[number]
        place = [float(x) for x in at]
        return self._system.AddMarker(self._items.MarkerBodyRigid(bodyNumber=body, localPosition=place))

    def _join(self, axes: list[int], *ends: tuple[int, wt.Placement]) -> None:
        joint = self._items.ObjectJointGeneric(
            markerNumbers=[self._marker(number, place.position) for number, place in ends],
            constrainedAxes=axes,
            rotationMarker0=np.array(ends[0][1].rotation),
            rotationMarker1=np.array(ends[1][1].rotation),
        )
        self._system.AddObject(joint)

    def run(self, duration: float, steps: int, solver: str) -> np.ndarray:
        """(nb, 3) centres of mass after a time, m, by so many steps of one of Exudyn's solvers."""
        solve(self._system, duration, steps, solver)
        position = self._exudyn.OutputVariableType.Position
        return np.array(
            [
                self._system.GetObjectOutputBody(number, position, com)
                for number, com in zip(self._bodies, self._coms, strict=True)
            ]
        )


class TreeModel:
    """A tree of revolute and prismatic joints in as few coordinates as it has, Exudyn's kinematic tree.

    Args:
        m: Without loops, its joints about axes of their frames.
        q, qd: (nq,), (nv,) where it starts.
    """

    def __init__(self, m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> None:
        self._exudyn: Any = import_module("exudyn")
        items: Any = import_module("exudyn.itemInterface")
        self._container = self._exudyn.SystemContainer()
        self._system, kinds = self._container.AddSystem(), self._exudyn.JointType
        self._node = self._system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * m.nv,
                initialCoordinates=q.tolist(),
                initialCoordinates_t=qd.tolist(),
                numberOfODE2Coordinates=m.nv,
            )
        )
        names = [f"{type(body.joint).__name__}{'XYZ'[axis_of(body.joint)]}" for body in m.bodies]
        vectors, matrices = self._exudyn.Vector3DList, self._exudyn.Matrix3DList
        tree = self._system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=self._node,
                jointTypes=[getattr(kinds, name) for name in names],
                linkParents=list(m.parents),
                jointTransformations=matrices([np.array(body.placement.rotation) for body in m.bodies]),
                jointOffsets=vectors([np.array(body.placement.position) for body in m.bodies]),
                linkInertiasCOM=matrices([np.array(body.inertia.about_com) for body in m.bodies]),
                linkCOMs=vectors([np.array(body.inertia.com) for body in m.bodies]),
                linkMasses=[body.inertia.m for body in m.bodies],
                baseOffset=[0.0, 0.0, 0.0],
                gravity=[float(g) for g in m.gravity],
            )
        )
        for spring in m.springs:
            markers = [
                self._system.AddMarker(
                    items.MarkerKinematicTreeRigid(
                        objectNumber=tree,
                        linkNumber=m.body_number(name),
                        localPosition=[float(x) for x in at],
                    )
                )
                for name, at in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
            ]
            add_spring(self._system, items, markers, spring)
        self._system.Assemble()

    def run(self, duration: float, steps: int, solver: str) -> np.ndarray:
        """(nq,) the position after a time, by so many steps of one of Exudyn's solvers."""
        solve(self._system, duration, steps, solver)
        q = self._system.GetNodeOutput(self._node, self._exudyn.OutputVariableType.Coordinates)
        return np.atleast_1d(q)


def add_spring(system: Any, items: Any, markers: list[int], spring: Any) -> None:
    """A spring with a damper between two points that markers mark."""
    numbers = {"stiffness": spring.stiffness, "damping": spring.damping, "referenceLength": spring.length}
    system.AddObject(items.ObjectConnectorSpringDamper(markerNumbers=markers, **numbers))


def centres(m: wt.Mechanism, q: np.ndarray) -> np.ndarray:
    """(nb, 3) centres of mass of our mechanism in a position (nq,), m."""
    poses = wt.forward_kinematics(m, q)
    return np.array(
        [pose[:3, :3] @ body.inertia.com + pose[:3, 3] for pose, body in zip(poses, m.bodies, strict=True)]
    )
