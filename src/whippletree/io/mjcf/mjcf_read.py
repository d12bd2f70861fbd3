"""MJCF, the model files of MuJoCo: read through MuJoCo's own compiler, so that defaults, includes and
inertias from geometry are exactly its own (https://mujoco.readthedocs.io, "XML reference").

Bodies, joints, springs, dampers, stops, equalities, actuators, shapes, sites and contacts with the world
become parts of a mechanism; coordinates are in the order and with the zeros of MuJoCo's qpos. What has no
counterpart is told in `warnings`.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...errors import FileError, InputError
from ...joints import Joint
from ...model.mechanism import Mechanism
from ..file_source import Source
from ..findings import Findings, Problem
from ..xml import parse

LARGEST_COUNT = 100_000
"""Of copies that one element may ask for: each takes memory before anything else can refuse it."""

_LINE = re.compile(r"\bline (\d+)")


def load(source: Source, root: Joint | None, packages: Iterable[Path]) -> Mechanism:
    """The mechanism in an MJCF text; FileError if MuJoCo refuses it, or if it is not of rigid bodies."""
    if root is not None:
        raise InputError(f"root is {root!r}: {source.path.name} has its own root, only URDF files need one")
    m, findings = _mechanism(source)
    m.warnings += [str(problem) for problem in findings.problems()]
    return m


def problems(source: Source, packages: Iterable[Path]) -> list[Problem]:
    """The error for which MuJoCo refuses a text, or all in it that the model does not carry."""
    try:
        return _mechanism(source)[1].problems()
    except FileError as error:
        return [Problem(error.line, error.message, "error")]


def _mechanism(source: Source) -> tuple[Mechanism, Findings]:
    findings = Findings()
    compiled = _compiled(source, findings)
    from .mjcf_model import mechanism_of

    return mechanism_of(compiled, source.path, findings), findings


def _compiled(source: Source, findings: Findings) -> Any:
    """MuJoCo's model of a text; meshes and includes are looked for where MuJoCo looks for them."""
    raw = parse(source, findings)
    if raw.tag != "mujoco":
        what = "is a part that other files include" if raw.tag == "mujocoinclude" else "is no model"
        message = f"the root element is <{raw.tag}>: it {what}, an MJCF file has <mujoco>"
        raise FileError(source.path, message, int(raw.sourceline or 1))
    if (lost := raw.find("body")) is not None:  # MuJoCo reads on, and has nothing then
        message = "<body> stands outside <worldbody>: it is a part that other files include"
        raise FileError(source.path, message, int(lost.sourceline or 1))
    _refuse_masses_of_copies(source.path, raw)
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise FileError(
            source.path,
            "is read by MuJoCo's own compiler, which is not installed: pip install 'whippletree[mjcf]'",
        ) from None
    try:
        with _heard(mujoco) as told:
            if source.path.is_file() and source.path.read_bytes() == source.data:
                spec = mujoco.MjSpec.from_file(str(source.path))
            else:
                spec = mujoco.MjSpec.from_string(source.data.decode("utf-8-sig"))
            compiled = spec.compile()
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        raise _refusal(source.path, str(error)) from None
    for warning in dict.fromkeys(told):
        if "'NaN'" in warning:
            raise FileError(source.path, f"MuJoCo says: {warning}")
        findings.warning(None, f"MuJoCo says: {warning}")
    return compiled


def _refusal(path: Path, said: str) -> FileError:
    """What MuJoCo says of a text that it refuses, in one sentence; it has line 0 for included files."""
    said = said.replace("XML Error: ", "").replace("Error: ", "")
    told = ", ".join(
        " ".join(part.split()) for part in said.replace("Element", "element").splitlines() if part
    )
    line = int(found[1]) if (found := _LINE.search(told)) else 0
    told = told.replace(", line 0", ", in a file that is included").replace(f", line {line}", "")
    return FileError(path, f"MuJoCo refuses it: {told}", line or None)


@contextmanager
def _heard(mujoco: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of, which it would print and write into a file beside the user's own."""
    told: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: told.append(" ".join(str(text).split())))
    try:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            yield told
    finally:
        mujoco.set_mju_user_warning(before)
    told += [" ".join(str(warning.message).split()) for warning in raised]


def _refuse_masses_of_copies(path: Path, raw: etree._Element) -> None:
    """FileError for elements that multiply into more bodies than any memory has room for."""
    for element in raw.iter("replicate", "composite", "flexcomp"):
        count = 1.0
        for around in (element, *element.iterancestors()):
            try:
                count *= prod(abs(float(word)) for word in around.get("count", "1").split())
            except ValueError:  # which MuJoCo refuses, and tells better
                continue
        if count > LARGEST_COUNT:
            raise FileError(
                path,
                f"<{element.tag}> asks for {count:.3g} copies, at most {LARGEST_COUNT:,} are made",
                int(element.sourceline or 1),
            )
