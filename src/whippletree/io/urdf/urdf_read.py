"""URDF, the robot description of ROS: from a file to a mechanism (http://wiki.ros.org/urdf/XML).

A link that hangs on a fixed joint moves with its parent: its inertia and shapes are added to the
body that carries it, and it stays as a frame under its own name. Every other link is a body, named
like the link, on a joint named like the joint. Coordinates come in the order in which the joints
stand in the file, but parents first: going down the file, each joint is preceded by its ancestors
that have not come yet.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...errors import FileError
from ...joints import Joint
from ...model.mechanism import GROUND, Body, Geometry, Mechanism
from ...spatial import Inertia, Placement
from ..file_source import Source
from ..findings import Problem
from .urdf_parts import HERE, WEIGHTLESS, UrdfLink
from .urdf_tree import UrdfTree

ROOT_JOINT = "root_joint"
"""Name of the joint between the ground and the root link, if one is asked for."""

GROUND_LINK = "ground_link"
"""What a link named like the fixed base is called."""


def load(
    source: Source, root: Joint | None, packages: Iterable[Path], keep_zero_limits: bool = False
) -> Mechanism:
    """The mechanism a URDF text describes; raises FileError with the first error in it."""
    tree = UrdfTree(source, packages, keep_zero_limits)
    _check_names(tree, root)
    _check_inertia(tree)
    error = tree.findings.first_error()
    if error is not None:
        raise FileError(source.path, error.message, error.line)
    m = _build(tree, root)
    m.warnings += [str(problem) for problem in tree.findings.problems()]
    return m


def problems(source: Source, packages: Iterable[Path]) -> list[Problem]:
    """Everything that is wrong with a URDF text, or stands in it and is not carried by the model."""
    try:
        tree = UrdfTree(source, packages)
    except FileError as error:
        return [Problem(error.line, error.message, "error")]
    _check_names(tree, None)
    _check_inertia(tree)
    return tree.findings.problems()


def _check_names(tree: UrdfTree, root: Joint | None) -> None:
    """Report links and joints whose names mean something else in a mechanism."""
    link = tree.links.get(GROUND)
    # A root link that is fixed to the ground may be called so: it is the ground.
    if link is not None and (root is not None or tree.root != GROUND):
        if GROUND_LINK in tree.links:
            tree.findings.error(link.line, f"link {GROUND!r} has the name of the fixed base: rename it")
        else:
            tree.findings.warning(
                link.line, f"link {GROUND!r} has the name of the fixed base, so it is called {GROUND_LINK!r}"
            )
    joint = tree.joints.get(ROOT_JOINT)
    if joint is not None and root is not None:
        tree.findings.error(
            joint.line,
            f"joint {ROOT_JOINT!r} has the name of the joint between the ground and the root link: rename it",
        )


def _check_inertia(tree: UrdfTree) -> None:
    """Report joints that have nothing to move."""
    heavy = {
        name
        for name, link in tree.links.items()
        if link.inertia is not WEIGHTLESS and link.inertia != WEIGHTLESS
    }
    for joint in reversed(tree.order):
        if joint.child in heavy:
            heavy.add(joint.parent)
    for joint in tree.order:
        if joint.child not in heavy and joint.child in tree.links and joint.joint.nv > 0:
            tree.findings.warning(
                joint.line,
                f"joint {joint.name!r} moves no inertia, so forward dynamics has no solution: give link "
                f"{joint.child!r}, or one that it carries, an <inertial>, or make the joint fixed",
            )


class _Lump:
    """Links that move as one: what they weigh and how they look, in the frame of the first of them."""

    def __init__(self) -> None:
        self.inertia = Inertia.zero()
        self.visuals: list[Geometry] = []
        self.collisions: list[Geometry] = []

    def add(self, link: UrdfLink, at: Placement) -> None:
        if link.inertia is not WEIGHTLESS:
            inertia = link.inertia if at is HERE else link.inertia.to_parent(at.transform())
            self.inertia = self.inertia + inertia
        self.visuals += [replace(shape, placement=_chain(at, shape.placement)) for shape in link.visuals]
        self.collisions += [
            replace(shape, placement=_chain(at, shape.placement)) for shape in link.collisions
        ]


def _chain(outer: Placement, inner: Placement) -> Placement:
    """outer @ inner, leaving numbers of the file as they are where there is nothing to compose."""
    if outer is HERE or inner is HERE:
        return inner if outer is HERE else outer
    return outer @ inner


def _build(tree: UrdfTree, root: Joint | None) -> Mechanism:
    """The mechanism of a tree without errors."""
    base = GROUND if root is None else _called(tree.root)
    lumps = {base: _Lump()}
    # Where each link is: the body it belongs to, and its placement in that body's frame.
    places = {tree.root: (base, HERE)}
    lumps[base].add(tree.links[tree.root], HERE)
    for joint in tree.order:
        body, at = places[joint.parent]
        if joint.joint.nv == 0:
            at = _chain(at, joint.placement)
        else:
            body, at = _called(joint.child), HERE
            lumps[body] = _Lump()
        places[joint.child] = (body, at)
        lumps[body].add(tree.links[joint.child], at)

    m = Mechanism(tree.name)
    if root is None:
        lump = lumps[GROUND]
        m.change(GROUND, visuals=tuple(lump.visuals), collisions=tuple(lump.collisions))
    else:
        m.append(_body(base, root, GROUND, HERE, ROOT_JOINT, lumps[base]))
    for joint in tree.order:
        if joint.joint.nv > 0:
            parent, at = places[joint.parent]
            name = _called(joint.child)
            body = _body(name, joint.joint, parent, _chain(at, joint.placement), joint.name, lumps[name])
            m.append(replace(body, limits=joint.limits, damping=joint.damping, friction=joint.friction))
    for link, (body, at) in places.items():
        if _called(link) != body and not (link == tree.root == GROUND):
            m.add_frame(_called(link), body, at)
    for joint in tree.joints.values():
        if joint.mimic is not None:
            m.add_gear(joint.name, joint.mimic.driver, joint.name, joint.mimic.ratio, joint.mimic.offset)
    return m


def _called(link: str) -> str:
    """The name of a link in the mechanism."""
    return GROUND_LINK if link == GROUND else link


def _body(name: str, joint: Joint, parent: str, at: Placement, joint_name: str, lump: _Lump) -> Body:
    visuals, collisions = tuple(lump.visuals), tuple(lump.collisions)
    return Body(name, joint, parent, at, lump.inertia, joint_name, visuals=visuals, collisions=collisions)
