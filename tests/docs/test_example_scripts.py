"""The scripts in `examples/` run and do what they say."""

import runpy
from pathlib import Path

import numpy as np

import whippletree as wt

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_mppi_swings_the_pole_up():
    swing_up = runpy.run_path(str(EXAMPLES / "mppi.py"))["swing_up"]
    motion = swing_up(samples=200, horizon=50, steps=160)
    assert np.all(np.cos(motion[-5:, 1]) < -0.97)


def test_a_double_pendulum_swings_up_and_an_arm_reaches_its_point():
    script = runpy.run_path(str(EXAMPLES / "optimal_control.py"))
    swung = script["double_pendulum"]()
    assert swung.converged
    assert np.abs(swung.u).max() <= 12.0
    np.testing.assert_allclose(swung.q[-1], [np.pi, 0.0], atol=0.05)
    np.testing.assert_allclose(swung.qd[-1], 0.0, atol=0.05)
    m, reached = wt.examples.load("seven-axis-arm"), script["arm"]()
    assert reached.converged
    tool = [wt.frame_pose(m, q, "tool")[:3, 3] for q in (reached.q[0] + 0.4, reached.q[-1])]
    np.testing.assert_allclose(tool[1], tool[0], atol=1e-3)
    np.testing.assert_allclose(reached.qd[-1], 0.0, atol=0.02)
