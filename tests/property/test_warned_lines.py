"""Warnings name the line of the user that led to them, however deep inside they come up."""

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whippletree as wt

SOURCE = Path(wt.__file__).parent


def stiff() -> wt.Mechanism:
    m = wt.Mechanism("stiff")
    m.add_body("slide", wt.Prismatic("x"), inertia=wt.Inertia(0.3))
    m.add_spring("s", body_a="ground", point_a=(0, 0, 0), body_b="slide", point_b=(1.3, 0, 0), stiffness=7e6)
    return m


def rubbing() -> wt.Mechanism:
    m = wt.Mechanism("rubbing")
    inertia = wt.Inertia(0.7, (0.0, 0.0, -0.4), np.full(3, 0.1))
    m.add_body("arm", wt.Revolute("y"), inertia=inertia, friction=0.3, limits=wt.Limits(-0.2, 0.2))
    return m


CALLS: dict[str, tuple[type[Warning], Callable[[], Any]]] = {
    "step of simulate": (
        wt.StepLengthWarning,
        lambda: wt.simulate(stiff(), [-1.3], [0.0], 0.01, method="rk4", dt=1e-3),
    ),
    "step of rollout": (wt.StepLengthWarning, lambda: wt.rollout(stiff(), [0.0], [0.0], steps=3, dt=1e-3)),
    "energy": (
        wt.EnergyWarning,
        lambda: wt.simulate(wt.examples.load("quick-return"), duration=1.0, method="euler", dt=1e-3),
    ),
    "dry friction": (wt.DryFrictionWarning, lambda: wt.linearize(rubbing(), np.zeros(1), np.zeros(1))),
    "dry friction of modes": (wt.DryFrictionWarning, lambda: wt.modes(rubbing(), np.zeros(1))),
    "limits of a driven joint": (
        wt.LimitsWarning,
        lambda: wt.kinematics(rubbing(), {"arm": 1.0}, np.linspace(0.0, 1.0, 5)),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_user(name: str) -> None:
    category, call = CALLS[name]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    files = {entry.filename for entry in told if issubclass(entry.category, category)}
    assert files == {__file__}


def test_all_warnings_are_told_by_one_function() -> None:
    """No other place counts by hand how deep it is below the user."""
    callers = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn"):
                callers.add(path.relative_to(SOURCE).as_posix())
    assert callers == {"errors.py"}
