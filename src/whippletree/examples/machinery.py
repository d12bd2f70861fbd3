"""Machines of the workshop and the road: digging, pressing, steering, coupling, a crank in space."""

import numpy as np

from ..joints import Prismatic, Revolute, Spherical, Universal
from ..model.mechanism import GROUND, Mechanism
from ..spatial import Array, Inertia, Placement, dot
from .bars import Linkage, Point, thin_rod
from .beginnings import Start
from .parallel import pointing, slender_rod, thin_disc

EXCAVATOR: dict[str, Point] = {
    "boom": (0.0, 0.0), "stick": (4.6, 2.4), "bucket": (5.6, 0.0), "teeth": (4.6, -0.9), "lever": (5.45, 0.4),
    "boom foot": (0.6, -0.5), "boom head": (2.4, 2.0), "stick foot": (2.6, 2.9), "stick head": (4.35, 3.1),
    "bucket foot": (4.95, 2.7), "bucket head": (6.0, 0.75), "link": (6.1, 0.2),
}  # fmt: skip
"""Points of the excavator at q = 0, x to the front and y up: m."""


def excavator() -> Mechanism:
    """Boom, stick and bucket of an excavator, each moved by a cylinder; the bucket by a four-bar."""
    p = EXCAVATOR
    linkage = Linkage("excavator")
    linkage.plate("boom", (p["boom"], p["boom head"], p["stick foot"], p["stick"]), mass=1500.0)
    linkage.plate("stick", (p["stick"], p["stick head"], p["bucket foot"], p["bucket"]), "boom", mass=800.0)
    linkage.plate("bucket", (p["bucket"], p["link"], p["teeth"]), "stick", mass=600.0)
    linkage.bar("lever", p["lever"], p["bucket head"], "stick", mass=60.0)
    linkage.bar("link", p["bucket head"], p["link"], "lever", mass=50.0)
    linkage.pin("link-pin", p["link"], "link", "bucket")
    for name, base, moved in (
        ("boom", GROUND, "boom"),
        ("stick", "boom", "stick"),
        ("bucket", "stick", "lever"),
    ):
        _cylinder(linkage, name, p[f"{name} foot"], p[f"{name} head"], base, moved)
    linkage.m.add_frame("teeth", "bucket", linkage.at("bucket", p["teeth"]))
    return linkage.m


def _cylinder(linkage: Linkage, name: str, foot: Point, head: Point, base: str, moved: str) -> None:
    """A hydraulic cylinder from a point of one body to a point of another."""
    way = np.subtract(head, foot)
    axis = (*(way / np.linalg.norm(way)), 0.0)
    inner, half = f"{name}-barrel", (float(foot[0] + 0.5 * way[0]), float(foot[1] + 0.5 * way[1]))
    linkage.body(inner, Revolute("z"), foot, base, thin_rod(foot, half, 80.0))
    linkage.body(f"{name}-piston", Prismatic(axis), head, inner, thin_rod(head, half, 40.0))
    linkage.pin(f"{name}-head", head, f"{name}-piston", moved)


PRESS: dict[str, Point] = {"top": (0.0, 1.0), "knee": (0.15, 0.55), "ram": (0.0, 0.05)}
"""Points of the toggle press at q = 0, y up: m."""


def toggle_press() -> Mechanism:
    """A knee of two bars presses a ram on a spring; a weight hangs on the knee."""
    p = PRESS
    linkage = Linkage("toggle-press")
    linkage.bar("upper", p["top"], p["knee"], mass=2.0)
    linkage.bar("lower", p["knee"], p["ram"], parent="upper", mass=2.5)
    linkage.body("ram", Prismatic("y"), p["ram"], GROUND, Inertia(4.0, about_com=(0.01, 0.01, 0.01)))
    linkage.pin("pin", p["ram"], "lower", "ram")
    linkage.m.change("ram", stiffness=900.0, damping=1.0)
    linkage.m.add_force("weight", frame="lower", force=(-3.0, -20.0, 0.0), reference="aligned")
    return linkage.m


