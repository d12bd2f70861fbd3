"""Bundled mechanisms, loadable by name."""

from collections.abc import Callable

from ..errors import InputError
from ..mechanism import Mechanism
from .arms import seven_axis_arm, six_axis_arm
from .legged import humanoid, quadruped
from .linkages import four_bar
from .pendulums import cart_pole, double_pendulum, furuta_pendulum, pendulum, spherical_pendulum
from .tops import asymmetric_top, spinning_top

_BUILDERS: dict[str, Callable[[], Mechanism]] = {
    "asymmetric-top": asymmetric_top,
    "cart-pole": cart_pole,
    "double-pendulum": double_pendulum,
    "four-bar": four_bar,
    "furuta-pendulum": furuta_pendulum,
    "humanoid": humanoid,
    "pendulum": pendulum,
    "quadruped": quadruped,
    "seven-axis-arm": seven_axis_arm,
    "six-axis-arm": six_axis_arm,
    "spherical-pendulum": spherical_pendulum,
    "spinning-top": spinning_top,
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
    return _builder(name)()


def about(name: str) -> str:
    """What a bundled mechanism is, in one line.

    >>> about("double-pendulum")
    'Two rods of 1 kg and 1 m, one hanging from the other.'
    """
    return (_builder(name).__doc__ or "").partition("\n")[0]


def _builder(name: str) -> Callable[[], Mechanism]:
    if name not in _BUILDERS:
        raise InputError(f"no example named {name!r}; known: {', '.join(names())}")
    return _BUILDERS[name]
