"""Everything that is wrong with a finished mechanism, in words."""

from collections.abc import Iterator

from .mechanism import Mechanism
from .singular import coupled_joints, general_position, joints_without_inertia, without_inertia_message
from .values import expect


def problems(m: Mechanism) -> list[str]:
    """Every problem of a mechanism, each naming its body or joint; empty if there is none.

    `Mechanism.add_body` refuses most of them at once; a mechanism read from a file may have them:
    inertias no body can have, limits upside down or in degrees, names with stray blanks, and joints that
    move no inertia, for which forward dynamics has no solution. The last kind is looked for at a general
    position, so that a joint is found whenever it is without inertia nearly everywhere; joints in
    loops and gears are left out, as others may hold them.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("arm")
    >>> m.add_body("link", wt.Revolute("z"), inertia=wt.Inertia(mass=1.0))
    >>> [problem.partition(":")[0] for problem in wt.problems(m)]
    ["joint 'link' of 'arm' moves no inertia"]
    """
    expect("problems", "m", m, Mechanism, "a Mechanism")
    return [*_names(m), *_faults(m), *_joints_without_inertia(m)]


def _names(m: Mechanism) -> Iterator[str]:
    given = [("mechanism", m.name)]
    for kind, parts in m.kinds():
        for field, name in kind.own_names().items():
            given += [(name.of, getattr(part, field)) for part in parts]
    for kind, name in given:
        if name != name.strip() or not name.isprintable():
            yield f"{kind} {name!r} has blanks at an end of its name, or signs that cannot be printed"


def _faults(m: Mechanism) -> Iterator[str]:
    for kind, parts in m.kinds():
        for part in parts:
            found = (*kind.faults(part), *kind.doubts(part))
            yield from (f"{fault.title} of {m.name!r}: {fault.fault}" for fault in found)


def _joints_without_inertia(m: Mechanism) -> Iterator[str]:
    for i in sorted(joints_without_inertia(m, general_position(m), coupled_joints(m))):
        yield without_inertia_message(m, i)