def toggle_press_start(m: Mechanism) -> Start:
    """The knee is pulled out by 0.4 rad of the upper bar, and let go."""
    turn, top, before = 0.4, PRESS["top"], np.subtract(PRESS["ram"], PRESS["knee"])
    x, y = np.subtract(PRESS["knee"], top)
    knee = np.array([np.cos(turn) * x - np.sin(turn) * y, top[1] + np.sin(turn) * x + np.cos(turn) * y])
    ram = np.array([0.0, knee[1] - np.sqrt(dot(before, before) - knee[0] ** 2)])
    turned = np.diff([np.arctan2(way[0], -way[1]) for way in (before, ram - knee)])[0]
    return Start(np.array([turn, turned - turn, ram[1] - PRESS["ram"][1]]), None, 3.0)


def oldham_coupling() -> Mechanism:
    """Oldham's coupling: a disc with a slot on either side ties two parallel shafts that are offset."""
    m = Mechanism("oldham-coupling", gravity=(0.0, 0.0, 0.0))
    shaft = Inertia(2.0, about_com=(0.01, 0.01, 0.004))
    m.add_body("input", Revolute("z"), inertia=shaft)
    m.add_body(
        "disc", Prismatic("x"), "input", Placement((0.012, 0.0, 0.05)), thin_disc(0.06, 0.5, np.zeros(3))
    )
    m.add_body("output", Revolute("z"), placement=Placement((0.012, 0.016, 0.1)), inertia=shaft)
    m.add_loop("slot", Prismatic("y"), "disc", "output", None, Placement((0.0, 0.0, -0.05)))
    return m


CRANK: dict[str, tuple[float, float, float]] = {
    "shaft": (0.0, 0.1, 0.12), "ball": (0.0, 0.1, 0.2), "cross": (0.2, 0.0, 0.0),
}  # fmt: skip
"""Points of the slider-crank in space at q = 0, x along the slider and z up: m."""


def spatial_slider_crank() -> Mechanism:
    """A slider-crank in space: a rod with a ball at the crank and a cross at the slider, in skew planes.

    The benchmark of the IFToMM library, after Haug, Computer Aided Kinematics and Dynamics of Mechanical
    Systems, 1989. The crank starts upright, at q = 0, with 6 rad/s. The cross turns first about the slider's
    way, then about a line across it and the rod.
    """
    p = {name: np.array(point) for name, point in CRANK.items()}
    m = Mechanism("spatial-slider-crank")
    crank = Inertia(0.12, 0.5 * (p["ball"] - p["shaft"]), (1e-4, 1e-4, 1e-5))
    m.add_body("crank", Revolute("x"), placement=Placement(p["shaft"]), inertia=crank)
    m.add_body("slider", Prismatic("x"), placement=Placement(p["cross"]), inertia=Inertia(2.0))
    rod = p["ball"] - p["cross"]
    turn = Placement(rpy=(float(-np.arctan2(rod[1], rod[2])), 0.0, 0.0))  # y across the rod
    along = dot(turn.rotation.T, rod)
    length = float(np.linalg.norm(along))
    moments = 4e-3 * np.eye(3) - 3.6e-3 * np.outer(along, along) / length**2
    m.add_body("rod", Universal("x", "y"), "slider", turn, Inertia(0.5, 0.5 * along, moments))
    m.add_loop("ball", Spherical(), "crank", "rod", Placement(p["ball"] - p["shaft"]), Placement(along))
    return m


def spatial_slider_crank_start(m: Mechanism) -> Start:
    """As the benchmark has it: the crank turns at 6 rad/s and so is fast enough to go round."""
    return Start(m.neutral(), np.array([6.0, 0.24, 1.92, -0.48 * np.sqrt(5.0)]), 5.0)


AXLE: dict[str, tuple[float, float, float]] = {
    "lower axis": (0.0, 0.35, 0.2), "upper axis": (0.0, 0.42, 0.48), "rack": (-0.12, 0.38, 0.26),
    "lower ball": (0.0, 0.72, 0.18), "upper ball": (-0.02, 0.68, 0.45), "tie ball": (-0.13, 0.70, 0.25),
    "hub": (0.0, 0.76, 0.3), "strut": (0.0, 0.45, 0.62),
}  # fmt: skip
"""Points of the axle's left side at q = 0, x to the front, y to the left, z up: m."""


