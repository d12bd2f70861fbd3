"""Long chains: how long ABA takes to compile, to run and to hold: python bench/scale.py [bodies …].

Bodies, placements and axes are all different. Every chain is compiled in a process of its own with an empty
cache, from the recording to the first batch of results; the memory is the most that process ever had. There
is no peer: a body of a long chain is compared with one of a short chain. Ends with an error if a target is
missed.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.measure import best_times
from whippletree.kernels.store import cache

SECONDS, PER_BODY = 8.0, 1.5
"""Targets: to compile any of the chains; time for each body of the longest over that of the shortest."""


def chain(n: int) -> wt.Mechanism:
    """Bodies in a row with revolute joints, nothing alike."""
    rng = np.random.default_rng(n)
    m = wt.Mechanism("chain")
    for i in range(n):
        m.add_body(
            f"body{i}",
            wt.Revolute(rng.normal(size=3)),
            parent=f"body{i - 1}" if i else "ground",
            placement=wt.Placement(rng.normal(size=3), rpy=rng.normal(size=3)),
            inertia=wt.Inertia(rng.uniform(1.0, 2.0), rng.normal(size=3), rng.uniform(2.0, 3.0, 3)),
        )
    return m


def measure(n: int) -> dict[str, float]:
    """One chain, in this process."""
    m, rng = chain(n), np.random.default_rng(1)
    count = max(64, 65_536 // n // 8 * 8)
    states = [rng.normal(size=(count, n)) for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        cache.directory = lambda: Path(folder)
        start = perf_counter()
        kernel = wt.compile(wt.aba, m)
        out = kernel(*states)
        seconds = perf_counter() - start
    time = best_times({"batch": lambda: kernel(*states, out=out)}, rounds=30)["batch"]
    return {
        "bodies": n,
        "operations_per_body": (kernel.cost["mul"] + kernel.cost["add"]) / n,
        "compile_seconds": seconds,
        "ns_per_body": 1e9 * time / count / n,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(sizes: list[int]) -> None:
    """Every chain in a process of its own."""
    rows = []
    for n in sizes:
        command = [sys.executable, __file__, "--one", str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print(
            "{bodies:6} bodies: compiled in {compile_seconds:5.2f} s, {ns_per_body:5.1f} ns a body batched, "
            "{operations_per_body:.1f} operations a body, {megabytes:.0f} MB".format(**rows[-1]),
            flush=True,
        )
    machine = machine_record()
    print(f"{machine['cpu']}; commit {machine['commit']}")
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n")
    missed = [
        f"{row['bodies']} bodies took {row['compile_seconds']:.1f} s, the target is {SECONDS:g}"
        for row in rows
        if row["compile_seconds"] > SECONDS
    ]
    ratio = rows[-1]["ns_per_body"] / rows[0]["ns_per_body"]
    print(f"a body of {sizes[-1]} over one of {sizes[0]}: {ratio:.2f}×")
    if ratio > PER_BODY:
        missed.append(f"a body of the longest chain takes {ratio:.2f}×, the target is {PER_BODY:g}")
    sys.exit("\n".join(missed) or None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main([int(n) for n in sys.argv[1:]] or [100, 1000, 5000])
