"""What the reductions ask of a mechanism: each function says which joint or loop is in the way, or None."""

from collections.abc import Callable
from functools import lru_cache

from ...errors import SingularError
from ...model.mechanism import Mechanism
from ...model.requirements import without_gears
from ...model.singular import general_position
from ...model.snapshot import Snapshot, tree_key
from ...spatial import Array
from .dependents import Dependents
from .gcl_choice import chosen_at
from .opened import ChainedLoop, opened
from .rcr import rcr_dependents


def with_loops(m: Mechanism) -> str | None:
    """At least one loop."""
    return None if m.loops else f"{m.name!r} has no loops"


def own_joints(m: Mechanism) -> str | None:
    """No two loops share a joint."""
    return _shared(m, lambda one, two: True, "method 'gcl' or 'grcr' takes coupled loops")


def common_bases(m: Mechanism) -> str | None:
    """Loops that share a joint share their base body too."""
    return _shared(
        m,
        lambda one, two: one.base != two.base,
        "but not their base body; method 'gcl' takes loops coupled in this way",
    )


def _shared(m: Mechanism, wrong: Callable[[ChainedLoop, ChainedLoop], bool], remedy: str) -> str | None:
    found = opened(m)
    owners: dict[int, ChainedLoop] = {}
    for loop in found.loops:
        for k in found.coordinates(loop):
            other = owners.setdefault(k, loop)
            if other is not loop and wrong(other, loop):
                return (
                    f"the loops of {m.name!r} that end with joints {other.name!r} and {loop.name!r} share "
                    f"joint {found.links[k].joint.name!r}, {remedy}"
                )
    return None


def last_coordinates(m: Mechanism) -> str | None:
    """The last coordinates of every loop can depend, in a general position."""
    return _in_general(m, rcr_dependents)


def enough_joints(m: Mechanism) -> str | None:
    """Of several loops that share a joint, one at most needs it, in a general position."""
    return _in_general(m, chosen_at)


def _in_general(m: Mechanism, choose: Callable[[Mechanism, Array], Dependents]) -> str | None:
    return _fault(
        choose, Snapshot(m, (m.name, *m.joint_names, *(loop.name for loop in m.loops), tree_key(m)))
    )


@lru_cache(maxsize=64)
def _fault(choose: Callable[[Mechanism, Array], Dependents], now: Snapshot) -> str | None:
    try:
        choose(now.m, general_position(now.m))
    except SingularError as error:
        return str(error)
    return None


OPENED = (with_loops, without_gears)
RCR = (*OPENED, common_bases)
ACS = (*OPENED, own_joints)
"""What each asks of a mechanism, wherever it is."""
