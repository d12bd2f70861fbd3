"""Shapes of bodies: one small class each, with its inertia, support, bounds and triangles."""

from .box import Box
from .capsule import Capsule
from .cylinder import Cylinder
from .ellipsoid import Ellipsoid
from .heights import Heights
from .landscape import Landscape
from .mesh import Mesh
from .plane import Plane
from .shape import Shape
from .sphere import Sphere

__all__ = [
    "SHAPES",
    "Box",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Heights",
    "Landscape",
    "Mesh",
    "Plane",
    "Shape",
    "Sphere",
]

SHAPES: dict[str, type[Shape]] = {
    cls.kind: cls for cls in (Box, Sphere, Capsule, Cylinder, Ellipsoid, Plane, Mesh, Heights)
}
"""Shapes by their name in a file; a landscape is a function, which no file can hold."""
