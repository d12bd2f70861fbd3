"""Planar linkages with closed loops, in the x-y plane with gravity along -y; most are closed at q = 0."""

import numpy as np

from ..errors import InputError
from ..joints import Prismatic, Revolute
from ..model.mechanism import GROUND, Mechanism
from ..model.values import whole_number
from ..spatial import Inertia, Placement
from .bars import Linkage, Point, block, point_of, thin_rod

DEEPEST = 12
"""Levels of a tree of four-bars, at most."""


def four_bar() -> Mechanism:
    """Crank, coupler and rocker in a closed loop; the crank can turn round."""
    linkage = Linkage("four-bar")
    a, b, c, d = (0.0, 0.0), (0.12, 0.16), (0.72, 0.5), (0.7, 0.0)
    linkage.bar("crank", a, b, mass=0.4)
    linkage.bar("coupler", b, c, parent="crank", mass=1.1)
    linkage.bar("rocker", d, c, mass=0.9)
    linkage.pin("pin", c, "coupler", "rocker")
    return linkage.m


def crank_slider() -> Mechanism:
    """A crank of 0.15 m and a rod of 0.5 m that drives a slider along x, in line with the crank's pivot."""
    linkage = Linkage("crank-slider")
    a, b = (0.0, 0.0), (0.09, 0.12)
    c = (0.09 + np.sqrt(0.5**2 - 0.12**2), 0.0)
    linkage.bar("crank", a, b, mass=0.5)
    linkage.bar("rod", b, c, parent="crank", mass=0.8)
    linkage.body("slider", Prismatic("x"), c, GROUND, block(0.6))
    linkage.pin("pin", c, "rod", "slider")
    return linkage.m


def _quick_return_points() -> tuple[Point, Point, Point, Point, Point]:
    """Where a quick return has the crank's pivot and pin, the rocker's foot and top, and the ram."""
    pivot, crank, tip = (0.0, 0.0), (0.16, 0.12), 1.6
    foot = (0.0, -0.36)
    top = (tip * 0.16, foot[1] + tip * 0.48)
    return pivot, crank, foot, top, (top[0] - np.sqrt(0.4**2 - 0.03**2), top[1] + 0.03)


def quick_return() -> Mechanism:
    """A shaper's drive: a crank turns a slotted rocker, whose tip moves a ram slowly forth and fast back."""
    linkage = Linkage("quick-return")
    pivot, crank, foot, top, ram = _quick_return_points()
    linkage.bar("crank", pivot, crank, mass=0.6)
    linkage.body("block", Revolute("z"), crank, "crank", block(0.2))
    linkage.bar("rocker", foot, top, mass=1.6)
    linkage.bar("link", top, ram, parent="rocker", mass=0.5)
    linkage.body("ram", Prismatic("x"), ram, GROUND, block(2.0))
    linkage.close("slot", Prismatic((0.16, 0.48, 0.0)), crank, "rocker", "block")
    linkage.pin("pin", ram, "link", "ram")
    return linkage.m


def quick_return_rocker() -> Mechanism:
    """The quick return, cut at other joints: all hangs on the rocker, crank and ram are cut off the ground.

    Yu, Mikkola, Pan and Escalona, figure 8: rocker, block, crank, link and ram are bodies 1 to 5, and the
    cuts are the crank's pivot D and the guide of the ram. Bars, masses and the position q = 0 are those of
    "quick-return".
    """
    linkage = Linkage("quick-return-rocker")
    pivot, crank, foot, top, ram = _quick_return_points()
    linkage.bar("rocker", foot, top, mass=1.6)
    linkage.body("block", Prismatic((0.16, 0.48, 0.0)), crank, "rocker", block(0.2))
    linkage.bar("crank", crank, pivot, parent="block", mass=0.6)
    linkage.bar("link", top, ram, parent="rocker", mass=0.5)
    linkage.body("ram", Revolute("z"), ram, "link", block(2.0))
    linkage.pin("pivot", pivot, GROUND, "crank")
    linkage.close("guide", Prismatic("x"), ram, GROUND, "ram")
    return linkage.m


