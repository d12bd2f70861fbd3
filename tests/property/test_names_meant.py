"""Names that are not known: the message says which may be meant, and what has the name instead."""

from pathlib import Path

import numpy as np
import pytest

import whippletree as wt

FLANGE = """<robot name="arm"><link name="base"/>
<link name="fore_arm"><inertial><mass value="1.2"/><inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0"
iyz="0"/></inertial></link><link name="flange"/>
<joint name="elbow" type="continuous"><parent link="base"/><child link="fore_arm"/><axis xyz="0 0 1"/></joint>
<joint name="bolt" type="fixed"><parent link="fore_arm"/><child link="flange"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> wt.Mechanism:
    (tmp_path / "arm.urdf").write_text(FLANGE)
    return wt.load(tmp_path / "arm.urdf")


def test_near_names_are_suggested(arm: wt.Mechanism) -> None:
    with pytest.raises(wt.ModelError, match=r"has no body named 'forearm'; .*; did you mean 'fore_arm'\?$"):
        arm.body_number("forearm")
    with pytest.raises(wt.ModelError, match=r"has no joint named 'elbo'; .*; did you mean 'elbow'\?$"):
        arm.joint_number("elbo")
    with pytest.raises(wt.ModelError, match=r"no frame or body named 'Flange'; .*; did you mean 'flange'\?$"):
        wt.jacobian(arm, np.zeros(1), "Flange")
    with pytest.raises(wt.ModelError, match=r"known: ground, fore_arm$"):
        arm.body_number("propeller")


def test_a_link_on_a_fixed_joint_is_called_a_frame(arm: wt.Mechanism) -> None:
    told = r"has no body named 'flange'; known: ground, fore_arm; 'flange' is a frame, on body 'fore_arm'$"
    with pytest.raises(wt.ModelError, match=told):
        arm.body_number("flange")
    with pytest.raises(wt.ModelError, match=told):
        arm.add_spring("s", "ground", (0, 0, 0), "flange", (0, 0, 0), stiffness=1.0, length=0.1)


def test_a_joint_between_two_zeros_is_at_zero():
    q = wt.Limits(0.0, -0.0).within(np.array([3.0]), np.random.default_rng(0))
    assert q.tolist() == [0.0]
