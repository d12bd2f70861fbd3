"""Where a frame is and how it moves, along a motion of the mechanism."""

from dataclasses import dataclass

import numpy as np

from ..dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from ..model.mechanism import Mechanism
from ..spatial import Array
from .compiling import made_once


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """A frame or body in n states.

    Attributes:
        pose: (n, 4, 4) homogeneous matrices from frame to world coordinates.
        velocity: (n, 6) angular velocity and velocity of the origin in world axes, (rad/s, m/s).
        acceleration: (n, 6) angular acceleration and acceleration of the origin, likewise.
    """

    pose: Array
    velocity: Array
    acceleration: Array

    def __repr__(self) -> str:
        return f"<FrameMotion: {len(self.pose)} states>"

    @property
    def position(self) -> Array:
        """(n, 3) the origin in the world, m: the path of the frame."""
        return self.pose[..., :3, 3]

    @property
    def rotation(self) -> Array:
        """(n, 3, 3) from frame to world axes."""
        return self.pose[..., :3, :3]

    @property
    def body_velocity(self) -> Array:
        """(n, 6) the velocity in the frame's own axes."""
        return _turned(np.swapaxes(self.rotation, -1, -2), self.velocity)

    @property
    def body_acceleration(self) -> Array:
        """(n, 6) the acceleration in the frame's own axes."""
        return _turned(np.swapaxes(self.rotation, -1, -2), self.acceleration)


def frame_motion(m: Mechanism, q: Array, qd: Array, qdd: Array, frame: str) -> FrameMotion:
    """The motion of a frame or body in n states, each argument (n, …), in machine code."""
    pose = np.asarray(made_once(frame_pose, m, frame=frame)(q))
    velocity = made_once(frame_velocity, m, frame=frame)(q, qd)
    acceleration = made_once(frame_acceleration, m, frame=frame)(q, qd, qdd)
    rotation = pose[..., :3, :3]
    return FrameMotion(pose, _turned(rotation, velocity), _turned(rotation, acceleration))


def _turned(rotation: Array, motion: Array) -> Array:
    """(n, 6) angular and linear parts in other axes."""
    return np.einsum("...ij,...kj->...ki", rotation, motion.reshape(*motion.shape[:-1], 2, 3)).reshape(
        motion.shape
    )
