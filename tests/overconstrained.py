"""Loops with more constraints than their motion needs."""

import numpy as np

import whippletree as wt


def bennett(wrong: float = 0.0) -> tuple[wt.Mechanism, np.ndarray]:
    """Four hinges in space that move as sin α / a = sin β / b, and a position; `wrong` rad spoils it."""
    a, alpha, beta = 0.4, 0.6, 1.1
    b = a * np.sin(beta) / np.sin(alpha)
    m = wt.Mechanism("bennett", gravity=(0.7, -1.2, -9.0))
    rod = wt.Inertia(1.3, (0.2, 0.05, 0.03), (0.02, 0.05, 0.06))
    m.add_body("one", wt.Revolute("z"), inertia=rod)
    m.add_body("two", wt.Revolute("z"), "one", wt.Placement((a, 0, 0), rpy=(alpha, 0, 0)), rod)
    m.add_body("three", wt.Revolute("z"), "two", wt.Placement((b, 0, 0), rpy=(beta, 0, 0)), rod)
    ends = wt.Placement((-b, 0, 0), rpy=(-beta, 0, 0)), wt.Placement((a, 0, 0), rpy=(alpha + wrong, 0, 0))
    m.add_loop("four", wt.Revolute("z"), "ground", "three", *ends)
    # tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β - α)/2), G. T. Bennett, Engineering 76, 1903.
    first = 1.0
    ratio = np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha))
    return m, np.array([first, 2.0 * np.arctan(ratio / np.tan(0.5 * first)), -first])


def sarrus() -> wt.Mechanism:
    """A plate led up and down by two pairs of hinged plates, at right angles to each other."""
    m = wt.Mechanism("sarrus")
    rod = wt.Inertia(1.0, (0.0, 0.0, 0.25), (0.02, 0.02, 0.01))
    lean = 0.5
    m.add_body("a", wt.Revolute("y"), placement=wt.Placement((0.6, 0, 0), rpy=(0, lean, 0)), inertia=rod)
    m.add_body("b", wt.Revolute("y"), "a", wt.Placement((0, 0, 0.5), rpy=(0, -2 * lean, 0)), rod)
    top = wt.Inertia(2.0, (-0.3, 0.1, 0.0), (0.1, 0.1, 0.2))
    m.add_body("top", wt.Revolute("y"), "b", wt.Placement((0, 0, 0.5), rpy=(0, lean, 0)), top)
    m.add_body("c", wt.Revolute("x"), placement=wt.Placement((0, 0.6, 0), rpy=(-lean, 0, 0)), inertia=rod)
    m.add_body("d", wt.Revolute("x"), "c", wt.Placement((0, 0, 0.5), rpy=(2 * lean, 0, 0)), rod)
    ends = wt.Placement((-0.6, 0.6, 0)), wt.Placement((0, 0, 0.5), rpy=(-lean, 0, 0))
    m.add_loop("close", wt.Revolute("x"), "top", "d", *ends)
    return m


def parallelogram(links: int) -> wt.Mechanism:
    """A bar that swings on two or more equal links."""
    m = wt.Mechanism("parallelogram")
    rod = wt.Inertia(1.0, (0.05, 0.2, 0.0), (0.02, 0.01, 0.02))
    for k in range(links):
        m.add_body(f"link{k}", wt.Revolute("z"), placement=wt.Placement((0.4 * k, 0, 0)), inertia=rod)
    bar = wt.Inertia(2.0, (0.3, 0.1, 0.0), (0.1, 0.2, 0.2))
    m.add_body("bar", wt.Revolute("z"), "link0", wt.Placement((0.1, 0.5, 0)), bar)
    for k in range(1, links):
        ends = wt.Placement((0.4 * k, 0, 0)), wt.Placement((0.1, 0.5, 0))
        m.add_loop(f"pin{k}", wt.Revolute("z"), "bar", f"link{k}", *ends)
    return m
