"""What the calls in `property/good_calls.txt` may name: made once if it takes long, else anew."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import whippletree as wt
from bad_call_names import MADE, touch
from whippletree.io.toml.toml_write import dumps


@cache
def pendulum() -> wt.Mechanism:
    return wt.examples.load("double-pendulum")


@cache
def four_bar() -> wt.Mechanism:
    return wt.examples.load("four-bar")


@cache
def linear() -> wt.LinearModel:
    return wt.linearize(pendulum(), np.zeros(2))


@cache
def run() -> wt.Trajectory:
    return wt.simulate(pendulum(), [0.3, 0.5], duration=0.05, method="rk4", dt=0.01)


@cache
def measured() -> wt.MeasuredMotion:
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 40, 2))
    forces = [wt.rnea(pendulum(), *state) for state in zip(q, qd, qdd, strict=True)]
    return wt.MeasuredMotion(q, qd, qdd, np.array(forces))


def graph() -> wt.Graph:
    g = wt.Graph("one link")
    g.add_body("link", wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)))
    g.add_joint("pin", wt.Revolute("z"), "ground", "link")
    return g


def wheels() -> wt.Mechanism:
    m = wt.Mechanism("wheels")
    for name in ("one", "two", "three"):
        m.add_body(name, wt.Revolute("z"), inertia=wt.Inertia(1.0, (0, 0, 0), (0.1, 0.1, 0.2)))
    return m


def soft() -> wt.Mechanism:
    m = touch()
    m.change("landing", stiffness=1e4, damping=20.0)
    return m


def own(m: wt.Mechanism, q: np.ndarray) -> np.ndarray:
    return q


NAMED: dict[str, Callable[[], Any]] = MADE | {
    "m": lambda: pendulum().copy(),
    "four": lambda: four_bar().copy(),
    "four_q": cache(lambda: wt.assemble(four_bar(), four_bar().neutral())),
    "geared3": wheels,
    "soft": soft,
    "graph": graph,
    "run": run,
    "k": cache(lambda: wt.compile(wt.aba, pendulum())),
    "driven": cache(lambda: wt.kinematics(four_bar(), {"crank": 1.0}, [0.0, 0.1])),
    "modes": cache(lambda: wt.modes(pendulum(), np.zeros(2))),
    "linear": linear,
    "regulator": cache(lambda: wt.lqr(linear(), np.eye(4), np.eye(2))),
    "reached": cache(lambda: wt.inverse_kinematics(pendulum(), {"tip": (0.1, 0.0, 0.3)}, starts=1)),
    "scaling": cache(lambda: wt.scaling("chain", (3, 4, 5, 6, 7, 8), ["aba"])),
    "equations": cache(lambda: wt.symbolic_equations(pendulum())),
    "excitation": cache(lambda: wt.exciting_trajectory(pendulum(), 1.0, 1)),
    "measured": measured,
    "convention": lambda: wt.Convention("pinocchio", pendulum()),
    "dumped": cache(lambda: dumps(pendulum())),
    "own": lambda: own,
}


class GoodNames(dict[str, Any]):
    """The names of one call; files are written into the folder `here`."""

    def __init__(self, here: Path) -> None:
        super().__init__(here=here)
        self.here = here

    def __missing__(self, name: str) -> Any:
        if name == "saved":
            wt.save(pendulum(), self.here / "m.toml")
            self[name] = self.here / "m.toml"
        elif name == "saved_graph":
            wt.save(graph(), self.here / "g.toml")
            self[name] = self.here / "g.toml"
        elif name == "saved_run":
            run().save(self.here / "r.npz")
            self[name] = self.here / "r.npz"
        elif name in NAMED:
            self[name] = NAMED[name]()
        else:
            raise KeyError(name)
        return self[name]
