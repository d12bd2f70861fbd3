"""A good call of every function that stands behind the door, its arguments found by their names."""

import inspect
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import whippletree as wt
from bad_call_names import touch

Call = tuple[wt.Mechanism, dict[str, Any]]


@cache
def _mechanisms() -> list[tuple[wt.Mechanism, np.ndarray]]:
    """Mechanisms, each at a position, loops closed and gears in mesh."""
    inertia = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    arm = wt.Mechanism("free-arm")
    arm.add_body("base", wt.Free(), inertia=inertia)
    arm.add_body("arm", wt.Revolute("x"), "base", wt.Placement((0.1, 0.2, 0.3)), inertia)
    rigid, soft = touch(), touch()
    soft.change("landing", stiffness=1e4, damping=20.0)
    rng = np.random.default_rng(5)
    found = [(m, m.random(rng)) for m in (wt.examples.load("double-pendulum"), arm)]
    for name in ("four-bar", "quick-return-rocker", "crank-slider"):
        m = wt.examples.load(name)
        found.append((m, wt.assemble(m, m.neutral())))
    belt = wt.examples.load("belt-arm")
    found.append((belt, wt.gear_positions(belt, np.full(belt.nq - len(belt.gears), 0.3))))
    above = np.array([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0])
    return [*found, (rigid, above), (soft, above - np.array([0, 0, 1e-3, 0, 0, 0, 0]))]


def _given(m: wt.Mechanism, q: np.ndarray, function: Callable[..., Any]) -> dict[str, Any]:
    """Good values of all arguments that this function has, by name."""
    rng, n, wanted = np.random.default_rng(7), len(m), inspect.signature(function).parameters
    joint, last = m.joint_names[0], m.bodies[-1].name
    reduction, semi = wt.formulations.reduction, wt.formulations.semi_recursive
    found: dict[str, Any] = {
        **{name: rng.normal(size=m.nv) for name in ("qd", "qdd", "tau", "x")},
        **{name: rng.normal(size=(n, 6)) for name in ("f_ext", "c", "cdot")},
        **{name: rng.normal(size=6) for name in ("v", "impulse")},
        **{name: [joint] for name in ("hold", "prescribed", "actuated", "inputs")},
        **dict.fromkeys(("tolerance", "damping", "gap_tolerance", "rate_tolerance"), 1e-09),
        **dict.fromkeys(("frame", "body"), last),
        **{name: [last] for name in ("frames", "outputs", "bodies")},
        **dict.fromkeys(("q", "q_guess"), q),
        "qdd_joints": rng.normal(size=max(m.nv - 6, 0)),
        "y": rng.normal(size=m.nq - len(m.gears)),
        "reference": "world",
        "stabilization": 0.1,
        "method": "auto",
        "how": wt.contact.Compliant(),
        "values": [0.5],
        "parameters": [f"{last}.mass"],
        "parameter": f"{last}.mass",
        "wrenches": {last: rng.normal(size=6)},
        "neighbours": False,
        "forces": rng.normal(size=(1, 3)),
        "h": 1e-3,
        "law": "poisson",
        "drive": {joint: 1.0},
        "t": [0.0, 0.1],
        "terms": 1000,
        "position": np.array([0.3]),
        "rate": np.array([0.2]),
        "closure": wt.loops.Closure(
            lambda y: np.array([y[0], -y[0]]),
            lambda y: np.array([[1.0], [-1.0]]),
            lambda y, yd: np.zeros(2),
        ),
    }
    links = ("v_links", "w_links", "f_links", "tau_links", "points", "body_torques", "joint_torques")
    found |= {name: rng.normal(size=(n, 3)) for name in links}
    if m.loops:
        found["loop"], found["force"] = m.loops[0].name, rng.normal(size=m.loops[0].joint.nv)
    if m.contacts:
        found["state"] = wt.contact.patches_at_rest(m)
    made: dict[str, Callable[[], Any]] = {
        "coordinates": lambda: semi.planar_coordinates(m, q),
        "poses": lambda: semi.spatial_coordinates(m, q),
        "rows": lambda: [0] if m.contacts else wt.method_choice(m, q, "augmented")["rows"],
        "pivots": lambda: _choice(m, q, "clusters" if "cluster" in function.__name__ else "projection")[
            "pivots"
        ],
        "choice": lambda: _choice(m, q, function.__name__)["choice"],
        "reduction": lambda: wt.loops.choose_reduction(m, q),
        "dependents": lambda: (
            reduction.gcl_dependents if "gcl" in function.__name__ else reduction.rcr_dependents
        )(m, q),
        "names": lambda: [name for names in reduction.rcr_dependents(m, q).names(m) for name in names],
        "independent": lambda: list(
            (semi.planar_partition if "planar" in function.__name__ else semi.spatial_partition)(
                m, q
            ).independent
        ),
    }
    found |= {name: make() for name, make in made.items() if name in wanted}
    if function.__name__ == "modes":
        found["tau"] = wt.gravity_force(m, q)  # which holds it there
    return found


def _choice(m: wt.Mechanism, q: np.ndarray, method: str) -> dict[str, Any]:
    return wt.method_choice(m, q, method)


@cache
def good_call(function: Callable[..., Any]) -> Call:
    """A mechanism and arguments with which a function behind the door does its work."""
    wanted = {
        name: argument
        for name, argument in inspect.signature(function).parameters.items()
        if name != "m" and argument.kind is not argument.VAR_KEYWORD
    }
    errors = []
    for whole in (True, False):  # all arguments at best, else those that must be there
        for m, q in _mechanisms():
            try:
                given = _given(m, q, function)
                arguments = {name: given[name] for name in wanted if name in given}
                if whole and len(arguments) < len(wanted):
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(m, **arguments)
            except (wt.WhippletreeError, TypeError, KeyError) as error:
                errors.append(f"{m.name}: {error}")
            else:
                return m, arguments
    raise AssertionError(f"no good call of {function.__name__}: {errors}")
