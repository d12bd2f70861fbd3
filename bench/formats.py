"""Read every robot file below folders, and hold models against MuJoCo: python bench/formats.py FOLDER …

The folders are those of packages, as `pip download --no-deps robosuite` and `unzip` make them. Every .xml,
.urdf, .sdf and .xacro file is loaded. It is "read", "refused" with file and reason, or "failed" if anything
else is raised; "moving" are those read that have a joint. MJCF models are moved by MuJoCo, too: without
constraints, motors and fluid, at three random states, the largest difference of accelerations is told as a
share of the largest; models with springs or dampers in tendons, or an armature of a free joint, which have no
counterpart, are left out of that. Ends with an error if a file failed, or if accelerations differ by more
than 1e-9. --each prints a line a file, --refused one for each that is refused, --json FILE keeps all.
"""

import argparse
import importlib
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.io.formats import FORMATS

mujoco: Any = importlib.import_module("mujoco")  # compiled, carries no types

SUFFIXES = (".urdf", ".xacro", ".sdf", ".xml")
TOLERANCE = 1e-9


def silenced() -> None:
    """Keep MuJoCo from printing warnings, and from a log in the folder one stands in."""
    mujoco.set_mju_user_warning(lambda text: None)


def difference(path: Path, m: wt.Mechanism) -> float | None:
    """Of accelerations from MuJoCo's, as a share of the largest; None where there is nothing to compare."""
    model = mujoco.MjModel.from_xml_path(str(path))
    if model.nv == 0 or np.any(model.tendon_stiffness) or np.any(model.tendon_damping):
        return None
    free = [model.jnt_dofadr[j] for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    if np.any(model.dof_armature[free]):  # which has no counterpart, and is told
        return None
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
    model.opt.density = model.opt.viscosity = 0.0
    still = [replace(b, friction=0.0, limits=replace(b.limits, stiffness=0.0)) for b in m.bodies]
    m = m.with_parts(bodies=still, loops=[], gears=[], contacts=[])
    c, worst = wt.Convention("mujoco", m), 0.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q = m.random(rng)
        qd, tau = rng.normal(size=(2, m.nv))
        data = mujoco.MjData(model)
        data.qpos, data.qvel, data.qfrc_applied = c.to_position(q), c.to_velocity(q, qd), c.to_force(q, tau)
        mujoco.mj_forward(model, data)
        ours = c.to_acceleration(q, qd, wt.forward_dynamics(m, q, qd, tau))
        worst = max(worst, float(np.max(np.abs(ours - data.qacc)) / np.max(np.abs(data.qacc))))
    return worst


def row(path: Path) -> dict[str, Any]:
    """What became of a file."""
    try:
        m = wt.load(path)
    except wt.FileError as error:
        return {"outcome": "refused", "reason": str(error)}
    except Exception as error:
        return {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    found: dict[str, Any] = {"outcome": "read", "nv": m.nv, "loops": len(m.loops), "gears": len(m.gears)}
    found["warnings"] = len(m.warnings)
    if path.suffix == ".xml" and b"<mujoco" in path.read_bytes():
        found["difference"] = difference(path, m)
    return found


def files(folders: Iterable[str]) -> list[tuple[str, Path]]:
    return [
        (Path(folder).name, path)
        for folder in folders
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
    ]


def table(rows: list[dict[str, Any]]) -> None:
    """Print how many files became what, by package and kind of file, and of each kind in all."""
    heads = ("files", "read", "moving", "refused", "failed", "compared", "worst")
    print(f"{'package':28}{'suffix':8}" + "".join(f"{head:>9}" for head in heads))
    by_package: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in rows:
        by_package.setdefault((entry["package"], entry["suffix"]), []).append(entry)
    for suffix in SUFFIXES:
        by_package["all", suffix] = [entry for entry in rows if entry["suffix"] == suffix]
    for (package, suffix), own in by_package.items():
        count = Counter(entry["outcome"] for entry in own)
        moving = sum(entry.get("nv", 0) > 0 for entry in own)
        worst = [entry["difference"] for entry in own if entry.get("difference") is not None]
        compared = (len(worst), f"{max(worst):.1e}") if worst else ("", "")
        cells = (len(own), count["read"], moving, count["refused"], count["failed"], *compared)
        print(f"{package:28}{suffix:8}" + "".join(f"{cell:>9}" for cell in cells))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--each", action="store_true", help="a line for every file")
    parser.add_argument("--refused", action="store_true", help="a line for every file that is refused")
    parser.add_argument("--json", type=Path, help="keep all rows in a file")
    arguments = parser.parse_args()
    assert set(SUFFIXES) <= set(FORMATS)
    silenced()
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for package, path in files(arguments.folders):
            rows.append({"package": package, "file": str(path), "suffix": path.suffix.lower(), **row(path)})
            if arguments.each or rows[-1]["outcome"] == "failed":
                print({key: value for key, value in rows[-1].items() if key not in ("package", "suffix")})
            elif arguments.refused and rows[-1]["outcome"] == "refused":
                print(rows[-1]["reason"])
    table(rows)
    far = [entry for entry in rows if (entry.get("difference") or 0.0) > TOLERANCE]
    for entry in far:
        print(f"differs by {entry['difference']:.1e}: {entry['file']}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine_record(), "rows": rows}, indent=1))
    return 1 if far or any(entry["outcome"] == "failed" for entry in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
