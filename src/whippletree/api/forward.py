"""Forward and inverse dynamics by whatever method applies to a mechanism."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dynamics
from ..checks.checking import checked, coupled_held
from ..dynamics.geared import geared_inverse_dynamics
from ..dynamics.passive import with_own_forces
from ..dynamics.shallow import may_lock
from ..errors import InputError, ModelError
from ..loops.closing.check import check_closed, check_gears
from ..loops.equations.driven_rows import found as driven_coordinate
from ..loops.methods.closed_inverse import closed_inverse_dynamics
from ..loops.methods.driven_motion import driven_motion, driven_terms
from ..loops.methods.estimate import operations
from ..model.mechanism import Mechanism
from ..model.values import joint_numbers
from ..spatial import Array
from .forward_methods import METHODS, Method, applicable, automatic, find, is_better_by_forces


@checked
def methods(m: Mechanism) -> list[str]:
    """Names of the methods of forward dynamics that apply to a mechanism, the one "auto" takes first.

    That is recursive coordinate reduction if there are loops, except where "lambda-first" takes fewer
    operations, as it may where few constraints tie many joints together. For trees it is "crba" where joints
    stand on few others, as those of an arm do, and "aba" elsewhere; `method_reason` tells.

    >>> import whippletree as wt
    >>> wt.methods(wt.examples.load("six-axis-arm"))[:2], wt.methods(wt.examples.load("humanoid"))[:2]
    (['crba', 'aba'], ['aba', 'crba'])
    >>> wt.methods(wt.examples.load("four-bar"))[:4]
    ['grcr', 'lambda-first', 'projection', 'clusters']
    """
    return applicable(m)


@checked
def method_choice(m: Mechanism, q: Array, method: str = "auto") -> dict[str, Any]:
    """What a method of forward dynamics chooses at a position, as an argument of its function.

    With loops a method chooses rows, pivots or dependent coordinates by numbers, which a kernel cannot do. A
    kernel of the method alone is made by `compile` with `at`. In a function of yours that is to be compiled,
    give the choice to the method, or to `constraint_forces` and `reactions` that of "augmented". It holds as
    long as no pivot comes near zero: this is not watched there.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed, near which the choice is to be used.
        method: As in `forward_dynamics`.

    Returns:
        The choice by the name of its argument; empty if there is nothing to choose.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> chosen = wt.method_choice(m, m.neutral(), "augmented")
    >>> chosen
    {'rows': (2, 3)}
    >>> k = wt.compile(lambda m, q, qd, tau: 2.0 * wt.loops.augmented(m, q, qd, tau, **chosen), m)
    >>> k(m.neutral(), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]).round(3)
    array([-58.208,  69.485, -10.959])
    """
    return dict(find(m, method)[1].chosen(m, q))


@checked
def method_reason(m: Mechanism) -> str:
    """Which method "auto" takes for a mechanism, and why.

    Operations are estimated from the pattern of joints and loops in a general position; what every
    method needs is not in them.

    >>> import whippletree as wt
    >>> print(wt.method_reason(wt.examples.load("humanoid")))
    aba: joints stand on many others, or on a floating base, and articulated bodies take no more for them
    >>> print(wt.method_reason(wt.examples.load("double-pendulum")))
    crba: joints stand on few others: the inertia matrix takes fewer operations than articulated bodies
    >>> print(wt.method_reason(wt.examples.load("delta-robot")))
    grcr: coordinate reduction takes about 6569 operations a state, lambda-first about 8336
    """
    if not m.loops:
        if m.gears:
            return "geared: a tree with gears is reduced to the joints that drive it"
        if automatic(m) == "aba":
            locks = next((body.joint_name for body in m.bodies if may_lock(body)), None)
            if locks is not None:
                return f"aba: joint {locks!r} may come to gimbal lock, where the inertia matrix loses digits"
            on_many = "joints stand on many others, or on a floating base"
            return f"aba: {on_many}, and articulated bodies take no more for them"
        shorter = "the inertia matrix takes fewer operations than articulated bodies"
        return f"crba: joints stand on few others: {shorter}"
    by = operations(m)
    if METHODS["lambda-first"].fault(m) is not None:
        return f"grcr: it takes about {by.grcr} operations a state; lambda-first does not apply"
    if is_better_by_forces(m):
        return (
            f"lambda-first: it takes about {by.lambda_first} operations a state, coordinate reduction (grcr) "
            f"about {by.grcr}, as few constraints tie many joints together"
        )
    return (
        f"grcr: coordinate reduction takes about {by.grcr} operations a state, "
        f"lambda-first about {by.lambda_first}"
    )


def forward_dynamics(
    m: Mechanism, q: Array, qd: Array, tau: Array, method: str = "auto", f_ext: Array | None = None
) -> Array:
    """Joint accelerations caused by all that acts on a mechanism, loops and gears respected.

    The mechanism's own springs, dampers, friction, stops and loads (`passive_forces`) act as they do in
    `simulate`; the algorithms themselves, as `aba`, take what they are given and nothing else. Contacts are
    left out: `contact.contact_forces` has them.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) forces of the actuators, N m or N; effort limits do not cut them off.
        method: A name out of `methods(m)`, or "auto" for the first of them. All give the same
            accelerations. "aba" is RBDA table 7.1, "crba" §6.1, "aba-variant-1" and "-2" table 7.2,
            "divide-and-conquer" §7.5, "floating-aba" table 9.4, "floating-crba" table 9.5, "geared"
            eq 9.26. For loops: "grcr" is recursive coordinate reduction, "rcr", "acs" and "gcl" are Critchley
            & Anderson's own forms of it (§3, 4, 5), "lambda-first" is RBDA 8.37-8.41, "projection" 8.42-8.51,
            "clusters" §8.9, "kkt" 8.36, "sparse" 8.64, "augmented" 8.37-8.41 with constraints that carry
            inertia. "lagrange" is (45), (59) of Liu & Jain, "special-coordinates" section 6 of Deepak &
            Ghosal, both for trees; for both, "semi-recursive-1" and "-2" are those of Yu et al.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.forward_dynamics(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0], method="crba").round(3)
    array([  0.375, -11.424])
    >>> m.change("lower", stiffness=7.038)  # as much as gravity asks for
    >>> wt.forward_dynamics(m, [0.3, 0.5], [0.0, 0.0], [7.867, 7.038]).round(2) + 0.0
    array([0., 0.])
    """
    _, found = find(m, method)
    check_gears(m, {"q": q}, {"qd": qd})
    check_closed(m, q, qd)
    return accelerations_by(m, q, qd, tau, f_ext, method=found)


def accelerations_by(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    *,
    method: Method,
    choice: tuple[tuple[str, Any], ...] = (),
) -> Array:
    """(nv,) what `forward_dynamics` gives, by a method with what it has chosen; nothing is checked."""
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    return method.accelerations(m, q, qd, acting, forces, **dict(choice))


if not TYPE_CHECKING:  # what is checked has the type of what is not
    forward_dynamics = checked(forward_dynamics, held=coupled_held)


HYBRID: dict[str, Callable[..., tuple[Array, Array]]] = {
    "aba": dynamics.hybrid_aba,
    "crba": dynamics.hybrid_crba,
}


@checked
def hybrid_dynamics(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    qdd: Array,
    prescribed: Sequence[str] | None = None,
    method: str = "auto",
    f_ext: Array | None = None,
) -> tuple[Array, Array]:
    """Forces of the joints whose accelerations are prescribed, and accelerations of all others.

    The mechanism's own springs, dampers, friction, stops and loads act, as in `forward_dynamics`.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) forces of the actuators, N m or N; those of prescribed joints are not looked at.
        qdd: (nv,) joint accelerations, rad/s² or m/s²; only those of prescribed joints are looked at.
        prescribed: Names of the joints whose accelerations are given; with loops or gears, such with one
            coordinate, not more than there are freedoms. By default those that the mechanism's drivers move.
        method: "aba" (RBDA tables 9.2-9.3), "crba" (§9.1, table 9.1), or "auto" for the first. With loops or
            gears there is one way, from the whole equation of motion, in numbers.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        tau, qdd: (nv,) each, complete, of the inputs' scalar type; tau is that of the actuators.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> tau, qdd = wt.hybrid_dynamics(m, [0.0, 0.2], [0.0, 0.0], [0.0, 0.0], [2.0, 0.0], ["cart"])
    >>> tau.round(3), qdd.round(3)
    (array([4.992, 0.   ]), array([2.   , 0.017]))
    """
    prescribed = _driven_joints(m) if prescribed is None else prescribed
    if not isinstance(method, str) or method not in ("auto", *HYBRID):
        raise InputError(f"method is {method!r}: give one of {', '.join(['auto', *HYBRID])}")
    if m.loops or m.gears:
        if method != "auto":
            raise ModelError(
                f"hybrid_dynamics: method {method!r} is for trees, and {m.name!r} has loops or gears: "
                "leave it out"
            )
        return _closed_hybrid(m, q, qd, tau, qdd, prescribed, f_ext)
    function = HYBRID["aba" if method == "auto" else method]
    own, forces = with_own_forces(m, q, qd, np.zeros(m.nv), f_ext)
    found, qdd = function(m, q, qd, tau + own, qdd, prescribed, forces)
    return found - own, qdd


def _driven_joints(m: Mechanism) -> list[str]:
    """Names of the joints that drivers move; InputError if there are none, or others than the tree's."""
    if not m.drivers:
        raise InputError(f"hybrid_dynamics: {m.name!r} has no drivers: give prescribed, names of joints")
    for driver in m.drivers:
        if not m.has("joint", driver.joint):
            raise InputError(
                f"hybrid_dynamics: driver {driver.name!r} drives no joint of the tree: give prescribed"
            )
    return [driver.joint for driver in m.drivers]


