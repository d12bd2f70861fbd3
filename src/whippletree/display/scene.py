"""The picture in the browser: nodes of viser for a mechanism's solids, moved with its bodies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError
from ..model.mechanism import Mechanism
from ..shapes import Box, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from ..spatial import Array, Placement
from ..spatial.rotation import to_quaternion
from .charts import round_number
from .gltf import glb
from .skeleton import skeleton
from .solids import Solid, body_color, inertia_solid, inertia_solids, visual_solids
from .stage import FIELD, Stage, along, poses
from .strokes import traces

if TYPE_CHECKING:
    from viser import ViserServer

LAYERS = ("shapes", "joints", "inertias", "springs", "traces", "centre of mass", "frames", "labels", "grid")
"""What can be shown or hidden, each by itself."""

COIL = 9
"""Turns of a spring."""

DEAD = 0.02
"""m/s²: a handle this close to where it belongs is left alone, as it may be in the hand of a user."""

PUSH = 0.3
"""Length of the largest contact force of a trajectory, in sizes of the mechanism."""

PULL = 0.045
"""Length of the arrow of gravity, in sizes of the mechanism for each m/s²."""


class Scene:
    """All that is drawn of a mechanism.

    Attributes:
        layers: The nodes of each layer.
        problems: Meshes that could not be drawn, in words.
    """

    def __init__(self, server: "ViserServer", m: Mechanism, stage: Stage) -> None:
        self._server, self._m, self._stage = server, m, stage
        self.layers: dict[str, list[Any]] = {layer: [] for layer in LAYERS}
        self.problems: list[str] = []
        self._meshes: dict[tuple[Any, ...], bytes | None] = {}
        self._faults: dict[str, str] = {}
        self._shown: dict[int, Array] = {}
        self._set_up()
        self._bodies = [self._body(i) for i in range(len(m))]
        self._draw()
        self.gravity: Any = self._gravity()
        self._pushes: Any = None
        self._touched: Any = None

    @property
    def has_shapes(self) -> bool:
        """Whether the mechanism brings shapes of its own."""
        return bool(self.layers["shapes"])

    @property
    def width(self) -> float:
        """Radius of a joint's symbol, m."""
        return self._stage.width

    # What is there from the start

    def _set_up(self) -> None:
        """Light, ground and the place of the camera."""
        scene, stage = self._server.scene, self._stage
        up = np.eye(3)[stage.up]
        scene.set_up_direction((float(up[0]), float(up[1]), float(up[2])))
        scene.set_background_image(_sky())
        scene.configure_environment_map("studio", environment_intensity=0.25)
        scene.configure_default_lights(enabled=True, cast_shadow=True)
        camera = self._server.initial_camera
        camera.position, camera.look_at, camera.up = stage.camera, stage.middle, up
        camera.fov = FIELD
        camera.near, camera.far = 0.01 * stage.size, 200.0 * stage.size
        cell = round_number(stage.size / 8.0)
        at = np.where(np.arange(3) == stage.up, stage.floor, 0.0)
        grid = scene.add_grid(
            "/grid",
            infinite_grid=True,
            plane=("yz", "xz", "xy")[stage.up],
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=(206, 212, 220),
            section_color=(176, 184, 195),
            fade_distance=12.0 * stage.size,
            shadow_opacity=0.22,
            position=at,
        )
        self.layers["grid"].append(grid)

    def _body(self, i: int) -> Any:
        """The node that moves as body i does, with its axes and its name."""
        scene, body, size = self._server.scene, self._m.bodies[i], self._stage.size
        node = scene.add_frame(f"/bodies/{i}", show_axes=False)
        length = 0.09 * size
        axes = scene.add_frame(f"/bodies/{i}/axes", axes_length=length, axes_radius=0.04 * length)
        label = scene.add_label(f"/bodies/{i}/label", body.name, font_screen_scale=0.8)
        self.layers["frames"].append(axes)
        self.layers["labels"].append(label)
        for k, frame in enumerate(self._m.frames):
            if frame.body == body.name:
                self._frame(f"/bodies/{i}/frames/{k}", frame.name, frame.placement)
        return node

    def _frame(self, name: str, text: str, placement: Placement) -> None:
        """Axes of a named frame."""
        length = 0.055 * self._stage.size
        pose: Any = {"position": placement.position, "wxyz": placement.quaternion}
        scene = self._server.scene
        axes = scene.add_frame(name, axes_length=length, axes_radius=0.05 * length, **pose)
        self.layers["frames"].append(axes)
        self.layers["labels"].append(scene.add_label(f"{name}/label", text, font_screen_scale=0.8))

    def _draw(self) -> None:
        m, width, size = self._m, self._stage.width, self._stage.size
        scene = self._server.scene
        for k, frame in enumerate(m.frames):
            if frame.body == "ground":
                self._frame(f"/ground/frames/{k}", frame.name, frame.placement)
        lost: dict[int, list[str]] = {}
        drawn: set[int] = set()
        for k, solid in enumerate(visual_solids(m)):
            node = self._solid(f"shapes/{k}", solid)
            if node is None:
                lost.setdefault(solid.body, []).append(_file(solid))
            else:
                drawn.add(solid.body)
                self.layers["shapes"].append(node)
        for i, files in lost.items():
            # A body with nothing else to be drawn by is drawn by its inertia.
            stand_in = None if i < 0 or i in drawn else inertia_solid(m, i, 1.2 * width, 0.3 * size, 1.0)
            if stand_in is not None:
                self.layers["shapes"].append(self._solid(f"shapes/inertia{i}", stand_in))
            name = "ground" if i < 0 else m.bodies[i].name
            how = "is drawn without it" if stand_in is None else "is drawn by its inertia"
            self.problems += [f"{self._faults[file]}; {name!r} {how}" for file in files]
        for layer, solids in (
            ("joints", skeleton(m, width)),
            ("inertias", inertia_solids(m, 1.2 * width, 0.35 * size)),
        ):
            self.layers[layer] = [self._solid(f"{layer}/{k}", solid) for k, solid in enumerate(solids)]
        coil = _coil(width)
        self.layers["springs"] = [
            scene.add_line_segments(f"/springs/{k}", coil, (90, 96, 105), thickness=0.3 * width)
            for k in range(len(m.springs))
        ]
        self.layers["traces"] = [
            scene.add_line_segments(
                f"/traces/{k}", np.zeros((0, 2, 3)), body_color(k + 1), thickness=0.15 * width
            )
            for k in range(len(traces(m, np.zeros((0, len(m), 4, 4)))))
        ]
        ball = scene.add_icosphere("/centre", radius=1.3 * width, color=(255, 196, 0))
        self.layers["centre of mass"].append(ball)

    def _solid(self, name: str, solid: Solid) -> Any:
        """The node of a solid, None for a mesh that cannot be drawn."""
        scene = self._server.scene
        where = "/ground" if solid.body < 0 else f"/bodies/{solid.body}"
        pose: Any = {
            "name": f"{where}/{name}",
            "position": solid.placement.position,
            "wxyz": solid.placement.quaternion,
        }
        shape = solid.shape
        if isinstance(shape, Mesh):
            data = self._mesh(shape, solid)
            return None if data is None else scene.add_glb(glb_data=data, scale=shape.scale, **pose)
        opacity = solid.opacity if solid.opacity < 1.0 else None
        look: Any = {"color": solid.color, "opacity": opacity, **pose}
        look["cast_shadow"] = opacity is None
        return draw_shape(scene, shape, look)

    def _mesh(self, mesh: Mesh, solid: Solid) -> bytes | None:
        key = (mesh.file, solid.color, solid.opacity)
        if key not in self._meshes:
            try:
                self._meshes[key] = glb(mesh.file, solid.color, solid.opacity)
            except FileError as error:
                self._meshes[key] = None
                self._faults[mesh.file] = str(error)
        return self._meshes[key]

    def _gravity(self) -> Any:
        """The arrow of gravity's handle: dragged, it turns and stretches the arrow."""
        scene, size = self._server.scene, self._stage.size
        handle = scene.add_transform_controls(
            "/gravity/tip", scale=0.22 * size, disable_rotations=True, visible=False, depth_test=False
        )
        self._arrow = scene.add_arrows(
            "/gravity/arrow",
            np.zeros((1, 2, 3)),
            (200, 60, 60),
            shaft_radius=0.008 * size,
            head_radius=0.02 * size,
            head_length=0.05 * size,
            visible=False,
        )
        return handle

    # What changes

    def show_layer(self, layer: str, visible: bool) -> None:
        """Show or hide one of LAYERS."""
        for node in self.layers[layer]:
            node.visible = visible

    @property
    def push(self) -> float:
        """Length of the arrow of the largest contact force, m."""
        return PUSH * self._stage.size

    def show_gravity(self, gravity: Any, visible: bool) -> None:
        """Draw the arrow of gravity, m/s², with its handle at the tip."""
        foot = self._stage.middle + 0.75 * self._stage.size * np.eye(3)[self._stage.up]
        tip = foot + PULL * self._stage.size * np.asarray(gravity, dtype=float)
        self._arrow.points = np.array([[foot, tip]], dtype=np.float32)
        self._arrow.visible = visible and any(gravity)  # without a length an arrow has no direction
        self.gravity.visible = visible
        if not np.max(np.abs(self.dragged_gravity() - gravity)) <= DEAD:  # or where no number is
            self.gravity.position = tip

    def show_contacts(self, arrows: Array) -> None:
        """Draw contact forces, from feet to tips (k, 2, 3), and a ball where each acts."""
        size = self._stage.size
        for node in (self._pushes, self._touched):
            if node is not None:
                node.visible = bool(len(arrows))
        if len(arrows):
            self._touched = self._server.scene.add_point_cloud(
                "/contact points",
                arrows[:, 0].astype(np.float32),
                (200, 60, 60),
                point_size=0.02 * size,
                point_shape="circle",
            )
            self._pushes = self._server.scene.add_arrows(
                "/contacts",
                arrows.astype(np.float32),
                (46, 139, 87),
                shaft_radius=0.006 * size,
                head_radius=0.015 * size,
                head_length=0.03 * size,
            )

    def show_traces(self, paths: Sequence[Array]) -> None:
        """Draw paths (n, 3) in the world, one for each frame of a body; none where there are none."""
        for k, node in enumerate(self.layers["traces"]):
            path = paths[k] if k < len(paths) else np.zeros((1, 3))
            node.points = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)

    def dragged_gravity(self) -> Array:
        """(3,) the gravity that belongs to the place of the arrow's handle, m/s²."""
        foot = self._stage.middle + 0.75 * self._stage.size * np.eye(3)[self._stage.up]
        return (np.asarray(self.gravity.position) - foot) / (PULL * self._stage.size)

    def move(self, q: Array, center: Array) -> None:
        """Bring all bodies to the position q (nq,), and the ball to the centre of mass (3,)."""
        X = poses(self._m, q)
        with self._server.atomic():
            for i, node in enumerate(self._bodies):
                if i not in self._shown or not np.array_equal(self._shown[i], X[i]):
                    node.position, node.wxyz = X[i, :3, 3], to_quaternion(X[i, :3, :3])
                    self._shown[i] = X[i]
            for node, spring in zip(self.layers["springs"], self._m.springs, strict=True):
                ends = [
                    X[i, :3, :3] @ np.array(point) + X[i, :3, 3]
                    for i, point in (
                        (self._m.body_number(spring.body_a), spring.point_a),
                        (self._m.body_number(spring.body_b), spring.point_b),
                    )
                ]
                way = ends[1] - ends[0]
                length = float(np.linalg.norm(way))
                node.position = ends[0]
                if length > 0.0:
                    node.wxyz, node.scale = along(way).quaternion, (1.0, 1.0, length)
            self.layers["centre of mass"][0].position = center


