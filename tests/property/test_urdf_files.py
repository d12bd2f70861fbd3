"""Files that hold no robot, bombs, and paths that lead to no file: refused, and nothing else is opened.

Source of truth: what was written into the files.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whippletree as wt
from urdf_text import ARM, LIMIT, joint, link, robot, write
from whippletree import io


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "is empty (0 bytes)"),
        (b" \n\n", None, "is empty (3 bytes)"),
        (bytes(range(256)), 1, "not well-formed XML: Document is empty"),
        (b"hello", 1, "not well-formed XML: Start tag expected"),
        ("<robot name='é'/>".encode("latin-1"), 1, "not well-formed XML: Invalid bytes in character"),
        (b"<link>" * 5000 + b"</link>" * 5000, 1, "not well-formed XML: Excessive depth"),
        (b"<robot name='" + b"a" * 20_000_000 + b"'/>", 1, "not well-formed XML: Resource limit exceeded"),
    ],
    ids=["empty", "blank", "binary", "text", "encoding", "deep", "long"],
)
def test_no_robot_at_all(tmp_path, content, line, message):
    path = write(tmp_path, content)
    with pytest.raises(wt.FileError, match=re.escape(message)) as caught:
        wt.load(path)
    assert caught.value.line == line
    assert [(problem.line, problem.severity) for problem in io.problems(path)] == [(line, "error")]


ENTITIES = '<!DOCTYPE robot [\n<!ENTITY a "aaaaaaaaaa">\n' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">\n'
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)

UTF_16 = '<?xml version="1.0" encoding="UTF-16"?>'


@pytest.mark.parametrize(
    "content",
    [
        f'{ENTITIES}]><robot name="&j;"><link name="a"/></robot>'.encode(),
        f'{ENTITIES}]><robot name="r"><link name="a">&j;</link></robot>'.encode(),
        f'{UTF_16}{ENTITIES}]><robot name="&j;"/>'.encode("utf-16"),
        f'{UTF_16}<!DOCTYPE r [<!ENTITY a "x">]><robot name="&a;"/>'.encode("utf-16"),
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot><link name="a">&x;</link></robot>',
    ],
    ids=["attribute", "text", "utf-16", "utf-16 small", "external"],
)
def test_entities_are_never_expanded(tmp_path, content):
    with pytest.raises(wt.FileError, match=r"declares an XML entity|entity amplification"):
        wt.load(write(tmp_path, content))


def test_a_document_type_is_not_fetched(tmp_path):
    text = f'<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/none.dtd">{robot(link("a"))}'
    assert wt.load(write(tmp_path, text)).frames[0].name == "a"


@pytest.mark.parametrize(("missing", "limit"), [("lower", 'upper="1"'), ("upper", 'lower="-1"')])
def test_a_bound_that_is_left_out_is_told(missing, limit, tmp_path):
    limit = f'<limit {limit} effort="3" velocity="4"/>'
    m = wt.load(write(tmp_path, robot(link("a"), link("b"), joint("j", "revolute", "a", "b", limit))))
    assert getattr(m.bodies[0].limits, missing) == 0.0
    assert m.warnings == [f"line 4: <limit> without {missing}: taken as 0, as URDF says"]


def test_attributes_without_end_are_refused_at_once(tmp_path):
    """The parser lists those of one element in a time that grows with their square: 32,000 took 34 s."""
    many = " ".join(f'a{number}=""' for number in range(32_000))
    with pytest.raises(wt.FileError, match=r"line 1: <link> has more than 1000 attributes: such a file is"):
        wt.load(write(tmp_path, robot(link("a")).replace("<link", f"<link {many}").replace("\n", "")))


def test_paths_that_lead_to_no_file(tmp_path):
    write(tmp_path, robot(link("a")))
    for path, message in [
        (tmp_path / "none.urdf", f"none.urdf: no such file (looked in {tmp_path})"),
        (tmp_path, f"{tmp_path}: is a directory: give a file, such as 'arm.urdf'"),
        (tmp_path / "arm.urdf" / "x.urdf", "cannot be read: Not a directory"),
        (tmp_path / "arm.step", "arm.step: has the unknown suffix '.step'; known: .urdf"),
    ]:
        with pytest.raises(wt.FileError, match=re.escape(message)) as caught:
            wt.load(path)
        assert caught.value.line is None
        (problem,) = io.problems(path)
        assert (problem.line, problem.severity) == (None, "error")
        assert str(caught.value) == f"{path}: {problem}"


def test_wrong_arguments(tmp_path):
    path = write(tmp_path, robot(link("a"), link("b"), joint("j", "revolute", "a", "b", LIMIT)))
    for root in ("free", wt.Free):
        with pytest.raises(wt.InputError, match=r"give a joint such as Free\(\)"):
            wt.load(path, root=root)  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(wt.InputError, match="packages is '/opt': give a list of directories"):
        wt.load(path, packages="/opt")


VALUES = re.compile(r'="([^"]*)"')
ELEMENTS = re.compile(r"<[a-z]+[^<>]*/>")
WORDS = ["", "0", "-1", "nan", "inf", "1e308", "word", "0 0 0", "base", "upper", "ground", "root_joint"]
WORDS += ["fixed", "floating", "planar", "revolute", "prismatic", "continuous", "1 2 3 4"]


@st.composite
def damaged(draw) -> str:
    """The arm with values replaced, elements lost or doubled, and characters spoilt."""
    text = ARM
    for damage in draw(
        st.lists(st.sampled_from(["value", "lost", "doubled", "spoilt"]), min_size=1, max_size=4)
    ):
        if damage == "spoilt":
            at = draw(st.integers(0, len(text) - 1))
            text = text[:at] + draw(st.sampled_from('<>/"& ')) + text[at + 1 :]
            continue
        found = list((VALUES if damage == "value" else ELEMENTS).finditer(text))
        if found:
            match = draw(st.sampled_from(found))
            start, end = match.span(1 if damage == "value" else 0)
            new = {"value": draw(st.sampled_from(WORDS)), "lost": "", "doubled": match[0] * 2}[damage]
            text = text[:start] + new + text[end:]
    return text


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=damaged(), root=st.sampled_from([None, wt.Free()]))
def test_a_damaged_file_is_refused_exactly_if_it_has_errors(tmp_path_factory, text, root):
    text = text.replace("root_joint", "joint") if root else text  # which would be taken
    path = write(tmp_path_factory.getbasetemp(), text)
    errors = [problem for problem in io.problems(path) if problem.severity == "error"]
    if errors:
        with pytest.raises(wt.FileError) as caught:
            wt.load(path, root=root)
        told = [(problem.line, problem.message) for problem in errors]
        assert (caught.value.line, caught.value.message) in told
    else:
        m = wt.load(path, root=root)
        assert all(np.all(np.isfinite(body.inertia.matrix())) for body in m.bodies)
        assert m.random(np.random.default_rng(0)).shape == (m.nq,)
