"""Other libraries, set up with the same robot: what they can do in one call, as functions to time."""

import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from .robots import Robot

Calls = dict[str, Callable[[], object]]
Note = Callable[[str], None]

BATCH_FOR_PEERS = 4096
"""States in a batch given to a peer: enough to hide the call, small enough not to take all day."""


def installed(module: str) -> bool:
    """Whether a module can be imported."""
    return find_spec(module) is not None


def peer_calls(robot: Robot, note: Note) -> dict[str, Calls]:
    """What every library that is installed can do with a robot, as "one" state or as a "batch".

    Each call has been tried once. A library may refuse a robot that we take, such as one with inertias that
    no body has, and each does so by errors of its own: note is told, and the others are measured.
    """
    peers = [peer for peer in _PEERS if installed(peer.lower())]
    if peers and robot.urdf is None:
        note(f"{robot.name}: without {', '.join(peers)}, which are given URDF files only")
    if robot.urdf is None:
        return {}
    calls = {}
    for peer in peers:
        try:
            made = _PEERS[peer](robot.urdf, robot.floating)
        except Exception as refusal:
            note(f"{peer} refuses {robot.name}: {one_line(refusal)}")
            continue
        for kind, some in made.items():
            calls[f"{kind} {peer.lower()}"] = _that_work(some, f"{peer} on {robot.name}", note)
    return calls


def _that_work(calls: Calls, what: str, note: Note) -> Calls:
    work = {}
    for algorithm, call in calls.items():
        try:
            call()
            work[algorithm] = call
        except Exception as refusal:
            note(f"{what}, {algorithm}: {one_line(refusal)}")
    return work


def one_line(error: Exception) -> str:
    """What an error says, without breaks."""
    return " ".join(str(error).split()) or type(error).__name__


def pinocchio_calls(path: Path, floating: bool) -> dict[str, Calls]:
    """Pinocchio's functions for one state, and for `BATCH_FOR_PEERS` states on one thread.

    RNEA and ABA have parallel versions in C++, run with one thread; CRBA has none and is called in a
    loop.
    """
    pin: Any = import_module("pinocchio")

    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    data, pool = model.createData(), pin.ModelPool(model, 1)
    rng = np.random.default_rng(0)
    bounds = np.ones(model.nq)
    states = [pin.randomConfiguration(model, -bounds, bounds) for _ in range(BATCH_FOR_PEERS)]
    q = np.asfortranarray(np.array(states).T)
    v, a, out = (np.asfortranarray(rng.normal(size=(model.nv, BATCH_FOR_PEERS))) for _ in range(3))
    q1, v1, a1 = (x[:, 0].copy() for x in (q, v, a))
    single: Calls = {
        "rnea": lambda: pin.rnea(model, data, q1, v1, a1),
        "crba": lambda: pin.crba(model, data, q1),
        "aba": lambda: pin.aba(model, data, q1, v1, a1),
    }

    def crba_loop() -> None:
        for state in states:
            pin.crba(model, data, state)

    batch: Calls = {
        "rnea": lambda: pin.rneaInParallel(1, pool, q, v, a, out),
        "crba": crba_loop,
        "aba": lambda: pin.abaInParallel(1, pool, q, v, a, out),
    }
    return {"one": single, "batch": batch}


def mujoco_calls(path: Path, floating: bool) -> dict[str, Calls]:
    """MuJoCo's functions for one state, constraints off: inverse and forward dynamics, inertia matrix."""
    mujoco: Any = import_module("mujoco")

    spec = mujoco.MjSpec.from_string(without_geometry(path))
    if floating:
        spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(0).normal(size=model.nv)
    mujoco.mj_forward(model, data)
    H, force = np.zeros((model.nv, model.nv)), np.zeros(model.nv)

    def crba() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, H)

    def rnea() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, force)

    return {"one": {"rnea": rnea, "crba": crba, "aba": lambda: mujoco.mj_forward(model, data)}}


def dynibo_calls(path: Path, floating: bool) -> dict[str, Calls]:
    """dynibo's functions for one state, arrays for the results given; it has none for batches.

    It refuses joints that mimic others. To RNEA, CRBA and ABA they are joints like all, here as in
    Pinocchio, so they are given to it without.
    """
    dynibo: Any = import_module("dynibo")

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(etree.tostring(_bare(path, "mimic"), encoding="unicode"))
        robot = (dynibo.FloatingRobot if floating else dynibo.Robot).from_urdf(str(file))
    n, nv = robot.joint_count, robot.generalized_count
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1.0, 1.0, n), rng.normal(size=n), rng.normal(size=n)
    force, out, H = rng.normal(size=nv), np.empty(nv), np.empty(nv * nv)
    base = ()
    if floating:
        turn = rng.normal(size=4)
        pose = dynibo.Pose(rotation_xyzw=tuple(turn / np.linalg.norm(turn)), translation=(0.1, 0.2, 0.3))
        twists = [dynibo.Twist(angular=tuple(x[:3]), linear=tuple(x[3:])) for x in rng.normal(size=(2, 6))]
        base = (dynibo.BaseState(frame=pose, velocity=twists[0], acceleration=twists[1]),)
    single: Calls = {
        "rnea": lambda: robot.inverse_dynamics(*base, q, qd, qdd, out=out),
        "crba": lambda: robot.mass_matrix(*base, q, out=H),
        "aba": lambda: robot.forward_dynamics(*base, q, qd, force, out=out),
    }
    return {"one": single}


_PEERS = {"Pinocchio": pinocchio_calls, "MuJoCo": mujoco_calls, "dynibo": dynibo_calls}


def without_geometry(path: Path) -> str:
    """A URDF file as text without shapes and meshes, which dynamics does not need, for MuJoCo to read."""
    root = _bare(path)
    settings = etree.SubElement(etree.SubElement(root, "mujoco"), "compiler")
    # Links stay apart, and inertias that violate the triangle inequality are mended rather than refused:
    # what a call takes does not depend on it.
    settings.set("fusestatic", "false")
    settings.set("balanceinertia", "true")
    settings.set("discardvisual", "false")
    return etree.tostring(root, encoding="unicode")


def _bare(path: Path, *more: str) -> Any:
    """The root element of a URDF file without what dynamics does not need, and without some more."""
    root: Any = etree.parse(str(path), etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
    for tag in ("visual", "collision", "transmission", "gazebo", "mujoco", *more):
        for element in list(root.iter(tag)):
            element.getparent().remove(element)
    return root
