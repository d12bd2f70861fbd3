"""A mechanism with what is asked of it: what the kernels of inverse kinematics are made for, and found by."""

from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot
from .bounds_of_joints import JointBounds
from .goals import Task


class Asked(Snapshot):
    """A mechanism, tasks and bounds, equal to others that move alike.

    Attributes:
        tasks: What is to be brought somewhere.
        bounds: Those of the joints, and which joints are held.
    """

    def __init__(self, m: Mechanism, tasks: tuple[Task, ...], bounds: JointBounds) -> None:
        frames = [m.frame(task.frame) for task in tasks if task.frame]
        places = tuple((m.body_number(frame.body), frame.placement) for frame in frames)
        moving = Snapshot(m)
        super().__init__(moving.m, (moving, tasks, places, bounds))
        self.tasks, self.bounds = tasks, bounds
