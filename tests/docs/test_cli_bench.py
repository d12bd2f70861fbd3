"""The commands `bench` and `cache`, run for errors; how fast anything is stands in no test."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from urdf_text import ARM
from whippletree import SolverError, grcr
from whippletree.benchmark.loop_peers import mujoco_peer, pinocchio_peers
from whippletree.benchmark.loops import AGREE_SOFT, cases, measure, record, row_of_four_bars
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


def test_closed_loops_are_compared_before_they_are_timed(monkeypatch):
    case = ("four-bars 2", lambda: row_of_four_bars(2))
    row = measure(case, rounds=1)
    assert set(row.peers) == set(row.differences) == {"constraintDynamics", "lcaba", "mj_forward"}
    assert row.pinocchio == min(row.peers["constraintDynamics"], row.peers["lcaba"])
    assert record([row])[0]["batch_ratio"] == row.batch_ratio
    monkeypatch.setattr("whippletree.benchmark.loops.AGREE", 0.0)
    with pytest.raises(
        SolverError, match="four-bars 2: accelerations by constraintDynamics differ from ours"
    ):
        measure(case, rounds=1)


@pytest.mark.parametrize("name", ["tree of 31 four-bars", "linkage-humanoid"])
def test_peers_are_given_the_same_closed_mechanism(name):
    m, q, qd = dict(cases())[name]()
    zero = np.zeros(m.nv)
    expected = grcr(m, q, qd, zero)
    for peer in pinocchio_peers(m, q, qd, expected, 1e-6).values():
        np.testing.assert_allclose(peer.accelerations(q, qd), expected, atol=1e-6 * np.abs(expected).max())
    at_rest = grcr(m, q, zero, zero)
    found = mujoco_peer(m, q, qd).accelerations(q, zero)
    np.testing.assert_allclose(
        found, at_rest, atol=AGREE_SOFT * np.abs(at_rest).max()
    )  # its loops are springs


def test_what_stays_in_the_cache_is_told(tmp_path):
    folder = tmp_path / "cache" / "whippletree" / "kernels"
    entry = folder / "entry.wtk"
    entry.mkdir(parents=True)
    (folder / "other.wtk").write_bytes(bytes(1_200_000))
    told = run(app, ["cache", "info"])
    assert told.exit_code == 0
    assert "1 program or piece of machine code, 1.2 MB, kept in" in told.output
    told = run(app, ["cache", "clear"])
    assert told.exit_code == 1
    assert "1 program or piece of machine code, 1.2 MB, removed from" in told.stdout
    assert f"whippletree: {entry} cannot be removed: " in told.stderr
    assert told.stderr.endswith("whippletree: 1 could not be removed\n")
    told = run(app, ["cache", "clear", "--json"])
    assert told.exit_code == 1
    data = json.loads(told.stdout)
    assert data["entries"] == 0
    assert [left["path"] for left in data["left"]] == [str(entry)]
    entry.rmdir()
    told = run(app, ["cache", "clear", "--json"])
    assert told.exit_code == 0
    assert json.loads(told.stdout)["left"] == []
    assert "left" not in json.loads(run(app, ["cache", "info", "--json"]).stdout)
