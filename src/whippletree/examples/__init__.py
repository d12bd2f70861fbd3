"""Bundled mechanisms, loadable by name."""

from collections.abc import Callable

from ..errors import InputError
from ..joints import Prismatic, Revolute
from ..mechanism import Mechanism
from ..spatial import Inertia, Placement

# A thin rod of 1 kg and 1 m that hangs down from its joint.
_ROD = Inertia(mass=1.0, com=(0.0, 0.0, -0.5), about_com=(1 / 12, 1 / 12, 0.0))


def _pendulum() -> Mechanism:
    m = Mechanism("pendulum")
    m.add_body("rod", Revolute("y"), inertia=_ROD)
    m.add_frame("tip", "rod", Placement((0.0, 0.0, -1.0)))
    return m


def _double_pendulum() -> Mechanism:
    m = Mechanism("double-pendulum")
    m.add_body("upper", Revolute("y"), inertia=_ROD)
    m.add_body("lower", Revolute("y"), parent="upper", placement=Placement((0.0, 0.0, -1.0)), inertia=_ROD)
    m.add_frame("tip", "lower", Placement((0.0, 0.0, -1.0)))
    return m


def _cart_pole() -> Mechanism:
    m = Mechanism("cart-pole")
    m.add_body("cart", Prismatic("x"), inertia=Inertia(mass=1.5, about_com=(0.02, 0.05, 0.06)))
    m.add_body("pole", Revolute("y"), parent="cart", inertia=_ROD)
    m.add_frame("tip", "pole", Placement((0.0, 0.0, -1.0)))
    return m


_BUILDERS: dict[str, Callable[[], Mechanism]] = {
    "cart-pole": _cart_pole,
    "double-pendulum": _double_pendulum,
    "pendulum": _pendulum,
}


def names() -> list[str]:
    """Names of the bundled mechanisms.

    >>> "pendulum" in names()
    True
    """
    return sorted(_BUILDERS)


def load(name: str) -> Mechanism:
    """A bundled mechanism by name, new at every call.

    >>> load("double-pendulum").nv
    2
    """
    if name not in _BUILDERS:
        raise InputError(f"no example named {name!r}; known: {', '.join(names())}")
    return _BUILDERS[name]()
