"""Planar mechanisms as models of Exudyn: three coordinates a body, joints as constraints.

A model is made out of one of our mechanisms: its bodies, revolute and prismatic joints and loops, springs
between points and gravity, from a state of it. Exudyn is a peer of the benches and of nothing else; without
it `available` is False.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import whippletree as wt

available = find_spec("exudyn") is not None

SPARSE = 20
"""Bodies from which Exudyn's sparse solver is the faster one."""


class PlanarModel:
    """A planar mechanism in Exudyn.

    Args:
        m: Its bodies move in the x-y plane, on revolute joints about z and prismatic joints in the plane.
        q, qd: (nq,), (nv,) where it starts, with loops closed.
        torques: On revolute joints, N m, by their names; constant.
    """

    def __init__(
        self, m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, torques: Mapping[str, float] | None = None
    ) -> None:
        self._exudyn: Any = import_module("exudyn")
        self._items: Any = import_module("exudyn.itemInterface")
        self._m, self._container = m, self._exudyn.SystemContainer()
        self._system = self._container.AddSystem()
        self._ground = self._system.AddObject(self._items.ObjectGround())
        self._coms = [np.array(body.inertia.com) for body in m.bodies]
        self._nodes: list[int] = []
        self._bodies = self._added_bodies(q, qd)
        for i, body in enumerate(m.bodies):
            self._join(body.joint, (m.parents[i], body.placement), (i, wt.Placement()))
        for loop in m.loops:
            p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
            self._join(loop.joint, (p, loop.placement_p), (s, loop.placement_s))
        for spring in m.springs:
            ends = ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
            self._add(
                "ObjectConnectorSpringDamper",
                markerNumbers=[self._point(m.body_number(name), np.array(at)) for name, at in ends],
                stiffness=spring.stiffness,
                damping=spring.damping,
                referenceLength=spring.length,
            )
        for name, torque in (torques or {}).items():
            i = next(k for k, body in enumerate(m.bodies) if body.joint_name == name)
            for number, sign in ((i, 1.0), (m.parents[i], -1.0)):
                if number >= 0:
                    load = [0.0, 0.0, sign * torque]
                    marker = self._point(number, self._coms[number])
                    self._system.AddLoad(self._items.LoadTorqueVector(markerNumber=marker, loadVector=load))
        self._system.Assemble()

    def _added_bodies(self, q: np.ndarray, qd: np.ndarray) -> list[int]:
        m, items, found = self._m, self._items, []
        poses, velocities = wt.forward_kinematics(m, q), wt.body_velocities(m, q, qd)
        for i, (body, pose) in enumerate(zip(m.bodies, poses, strict=True)):
            com, spin = self._coms[i], float(velocities[i][2])
            speed = pose[:3, :3] @ (velocities[i][3:] + np.cross([0.0, 0.0, spin], com))
            x, y, _ = pose[:3, :3] @ com + pose[:3, 3]
            node = self._system.AddNode(
                items.NodeRigidBody2D(
                    referenceCoordinates=[x, y, np.arctan2(pose[1, 0], pose[0, 0])],
                    initialVelocities=[speed[0], speed[1], spin],
                )
            )
            moment = float(body.inertia.about_com[2, 2])
            number = self._add(
                "ObjectRigidBody2D", physicsMass=body.inertia.m, physicsInertia=moment, nodeNumber=node
            )
            mass = self._system.AddMarker(items.MarkerBodyMass(bodyNumber=number))
            gravity = [float(g) for g in m.gravity]
            self._system.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=gravity))
            self._nodes.append(node)
            found.append(number)
        return found

    def _add(self, kind: str, **given: Any) -> int:
        return self._system.AddObject(getattr(self._items, kind)(**given))

    def _point(self, number: int, at: np.ndarray) -> int:
        """A marker at a point of a body, in the axes and from the origin of its frame."""
        local = at if number < 0 else at - self._coms[number]
        body = self._ground if number < 0 else self._bodies[number]
        return self._system.AddMarker(
            self._items.MarkerBodyRigid(bodyNumber=body, localPosition=[float(x) for x in local])
        )

    def _join(self, joint: wt.Joint, *ends: tuple[int, wt.Placement]) -> None:
        markers = [self._point(number, np.array(place.position)) for number, place in ends]
        if isinstance(joint, wt.Revolute):
            self._add("ObjectJointRevolute2D", markerNumbers=markers)
            return
        assert isinstance(joint, wt.Prismatic)
        along, beside = (place.rotation @ np.array(joint.axis) for _, place in ends)
        self._add(
            "ObjectJointPrismatic2D",
            markerNumbers=markers,
            axisMarker0=[float(x) for x in along],
            normalMarker1=[float(-beside[1]), float(beside[0]), 0.0],
        )

    def run(
        self, duration: float, steps: int, tolerance: float = 1e-8, solver: str = "GeneralizedAlpha"
    ) -> np.ndarray:
        """(nb, 2) centres of mass in the plane after a time, m, by so many steps of an integrator of order 2.

        Args:
            duration: s.
            steps: How many, all of one length.
            tolerance: Of the Newton steps within them, relative.
            solver: Exudyn's name of it: "GeneralizedAlpha", its default, with constraints on positions, or
                "TrapezoidalIndex2", with constraints on velocities, too.
        """
        solve(self._system, duration, steps, solver, large=len(self._m) > SPARSE, newton=tolerance)
        position = self._exudyn.OutputVariableType.Position
        return np.array([self._system.GetNodeOutput(node, position)[:2] for node in self._nodes])

    def centres(self, q: np.ndarray) -> np.ndarray:
        """(nb, 2) the same of a position (nq,) of the mechanism, m."""
        poses = wt.forward_kinematics(self._m, q)
        return np.array(
            [(pose[:3, :3] @ com + pose[:3, 3])[:2] for pose, com in zip(poses, self._coms, strict=True)]
        )


