"""Bundled mechanisms, loadable by name."""

from collections.abc import Callable

from ..errors import InputError
from ..model.fields import meant
from ..model.mechanism import Mechanism
from . import touching_bodies, touching_legs, touching_machines
from .arms import seven_axis_arm, six_axis_arm
from .beginnings import Start as Start
from .gearings import belt_arm, differential, planetary_gear
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
from .machinery import (
    excavator,
    oldham_coupling,
    six_rus,
    spatial_slider_crank,
    spatial_slider_crank_start,
    toggle_press,
    toggle_press_start,
    wishbone_axle,
)
from .parallel import bricard, delta_robot, flyball_governor, linkage_quadruped, stewart_platform
from .pendulums import cart_pole, double_pendulum, furuta_pendulum, pendulum, spherical_pendulum
from .tops import asymmetric_top, spinning_top
from .trees import tutorial_tree
from .vehicles import bicycle, bicycle_start, car
from .walkers import jansen_leg, klann_leg

_BUILDERS: dict[str, Callable[[], Mechanism]] = {
    "andrews-squeezer": andrews_squeezer,
    "asymmetric-top": asymmetric_top,
    "belt-arm": belt_arm,
    "bicycle": bicycle,
    "bouncing-ball": touching_bodies.bouncing_ball,
    "box-on-slope": touching_bodies.box_on_slope,
    "bricard": bricard,
    "cam-and-roller": touching_machines.cam_and_roller,
    "car": car,
    "cart-pole": cart_pole,
    "chebyshev-leg": chebyshev_leg,
    "crank-slider": crank_slider,
    "delta-robot": delta_robot,
    "differential": differential,
    "discs-on-slope": touching_bodies.discs_on_slope,
    "dominoes": touching_machines.dominoes,
    "double-pendulum": double_pendulum,
    "dropped-quadruped": touching_legs.dropped_quadruped,
    "excavator": excavator,
    "falling-rod": touching_bodies.falling_rod,
    "five-bar": five_bar,
    "flyball-governor": flyball_governor,
    "four-bar": four_bar,
    "four-bar-tree": four_bar_tree,
    "four-bars": raised_four_bars,
    "furuta-pendulum": furuta_pendulum,
    "geneva-wheel": touching_machines.geneva_wheel,
    "gripper": touching_machines.gripper,
    "humanoid": humanoid,
    "jansen-leg": jansen_leg,
    "klann-leg": klann_leg,
    "linkage-humanoid": linkage_humanoid,
    "linkage-quadruped": linkage_quadruped,
    "newtons-cradle": touching_bodies.newtons_cradle,
    "oldham-coupling": oldham_coupling,
    "painleve-rod": touching_bodies.painleve_rod,
    "pantograph": pantograph,
    "peaucellier": peaucellier,
    "pendulum": pendulum,
    "planetary-gear": planetary_gear,
    "quadruped": quadruped,
    "quick-return": quick_return,
    "quick-return-rocker": quick_return_rocker,
    "rattleback": touching_bodies.rattleback,
    "rimless-wheel": touching_bodies.rimless_wheel,
    "rocking-block": touching_bodies.rocking_block,
    "seven-axis-arm": seven_axis_arm,
    "simplest-walker": touching_legs.simplest_walker,
    "six-axis-arm": six_axis_arm,
    "six-rus": six_rus,
    "sliding-ladder": touching_bodies.sliding_ladder,
    "spatial-slider-crank": spatial_slider_crank,
    "spherical-pendulum": spherical_pendulum,
    "spinning-top": spinning_top,
    "standing-linkage-quadruped": touching_legs.standing_linkage_quadruped,
    "stephenson-six-bar": stephenson_six_bar,
    "stewart-platform": stewart_platform,
    "toggle-press": toggle_press,
    "trotting-quadruped": touching_legs.trotting_quadruped,
    "tutorial-tree": tutorial_tree,
    "watt-six-bar": watt_six_bar,
    "wishbone-axle": wishbone_axle,
}

_STARTS: dict[str, Callable[[Mechanism], Start]] = {
    "bicycle": bicycle_start,
    "box-on-slope": touching_bodies.box_on_slope_start,
    "cam-and-roller": touching_machines.cam_and_roller_start,
    "dominoes": touching_machines.dominoes_start,
    "dropped-quadruped": touching_legs.dropped_quadruped_start,
    "falling-rod": touching_bodies.falling_rod_start,
    "geneva-wheel": touching_machines.geneva_wheel_start,
    "gripper": touching_machines.gripper_start,
    "newtons-cradle": touching_bodies.newtons_cradle_start,
    "painleve-rod": touching_bodies.painleve_rod_start,
    "rattleback": touching_bodies.rattleback_start,
    "rimless-wheel": touching_bodies.rimless_wheel_start,
    "rocking-block": touching_bodies.rocking_block_start,
    "simplest-walker": touching_legs.simplest_walker_start,
    "spatial-slider-crank": spatial_slider_crank_start,
    "standing-linkage-quadruped": touching_legs.standing_linkage_quadruped_start,
    "toggle-press": toggle_press_start,
    "trotting-quadruped": touching_legs.trotting_quadruped_start,
}


def names() -> list[str]:
    """Names of the bundled mechanisms.

    >>> import whippletree as wt
    >>> "pendulum" in wt.examples.names()
    True
    """
    return sorted(_BUILDERS)


def load(name: str) -> Mechanism:
    """A bundled mechanism by name, new at every call.

    >>> import whippletree as wt
    >>> wt.examples.load("double-pendulum").nv
    2
    """
    return _builder(name)()


def about(name: str) -> str:
    """What a bundled mechanism is, in one line.

    >>> import whippletree as wt
    >>> wt.examples.about("double-pendulum")
    'Two rods of 1 kg and 1 m, one hanging from the other.'
    """
    return (_builder(name).__doc__ or "").partition("\n")[0]


def start(name: str) -> Start:
    """The state from which a bundled mechanism shows what it is for; if it has none, neutral and at rest.

    >>> import whippletree as wt
    >>> m, begin = wt.examples.load("dominoes"), wt.examples.start("dominoes")
    >>> run = wt.simulate(m, begin.q, begin.qd, begin.duration, begin.control, impacts=begin.impacts)
    >>> run.q[-1].round(1)
    array([1.2, 1.2, 1.2, 1.2, 1.3, 1.3, 1.4, 1.6])
    """
    m = load(name)
    return _STARTS[name](m) if name in _STARTS else Start()


def _builder(name: str) -> Callable[[], Mechanism]:
    if not isinstance(name, str) or name not in _BUILDERS:
        raise InputError(f"no example named {name!r}; known: {', '.join(names())}{meant(name, names())}")
    return _BUILDERS[name]
