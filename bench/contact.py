"""Contact in rollouts against mujoco.rollout, in turn, in one run: python bench/contact.py [part …].

A quadruped of 12 joints with 4 round feet and the humanoid g1 with 8 points under its soles, both on a free
base and with springs and dampers in their joints: dropped from a few heights, they land. 1,024 trajectories
of 1,000 steps of 1 ms; of MuJoCo, which computes one after the other anyway, fewer, and by each of its
settings, of which the fastest counts. Height and forces at the end are printed beside. One thread each.

The parts are "quadruped", "g1"; "standing": a quadruped with its legs spread, which must neither sink nor
creep, beside MuJoCo's, and a box at rest for a minute; "events": the quadruped dropped in `simulate`, from
event to event with rigid feet, with feet that give way, and in steps, with what each takes and how exact it
is; "trot": one that trots there.
"""

import itertools
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.robots import robot_file

mujoco: Any = import_module("mujoco")
peer_rollout: Any = import_module("mujoco.rollout").rollout

BATCH, STEPS, DT = 1024, 1000, 1e-3
PEER_BATCH = 16
KP, KD, FRICTION = 120.0, 3.0, 0.8
RADIUS = 0.02
ROTOR = 0.01


def quadruped(**properties: float) -> wt.Mechanism:
    """The bundled quadruped with feet."""
    source = wt.examples.load("quadruped")
    angles = {"hip": 0.0, "thigh": 0.75, "shank": -1.5}
    m = _sprung(source, lambda name: angles[name.rpartition("_")[2]])
    for frame in source.frames:
        _add_foot(m, frame.name, frame.body, frame.placement.position, properties)
    return m


def g1(**properties: float) -> wt.Mechanism:
    """The humanoid with four points under each sole."""
    m = _sprung(wt.load(robot_file("g1"), root=wt.Free()), lambda name: 0.0)
    for side, x, y in itertools.product(("left", "right"), (0.12, -0.05), (0.025, -0.025)):
        _add_foot(m, f"{side} {x} {y}", f"{side}_ankle_roll_link", (x, y, -0.03), properties)
    return m


def _sprung(source: wt.Mechanism, rest: Callable[[str], float]) -> wt.Mechanism:
    """The bodies of a robot with springs and dampers in their joints, over a floor."""
    m = wt.Mechanism(source.name, source.gravity)
    for body in source.bodies:
        m.append(body)
        if not body.joint.moves_freely:
            m.change(
                body.name, limits=wt.Limits(), stiffness=KP, damping=KD, friction=0.0, armature=ROTOR,
                rest=(rest(body.name),),
            )  # fmt: skip
    m.add_shape("floor", wt.Plane())
    return m


def _add_foot(m: wt.Mechanism, name: str, body: str, at: Any, properties: dict[str, float]) -> None:
    m.add_shape(name, wt.Sphere(RADIUS), body, wt.Placement(tuple(at)))
    m.add_contact(f"{name} on floor", name, "floor", friction=FRICTION, **properties)


def _angle(body: wt.Body) -> float:
    assert body.rest is not None
    return body.rest[0]


def stance(m: wt.Mechanism) -> np.ndarray:
    q = m.neutral()
    q[7:] = [_angle(body) for body in m.bodies[1:]]
    q[2] -= wt.contact.gaps(m, q).min()
    return q


