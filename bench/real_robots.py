"""Real robots rolled out with defaults against `simulate`: python bench/real_robots.py [name …].

Every URDF file of example-robot-data that loads (names pick those that contain one of them), from its neutral
position, at rest and thrown. `rollout` goes in steps of 1 ms, 0.5 ms and 0.25 ms by its default method, which
is of first order: errors halve with the step, unless they are what no step sees (a throw that friction ends
within one). Ends with an error if a trajectory is not finite or wrong by more than that.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.dynamics.force_laws.joint_law import SLIP_SPEED
from whippletree.model.singular import joint_without_inertia

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import robots  # pyright: ignore[reportMissingImports]  # found by the line above

STEPS = (1e-3, 5e-4, 2.5e-4)
"""s."""

HALF = 0.7
"""Share of an error that half the step may leave; of first order it is a half."""

SPEED = 0.5
"""rad/s or m/s: of a throw."""


def errors(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, seconds: float) -> dict[str, object]:
    """Largest differences of positions at the end, and what was told on the way."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = wt.simulate(m, q, qd, seconds, sample=seconds, progress=False)
        ends = [wt.rollout(m, q, qd, dt=h, steps=round(seconds / h))[0][-1] for h in STEPS]
    return {
        "moved": float(np.max(np.abs(m.difference(q, run.q[-1])), initial=0.0)),
        "errors": [float(np.max(np.abs(m.difference(run.q[-1], end)), initial=0.0)) for end in ends],
        "told": sorted({item.category.__name__ for item in told}),
        "method": run.method,
    }


def fault(row: dict, seconds: float) -> str | None:
    """What is wrong with a trajectory, if anything."""
    first, second, third = row["errors"]
    if not np.all(np.isfinite(row["errors"])):
        return "not finite"
    # Joints that friction holds creep in `simulate`; a throw that friction ends at once ends within a step.
    unseen = 10.0 * SLIP_SPEED * seconds + SPEED * STEPS[0]
    if third > unseen and not (second < HALF * first + unseen and third < HALF * second + unseen):
        return f"errors {first:.2g}, {second:.2g}, {third:.2g} do not halve with the step"
    return None


def main(seconds: float, names: list[str]) -> None:
    """One line a robot and start."""
    rows, wrong, refused = [], [], []
    chosen = [name for name in robots.LOADABLE if not names or any(part in name for part in names)]
    for name in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = wt.load(robots.HOME / name)
        without = joint_without_inertia(m, m.neutral())
        if without is not None:
            print(f"{Path(name).stem[:30]:30} refused: {without.partition(':')[0]}")
            refused.append(name)
            continue
        rng = np.random.default_rng(len(rows))
        G = wt.gear_matrix(m)  # what a gear drives turns with its driver
        thrown = SPEED * (G @ rng.uniform(-1.0, 1.0, G.shape[1]))
        for start, qd in (("rest", np.zeros(m.nv)), ("thrown", thrown)):
            row = {"robot": name, "start": start, "nv": m.nv, **errors(m, m.neutral(), qd, seconds)}
            row["damped"] = any(body.damping or body.friction for body in m.bodies)
            found = fault(row, seconds)
            rows.append(row)
            wrong += [f"{name}, {start}: {found}"] if found else []
            told = " ".join([*row["told"], found or ""])
            shown = " ".join(f"{e:8.2e}" for e in row["errors"])
            print(
                f"{Path(name).stem[:30]:30} {start:6} nv {m.nv:3} {row['method']:6} "
                f"moved {row['moved']:8.2e} errors {shown} {told}",
                flush=True,
            )
    machine = machine_record()
    print(
        f"{len(chosen)} robots, {len(refused)} refused by the name of a joint that moves no inertia, "
        f"{len(wrong)} trajectories wrong; commit {machine['commit']}"
    )
    if not names:
        target = Path(__file__).with_suffix(".json")
        target.write_text(
            json.dumps({"machine": machine, "seconds": seconds, "refused": refused, "rows": rows}, indent=1)
            + "\n"
        )
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    main(given.seconds, given.names)
