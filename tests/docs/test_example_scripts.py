"""The scripts in `examples/` run and do what they say."""

import runpy
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_mppi_swings_the_pole_up():
    swing_up = runpy.run_path(str(EXAMPLES / "mppi.py"))["swing_up"]
    motion = swing_up(samples=200, horizon=50, steps=160)
    assert np.all(np.cos(motion[-5:, 1]) < -0.97)
