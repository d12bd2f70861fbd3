"""Bundled mechanisms, loadable by name."""

from collections.abc import Callable

from ..errors import InputError
from ..model.fields import meant
from ..model.mechanism import Mechanism
from .arms import seven_axis_arm, six_axis_arm
from .legged import humanoid, linkage_humanoid, quadruped
from .linkages import (
    andrews_squeezer,
    chebyshev_leg,
    crank_slider,
    five_bar,
    four_bar,
    four_bar_tree,
    pantograph,
    peaucellier,
    quick_return,
    quick_return_rocker,
    raised_four_bars,
    stephenson_six_bar,
    watt_six_bar,
)
from .parallel import bricard, delta_robot, flyball_governor, linkage_quadruped, stewart_platform
from .pendulums import cart_pole, double_pendulum, furuta_pendulum, pendulum, spherical_pendulum
from .tops import asymmetric_top, spinning_top
from .touching_bodies import bouncing_ball, newtons_cradle, rimless_wheel, rocking_block, sliding_ladder
from .trees import tutorial_tree
from .walkers import jansen_leg

_BUILDERS: dict[str, Callable[[], Mechanism]] = {
    "andrews-squeezer": andrews_squeezer,
    "asymmetric-top": asymmetric_top,
    "bouncing-ball": bouncing_ball,
    "bricard": bricard,
    "cart-pole": cart_pole,
    "chebyshev-leg": chebyshev_leg,
    "crank-slider": crank_slider,
    "delta-robot": delta_robot,
    "double-pendulum": double_pendulum,
    "five-bar": five_bar,
    "flyball-governor": flyball_governor,
    "four-bar": four_bar,
    "four-bar-tree": four_bar_tree,
    "four-bars": raised_four_bars,
    "furuta-pendulum": furuta_pendulum,
    "humanoid": humanoid,
    "jansen-leg": jansen_leg,
    "linkage-humanoid": linkage_humanoid,
    "linkage-quadruped": linkage_quadruped,
    "newtons-cradle": newtons_cradle,
    "pantograph": pantograph,
    "peaucellier": peaucellier,
    "pendulum": pendulum,
    "quadruped": quadruped,
    "quick-return": quick_return,
    "quick-return-rocker": quick_return_rocker,
    "rimless-wheel": rimless_wheel,
    "rocking-block": rocking_block,
    "seven-axis-arm": seven_axis_arm,
    "six-axis-arm": six_axis_arm,
    "sliding-ladder": sliding_ladder,
    "spherical-pendulum": spherical_pendulum,
    "spinning-top": spinning_top,
    "stephenson-six-bar": stephenson_six_bar,
    "stewart-platform": stewart_platform,
    "tutorial-tree": tutorial_tree,
    "watt-six-bar": watt_six_bar,
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
        raise InputError(f"no example named {name!r}; known: {', '.join(names())}{meant(name, names())}")
    return _BUILDERS[name]
