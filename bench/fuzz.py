"""Read damaged files by the million: `python bench/fuzz.py --cases 1000000 urdf toml npz csv parquet`.

Every case has a number and is always the same; the suite reads the first 2,000 of each format. Fails at the
end if a file was neither refused by a FileError nor read to good sense, and names the first of each kind.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import FORMATS, survives  # pyright: ignore[reportMissingImports]  # found by the line above

MEMORY = Path("/dev/shm")
"""A folder kept in memory, where there is one: writing the files to a disk takes as long as reading them."""


def run(name: str, start: int, cases: int) -> bool:
    """Read the cases of a format and print what became of them; whether all went well."""
    outcome: Counter[str] = Counter()
    first: dict[str, int] = {}
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for number in range(start, start + cases):
            try:
                outcome["read" if survives(name, number, Path(folder)) else "refused"] += 1
            except Exception as error:
                kind = f"{type(error).__name__}: {str(error)[:100]}"
                first.setdefault(kind, number)
                outcome[kind] += 1
    print(f"{name}: " + ", ".join(f"{count} {what}" for what, count in outcome.items()), flush=True)
    for kind, number in first.items():
        print(f"  case {number}: {kind}", flush=True)
    return not first


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("--cases", type=int, default=20_000, help="of each format")
    parser.add_argument("--start", type=int, default=0, help="number of the first")
    arguments = parser.parse_args()
    results = [run(name, arguments.start, arguments.cases) for name in arguments.formats or FORMATS]
    sys.exit(0 if all(results) else 1)
