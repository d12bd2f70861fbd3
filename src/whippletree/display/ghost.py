"""A pale second picture of the mechanism, somewhere else than the mechanism itself."""

from typing import TYPE_CHECKING, Any

from ..model.mechanism import Mechanism
from ..spatial import Array
from ..spatial.rotation import to_quaternion
from .scene import draw_shape
from .skeleton import skeleton

if TYPE_CHECKING:
    from viser import ViserServer

PALE = 0.45
"""Opacity of a ghost."""

STOUT = 1.3
"""Its width, in widths of the mechanism's own symbols."""


class Ghost:
    """Joints and rods of a mechanism, shown at any poses; hidden until it is."""

    def __init__(self, server: "ViserServer", m: Mechanism, width: float) -> None:
        self._server = server
        self._bodies = [
            server.scene.add_frame(f"/ghost/{i}", show_axes=False, visible=False) for i in range(len(m))
        ]
        for k, solid in enumerate(skeleton(m, STOUT * width)):
            if solid.body >= 0:
                look: dict[str, Any] = {
                    "name": f"/ghost/{solid.body}/{k}",
                    "position": solid.placement.position,
                    "wxyz": solid.placement.quaternion,
                    "color": solid.color,
                    "opacity": PALE,
                    "cast_shadow": False,
                }
                draw_shape(server.scene, solid.shape, look)

    def show(self, poses: dict[int, Array]) -> None:
        """Show these bodies, by number, at poses (4, 4) in the world, and no others."""
        with self._server.atomic():
            for i, node in enumerate(self._bodies):
                if i in poses:
                    node.position, node.wxyz = poses[i][:3, 3], to_quaternion(poses[i][:3, :3])
                if node.visible != (i in poses):
                    node.visible = i in poses
