"""Pendulums: the mechanisms every textbook starts with."""

from ..joints import Prismatic, Revolute, Universal
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement

# A thin rod of 1 kg and 1 m that hangs down from its joint.
_ROD = Inertia.rod((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), mass=1.0)
_ROD_END = Placement((0.0, 0.0, -1.0))


def pendulum() -> Mechanism:
    """A rod of 1 kg and 1 m that swings about the y axis."""
    m = Mechanism("pendulum")
    m.add_body("rod", Revolute("y"), inertia=_ROD)
    m.add_frame("tip", "rod", _ROD_END)
    return m


def double_pendulum() -> Mechanism:
    """Two rods of 1 kg and 1 m, one hanging from the other."""
    m = Mechanism("double-pendulum")
    m.add_body("upper", Revolute("y"), inertia=_ROD)
    m.add_body("lower", Revolute("y"), parent="upper", placement=_ROD_END, inertia=_ROD)
    m.add_frame("tip", "lower", _ROD_END)
    return m


def cart_pole() -> Mechanism:
    """A cart on a rail along x with a rod that hangs from it; upright at a pole angle of π."""
    m = Mechanism("cart-pole")
    m.add_body("cart", Prismatic("x"), inertia=Inertia.box((0.5, 0.3, 0.2), mass=1.5))
    m.add_body("pole", Revolute("y"), parent="cart", inertia=_ROD)
    m.add_frame("tip", "pole", _ROD_END)
    return m


def spherical_pendulum() -> Mechanism:
    """A point of 2 kg at the end of 0.8 m without mass, on a universal joint."""
    m = Mechanism("spherical-pendulum")
    m.add_body("bob", Universal("x", "y"), inertia=Inertia(mass=2.0, com=(0.0, 0.0, -0.8)))
    m.add_frame("tip", "bob", Placement((0.0, 0.0, -0.8)))
    return m


def furuta_pendulum() -> Mechanism:
    """A motor turns a horizontal arm about z; a rod hangs from its end and swings about the arm."""
    m = Mechanism("furuta-pendulum")
    arm = Inertia.rod((0.0, 0.0, 0.0), (0.22, 0.0, 0.0), mass=0.25)
    rod = Inertia.rod((0.0, 0.0, 0.0), (0.0, 0.0, -0.34), mass=0.13)
    m.add_body("arm", Revolute("z"), inertia=arm, joint_name="motor", armature=1.2e-3, damping=5e-4)
    m.add_body(
        "rod",
        Revolute("x"),
        parent="arm",
        placement=Placement((0.22, 0.0, 0.0)),
        inertia=rod,
        joint_name="hinge",
    )
    m.add_frame("tip", "rod", Placement((0.0, 0.0, -0.34)))
    return m