def wishbone_axle() -> Mechanism:
    """One side of a car's front axle: two wishbones carry the knuckle, a tie rod steers it from the rack."""
    p = {name: np.array(point) for name, point in AXLE.items()}
    m = Mechanism("wishbone-axle")
    for side, tilt in (("lower", 0.0), ("upper", 0.06)):
        foot, ball = p[f"{side} axis"], p[f"{side} ball"]
        # The upper wishbone's axis is inclined: the car dives less when it brakes.
        turn = Placement(foot, rpy=(0.0, tilt, 0.0))
        arm = Inertia.rod((0.0, 0.0, 0.0), dot(turn.rotation.T, ball - foot), mass=2.0)
        m.add_body(f"{side}-arm", Revolute("x"), placement=turn, inertia=arm)
    steering = Inertia(3.0, about_com=(0.02, 0.02, 0.02))
    m.add_body("rack", Prismatic("y"), placement=Placement(p["rack"]), inertia=steering)
    knuckle = Inertia(25.0, p["hub"] - p["lower ball"], (0.8, 1.2, 0.8))
    m.add_body("knuckle", Spherical(), "lower-arm", Placement(p["lower ball"] - p["lower axis"]), knuckle)
    length = float(np.linalg.norm(p["tie ball"] - p["rack"]))
    tie = pointing(np.zeros(3), p["tie ball"] - p["rack"])
    m.add_body("tie-rod", Universal("x", "y"), "rack", tie, slender_rod(length, 0.8))
    at_upper = Placement(dot(Placement(rpy=(0.0, 0.06, 0.0)).rotation.T, p["upper ball"] - p["upper axis"]))
    m.add_loop(
        "upper-ball",
        Spherical(),
        "upper-arm",
        "knuckle",
        at_upper,
        Placement(p["upper ball"] - p["lower ball"]),
    )
    at_tie = Placement((0.0, 0.0, length))
    m.add_loop(
        "tie-ball", Spherical(), "tie-rod", "knuckle", at_tie, Placement(p["tie ball"] - p["lower ball"])
    )
    m.add_frame("hub", "knuckle", Placement(p["hub"] - p["lower ball"]))
    strut = 0.7 * (p["lower ball"] - p["lower axis"])
    m.add_spring("strut", GROUND, AXLE["strut"], "lower-arm", tuple(strut), 30_000.0, 2_000.0, 0.42)
    return m


RUS = {"base": 0.35, "crank": 0.12, "platform": 0.2, "height": 0.45}
"""Radii of the joints' circles on the base and on the platform, length of the cranks, and height, m."""


def six_rus() -> Mechanism:
    """A platform on six cranks with motors: 6-RUS, each crank with a rod that ends in a ball."""
    n, m = RUS, Mechanism("six-rus")
    feet, heads, turns = six_rus_points()
    for i, (foot, head, turn) in enumerate(zip(feet, heads, turns, strict=True)):
        at = Placement(foot, rotation=turn)
        m.add_body(f"crank{i}", Revolute("y"), placement=at, inertia=slender_rod(n["crank"], 0.3, axis=0))
        end = np.array([n["crank"], 0.0, 0.0])
        top = dot(turn.T, head - foot)
        rod = slender_rod(float(np.linalg.norm(top - end)), 0.2)
        m.add_body(f"rod{i}", Universal("x", "y"), f"crank{i}", pointing(end, top), rod)
        tip = Placement((0.0, 0.0, float(np.linalg.norm(top - end))))
        if i == 0:
            level = tip @ Placement(rotation=dot(turn, pointing(end, top).rotation).T)
            center = np.array([0.0, 0.0, n["height"]]) - head
            m.add_body("platform", Spherical(), "rod0", level, thin_disc(n["platform"], 2.0, center))
            m.add_frame("tool", "platform", Placement(center))
        else:
            m.add_loop(f"ball{i}", Spherical(), f"rod{i}", "platform", tip, Placement(head - heads[0]))
    return m


def six_rus_points() -> tuple[list[Array], list[Array], list[Array]]:
    """(3,) axles of the motors, balls of the platform, at q = 0, and (3, 3) axes of cranks, y the axle."""
    n = RUS
    base, top = (
        np.deg2rad([15.0, 105.0, 135.0, 225.0, 255.0, 345.0]),
        np.deg2rad([45.0, 75.0, 165.0, 195.0, 285.0, 315.0]),
    )
    feet = [n["base"] * np.array([np.cos(a), np.sin(a), 0.0]) for a in base]
    heads = [np.array([n["platform"] * np.cos(a), n["platform"] * np.sin(a), n["height"]]) for a in top]
    return feet, heads, [Placement(rpy=(0.0, 0.0, float(a))).rotation for a in base]
