"""The command `whippletree compare`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import whippletree as wt
from whippletree.api.forward_methods import METHODS, Method
from whippletree.cli.app import app


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["compare", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_table_names_every_method_and_why_others_are_left_out():
    told = run("four-bar")
    for name in wt.methods(wt.examples.load("four-bar")):
        assert f"\n{name} " in told
    assert "reference" in told
    assert "left out: geared: 'four-bar' has no gears" in told


def test_json_and_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "whippletree.benchmark.scaling.scaling.__defaults__", ("chain", (2, 3, 4, 5, 6, 7), None)
    )
    picture = tmp_path / "methods.png"
    told = json.loads(run("pendulum", "--plot", str(picture), "--json"))
    assert told["agree"] is True
    assert [entry["method"] for entry in told["methods"]] == wt.methods(wt.examples.load("pendulum"))
    assert told["scaling"]["methods"]["aba"]["order"] == 1
    assert told["machine"]["cores"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_methods_that_differ_are_a_failure(monkeypatch: pytest.MonkeyPatch):
    def off(m, q, qd, tau, f_ext=None):
        return 1.001 * wt.aba(m, q, qd, tau, f_ext)

    monkeypatch.setitem(METHODS, "off", Method(off, METHODS["aba"].requirements))
    assert "whippletree: accelerations differ by 1.0e-03\n" in run("pendulum", code=1)


def test_a_picture_of_an_unknown_kind_is_refused_at_once(tmp_path: Path):
    assert "has the suffix '.txt'" in run("pendulum", "--plot", str(tmp_path / "x.txt"), code=2)
