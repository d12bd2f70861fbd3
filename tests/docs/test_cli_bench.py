"""The commands `bench` and `cache`, run for errors; how fast anything is stands in no test."""

import json

import pytest
from typer.testing import CliRunner

from urdf_text import ARM
from whippletree.cli import app

run = CliRunner().invoke


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("options", [[], ["--floating"]])
def test_bench_measures_and_writes_a_report(tmp_path, options):
    I = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    base = f"<link name='base'><inertial><mass value='3'/>{I}</inertial></link>"
    (tmp_path / "arm.urdf").write_text(ARM.replace('<link name="base"/>', base))
    out = tmp_path / "figures.json"
    result = run(app, ["bench", str(tmp_path / "arm.urdf"), "--rounds", "1", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    assert "geometric means" in result.output
    report = json.loads(out.read_text())
    assert {row["algorithm"] for row in report["rows"]} == {"rnea", "crba", "aba"}
    assert {row["nv"] for row in report["rows"]} == {8 if options else 2}
    for peer in ("pinocchio", "mujoco", "dynibo"):
        assert all(row[f"one_{peer}"] > 0 for row in report["rows"])
    assert all(row["compile_seconds"] > 0 and row["cached_seconds"] > 0 for row in report["rows"])
    assert report["machine"]["versions"]["pin"]
    assert report["peak_gflops"] > 0


def test_bench_of_a_missing_file(tmp_path):
    result = run(app, ["bench", str(tmp_path / "none.urdf"), "--out", str(tmp_path / "x.json")])
    assert result.exit_code == 2
    assert "none.urdf: no such file" in result.stderr
    assert not (tmp_path / "x.json").exists()


def test_cache_is_told_and_cleared(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    assert "0 programs and pieces of machine code" in run(app, ["cache", "info"]).output
    run(app, ["bench", str(tmp_path / "arm.urdf"), "--rounds", "1", "--out", str(tmp_path / "x.json")])
    assert "0 programs" not in run(app, ["cache", "info"]).output
    assert "removed from" in run(app, ["cache", "clear"]).output
    assert "0 programs and pieces of machine code" in run(app, ["cache", "info"]).output
    assert run(app, ["cache", "empty"]).exit_code == 2
