"""Motions of least cost against crocoddyl, in turn, in one run: python bench/control.py.

An arm without limits moves to a posture and rests there: the same steps (semi-implicit Euler), residuals and
weights in both libraries, from the same guess, the forces that hold it still. Both have to come to the same
cost before anything is timed; then so many iterations of each, problems compiled and built before. The wheel
of crocoddyl 3.2.1 finds wrong accelerations by ABA with Pinocchio 4.1, so it is told armatures of 0, with
which it takes the road over the inertia matrix. Needs crocoddyl.
"""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.robots import robot_file
from whippletree.control.control_input import control_problem
from whippletree.control.ilqr import solve
from whippletree.io.atomic import whole

ROBOTS = ("ur5", "panda")
STEPS, DT = 100, 0.01
AT_REST, FORCE, REACH, END = 0.05, 0.01, 30.0, 1.0
"""Weights: of velocities and of forces in each step, of the posture and of velocities at the end."""
AGREE = 1e-3
"""Share by which the costs of both may differ after all iterations."""


class Case(NamedTuple):
    """A reach in both libraries: functions of a number of iterations, that give the cost."""

    ours: Callable[[int], float]
    theirs: Callable[[int], float]


def reach(name: str) -> Case:
    """The problem of one robot."""
    crocoddyl, pin = import_module("crocoddyl"), import_module("pinocchio")
    file = robot_file(name)
    m, model = wt.load(file), pin.buildModelFromUrdf(str(file))
    m = wt.lock(m, {joint: 0.0 for joint in m.joint_names if "finger" in joint})
    for body in list(m.bodies):  # what crocoddyl leaves out
        m.change(body.name, damping=0.0, friction=0.0, limits=wt.Limits())
    fingers = [j for j in range(1, model.njoints) if "finger" in model.names[j]]
    model = pin.buildReducedModel(model, fingers, pin.neutral(model))
    rng = np.random.default_rng(7)
    q0 = rng.uniform(-1.0, 1.0, m.nv)
    goal = q0 + rng.uniform(-0.6, 0.6, m.nv)
    root, holding = np.sqrt(DT), wt.gravity_force(m, q0)
    u0 = np.tile(holding, (STEPS, 1))

    def stage(q: Any, qd: Any, u: Any) -> Any:
        return np.concatenate([root * AT_REST * qd, root * FORCE * (u - holding)])

    def final(q: Any, qd: Any) -> Any:
        return np.concatenate([REACH * (q - goal), END * qd])

    problem, start, u = control_problem(
        m, q0, np.zeros(m.nv), stage, final, STEPS, DT, None, (-np.inf, np.inf), u0, "euler"
    )

    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)

    def costs(weights: dict[str, tuple[float, Any]]) -> Any:
        total = crocoddyl.CostModelSum(state)
        for key, (weight, cost) in weights.items():
            total.addCost(key, cost, weight)
        return total

    def rest(at: Any, posture: float, speed: float) -> Any:
        weights = np.repeat([posture**2, speed**2], m.nv)
        return crocoddyl.CostModelResidual(
            state,
            crocoddyl.ActivationModelWeightedQuad(weights),
            crocoddyl.ResidualModelState(state, np.concatenate([at, np.zeros(m.nv)])),
        )

    force = crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, holding))

    def model_of(total: Any, step: float) -> Any:
        dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, total)
        dynamics.armature = np.zeros(m.nv)
        return crocoddyl.IntegratedActionModelEuler(dynamics, step)

    running = model_of(costs({"speed": (1.0, rest(q0, 0.0, AT_REST)), "force": (FORCE**2, force)}), DT)
    ending = model_of(costs({"rest": (1.0, rest(goal, REACH, END))}), 0.0)
    shooting = crocoddyl.ShootingProblem(np.concatenate([q0, np.zeros(m.nv)]), [running] * STEPS, ending)
    guess = list(u0)
    motion = shooting.rollout(guess)

    def theirs(iterations: int) -> float:
        solver = crocoddyl.SolverDDP(shooting)
        solver.th_stop = 1e-300  # it takes none that is 0
        solver.solve(motion, guess, iterations, True)
        return solver.cost

    def ours(iterations: int) -> float:
        return float(solve(problem, start, u, iterations, 0.0).costs[-1])

    return Case(ours, theirs)


def main(
    iterations: Annotated[int, typer.Option(help="Of each solver in what is timed.")] = 10,
    rounds: Annotated[int, typer.Option(help="Best of so many.")] = 5,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Print a table of costs and times, and write it as JSON."""
    table = Table("robot", "cost, ours", "crocoddyl", "ms an iteration, ours", "crocoddyl", "times as fast")
    rows = []
    for name in ROBOTS:
        case = reach(name)
        ours, theirs = case.ours(50), case.theirs(50)
        if abs(ours - theirs) > AGREE * abs(theirs):
            raise SystemExit(f"{name}: the costs are {ours:.6g} and {theirs:.6g}")
        times = best_times(
            {"ours": lambda c=case: c.ours(iterations), "theirs": lambda c=case: c.theirs(iterations)}, rounds
        )
        mine, their = (1e3 * times[key] / iterations for key in ("ours", "theirs"))
        rows.append({"robot": name, "cost": [ours, theirs], "ms": [mine, their]})
        table.add_row(
            name, f"{ours:.5g}", f"{theirs:.5g}", f"{mine:.2f}", f"{their:.2f}", f"{their / mine:.2f}"
        )
    Console().print(table)
    if output is not None:
        with whole(output) as file:
            file.write(json.dumps({"machine": machine_record(), "rows": rows}, indent=2).encode())


if __name__ == "__main__":
    typer.run(main)
