"""Geoms of an MJCF model: what is seen, what can be touched, and what touches the world.

A geom that can touch something is a shape with a name, others are only seen. Contacts are made between
bodies that move and geoms of the world, where the pair of shapes has a closed form.
"""

from typing import Any, cast

import numpy as np

from ...contact.geometry.pair_table import PAIRS
from ...errors import ModelError
from ...model.contact import Contact
from ...model.mechanism import GROUND, Mechanism
from ...model.parts import Color, Geometry, PlacedShape
from ...shapes import Box, Capsule, Cylinder, Ellipsoid, Heights, Mesh, Plane, Shape, Sphere
from ...spatial import Placement
from .mjcf_view import MjcfView, mujoco


def add_shapes(m: Mechanism, view: MjcfView) -> None:
    """Shapes of the bodies and of the ground, and contacts with the world."""
    model = view.model
    pairs = {int(g) for ids in (model.pair_geom1, model.pair_geom2) for g in ids}
    names: dict[int, str] = {}
    seen: dict[str, list[Geometry]] = {}
    odd = []
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        title = view.named("GEOM", g)
        made = _shape(view, g)
        if made is None:
            odd.append(title or f"geom{g}")
            continue
        shape, moved = made
        carrier, at = view.at(body, model.geom_pos[g], model.geom_quat[g])
        at = at @ moved
        if model.geom_contype[g] or model.geom_conaffinity[g] or g in pairs:
            number = g - int(model.body_geomadr[body]) + 1
            owner = GROUND if body == 0 else view.named("BODY", body) or f"body{body}"
            names[g] = view.called("place", title, "geom", f"{owner}.geom{number}")
            m.add(PlacedShape(names[g], shape, carrier, at, _color(model, g)))
        else:
            seen.setdefault(carrier, []).append(Geometry(shape, at, _color(model, g)))
    for carrier, shapes in seen.items():
        m.change(carrier, kind="body", visuals=tuple(shapes))
    view.left_out("geom", odd, "no shape here is like it")
    if view.off("CONTACT", "CONSTRAINT"):
        return
    _add_contacts(m, view, names)


def _shape(view: MjcfView, g: int) -> tuple[Shape, Placement] | None:
    """The shape of a geom, and where it sits in the geom's frame; None if there is none like it."""
    model = view.model
    kind, size, here = int(model.geom_type[g]), [float(x) for x in model.geom_size[g]], Placement()
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_MESH:
        return _mesh(view, int(model.geom_dataid[g]))
    if kind == types.mjGEOM_HFIELD:
        return _heights(model, int(model.geom_dataid[g])), here
    made: dict[int, Any] = {
        int(types.mjGEOM_PLANE): Plane,
        int(types.mjGEOM_SPHERE): lambda: Sphere(size[0]),
        int(types.mjGEOM_BOX): lambda: Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2])),
        int(types.mjGEOM_CAPSULE): lambda: Capsule(size[0], 2.0 * size[1]),
        int(types.mjGEOM_CYLINDER): lambda: Cylinder(size[0], 2.0 * size[1]),
        int(types.mjGEOM_ELLIPSOID): lambda: Ellipsoid((size[0], size[1], size[2])),
    }
    return (made[kind](), here) if kind in made else None


def _mesh(view: MjcfView, k: int) -> tuple[Shape, Placement]:
    """The mesh of a file, which MuJoCo has moved to its centre of mass; one without a file by its corners."""
    model = view.model
    name, start = view.named("MESH", k), int(model.mesh_pathadr[k])
    if start < 0:
        points = slice(int(model.mesh_vertadr[k]), int(model.mesh_vertadr[k]) + int(model.mesh_vertnum[k]))
        faces = slice(int(model.mesh_faceadr[k]), int(model.mesh_faceadr[k]) + int(model.mesh_facenum[k]))
        vertices, triangles = np.array(model.mesh_vert[points], float), np.array(model.mesh_face[faces], int)
        return Mesh(name or f"mesh{k}", vertices=vertices, faces=triangles), Placement()
    path = bytes(model.paths[start:]).split(b"\0", 1)[0].decode("utf-8", "replace")
    x, y, z = (float(scale) for scale in model.mesh_scale[k])
    moved = Placement(model.mesh_pos[k], quaternion=model.mesh_quat[k])
    return Mesh(path, (x, y, z)), moved.inverse()


