"""Which mechanism a word on the command line means: a bundled one, or one in a file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import examples, io
from ..errors import FileError, InputError, SolverError
from ..io.stops import stopped_joints
from ..joints import Free
from ..loops.closing.assembly import assemble
from ..model.mechanism import Mechanism
from ..model.validation import problems as mechanism_problems
from ..model.wording import counted


def load(
    source: str, floating: bool = False, packages: Sequence[Path] = (), stops: bool = False
) -> Mechanism:
    """The bundled mechanism of this name or, if there is none, the one in the file; stops are a URDF's.

    >>> load("pendulum")
    <Mechanism 'pendulum': 1 body, nq = 1, nv = 1>
    """
    if floating and not is_urdf(source):
        raise InputError(f"--floating: {source} has its own root, only URDF files need one")
    if source in examples.names():
        return examples.load(source)
    must_exist(source)
    return io.load(source, Free() if floating else None, packages, stops=stops and is_urdf(source))


def stops_told(m: Mechanism, source: str) -> str:
    """What to say of the stops that a URDF file was given; nothing if there are none."""
    count = stopped_joints(m) if is_urdf(source) else 0
    return (
        f"at the limits of {counted(count, 'joint', 'joints')}; --no-stops leaves them out" if count else ""
    )


def is_urdf(source: str) -> bool:
    """Whether it is a URDF file, by its name."""
    return source not in examples.names() and Path(source).suffix.lower() == ".urdf"


def must_exist(source: str) -> None:
    """FileError if there is no such file."""
    if not Path(source).exists():
        raise FileError(source, "no such file, and no bundled mechanism: `whippletree examples` lists those")


def problems(source: str) -> list[io.Problem]:
    """What is wrong with a bundled mechanism or with a file; FileError for a file that cannot be read."""
    if source in examples.names():
        m = examples.load(source)
        return [io.Problem(None, problem, "warning") for problem in mechanism_problems(m)] + not_closed(m)
    must_exist(source)
    found = io.problems(source)
    for problem in found:
        if problem.severity == "error" and problem.line is None:  # nothing in it was looked at
            raise FileError(source, problem.message)
    if any(problem.severity == "error" for problem in found):
        return found
    # The reader goes line by line; what only the mechanism as a whole shows is looked for here.
    m = io.load(source)
    told = "\n".join(problem.message for problem in found)
    rest = [problem for problem in mechanism_problems(m) if not _is_told(m, problem, told)]
    return found + [io.Problem(None, problem, "warning") for problem in rest] + not_closed(m)


STARTS = 2
"""Positions at random from which loops are tried to be closed, after the neutral one."""


def not_closed(m: Mechanism) -> list[io.Problem]:
    """A warning if loops and gears close from nowhere; a note if they do, but not from the neutral one."""
    if not m.loops and not m.gears:
        return []
    rng, told = np.random.default_rng(0), ""
    for number in range(STARTS + 1):
        try:
            assemble(m, m.random(rng) if number else m.neutral())
        except SolverError as error:
            told = told or str(error).replace("from this guess", "from its neutral position", 1)
            continue
        words = f"{told}; it closes from another position, found at random"
        return [io.Problem(None, words, "note")] if told else []
    return [io.Problem(None, f"{told}; nor does it close from {STARTS} positions at random", "warning")]


def _is_told(m: Mechanism, problem: str, told: str) -> bool:
    """Whether a problem of a mechanism is among those its reader has told, with the line it has there."""
    what, _, why = problem.replace(f" of {m.name!r}", "", 1).partition(": ")
    return (why != "" and why in told) or (what.endswith("moves no inertia") and what in told)
