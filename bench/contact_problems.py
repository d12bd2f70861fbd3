"""Solve contact problems and impacts by the thousand: `python bench/contact_problems.py`.

Problems are definite, semidefinite and without solution; two independent solvers agree on each, with a
residual of at most 1e-11, and those without solution come with a certificate. No impact lets the energy grow.
The suite solves the first of them. Fails at the end if one was not as it should be.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from random_impacts import (  # pyright: ignore[reportMissingImports]  # found by the line above
    agreement,
    lawful,
    random_impact,
    random_problem,
)
from whippletree.contact.impulses.impacts import IMPACT_LAWS


def run(title: str, cases: int, solve: Callable[[np.random.Generator, int], str]) -> bool:
    """Solve cases and print what became of them; whether all went well."""
    rng, outcome, failed = np.random.default_rng(2008), Counter[str](), False
    for case in range(cases):
        try:
            outcome[solve(rng, case)] += 1
        except Exception as error:
            failed = True
            print(f"  {title}, case {case}: {type(error).__name__}: {str(error)[:150]}", flush=True)
    print(f"{title}: " + ", ".join(f"{count} {what}" for what, count in sorted(outcome.items())), flush=True)
    return not failed


def impact_by(law: str) -> Callable[[np.random.Generator, int], str]:
    """A random impact by a law."""

    def solve(rng: np.random.Generator, case: int) -> str:
        lawful(law, random_impact(rng, law))
        return "without gain of energy"

    return solve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=10_000)
    parser.add_argument("--impacts", type=int, default=5_000, help="of each law")
    arguments = parser.parse_args()
    good = [run("problems", arguments.problems, lambda rng, case: agreement(*random_problem(rng, case)))]
    good += [run(f"impacts, {law}", arguments.impacts, impact_by(law)) for law in IMPACT_LAWS]
    sys.exit(0 if all(good) else 1)
