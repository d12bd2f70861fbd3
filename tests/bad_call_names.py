"""What the calls in `property/bad_calls` may name: mechanisms, kernels, arrays, files, the command line."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

import whippletree as wt
from whippletree.cli.app import app


class Told(Exception):
    """What the command line has written to standard error, with its exit code."""


def geared() -> wt.Mechanism:
    m = wt.examples.load("double-pendulum")
    m.name = "geared"
    m.add_gear("belt", driver="upper", driven="lower", ratio=-2.0, offset=0.1)
    return m


def geared_loop() -> wt.Mechanism:
    """A four-bar whose crank a motor beside it drives, by a belt."""
    m = wt.examples.load("four-bar")
    m.name = "geared-loop"
    m.add_body("motor", wt.Revolute("z"), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    m.add_gear("belt", driver="motor", driven="crank", ratio=0.5)
    return m


def light() -> wt.Mechanism:
    m = wt.Mechanism("light")
    m.add_body("link", wt.Revolute("z"), inertia=wt.Inertia(1.0))
    return m


def ball() -> wt.Mechanism:
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.1, 0.2, 0.25)))
    return m


@cache
def kernel(*parameters: str) -> wt.Kernel:
    return wt.compile(wt.aba, wt.examples.load("double-pendulum"), parameters=parameters)


@cache
def run() -> wt.Trajectory:
    return wt.simulate(wt.examples.load("double-pendulum"), [0.3, 0.5], duration=0.05, method="rk4", dt=0.01)


def readonly() -> np.ndarray:
    array = np.zeros(2)
    array.flags.writeable = False
    return array


def touch() -> wt.Mechanism:
    """A ball above the floor, which it may touch."""
    m = ball()
    m.name = "touch"
    m.add_shape("skin", wt.Sphere(0.1), body="ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("landing", "skin", "floor", friction=0.4)
    return m


MADE: dict[str, Callable[[], Any]] = {
    "m": lambda: wt.examples.load("double-pendulum"),
    "four": lambda: wt.examples.load("four-bar"),
    "rocker": lambda: wt.examples.load("quick-return-rocker"),
    "sr": lambda: wt.formulations.semi_recursive,
    "ball": ball,
    "touch": touch,
    "at": lambda: np.array([0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0]),
    "v": lambda: np.zeros(6),
    "geared": geared,
    "geared_loop": geared_loop,
    "light": light,
    "I": lambda: wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)),
    "k": kernel,
    "kp": lambda: kernel("lower.mass"),
    "run": run,
    "masked": lambda: np.ma.masked_array([0.1, 0.2, 0.3], [True, False, False]),
    "masked2": lambda: np.ma.masked_array([0.1, 0.2], [True, False]),
    "readonly": readonly,
}
"""Made anew for every call that names them, as a call may change what it is given."""


class Names(dict[str, Any]):
    """The names of one call; files are written into the folder `here`."""

    def __init__(self, here: Path) -> None:
        super().__init__(here=here, file=self.file, cli=self.cli)
        self.here = here

    def __missing__(self, name: str) -> Any:
        if name not in MADE:
            raise KeyError(name)
        self[name] = MADE[name]()
        return self[name]

    def file(self, name: str, text: str) -> Path:
        path = self.here / name
        path.write_text(text, encoding="utf-8")
        return path

    def cli(self, *arguments: object) -> None:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="whippletree")
        if result.exit_code:
            raise Told(f"exit {result.exit_code}: {result.stderr.strip()}")


GLOBALS: dict[str, Any] = {
    "wt": wt,
    "np": np,
    "nan": float("nan"),
    "inf": float("inf"),
    "z": np.zeros(2),
    "z3": np.zeros(3),
    "replace": replace,
}
