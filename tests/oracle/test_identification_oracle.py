"""Regressors and base parameters against Pinocchio, and their count in the literature."""

import numpy as np

import whippletree as wt
from pinocchio_cases import pin
from robots import HOME

PATH = HOME / "ur_description/urdf/ur5_robot.urdf"


def test_the_regressor_is_that_of_pinocchio() -> None:
    m, rng = wt.load(PATH), np.random.default_rng(2)
    model = pin.buildModelFromUrdf(str(PATH))
    data = model.createData()
    for _ in range(3):
        q, qd, qdd = rng.normal(size=(3, 6))
        expected = pin.computeJointTorqueRegressor(model, data, q, qd, qdd)
        found = wt.regressor(m, q, qd, qdd).reshape(6, 6, 13)[:, :, :10].reshape(6, 60)
        assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()


def test_six_revolute_joints_have_thirty_six_base_parameters() -> None:
    """Mayeda, Yoshida & Osuka 1990: 7 n - 4, and two less where the first axis is along gravity."""
    m, rng = wt.load(PATH), np.random.default_rng(3)
    model = pin.buildModelFromUrdf(str(PATH))
    data = model.createData()
    rows = [pin.computeJointTorqueRegressor(model, data, *rng.normal(size=(3, 6))) for _ in range(60)]
    known = [name for name in wt.regressor_names(m) if name.endswith(("armature", "damping", "friction"))]
    base = wt.base_parameters(m, known=known)
    assert len(base) == np.linalg.matrix_rank(np.concatenate(rows), rtol=1e-9) == 7 * 6 - 4 - 2
    m.gravity = (3.0, -4.0, 8.0)
    assert len(wt.base_parameters(m, known=known)) == 7 * 6 - 4