def draw_shape(scene: Any, shape: Shape, look: dict[str, Any]) -> Any:
    """The node of a shape that is no mesh, of this name, pose and colour."""
    # The browser has smooth ones of its own; the others are drawn by their triangles.
    if isinstance(shape, Box):
        return scene.add_box(dimensions=shape.size, **look)
    if isinstance(shape, Sphere):
        return scene.add_icosphere(radius=shape.radius, **look)
    if isinstance(shape, Ellipsoid):
        return scene.add_icosphere(radius=1.0, scale=shape.radii, **look)
    if isinstance(shape, Cylinder):
        return scene.add_cylinder(radius=shape.radius, height=shape.length, **look)
    vertices, faces = shape.triangles()
    return scene.add_mesh_simple(vertices=vertices, faces=faces, **look)


def _file(solid: Solid) -> str:
    return solid.shape.file if isinstance(solid.shape, Mesh) else ""


def _sky() -> Array:
    """(h, w, 3) what is behind everything: pale above, paler below, so that white robots stand out."""
    top, bottom = np.array([198.0, 210.0, 224.0]), np.array([240.0, 243.0, 246.0])
    shade = np.linspace(0.0, 1.0, 256)[:, None, None] ** 0.8
    return np.broadcast_to(np.round((1 - shade) * top + shade * bottom), (256, 64, 3)).astype(np.uint8)


def _coil(width: float) -> Array:
    """(n, 2, 3) the segments of a spring of unit length along z."""
    s = np.linspace(0.0, 1.0, 20 * COIL + 1)
    radius = 1.2 * width * np.clip(np.minimum(s, 1.0 - s) / 0.06, 0.0, 1.0)
    angle = 2.0 * np.pi * COIL * s
    path = np.stack([radius * np.cos(angle), radius * np.sin(angle), s], axis=1)
    return np.stack([path[:-1], path[1:]], axis=1)
