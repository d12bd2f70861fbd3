"""Every public function, method and class, called with each argument in turn replaced by what it cannot mean.

Source of truth: an error of ours in words, or a right result. What is accepted though it looks wrong stands
in `accepted_calls.txt`, looked at one by one; complex numbers must give derivatives. In the suite one of
several values is tried; `pytest tests/property/test_sweep.py --sweep 1` tries all.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import whippletree as wt
from bad_call_names import GLOBALS
from bad_values import BAD, outcome, spoilt
from door_arguments import good_call
from good_call_names import GoodNames
from whippletree.checks.checking import PUBLIC

HERE = Path(__file__).parent
CALLS = [line for line in (HERE / "good_calls.txt").read_text(encoding="utf-8").splitlines() if line]
PARTS = 8
"""The table is tried in so many tests, which may run at once."""


LONG = {("wt.simulate", "duration", "1e9")}
"""Calls that do what they are asked for, and take as long."""


def _accepted() -> dict[tuple[str, str], set[str]]:
    """By call and argument: the bad values that are taken."""
    found: dict[tuple[str, str], set[str]] = {}
    for line in (HERE / "accepted_calls.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            place, kinds = line.split(": ", 1)
            call, argument = place.rsplit(" ", 1)
            found.setdefault((call, argument), set()).update(kinds.split(", "))
    return found


ACCEPTED = _accepted()


def _is_chosen(call: str, argument: str, kind: str, every: int) -> bool:
    return crc32(f"{call} {argument} {kind}".encode()) % every == 0


def _may_be_meant(kind: str, argument: str, good: Any) -> bool:
    """Whether a value stands for something wherever such an argument is wanted."""
    number = isinstance(good, int | float | np.number)
    names = isinstance(good, list | tuple) and all(isinstance(entry, str) for entry in good)
    return (
        (number and kind in ("True", "1e9"))
        or (isinstance(good, bool) and kind == "True")
        or (argument in ("name", "joint_name", "prefix") and kind == "text")
        or (names and kind in ("[]", "twice"))
        or (isinstance(good, dict) and kind == "{}")
    )


def _findings(
    title: str, argument: str, good: Any, every: int, call: Callable[[Any], Callable[[], Any]], free: set[str]
) -> Iterator[str]:
    """What bad values of one argument come to that they must not; `call` prepares a call with a value."""
    taken = ACCEPTED.get((title, argument), set()) | free
    for kind, make in {
        **BAD,
        **{kind: lambda value=value: value for kind, value in spoilt(good).items()},
    }.items():
        if (title, argument, kind) in LONG or not _is_chosen(title, argument, kind, every):
            continue
        found = outcome(call(make()))
        if found in ("accepted", "nan") and (kind in taken or _may_be_meant(kind, argument, good)):
            continue
        if found != "refused":
            yield f"{title} {argument}: {kind} -> {found}"


# Functions behind the door


def _is_ours(function: Callable[..., Any]) -> bool:
    """Whether it stands in the library; examples of its docs may have run before, and put theirs there."""
    return Path(wt.__file__).parent in Path(inspect.unwrap(function).__code__.co_filename).parents


@pytest.mark.parametrize("initial", sorted({name[0] for name in PUBLIC}))
def test_doors_refuse_what_no_argument_means(initial: str, request: pytest.FixtureRequest) -> None:
    every, wrong = int(request.config.getoption("--sweep") or 1), []
    for name, function in PUBLIC.items():
        if name[0] != initial or not _is_ours(function):
            continue
        m, arguments = good_call(function)
        for key, good in arguments.items():
            default = inspect.signature(function).parameters[key].default
            free = {"None"} if default is None else set()

            def call(value: Any, key: str = key, made: Any = (function, m, arguments)) -> Callable[[], Any]:
                return lambda: made[0](made[1], **{**made[2], key: value})

            if isinstance(good, np.ndarray):
                free.add("as complex")  # held by the test below
            wrong += _findings(name, key, good, every, call, free)
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


def _numbers(found: Any) -> list[np.ndarray]:
    """All numbers of a result."""
    if isinstance(found, np.ndarray):
        return [found.ravel()] if found.dtype.kind in "fc" else []
    if isinstance(found, float | complex):
        return [np.array([found])]
    if hasattr(found, "__dataclass_fields__"):
        found = [getattr(found, name) for name in found.__dataclass_fields__ if name != "mechanism"]
    entries = found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple) else ()
    return [part for entry in entries for part in _numbers(entry)]


STEP = 1e-6


@pytest.mark.parametrize("name", sorted(PUBLIC))
@pytest.mark.filterwarnings("ignore")
def test_complex_numbers_give_derivatives_or_are_refused(name: str) -> None:
    """An imaginary part that is lost on the way, or turned round, is a wrong number told by nobody."""
    function = PUBLIC[name]
    m, arguments = good_call(function)
    for key, good in arguments.items():
        if not isinstance(good, np.ndarray) or good.dtype.kind != "f" or not good.size:
            continue
        way = np.random.default_rng(crc32(key.encode())).normal(size=good.shape)
        if key in ("q", "q_guess") and m.nq != m.nv:
            way[3:7] = 0.0  # quaternions keep their norm
        if key == "poses":
            way[:, 3:] = 0.0

        def at(value: np.ndarray, key: str = key) -> np.ndarray:
            found = _numbers(function(m, **{**arguments, key: value}))
            return np.concatenate([np.zeros(0), *found])

        try:
            complex_step = np.imag(at(good + 1e-30j * way)) / 1e-30
        except wt.WhippletreeError:
            continue
        try:
            differences = (at(good + STEP * way) - at(good - STEP * way)) / (2.0 * STEP)
        except wt.WhippletreeError:
            continue  # a loop that opens
        size = 1.0 + np.abs(differences).max(initial=0.0)
        assert np.abs(differences - complex_step).max(initial=0.0) < 1e-4 * size, key


# All others


def _given_by_name(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.keyword]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((node, keyword) for keyword in node.keywords if keyword.arg is not None)


def _evaluated(node: ast.expr, names: GoodNames, value: Any = None) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<call>", "eval")
    return eval(code, {**GLOBALS, "value_in_question": value}, names)


def _defaults_to_none(function: ast.expr, argument: str, here: Path) -> bool:
    known = inspect.signature(_evaluated(function, GoodNames(here))).parameters
    return argument in known and known[argument].default is None


def _with_value(line: str, number: int) -> tuple[ast.expr, ast.expr, str, ast.expr]:
    """The call with one named argument left open; what is called, the argument, and its good value."""
    tree = ast.parse(line, mode="eval").body
    call, keyword = list(_given_by_name(tree))[number]
    good, keyword.value = keyword.value, ast.Name("value_in_question", ast.Load())
    return tree, call.func, keyword.arg or "", good


@pytest.mark.parametrize("part", range(PARTS))
def test_calls_refuse_what_no_argument_means(
    part: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    every, wrong = int(request.config.getoption("--sweep") or 1), []
    for line in CALLS[part::PARTS]:
        tree = ast.parse(line, mode="eval").body
        found = outcome(lambda tree=tree: _evaluated(tree, GoodNames(tmp_path)))
        if found != "accepted":
            wrong.append(f"{line} -> {found}")
        for number in range(len(list(_given_by_name(tree)))):
            tree, function, argument, node = _with_value(line, number)
            title = ast.unparse(function)
            good = _evaluated(node, GoodNames(tmp_path))
            free = {"None"} if good is None or _defaults_to_none(function, argument, tmp_path) else set()

            def call(value: Any, tree: ast.expr = tree) -> Callable[[], Any]:
                return lambda: _evaluated(tree, GoodNames(tmp_path), value)

            wrong += _findings(title, argument, good, every, call, free)
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


# Nothing is left out

INSIDE = {
    "results, which users are given and do not make": """
        Actuation AssemblyDerivatives BaseParameters Blow Comparison ContactHistory DrivenMotion Equilibrium
        Excitation FrameMotion Identified LinearModel Mobility Modes Occurrence OptimalMotion Reached
        Reactions Regulator RolloutGradient RootLocus Scaling Sensitivity SymbolicEquations Trajectory Viewer
        view contact.Candidate contact.ContactForces contact.ContactFrames contact.ContactProblem
        contact.ContactState contact.Impact contact.Overlap contact.PairNumbers contact.PatchState
        contact.Pushed contact.RigidContact contact.Unsolvable examples.Start loops.Reduction
    """,
    "derived from, and without arguments": "Joint NonholonomicJoint Shape contact.PatchLaw",
    "without arguments": "Fixed Free Plane Spherical SphericalExponential Translation examples.names",
    "arithmetic on anything that has it, as NumPy's": "each maximum minimum repeat where",
    "made by compile": "Kernel",
    "what doors go by": """
        dynamics.newton_euler_bias dynamics.forward_dynamics_crba_by_bodies dynamics.prescribed_held
    """,
    "the whole program of another library is set by it: tests/oracle/test_interop_jax.py": "interop.jax",
}
"""Public names that are not swept, and why. Nor are methods of joints and transforms: parts of algorithms."""


def _public() -> dict[str, Any]:
    """Functions and classes by the names under which `wt` shows them; errors and warnings left out."""
    found: dict[str, Any] = {}
    for prefix, place in (("", wt), *((f"{room}.", getattr(wt, room)) for room in ROOMS)):
        for name, value in vars(place).items():
            own = getattr(value, "__module__", "").startswith("whippletree")
            error = isinstance(value, type) and issubclass(value, BaseException)
            if name[0] != "_" and own and callable(value) and not error:
                found[prefix + name] = value
    return found


ROOMS = ("dynamics", "loops", "contact", "interop")


def test_every_public_name_is_swept() -> None:
    table = "\n".join(CALLS)
    left_out = {name for names in INSIDE.values() for name in names.split()}
    shown = _public()
    missing = [
        name
        for name, value in shown.items()
        if PUBLIC.get(name.rpartition(".")[2]) is not value
        and f"wt.{name}(" not in table
        and f"wt.{name}." not in table
        and name not in left_out
        and name.rpartition(".")[2] not in left_out
        and not name.endswith("_fault")
        and not any(room in value.__module__ for room in (".checks", ".requirements", "_doors"))
    ]
    assert missing == []
    assert not {name for name in left_out if name not in shown and not name.startswith("examples.")}
