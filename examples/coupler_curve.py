"""A four-bar whose coupler passes through given points: python examples/coupler_curve.py.

The lengths of a four-bar, where its pivots stand, where on the coupler the pen sits and the crank's angle at
every point are unknowns of a least-squares problem. Positions come from assembly of many poses at once, and
their derivatives by lengths and cranks from the implicit function theorem: no differences, no penalties.
"""

from typing import Any

import numpy as np
from scipy.optimize import least_squares

import whippletree as wt
from whippletree.model.parameters import parameter_values, with_parameters

LENGTHS = [
    *("rocker.position.x", "rocker.position.y", "coupler.position.x", "coupler.position.y"),
    *("pin.position_p.x", "pin.position_p.y", "pin.position_s.x", "pin.position_s.y"),
    *("pen.position.x", "pen.position.y"),
]
"""What may change: pivots, links and the pen."""


def linkage() -> wt.Mechanism:
    """The bundled four-bar with a pen on its coupler."""
    m = wt.examples.load("four-bar")
    m.add_frame("pen", "coupler", wt.Placement((0.25, 0.3, 0.0)))
    return m


def pen_path(m: wt.Mechanism, q: np.ndarray) -> np.ndarray:
    """(n, 2) where the pen is in positions q (n, nq), m."""
    return np.asarray(wt.compile(wt.frame_pose, m, frame="pen")(q))[:, :2, 3]


def residuals_and_slopes(
    m: wt.Mechanism, x: np.ndarray, points: np.ndarray, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(2 n,) misses of the pen, m, (2 n, k) their exact derivatives by x, and positions (n, nq)."""
    n, k = len(points), len(LENGTHS)
    changed = with_parameters(m, LENGTHS, x[:k])
    misses, slopes, places = np.zeros((n, 2)), np.zeros((n, 2, k + n)), []
    for i, (point, angle) in enumerate(zip(points, x[k:], strict=True)):
        guess = near[i].copy()
        guess[0] = angle
        q = wt.assemble(changed, guess, hold=["crank"])
        follows = wt.assembly_derivatives(m, q, hold=["crank"], parameters=LENGTHS, values=x[:k])
        J = wt.jacobian(changed, q, "pen", "aligned")[3:5]
        misses[i] = wt.frame_pose(changed, q, "pen")[:2, 3] - point
        slopes[i, :, :k] = J @ follows.parameters + pen_slopes(changed)(q, x[:k])["parameters"]
        slopes[i, :, k + i] = J @ follows.held[:, 0]
        places.append(q)
    return misses.ravel(), slopes.reshape(2 * n, k + n), np.array(places)


def pen_place(m: wt.Mechanism, q: np.ndarray) -> Any:
    """(2,) where the pen is, m."""
    return wt.frame_pose(m, q, "pen")[:2, 3]


_KERNELS: dict[str, wt.Kernel] = {}


def pen_slopes(m: wt.Mechanism) -> wt.Kernel:
    """How the pen moves as lengths change and no joint does; compiled once, as lengths are inputs."""
    if m.name not in _KERNELS:
        _KERNELS[m.name] = wt.derivative(pen_place, m, wrt=("parameters",), parameters=LENGTHS)
    return _KERNELS[m.name]


def fit(points: np.ndarray, start: np.ndarray) -> tuple[wt.Mechanism, float]:
    """A four-bar whose pen passes through points (n, 2), and how far it misses them at most, m.

    Args:
        points: m, in the plane of the linkage.
        start: (n,) angles of the crank at which they should be passed, about, rad.
    """
    m = linkage()
    near = np.array([wt.assemble(m, np.array([angle, 0.0, 0.0]), hold=["crank"]) for angle in start])
    x0 = np.concatenate([parameter_values(m, LENGTHS), start])
    known: dict[bytes, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if x.tobytes() not in known:
            known.clear()
            try:
                known[x.tobytes()] = residuals_and_slopes(m, x, points, near)
            except wt.SolverError:  # lengths that do not close: a step too far, which is taken back
                known[x.tobytes()] = np.full(points.size, 10.0), np.zeros((points.size, len(x))), near
        return known[x.tobytes()]

    # SciPy says itself that jac may be a function, what is written of its types does not.
    jac: Any = lambda x: at(x)[1]  # noqa: E731
    found = least_squares(lambda x: at(x)[0], x0, jac=jac, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    made = with_parameters(m, LENGTHS, found.x[: len(LENGTHS)])
    return made, float(np.max(np.abs(found.fun)))


if __name__ == "__main__":
    wanted = linkage()
    cranks = np.linspace(0.2, 2.2, 6)
    goal = with_parameters(wanted, ["rocker.position.x", "pen.position.y"], np.array([0.74, 0.36]))
    poses = np.array([wt.assemble(goal, np.array([a, 0.0, 0.0]), hold=["crank"]) for a in cranks])
    fitted, miss = fit(pen_path(goal, poses), cranks + 0.05)
    print(f"the pen misses {len(cranks)} points by {miss:.1e} m at most, with")
    for name, value in zip(LENGTHS, parameter_values(fitted, LENGTHS), strict=True):
        print(f"  {name:20} {value:9.5f}")