def watt_six_bar() -> Mechanism:
    """Watt's six-bar: two four-bars in series that share a rocker with three pins."""
    linkage = Linkage("watt-six-bar")
    a, b, c, d = (0.0, 0.0), (0.1, 0.2), (0.6, 0.45), (0.55, -0.05)
    e, f, g = (0.85, 0.4), (1.25, 0.5), (1.2, 0.0)
    linkage.bar("crank", a, b, mass=0.4)
    linkage.bar("coupler", b, c, parent="crank", mass=0.9)
    linkage.plate("rocker", (d, c, e), mass=1.2)
    linkage.bar("second-coupler", e, f, parent="rocker", mass=0.7)
    linkage.bar("second-rocker", g, f, mass=0.8)
    linkage.pin("first-pin", c, "coupler", "rocker")
    linkage.pin("second-pin", f, "second-coupler", "second-rocker")
    return linkage.m


def stephenson_six_bar() -> Mechanism:
    """Stephenson's six-bar: a four-bar whose coupler carries a third pin, tied to the ground by two bars."""
    linkage = Linkage("stephenson-six-bar")
    a, b, c, d = (0.0, 0.0), (0.1, 0.2), (0.6, 0.45), (0.65, -0.05)
    e, f, g = (0.3, 0.6), (0.55, 1.0), (1.0, 0.75)
    linkage.bar("crank", a, b, mass=0.4)
    linkage.plate("coupler", (b, c, e), parent="crank", mass=1.0)
    linkage.bar("rocker", d, c, mass=0.8)
    linkage.bar("link", e, f, parent="coupler", mass=0.5)
    linkage.bar("arm", g, f, mass=0.6)
    linkage.pin("first-pin", c, "coupler", "rocker")
    linkage.pin("second-pin", f, "link", "arm")
    return linkage.m


def pantograph() -> Mechanism:
    """A parallelogram of bars that enlarges a drawing two and a half times; two freedoms."""
    linkage = Linkage("pantograph")
    o, a, b = (0.0, 0.0), (0.3, 0.52), (0.75, 1.3)
    p = (1.55, -0.125)
    c = (a[0] + (p[0] - b[0]) * 0.4, a[1] + (p[1] - b[1]) * 0.4)
    d = (b[0] + (p[0] - b[0]) * 0.4, b[1] + (p[1] - b[1]) * 0.4)
    linkage.plate("long-arm", (o, a, b), mass=1.4)
    linkage.bar("short-arm", a, c, parent="long-arm", mass=0.5)
    linkage.plate("pen-arm", (b, d, p), parent="long-arm", mass=1.3)
    linkage.bar("tracer-arm", d, c, parent="pen-arm", mass=0.4)
    linkage.pin("tracer", c, "short-arm", "tracer-arm")
    linkage.m.add_frame("pen", "pen-arm", linkage.at("pen-arm", p))
    return linkage.m


def peaucellier() -> Mechanism:
    """Peaucellier's inversor: seven bars that guide a pin, "pen", along an exact straight line."""
    linkage = Linkage("peaucellier")
    o, a = (0.0, 0.0), (0.3, 0.0)
    angle, arm, side = 0.5, 1.0, 0.45
    p = (a[0] + 0.3 * np.cos(angle), 0.3 * np.sin(angle))
    reach = float(np.hypot(*p))
    along, across = np.array(p) / reach, np.array([-p[1], p[0]]) / reach
    # The corners b and c of the rhombus b p c q stand over the line o p.
    foot = (reach**2 + arm**2 - side**2) / (2.0 * reach)
    height = np.sqrt(arm**2 - foot**2)
    b, c, q = (
        point_of(along * x + across * y)
        for x, y in ((foot, height), (foot, -height), (2 * foot - reach, 0.0))
    )
    linkage.bar("crank", a, p, mass=0.3)
    linkage.bar("upper-arm", o, b, mass=1.0)
    linkage.bar("lower-arm", o, c, mass=1.0)
    linkage.bar("inner-upper", b, p, parent="upper-arm", mass=0.4)
    linkage.bar("inner-lower", c, p, parent="lower-arm", mass=0.4)
    linkage.bar("outer-upper", b, q, parent="upper-arm", mass=0.4)
    linkage.bar("outer-lower", c, q, parent="lower-arm", mass=0.4)
    linkage.pin("inner", p, "crank", "inner-upper")
    linkage.pin("inner-too", p, "crank", "inner-lower")
    linkage.pin("outer", q, "outer-upper", "outer-lower")
    linkage.m.add_frame("pen", "outer-upper", linkage.at("outer-upper", q))
    return linkage.m