def _closed_hybrid(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    qdd: Array,
    prescribed: Sequence[str],
    f_ext: Array | None,
) -> tuple[Array, Array]:
    """The same with loops or gears, which the prescribed joints must not contradict."""
    check_gears(m, {"q": q}, {"qd": qd})
    check_closed(m, q, qd)
    numbers = joint_numbers(m, prescribed, "prescribed")
    driven = [driven_coordinate(m, m.bodies[i].joint_name) for i in numbers]
    given = [m.v_index[coordinate.number].start for coordinate in driven]
    free = np.array(tau, dtype=float)
    free[given] = 0.0
    terms = driven_terms(m, q, qd, free, f_ext, driven=driven)
    found, u = driven_motion(terms, qdd[given])
    wrong = np.abs(found[given] - qdd[given])
    if np.any(wrong > 1e-6 * (1.0 + np.abs(qdd[given]))):
        k = int(np.argmax(wrong))
        raise InputError(
            f"hybrid_dynamics: joint {prescribed[k]!r} cannot accelerate by {qdd[given][k]:.6g} with the "
            f"others: loops and gears of {m.name!r} leave it {found[given][k]:.6g}. Prescribe fewer joints"
        )
    free[given] = u
    return free, found


@checked
def inverse_dynamics(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_ext: Array | None = None,
    actuated: Sequence[str] | None = None,
) -> Array:
    """Forces of the actuators that cause given accelerations, loops and gears respected.

    What the mechanism's own springs, dampers, friction, stops and loads do, actuators need not: see
    `forward_dynamics`. RBDA table 5.1; with loops or gears eq 8.62-8.63. Loops and gears leave a choice of
    forces. By default those returned are zero on driven joints of gears, as if every motor sat at the head
    of its gears, and of least norm over the joints of loops. With `actuated` only the named joints carry a
    force; if they are more than are needed, theirs is of least norm. With loops it chooses by numbers and
    does not compile; `kinematics` has the forces of a whole motion at once.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        qdd: (nv,) joint accelerations, rad/s² or m/s², that loops and gears allow.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        actuated: Names of the joints with motors, loop joints among them; all of the tree by default.
            `actuation` tells whether they are too few or more than enough.

    Returns:
        (nv,) joint forces, N m or N, of the inputs' scalar type if there are no loops. The motor of a loop
        joint has no entry: its force is there as what has the same effect (`loop_joint_force`), and by itself
        in `motor_forces`.

    Raises:
        SolverError: The actuated joints cannot cause these accelerations.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.inverse_dynamics(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([7.867, 3.519])
    >>> m = wt.examples.load("four-bar")
    >>> zero = [0.0, 0.0, 0.0]
    >>> wt.inverse_dynamics(m, m.neutral(), zero, zero, actuated=["crank"]).round(3)
    array([0.92, 0.  , 0.  ])
    """
    check_gears(m, {"q": q}, {"qd": qd, "qdd": qdd})
    if m.loops or actuated is not None:
        check_closed(m, q, qd, qdd)
        return closed_inverse_dynamics(m, q, qd, qdd, f_ext, actuated)
    if not m.gears:
        own, forces = with_own_forces(m, q, qd, np.zeros(m.nv), f_ext)
        return dynamics.rnea(m, q, qd, qdd, forces) - own
    return geared_inverse_dynamics(m, q, qd, qdd, f_ext)
