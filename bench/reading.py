"""Time and memory of readers against the size of the file: `python bench/reading.py`; fails above 5 s of CPU.

Twice the file should take twice the time, the best of three. Each row runs in a process
of its own, for its peak of memory.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import whippletree as wt

LARGEST = 50_000
SECONDS, ROUNDS = 5.0, 3


def toml_frames(n: int) -> str:
    return "format = 1\nname = 'many'\n" + "".join(
        f"[[frame]]\nname = 'f{k}'\nbody = 'ground'\nplacement = {{ position = [0.1, 0.2, {k}.5] }}\n\n"
        for k in range(n)
    )


def urdf_frames(n: int) -> str:
    joints = "".join(
        f'<link name="f{k}"/>\n<joint name="j{k}" type="fixed"><parent link="base"/><child link="f{k}"/>'
        f'<origin xyz="0.1 0.2 {k}.5"/></joint>\n'
        for k in range(n)
    )
    return f'<robot name="many">\n<link name="base"/>\n{joints}</robot>'


def faulty(text: str) -> str:
    """The same with a fault in every part."""
    return text.replace("ground", "grund").replace('parent link="base"', 'parent link="bse"')


ROWS: dict[str, Callable[[int], str]] = {
    "TOML, frames": toml_frames,
    "TOML, frames on an unknown body": lambda n: faulty(toml_frames(n)),
    "TOML, blank lines": lambda n: "format = 1\nname = 'blank'\n" + "\n" * (100 * n),
    "URDF, fixed links": urdf_frames,
    "URDF, misspelt parents": lambda n: faulty(urdf_frames(n)),
}


def read(text: str) -> float:
    """Seconds of CPU to read a text."""
    start = time.process_time()
    with suppress(wt.FileError):
        wt.loads(text)
    return time.process_time() - start


def measure(row: str, n: int) -> None:
    """Read one text and print its size, the seconds and the peak of memory, in MB."""
    text = ROWS[row](n)
    seconds = read(text)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = min(seconds, *(read(text) for _ in range(ROUNDS - 1)))
    print(f"{row:32} {n:7} {len(text) / 1e6:8.1f} MB {seconds:8.2f} s {peak:8.0f} MB peak", flush=True)
    if seconds > SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", choices=ROWS)
    parser.add_argument("--size", type=int, default=LARGEST)
    arguments = parser.parse_args()
    if arguments.row is not None:
        measure(arguments.row, arguments.size)
        sys.exit(0)
    failed = 0
    for row in ROWS:
        for size in (LARGEST // 4, LARGEST // 2, LARGEST):
            failed += subprocess.call([sys.executable, __file__, "--row", row, "--size", str(size)])
    sys.exit(failed > 0)