def chebyshev_leg() -> Mechanism:
    """Chebyshev's walking leg: a crank moves a foot along a flat stretch forth and through the air back."""
    linkage = Linkage("chebyshev-leg")
    crank, ground, long = 0.2, 0.4, 0.5
    a, d = (0.0, 0.0), (ground, 0.0)
    b = (0.6 * crank, 0.8 * crank)
    # Coupler b c and rocker d c are equally long; the foot is as far beyond c as b is before it.
    mid, reach = np.array([(b[0] + d[0]) / 2, (b[1] + d[1]) / 2]), np.hypot(d[0] - b[0], d[1] - b[1])
    normal = np.array([b[1] - d[1], d[0] - b[0]]) / reach
    c = point_of(mid - normal * np.sqrt(long**2 - (reach / 2) ** 2))
    foot = (2 * c[0] - b[0], 2 * c[1] - b[1])
    linkage.bar("crank", a, b, mass=0.3)
    linkage.bar("leg", b, foot, parent="crank", mass=1.0)
    linkage.bar("rocker", d, c, mass=0.5)
    linkage.pin("pin", c, "leg", "rocker")
    linkage.m.add_frame("foot", "leg", linkage.at("leg", foot))
    return linkage.m


def five_bar() -> Mechanism:
    """Critchley and Anderson's five-bar: three hinged bars, a telescope, and a slide along the ground.

    All bars are thin rods of 1 m and 1 kg along their own x. q1 is counted from the ground's x axis, q2
    and q3 at the tips of bars 1 and 2; bar 3 stands at -π/4 for q3 = 0. Bar 4 telescopes along bar 3
    by q4, and its tip slides along a horizontal line of the ground. The paper starts at rest from
    q = (π/4, π/2, -π/2, 0).
    """
    m = Mechanism("five-bar", gravity=(0.0, -9.81, 0.0))
    rod, tip = thin_rod((0.0, 0.0), (1.0, 0.0), 1.0), Placement((1.0, 0.0, 0.0))
    m.add_body("bar1", Revolute("z"), inertia=rod, joint_name="q1")
    m.add_body("bar2", Revolute("z"), parent="bar1", placement=tip, inertia=rod, joint_name="q2")
    offset = Placement((1.0, 0.0, 0.0), rpy=(0.0, 0.0, -np.pi / 4))
    m.add_body("bar3", Revolute("z"), parent="bar2", placement=offset, inertia=rod, joint_name="q3")
    m.add_body("bar4", Prismatic("x"), parent="bar3", placement=tip, inertia=rod, joint_name="q4")
    start = Placement((2.0, np.sqrt(2.0), 0.0))
    m.add_loop("q5", Prismatic("x"), "ground", "bar4", placement_p=start, placement_s=tip)
    return m


def raised_four_bars() -> Mechanism:
    """Forty four-bars in a row, raised, to fall through the position in which all bars are in line."""
    return four_bars(40, raised=1.1)


def four_bars(windows: int, raised: float = 0.0) -> Mechanism:
    """Four-bars in a row: vertical bars on the ground, each tied to the next by a horizontal coupler.

    The IFToMM benchmark A02. Bars and couplers are thin rods of 1 m and 1 kg along their own x; the
    angle of a bar is counted from the ground's x axis, that of a coupler from its bar. Upright, every
    bar is at π/2 and every coupler at -π/2.

    Args:
        windows: How many four-bars, each sharing a bar with the next.
        raised: The angle above the ground's x axis from which those of the bars are counted instead, rad.
    """
    m = Mechanism("four-bars", gravity=(0.0, -9.81, 0.0))
    rod, tip = thin_rod((0.0, 0.0), (1.0, 0.0), 1.0), Placement((1.0, 0.0, 0.0))
    hinge = Placement((1.0, 0.0, 0.0), rpy=(0.0, 0.0, -raised))
    for i in range(windows + 1):
        foot = Placement((float(i), 0.0, 0.0), rpy=(0.0, 0.0, raised))
        m.add_body(f"bar{i}", Revolute("z"), placement=foot, inertia=rod)
        if i < windows:
            m.add_body(f"coupler{i + 1}", Revolute("z"), parent=f"bar{i}", placement=hinge, inertia=rod)
    for i in range(1, windows + 1):
        m.add_loop(f"pin{i}", Revolute("z"), f"coupler{i}", f"bar{i}", tip, tip)
    return m


