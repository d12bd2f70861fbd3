"""Equations of motion in as few coordinates as there are freedoms, as an engineer writes them by hand."""

from collections.abc import Callable
from math import asin, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

import whippletree as wt

GRAVITY = 9.81


class Minimal(NamedTuple):
    """A hand-written form of an example.

    Attributes:
        slope: dy/dt at (t, y), as SciPy takes it.
        y0: Where it starts.
        q0, qd0: The same state of the example.
        seen: One number of a state y that is compared, and the same of the example's q.
    """

    slope: Callable[[float, np.ndarray], list[float]]
    y0: list[float]
    q0: np.ndarray
    qd0: np.ndarray
    seen: tuple[Callable[[np.ndarray], float], Callable[[np.ndarray], float]]


def five_bar(m: wt.Mechanism) -> Minimal:
    """By the angle φ of bar 2. Bars 3 and 4 stay level, so that sin q1 + sin φ = √2, and bar 4 at rest."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        phi, rate = y.tolist()
        s, c = sin(phi), cos(phi)
        q1 = asin(sqrt(2.0) - s)
        s1, c1 = sin(q1), cos(q1)
        b = -c / c1  # dq1/dφ
        b_rate = s / c1 - c * s1 * b / c1**2
        across = cos(q1 - phi)
        M = 4.0 / 3.0 * b * b + 1.0 / 3.0 + b * across + (s1 * b + s) ** 2
        M_rate = (
            8.0 / 3.0 * b * b_rate
            + b_rate * across
            - b * sin(q1 - phi) * (b - 1.0)
            + 2.0 * (s1 * b + s) * (c1 * b * b + s1 * b_rate + c)
        )
        return [rate, (GRAVITY * c - 0.5 * M_rate * rate**2) / M]

    q0 = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    return Minimal(
        slope, [0.75 * np.pi, 0.0], q0, np.zeros(m.nv), (lambda y: y[0], lambda q: float(q[0] + q[1]))
    )


def four_bars(m: wt.Mechanism) -> Minimal:
    """By the angle of all bars, which stay parallel; couplers go round without turning."""
    windows, angle = len(m.loops), float(m.bodies[0].placement.rpy[2])
    inertia = (windows + 1) / 3.0 + windows
    pull = GRAVITY * ((windows + 1) / 2.0 + windows)

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [float(y[1]), -pull * cos(y[0]) / inertia]

    q0 = wt.assemble(m, m.neutral())
    return Minimal(slope, [angle, 0.0], q0, np.zeros(m.nv), (lambda y: y[0] - angle, lambda q: float(q[0])))


def spinning_top(m: wt.Mechanism) -> Minimal:
    """By Euler's angles: tilt, turn about the vertical and spin, with both momenta constant (Lagrange)."""
    inertia = m.bodies[0].inertia
    A, C, weight = float(inertia.I[0]), float(inertia.matrix()[2, 2]), float(inertia.h[2]) * GRAVITY
    tilt, spin = 0.5, 60.0
    p_spin = C * spin
    p_turn = p_spin * cos(tilt)

    def slope(t: float, y: np.ndarray) -> list[float]:
        theta, rate = y[0], y[1]
        s, c = sin(theta), cos(theta)
        turn = (p_turn - p_spin * c) / (A * s * s)
        bend = s * (turn * (turn * c - p_spin / A) + weight / A)
        return [rate, bend, turn, p_spin / C - turn * c]

    q0 = np.array([cos(tilt / 2), sin(tilt / 2), 0.0, 0.0])
    seen = (lambda y: cos(y[0]), lambda q: float(1.0 - 2.0 * (q[1] ** 2 + q[2] ** 2)))
    return Minimal(slope, [tilt, 0.0, 0.0, 0.0], q0, np.array([0.0, 0.0, spin]), seen)


MINIMAL = {
    "five-bar": five_bar,
    "four-bars": four_bars,
    "hanging-four-bars": four_bars,
    "spinning-top": spinning_top,
}