def solve(
    system: Any, duration: float, steps: int, solver: str, *, large: bool = False, newton: float = 1e-8
) -> None:
    """Let a system of Exudyn move from its start, by so many steps of a solver; nothing is written.

    What is fastest, as tried: few bodies want full Newton steps, many want factors kept.
    """
    exudyn: Any = import_module("exudyn")
    settings = exudyn.SimulationSettings()
    times = settings.timeIntegration
    times.endTime, times.numberOfSteps, times.automaticStepSize = duration, steps, False
    times.newton.relativeTolerance, times.newton.useModifiedNewton = newton, large
    times.generalizedAlpha.computeInitialAccelerations = True
    times.explicit.computeEndOfStepAccelerations = False
    times.verboseMode, settings.parallel.numberOfThreads = 0, 1
    kinds = exudyn.LinearSolverType
    settings.linearSolver.solverType = kinds.EigenSparse if large else kinds.EXUdense
    settings.solution.file.write = settings.solution.sensors.active = False  # nor does it make a folder then
    system.SolveDynamic(settings, solverType=getattr(exudyn.DynamicSolverType, solver))


def followed_hinge(m: wt.Mechanism, name: str, turn: float, count: int) -> Callable[[], np.ndarray]:
    """Positions of a planar mechanism of hinges as one of them is turned: static solutions by Newton's method

    in so many load steps. Bodies have their nodes in their joints and no weight, and pins ask for places
    alone: of what was tried the quickest in such solutions, and too slow in motions.

    Args:
        m: The mechanism, closed at its neutral position.
        name: A hinge to the ground.
        turn: How far it turns, rad.
        count: In so many steps.

    Returns:
        What finds all positions and gives the angle of the hinge in each, (count + 1,), rad.
    """
    exudyn: Any = import_module("exudyn")
    items: Any = import_module("exudyn.itemInterface")
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    ground, nodes, bodies = system.AddObject(items.ObjectGround()), [], []
    for body, pose in zip(m.bodies, wt.forward_kinematics(m, m.neutral()), strict=True):
        place = [pose[0, 3], pose[1, 3], np.arctan2(pose[1, 0], pose[0, 0])]
        nodes.append(system.AddNode(items.NodeRigidBody2D(referenceCoordinates=place)))
        inertia = max(float(body.inertia.about_com[2, 2]), 1e-6)
        made = {"physicsMass": body.inertia.m, "physicsInertia": inertia, "nodeNumber": nodes[-1]}
        bodies.append(system.AddObject(items.ObjectRigidBody2D(**made)))

    def pin(*ends: tuple[int, Any]) -> None:
        points = [
            {"bodyNumber": ground if i < 0 else bodies[i], "localPosition": [float(x) for x in at]}
            for i, at in ends
        ]
        markers = [system.AddMarker(items.MarkerBodyPosition(**point)) for point in points]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    for i, body in enumerate(m.bodies):
        pin((m.parents[i], body.placement.position), (i, np.zeros(3)))
    for loop in m.loops:
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        pin((p, loop.placement_p.position), (s, loop.placement_s.position))
    hinge = nodes[m.joint_number(name)]
    ends = [(system.AddNode(items.NodePointGround()), 0), (hinge, 2)]
    markers = [
        system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=k)) for node, k in ends
    ]

    def offset(_mbs: Any, time: float, *_: Any) -> float:
        return turn * time

    follow = items.ObjectConnectorCoordinate(markerNumbers=markers, offsetUserFunction=offset)
    system.AddObject(follow)
    angle = exudyn.OutputVariableType.Coordinates
    watch = items.SensorNode(nodeNumber=hinge, outputVariableType=angle, storeInternal=True)
    sensor = system.AddSensor(watch)
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps, settings.staticSolver.verboseMode = count, 0
    settings.staticSolver.newton.relativeTolerance = 1e-10
    settings.solution.file.write, settings.parallel.numberOfThreads = False, 1
    settings.solution.sensors.writePeriod = 0.5 / (count + 1)

    def solved(_kept: Any = container) -> np.ndarray:
        system.SolveStatic(settings)
        return np.asarray(system.GetSensorStoredData(sensor))[:, 3]

    return solved
