"""The scripts in `examples/` run and do what they say."""

import runpy
from pathlib import Path

import numpy as np

import whippletree as wt
from whippletree.model.parameters import with_parameters

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_mppi_swings_the_pole_up():
    swing_up = runpy.run_path(str(EXAMPLES / "mppi.py"))["swing_up"]
    motion = swing_up(samples=200, horizon=50, steps=160)
    assert np.all(np.cos(motion[-5:, 1]) < -0.97)


def test_a_coupler_curve_passes_through_its_points():
    script = runpy.run_path(str(EXAMPLES / "coupler_curve.py"))
    cranks = np.array([0.3, 1.0, 1.7])
    goal = with_parameters(
        script["linkage"](), ["rocker.position.x", "pen.position.y"], np.array([0.73, 0.34])
    )
    poses = np.array([wt.assemble(goal, np.array([a, 0.0, 0.0]), hold=["crank"]) for a in cranks])
    points = np.array([wt.frame_pose(goal, q, "pen")[:2, 3] for q in poses])
    x = np.concatenate([wt.parameter_values(goal, script["LENGTHS"]), cranks + 0.04])
    exact = script["residuals_and_slopes"](goal, x, points, poses)
    for k in (0, 5, 9, 11):
        step = 1e-6 * np.eye(len(x))[k]
        ends = [script["residuals_and_slopes"](goal, x + s * step, points, poses)[0] for s in (1.0, -1.0)]
        np.testing.assert_allclose(exact[1][:, k], (ends[0] - ends[1]) / 2e-6, rtol=0, atol=1e-8)
    fitted, miss = script["fit"](points, cranks + 0.04)
    assert miss < 1e-10
    assert fitted.loops[0].name == "pin"
