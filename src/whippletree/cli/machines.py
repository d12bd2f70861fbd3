"""The commands `kinematics`, `equilibrium` and `modes`: a machine that is driven, at rest, or swings."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from ..analysis.driven_kinematics import DrivenMotion
from ..analysis.driven_kinematics import kinematics as driven_kinematics
from ..analysis.equilibrium import Equilibrium
from ..analysis.equilibrium import equilibrium as found_equilibrium
from ..analysis.modes import Modes
from ..analysis.modes import modes as found_modes
from ..display.animation import MOVIES
from ..display.plots import PICTURES
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..spatial import Array
from . import simulate as cli_simulate
from . import source as cli_source
from .options import AsJson, Drive, Floating, Guess, Source, one_line_errors, writable
from .printing import as_table, console_here, print_json

PUSHED = {
    "stable": "stable",
    "unstable": "and falls away if pushed",
    "indifferent": "and goes on as it is pushed",
}
"""What a mechanism does at each kind of rest."""

SHAPE = 4
"""Joints of a mode that are named, those that move most."""


def kinematics(
    source: Source,
    drive: Drive = None,
    duration: Annotated[
        float | None, typer.Option(help="How long, in s; by default one turn of the first --drive, or 1 s.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Into how many steps it is divided.")] = 360,
    q0: Guess = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a picture, paths of frames included: .png, .svg or .pdf.")
    ] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a moving picture: .gif or .mp4.")] = None,
    floating: Floating = False,
    as_json: AsJson = False,
) -> None:
    """Move a mechanism by its drivers, all freedoms prescribed, and tell what that takes."""
    with one_line_errors():
        m = cli_source.load(source, floating)
        speeds = cli_simulate.speeds(drive)
        if not speeds and not m.drivers:
            raise InputError(
                f"--drive is missing: name joints and speeds, as --drive {m.joint_names[0]}=6.28"
            )
        for path, kinds in ((plot, PICTURES), (gif, MOVIES)):
            if path is not None:
                writable(path, kinds)
        end = duration or _one_turn(m, speeds)
        motion = driven_kinematics(
            m, speeds or None, np.linspace(0.0, end, steps + 1), cli_simulate.position(m, q0)
        )
        told = _motion_told(motion)
        if plot is not None:
            motion.plot(plot)
        if gif is not None:
            motion.animate(gif)
    if as_json:
        print_json(told)
        return
    console = console_here()
    by = drive or ", ".join(motion.drivers)
    console.print(Text(f"{m.name}: {len(motion)} positions in {motion.t[-1]:g} s, driven by {by}"))
    rows = [[name, *(_number(value) for value in joint.values())] for name, joint in told["joints"].items()]
    columns = ["joint", "least [rad or m]", "greatest", "fastest [1/s]"]
    console.print(as_table(columns, rows, numbers=columns[1:]))
    for name, force in told["driving_force"].items():
        console.print(Text(f"  {name} takes {force['least']:.6g} … {force['greatest']:.6g} N m or N"))
    for what in ("dead_centres", "branch_points"):
        for point in told[what]:
            console.print(Text(f"  {what.replace('_', ' ')[:-1]} of {point['joint']} at {point['t']:.6g} s"))
    for path in (plot, gif):
        if path is not None:
            console.print(Text(f"  written {path}"), soft_wrap=True)


def equilibrium(
    source: Source,
    q0: Guess = None,
    hold: Annotated[
        str, typer.Option(help="Joints that keep their positions, as if a brake held them: names, by commas.")
    ] = "",
    floating: Floating = False,
    as_json: AsJson = False,
) -> None:
    """Find where a mechanism rests under gravity, springs and loads, and whether it stays there."""
    with one_line_errors():
        m = cli_source.load(source, floating)
        found = _rest(m, q0, [name for name in hold.replace(",", " ").split() if name])
    if as_json:
        forces = found.constraint_forces.tolist()
        squares = [[float(value.real), float(value.imag)] for value in found.squares.astype(complex)]
        told = {"mechanism": m.name, "q": found.q.tolist(), "stable": found.stable, "squares": squares}
        print_json(told | {"unstable": found.unstable, "constraint_forces": forces})
        return
    console = console_here()
    console.print(Text(f"{m.name} rests, {PUSHED[found.kind]}, at"))
    rows = [[body.joint_name, _numbers(found.q[m.q_index[i]])] for i, body in enumerate(m.bodies)]
    console.print(as_table(["joint", "q [rad or m]"], rows))
    if found.unstable:
        console.print(Text("  --q0 begins elsewhere, and may find another rest, where it stays"))


def modes(
    source: Source,
    q0: Guess = None,
    gif: Annotated[
        Path | None, typer.Option(help="Write a moving picture of the first mode, a second each swing.")
    ] = None,
    floating: Floating = False,
    as_json: AsJson = False,
) -> None:
    """Find where a mechanism rests, and how it swings about that: frequencies, damping, shapes."""
    with one_line_errors():
        m = cli_source.load(source, floating)
        if gif is not None:
            writable(gif, MOVIES)
        rest = _rest(m, q0, [])
        found = found_modes(m, rest.q)
        if gif is not None:
            found.animate(gif)
    if as_json:
        print_json({"mechanism": m.name, "q": rest.q.tolist(), "modes": _modes_told(found)})
        return
    console = console_here()
    console.print(Text(f"{m.name}: {len(found)} modes about its {rest.kind} rest at q = {_numbers(rest.q)}"))
    labels = [label for body in m.bodies for label in _velocity_names(body)]
    rows = []
    for k, shape in enumerate(found.shapes):
        largest = np.argsort(-np.abs(shape), kind="stable")[:SHAPE]
        moving = [f"{labels[j]} {_complex(shape[j])}" for j in largest if abs(shape[j]) > 1e-3]
        rows.append([f"{found.frequency[k]:.6g}", _number(float(found.damping[k])), ", ".join(moving)])
    headings = ["frequency [Hz]", "damping", "what moves most"]
    console.print(as_table(headings, rows, numbers=headings[:2]))
    if gif is not None:
        console.print(Text(f"  written {gif}"), soft_wrap=True)


def _one_turn(m: Mechanism, speeds: dict[str, float] | None) -> float:
    """s: how long the first driver takes for a turn, or a second."""
    for name, speed in (speeds or {}).items():
        return 2.0 * np.pi / abs(speed) if _turns(m, name) and speed else 1.0
    return 1.0


def _rest(m: Mechanism, q0: str | None, hold: list[str]) -> Equilibrium:
    guess = cli_simulate.position(m, q0)
    return found_equilibrium(m, m.neutral() if guess is None else guess, hold=hold)


def _turns(m: Mechanism, name: str) -> bool:
    """Whether a joint of the tree goes round."""
    return m.has("joint", name) and m.bodies[m.joint_number(name)].joint.turns_endlessly


def _motion_told(motion: DrivenMotion) -> dict[str, Any]:
    m = motion.mechanism
    joints = {}
    for i, body in enumerate(m.bodies):
        if body.joint.nq == body.joint.nv == 1:
            q, qd = motion.q[:, m.q_index[i].start], motion.qd[:, m.v_index[i].start]
            joints[body.joint_name] = {**_range(q), "fastest": float(np.nanmax(np.abs(qd)))}
    forces = {name: _range(motion.driving_force[:, k]) for k, name in enumerate(motion.drivers)}
    points = {
        what: [{"t": float(point.t), "joint": point.joint} for point in getattr(motion, what)]
        for what in ("dead_centres", "branch_points")
    }
    return {
        "mechanism": m.name,
        "positions": len(motion),
        "joints": joints,
        "driving_force": forces,
        **points,
    }


def _range(values: Array) -> dict[str, float]:
    return {"least": float(np.nanmin(values)), "greatest": float(np.nanmax(values))}


def _modes_told(found: Modes) -> list[dict[str, Any]]:
    return [
        {
            "eigenvalue": [float(value.real), float(value.imag)],
            "frequency": float(found.frequency[k]),
            "damping": float(found.damping[k]),
            "shape": [[float(entry.real), float(entry.imag)] for entry in found.shapes[k].astype(complex)],
        }
        for k, value in enumerate(found.eigenvalues.astype(complex))
    ]


def _velocity_names(body: Any) -> list[str]:
    many = body.joint.velocity_labels
    return [body.joint_name] if len(many) == 1 else [f"{body.joint_name} {label}" for label in many]


def _numbers(values: Array) -> str:
    return ", ".join(_number(float(value)) for value in values)


def _number(value: float) -> str:
    """What is left of a zero by rounding is shown as one."""
    return f"{value if abs(value) > 1e-12 else 0.0:.6g}"


def _complex(value: Any) -> str:
    """A share of a shape: a number, with an angle where joints do not move in step."""
    turned = float(np.angle(value, deg=True))
    if abs(np.sin(np.angle(value))) < 0.01:
        return f"{np.real(value):.3g}"
    return f"{abs(value):.3g} at {turned:.0f}°"
