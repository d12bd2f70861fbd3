"""Recursive coordinate reduction with restricted choices: plain RCR, and arbitrary selection."""

from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.relations import branch, loop_ends
from .choosing import Arbitrary, LastCoordinates
from .grcr import chosen_by, reduced_dynamics
from .loop_equations import LoopEquations
from .reduction import Reduction


def rcr(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    reduction: Reduction | None = None,
    stabilization: float | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops whose last coordinates are dependent.

    Critchley & Anderson §3: each loop is opened at its loop joint; counted from the loop's base
    through the successor, across the loop joint and back along the predecessor's side, its last
    coordinates are solved for. Where they are not a valid choice, it is refused, naming them; `acs` and
    `grcr` still work.

    Args:
        m: A mechanism in which loops that share a joint share their base body too.
        q, qd, tau, f_ext, stabilization: As in `grcr`.
        reduction: The choices of `rcr_reduction`; made at q if None. A kernel needs one.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    Raises:
        SingularError: The last coordinates of a loop do not follow from the others.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.rcr(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    choices = LastCoordinates(m, q) if reduction is None else reduction.replay()
    return reduced_dynamics(m, q, qd, tau, f_ext, LoopEquations(m, q, qd, stabilization, choices))


def rcr_reduction(m: Mechanism, q: Array) -> Reduction:
    """The choices of `rcr` at a position q (nq,) with all loops closed."""
    return chosen_by(LastCoordinates(m, q))


def acs(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    reduction: Reduction | None = None,
    stabilization: float | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops whose dependent coordinates are chosen freely.

    Critchley & Anderson §4, arbitrary coordinate selection: the dependent coordinates of each loop are
    those that it determines best. The loop is solved as a whole at its base, at a cost that is cubic
    in its own coordinates.

    Args:
        m: A mechanism in which loops that share a joint share their base body too.
        q, qd, tau, f_ext, stabilization: As in `grcr`.
        reduction: The choices of `acs_reduction`; made at q if None. A kernel needs one.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.acs(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    choices = Arbitrary(m, q) if reduction is None else reduction.replay()
    return reduced_dynamics(m, q, qd, tau, f_ext, LoopEquations(m, q, qd, stabilization, choices))


def acs_reduction(m: Mechanism, q: Array) -> Reduction:
    """The choices of `acs` at a position q (nq,) with all loops closed."""
    return chosen_by(Arbitrary(m, q))


def same_bases(m: Mechanism) -> str | None:
    """Loops that share a joint share their base body too; what is wrong, in words, or None."""
    owner: dict[int, tuple[int, str]] = {}
    for loop in m.loops:
        base, p, s = loop_ends(m, loop)
        for i in (*branch(m, base, p), *branch(m, base, s)):
            other_base, other = owner.setdefault(i, (base, loop.name))
            if other_base != base:
                joint = m.bodies[i].joint_name
                return (
                    f"loops {other!r} and {loop.name!r} of {m.name!r} share joint {joint!r} but not their "
                    "base body; method 'grcr' handles loops coupled in this way"
                )
    return None