def peer(m: wt.Mechanism, solver: str, cone: str, integrator: str) -> Any:
    """The same robot for MuJoCo."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep, spec.option.gravity = DT, m.gravity
    spec.option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
    spec.option.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], friction=[FRICTION, 0, 0], condim=3
    )
    places = {"ground": spec.worldbody}
    for body in m.bodies:
        w, x, y, z = body.placement.quaternion
        own = places[body.name] = places[body.parent].add_body(
            name=body.name, pos=body.placement.position, quat=[w, x, y, z]
        )
        own.explicitinertial, own.mass, own.ipos = True, body.inertia.m, body.inertia.com
        about = body.inertia.about_com
        own.fullinertia = [*np.diag(about), about[0, 1], about[0, 2], about[1, 2]]
        if body.joint.moves_freely:
            own.add_freejoint()
            continue
        own.add_joint(
            axis=body.joint.motion_subspace(np.zeros(1))[:3, 0],
            stiffness=[KP, 0, 0],
            damping=[KD, 0, 0],
            springref=_angle(body),
            armature=ROTOR,
        )
    for shape in m.shapes:
        if shape.body != "ground":
            places[shape.body].add_geom(
                size=[RADIUS, 0, 0], pos=shape.placement.position, friction=[FRICTION, 0, 0], condim=3, mass=0
            )
    return spec.compile()


def peer_force(model: Any, state: Any) -> float:
    """The sum of normal forces in a state, N."""
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    mujoco.mj_forward(model, data)
    total, force = 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        total += force[0]
    return total


def measure(robot: Callable[..., wt.Mechanism]) -> None:
    """Print what the contact of a robot takes."""
    soft, hard = robot(stiffness=2e4, damping=150.0), robot()
    points = len(hard.contacts)
    print(f"{hard.name}: {hard.nv} velocities, {points} points")
    rest = stance(hard)
    heights = rest[2] + np.linspace(0.0, 0.1, BATCH)
    q0 = np.repeat(rest[None], BATCH, axis=0)
    q0[:, 2] = heights
    weight = sum(body.inertia.m for body in hard.bodies) * 9.81

    ours: dict[str, Any] = {}
    results: dict[str, tuple[Any, Any]] = {}

    def ran(name: str, m: wt.Mechanism, contacts: Any) -> None:
        out = np.empty((BATCH, 1, m.nq)), np.empty((BATCH, 1, m.nv))
        forces = np.empty((BATCH, 1, points, 3))

        def run() -> None:
            wt.rollout(
                m, q0, np.zeros(m.nv), dt=DT, steps=STEPS, every=STEPS, contacts=contacts,
                contact_forces=forces, out=out, progress=False,
            )  # fmt: skip

        ours[name] = run
        results[name] = out[0], forces

    ran("compliant", soft, "compliant")
    ran("rigid, 5 sweeps", hard, "rigid")
    ran("rigid, 10 sweeps", hard, wt.contact.Rigid(sweeps=10))
    peers: dict[str, Any] = {}
    settings = itertools.product(
        ("NEWTON", "CG", "PGS"), ("PYRAMIDAL", "ELLIPTIC"), ("EULER", "IMPLICITFAST")
    )
    for setting in settings:
        model = peer(hard, *setting)
        data = mujoco.MjData(model)
        full = np.zeros((PEER_BATCH, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        full[:, 1 : 1 + hard.nq] = q0[:: BATCH // PEER_BATCH]
        state = np.empty((PEER_BATCH, STEPS, full.shape[1]))
        peers[" ".join(setting).lower()] = lambda a=(model, data, full, state): peer_rollout(
            *a[:3], nstep=STEPS, state=a[3]
        )
        results[" ".join(setting).lower()] = state, model
    times = best_times({**ours, **peers}, rounds=3)
    micros = {
        name: 1e6 * seconds / (BATCH if name in ours else PEER_BATCH) / STEPS
        for name, seconds in times.items()
    }
    fastest = min(peers, key=lambda name: micros[name])
    for name, value in micros.items():
        if name in ours:
            q, forces = results[name]
            total = forces[:, -1, :, 0].sum(axis=1).mean() / weight
            height = q[:, -1, 2].mean()
        else:
            state, model = results[name]
            height = state[:, -1, 3].mean()
            total = np.mean([peer_force(model, row[-1]) for row in state]) / weight
        ratio = f"{micros[fastest] / value:6.1f}x" if name in ours else ""
        print(
            f"{name:32s} {value:8.3f} µs a step {ratio:8s} height {height:.5f} m, forces / weight {total:.6f}"
        )
    print("the fastest of MuJoCo's settings:", fastest)


SPREAD, SETTLED, STAND = 0.3, 5, 20
"""rad, s, s: how far legs are spread, when the quadruped has settled, and until when it stands."""


def standing() -> None:
    """Print how far a quadruped with its legs spread, which friction holds, sinks and its feet creep."""
    m = quadruped()
    for body in m.bodies[1:]:
        if body.name.endswith("hip"):
            m.change(body.name, rest=(SPREAD if "left" in body.name else -SPREAD,))
    q0, second = stance(m), round(1.0 / DT)
    feet = wt.compile(_feet, m)
    forces = np.empty((STAND, len(m.contacts), 3))
    ours = wt.rollout(
        m, q0, np.zeros(m.nv), dt=DT, steps=STAND * second, every=second, contacts="rigid",
        contact_forces=forces, progress=False,
    )  # fmt: skip
    found: dict[str, tuple[Any, Any]] = {"rigid, 5 sweeps": ours}
    for cone in ("PYRAMIDAL", "ELLIPTIC"):
        model = peer(m, "NEWTON", cone, "EULER")
        full = np.zeros((1, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        full[:, 1 : 1 + m.nq] = q0
        state, _ = peer_rollout(model, mujoco.MjData(model), full, nstep=STAND * second)
        rows = state[0, second - 1 :: second]
        found[f"mujoco, {cone.lower()}"] = rows[:, 1 : 1 + m.nq], rows[:, 1 + m.nq :]
    print(f"{m.name}: stands with its legs spread; from {SETTLED} s to {STAND} s")
    for name, (q, qd) in found.items():
        crept = np.linalg.norm(feet(q[-1]) - feet(q[SETTLED - 1]), axis=1).max()
        sunk, fastest = q[SETTLED - 1, 2] - q[-1, 2], np.abs(qd[-1]).max()
        print(
            f"{name:28s} sinks {sunk:8.1e} m, feet creep {crept:8.1e} m, "
            f"fastest at the end {fastest:.1e} rad/s or m/s, height {q[-1, 2]:.5f} m"
        )
    weight = sum(body.inertia.m for body in m.bodies) * 9.81
    off = np.abs(forces[-1].sum(axis=0) - [weight, 0.0, 0.0]).max() / weight
    print(f"{'':28s} forces are off the weight by {off:.1e} of it")
    box = wt.Mechanism("box")
    box.add_body("box", wt.Free(), inertia=wt.Inertia.box((0.4, 0.3, 0.2), mass=5.0))
    box.add_shape("hull", wt.Box((0.4, 0.3, 0.2)), "box")
    box.add_shape("floor", wt.Plane())
    box.add_contact("rest", "hull", "floor", friction=0.6)
    lies = np.array([0.1, -0.2, 0.1, 1, 0, 0, 0])
    stepped, _ = wt.rollout(
        box, lies, np.zeros(6), dt=DT, steps=60 * second, every=60 * second, contacts="rigid", progress=False
    )
    run = wt.simulate(box, lies, duration=60.0, progress=False)
    drifts = [np.abs(q[-1] - lies).max() for q in (stepped, run.q)]
    print(f"box at rest for 60 s: drifts {drifts[0]:.1e} m in rollout, {drifts[1]:.1e} m in simulate")


def _feet(m: wt.Mechanism, q: Any) -> Any:
    return wt.contact.contact_frames(m, q).point


def trot() -> None:
    """Print what a second of a trot takes from event to event."""
    m, start = wt.examples.load("trotting-quadruped"), wt.examples.start("trotting-quadruped")
    found: list[wt.Trajectory] = []

    def run() -> None:
        found.append(wt.simulate(m, start.q, start.qd, FALL, start.control, progress=False))

    seconds = best_times({"trot": run}, rounds=2)["trot"]
    told = Counter(event.what for event in found[-1].contacts.events)
    what = ", ".join(f"{count} {what}" for what, count in sorted(told.items()))
    print(f"{m.name}: {seconds / FALL:.2f} s a second from event to event, {len(found[-1])} states; {what}")


DROP, FALL = 0.1, 1.0
"""m, s: from how high the quadruped is dropped, and for how long it is watched."""


def events() -> None:
    """Print what a dropped quadruped takes in `simulate`, and how exact it is."""
    hard, soft = quadruped(), quadruped(stiffness=2e4, damping=150.0)
    q = stance(hard)
    q[2] += DROP
    weight = sum(body.inertia.m for body in hard.bodies) * 9.81
    runs = {"rigid, from event to event": hard, "compliant": soft}
    found: dict[str, wt.Trajectory] = {}

    def timed(name: str, m: wt.Mechanism) -> Callable[[], None]:
        def run() -> None:
            found[name] = wt.simulate(m, q, duration=FALL, sample=1e-3, progress=False)

        return run

    times = best_times({name: timed(name, m) for name, m in runs.items()}, rounds=3)
    print(f"{hard.name}: dropped from {DROP} m, {FALL} s")
    for name, seconds in times.items():
        run = found[name]
        touch, told = run.contacts, Counter(event.what for event in run.contacts.events)
        slip = np.linalg.norm(touch.force[..., 1:], axis=-1) - FRICTION * touch.force[..., 0]
        power = run.power + run.external_power - run.lost_power
        work = np.cumsum(np.diff(run.t) * 0.5 * (power[1:] + power[:-1]))
        lost = np.cumsum(touch.impact_loss)[1:]
        drift = np.abs(run.energy[1:] - run.energy[0] - work + lost).max()
        print(
            f"{name:28s} {seconds / FALL:8.2f} s a second, {len(run)} states, {run.method}; "
            f"{', '.join(f'{count} {what}' for what, count in sorted(told.items()))}"
        )
        deepest, beyond = max(0.0, -float(touch.gap.min())), max(0.0, float(slip.max()))
        print(
            f"{'':28s} deepest {deepest:.1e} m, beyond the cone {beyond:.1e} N, energy off by {drift:.1e} J "
            f"of {abs(run.energy[0] - run.energy[-1]):.1f} J by the trapezoidal rule, height "
            f"{run.q[-1, 2]:.5f} m, forces / weight {touch.force[-1, :, 0].sum() / weight:.6f}"
        )
    for h in (1e-3, 1e-4):
        stepped, _ = wt.rollout(
            hard, q, np.zeros(hard.nv), dt=h, steps=round(FALL / h), every=round(FALL / h), contacts="rigid",
            progress=False,
        )  # fmt: skip
        off = np.abs(stepped[-1, :3] - found["rigid, from event to event"].q[-1, :3]).max()
        print(f"rollout in steps of {h:g} s: {off:.1e} m beside the rigid one at the end")


PARTS: dict[str, Callable[[], None]] = {
    "quadruped": lambda: measure(quadruped),
    "g1": lambda: measure(g1),
    "standing": standing,
    "events": events,
    "trot": trot,
}


if __name__ == "__main__":
    print(machine_record())
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