def _heights(model: Any, k: int) -> Heights:
    """The elevations of a height field, which MuJoCo keeps as rows along x from 0 to 1."""
    rows, columns = int(model.hfield_nrow[k]), int(model.hfield_ncol[k])
    start = int(model.hfield_adr[k])
    data = np.array(model.hfield_data[start : start + rows * columns], float).reshape(rows, columns)
    x, y, top, _ = (float(size) for size in model.hfield_size[k])
    return Heights(top * data.T, (-x, x), (-y, y))


def _color(model: Any, g: int) -> Color:
    material = int(model.geom_matid[g])
    rgba = model.geom_rgba[g] if material < 0 else model.mat_rgba[material]
    return cast(Color, tuple(float(min(1.0, max(0.0, share))) for share in rgba))


def _add_contacts(m: Mechanism, view: MjcfView, names: dict[int, str]) -> None:
    """Contacts of pairs that the file names, and of bodies with the world."""
    model = view.model
    left, among_bodies, made = [], 0, 0
    for p in range(model.npair):
        a, b = int(model.pair_geom1[p]), int(model.pair_geom2[p])
        name = view.named("PAIR", p) or f"pair{p + 1}"
        if _touch(m, names, name, a, b, float(model.pair_friction[p][0])):
            made += 1
        else:
            left.append(name)
    excluded = {int(signature) for signature in model.exclude_signature}
    fixed = [g for g in names if view.place[int(model.geom_bodyid[g])][0] == GROUND]
    moving = [g for g in names if g not in set(fixed)]
    for n, a in enumerate(moving):
        for b in fixed:
            if _meet(model, a, b, excluded):
                name = f"{names[a]} on {names[b]}"
                if _touch(m, names, name, a, b, _friction(model, a, b)):
                    made += 1
                else:
                    left.append(name)
        among_bodies += sum(_may_meet(view, a, b, excluded) for b in moving[n + 1 :])
    view.left_out(
        "contact", left, "has no closed form here; for meshes take wt.hull_collisions, then m.add_contact"
    )
    if among_bodies:
        why = f"contacts among bodies that move, {among_bodies} pairs of geoms"
        view.findings.warning(None, f"{why}: left out, m.add_contact adds those that matter")
    if made:
        view.findings.warning(
            None,
            "contacts are rigid here, with sliding friction: solref, solimp, condim, margin, gap, adhesion, "
            "torsional and rolling friction are not carried; wt.simulate(…, contacts=None) leaves them out",
        )


def _touch(m: Mechanism, names: dict[int, str], name: str, a: int, b: int, friction: float) -> bool:
    """Let two geoms touch; False if no one knows how."""
    if a not in names or b not in names:
        return False
    kinds = [m.shapes[m.number("shape", names[g])].shape.kind for g in (a, b)]
    if "mesh" in kinds or not {tuple(kinds), tuple(kinds[::-1])} & PAIRS.keys():
        return False
    try:
        m.add(Contact(name, names[a], names[b], friction))
    except ModelError:  # as two on one body, or a size of zero
        return False
    return True


def _meet(model: Any, a: int, b: int, excluded: set[int]) -> bool:
    """Whether the bits of two geoms let them touch, and their bodies are not excluded."""
    bits = (
        model.geom_contype[a] & model.geom_conaffinity[b],
        model.geom_contype[b] & model.geom_conaffinity[a],
    )
    bodies = sorted(int(model.geom_bodyid[g]) for g in (a, b))
    return bool(bits[0] or bits[1]) and (bodies[0] << 16) + bodies[1] not in excluded


def _may_meet(view: MjcfView, a: int, b: int, excluded: set[int]) -> bool:
    """Whether two geoms of bodies that move may touch: not on one body, nor on neighbours in the tree."""
    model = view.model
    welds = [int(model.body_weldid[int(model.geom_bodyid[g])]) for g in (a, b)]
    above = [int(model.body_weldid[int(model.body_parentid[w])]) for w in welds]
    near = welds[0] == welds[1] or (
        not view.off("FILTERPARENT") and (above[0] == welds[1] or above[1] == welds[0])
    )
    return not near and _meet(model, a, b, excluded)


def _friction(model: Any, a: int, b: int) -> float:
    """Of the geom with the higher priority, else the larger."""
    first, second = (int(model.geom_priority[g]) for g in (a, b))
    slides = [float(model.geom_friction[g][0]) for g in (a, b)]
    return max(slides) if first == second else slides[0 if first > second else 1]