def four_bar_tree(levels: int = 3) -> Mechanism:
    """Four-bars hung on four-bars, two on each: 2^levels - 1 loops, each with a base body of its own.

    Closed at q = 0. The first four-bar hangs from the ground, of every other one two bars hang from the
    coupler or from the second bar of the four-bar above.

    Args:
        levels: How many four-bars hang below each other.
    """
    if whole_number(levels, "levels") > DEEPEST:
        raise InputError(f"levels is {levels}, expected {DEEPEST} at most: each doubles the mechanism")
    m = Mechanism("four-bar-tree", gravity=(0.0, -9.81, 0.0))
    rod = Inertia(1.0, (0.5, 0.1, 0.0), (0.01, 0.1, 0.1))
    turns = {"a": -1.0, "b": -1.3}
    pivots = {"a": np.zeros(2), "b": np.array([0.8, 0.1])}
    tips = {bar: pivots[bar] + [np.cos(turn), np.sin(turn)] for bar, turn in turns.items()}
    across = tips["b"] - tips["a"]
    length, turn = float(np.hypot(*across)), float(np.arctan2(across[1], across[0]))
    tip = Placement((1.0, 0.0, 0.0))

    def hang(parent: str, name: str, level: int) -> None:
        for bar, angle in turns.items():
            at = Placement((*point_of(pivots[bar]), 0.0), rpy=(0.0, 0.0, angle))
            m.add_body(f"{name}{bar}", Revolute("z"), parent, at, rod)
        at = tip @ Placement(rpy=(0.0, 0.0, turn - turns["a"]))
        m.add_body(f"{name}c", Revolute("z"), f"{name}a", at, rod)
        m.add_loop(name, Revolute("z"), f"{name}c", f"{name}b", Placement((length, 0.0, 0.0)), tip)
        if level > 1:
            hang(f"{name}c", f"{name}l", level - 1)
            hang(f"{name}b", f"{name}r", level - 1)

    hang(GROUND, "t", levels)
    return m


def andrews_squeezer() -> Mechanism:
    """Andrews' squeezing mechanism: seven bodies, three loops through one point, driven by a motor.

    Hairer & Wanner, Solving Ordinary Differential Equations II, ch. VII.7, and the test set for IVP
    solvers; lengths in m. No gravity. The motor's torque is 0.033 N m on joint "beta". Only the moments
    about z are published; those about x and y are half as large here and play no role.
    """
    m = Mechanism("andrews-squeezer", gravity=(0.0, 0.0, 0.0))
    pivots = {"O": (0.0, 0.0), "B": (-0.03635, 0.03273), "A": (-0.06934, -0.00227)}
    for name, joint, parent, at, mass, com, moment in (
        ("K1", "beta", "ground", pivots["O"], 0.04325, (0.00092, 0.0), 2.194e-6),
        ("K2", "Theta", "K1", (0.007, 0.0), 0.00365, (-0.0115, 0.0), 4.410e-7),
        ("K3", "gamma", "ground", pivots["B"], 0.02373, (0.01043, -0.01874), 5.255e-6),
        ("K5", "delta", "ground", pivots["A"], 0.07050, (0.02308, 0.00916), 1.169e-5),
        ("K4", "Phi", "K5", (0.04, 0.0), 0.00706, (0.0, -0.00579), 5.667e-7),
        ("K7", "epsilon", "ground", pivots["A"], 0.05498, (-0.00449, -0.01228), 1.912e-5),
        ("K6", "Omega", "K7", (0.0, -0.04), 0.00706, (0.00579, 0.0), 5.667e-7),
    ):
        inertia = Inertia(mass, (*com, 0.0), (0.5 * moment, 0.5 * moment, moment))
        m.add_body(name, Revolute("z"), parent, Placement((*at, 0.0)), inertia, joint_name=joint)
    meeting = Placement((-0.028, 0.0, 0.0))
    for body, x, y in (("K3", 0.0, -0.035), ("K4", 0.0, -0.02), ("K6", 0.02, 0.0)):
        m.add_loop(f"E-{body}", Revolute("z"), "K2", body, meeting, Placement((x, y, 0.0)))
    m.add_spring("spring", "ground", (0.014, 0.072, 0.0), "K3", (0.02, -0.018, 0.0), 4530.0, length=0.07785)
    return m
