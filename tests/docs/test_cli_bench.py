"""The commands `bench` and `cache`: what they are given, what they write; nothing is timed."""

import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import whippletree as wt
from urdf_text import ARM
from whippletree import SolverError
from whippletree.benchmark import kernel_times as kernels
from whippletree.benchmark.loop_peers import mujoco_peer, pinocchio_peers
from whippletree.benchmark.loop_times import AGREE_SOFT, cases, measure, record, row_of_four_bars
from whippletree.benchmark.measure import best_times
from whippletree.benchmark.startup import Startup, startup
from whippletree.cli import bench as cli_bench
from whippletree.cli.app import app

run = CliRunner().invoke


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


SECONDS = {"batch": 0.002, "two": 0.001, "single": 0.0008, "one pinocchio": 7e-6, "batch pinocchio": 0.004}
"""What the clock is said to have shown for some calls."""


@pytest.fixture(autouse=True)
def no_clock(monkeypatch):
    """Nothing is timed and no process started: everything is called once, and its time is made up."""

    def once(functions, rounds):
        for function in functions.values():
            function()
        return {name: SECONDS.get(name, 2e-6) for name in functions}

    monkeypatch.setattr(kernels, "BATCH", 128)
    monkeypatch.setattr(kernels, "best_times", once)
    monkeypatch.setattr(kernels, "startup", lambda m, algorithm: Startup(12.34, 0.056))
    monkeypatch.setattr("whippletree.benchmark.peers.BATCH_FOR_PEERS", 64)
    monkeypatch.setattr(kernels, "BATCH_FOR_PEERS", 64)
    monkeypatch.setattr("whippletree.benchmark.loop_times.best_times", once)
    monkeypatch.setattr("whippletree.benchmark.loop_times.BYTES", 0)
    monkeypatch.setattr(cli_bench, "peak", lambda: 4e9)


@pytest.mark.parametrize("options", [[], ["--floating"]])
def test_bench_measures_and_writes_a_report(tmp_path, options):
    I = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    base = f"<link name='base'><inertial><mass value='3'/>{I}</inertial></link>"
    (tmp_path / "arm.urdf").write_text(ARM.replace('<link name="base"/>', base))
    out = tmp_path / "figures.json"
    result = run(app, ["bench", str(tmp_path / "arm.urdf"), "--rounds", "1", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    # 2 ms for 128 states are 15,625 ns; 4 ms for 64 of Pinocchio's are 62,500 ns.
    assert (
        "geometric means: batched 4.0× Pinocchio on one thread, "
        "one state from Python 3.5× Pinocchio, two threads 2.00× one, float32 2.50× float64, "
        "at an error of up to "
    ) in result.output
    report = json.loads(out.read_text())
    assert {row["algorithm"] for row in report["rows"]} == {"rnea", "crba", "aba"}
    assert {row["nv"] for row in report["rows"]} == {8 if options else 2}
    for row in report["rows"]:
        assert row["one_mujoco"] == row["one_dynibo"] == row["one"] == pytest.approx(2000.0)
        assert row["one_pinocchio"] == pytest.approx(7000.0)
        assert row["batch"] == pytest.approx(15_625.0)
        assert row["batch_two_threads"] == pytest.approx(7_812.5)
        assert row["batch_pinocchio"] == pytest.approx(62_500.0)
        assert (row["compile_seconds"], row["cached_seconds"]) == (12.34, 0.056)
        assert row["batch_single"] == pytest.approx(6_250.0)
        assert 0.0 < row["single_error"] < 1e-5
        assert row["gflops"] == pytest.approx(row["operations"] / 15_625.0)
    assert report["machine"]["versions"]["pin"]
    assert report["peak_gflops"] == pytest.approx(4.0)


def figures(tmp_path, *sources):
    """What the command tells and what it writes for some mechanisms."""
    out = tmp_path / "figures.json"
    result = run(app, ["bench", *map(str, sources), "--rounds", "1", "--out", str(out)])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout, json.loads(out.read_text())["rows"]


def test_bench_times_what_is_in_no_urdf_file_alone(tmp_path):
    wt.save(wt.examples.load("furuta-pendulum"), tmp_path / "arm.toml")
    told, rows = figures(tmp_path, tmp_path / "arm.toml", "double-pendulum", "four-bar")
    assert [row["robot"] for row in rows[::3]] == ["arm", "double-pendulum", "four-bar"]
    assert [row["nv"] for row in rows] == [2, 2, 2, 2, 2, 2, 3, 3, 3]
    for row in rows:
        assert min(row["one"], row["batch"], row["batch_two_threads"], row["gflops"]) > 0
        assert row["one_pinocchio"] is row["one_mujoco"] is row["one_dynibo"] is row["batch_ratio"] is None
    for name in ("arm", "double-pendulum", "four-bar"):
        assert f"{name}: without Pinocchio, MuJoCo, dynibo, which are given URDF files only\n" in told
    assert "four-bar: its loops are open" in told
    assert "Pinocchio on one thread" not in told


def test_startup_runs_a_mechanism_without_a_file_in_processes_of_their_own(monkeypatch):
    monkeypatch.setattr("whippletree.benchmark.startup._RUNS", 1)
    waits = startup(wt.examples.load("pendulum"), "aba")
    assert waits.fresh > 0
    assert waits.cached > 0


def test_the_best_of_rounds_in_turn_counts(monkeypatch):
    """By a clock that only the functions move: 3 ms and 8 ms a call, and more after the first round."""
    now, noise, calls = [0.0], [0.0], []

    def takes(name, seconds):
        def call():
            calls.append(name)
            now[0] += seconds + noise[0]

        return call

    monkeypatch.setattr("whippletree.benchmark.measure.perf_counter", lambda: now[0])
    done = []

    def progress():
        done.append(len(calls))
        noise[0] = 0.001 * (len(done) >= 2)

    times = best_times({"a": takes("a", 0.003), "b": takes("b", 0.008)}, 3, at_least=0.022, progress=progress)
    assert times == {"a": pytest.approx(0.003), "b": pytest.approx(0.008)}
    assert len(done) == 6
    assert np.diff(done).tolist() == [3, 6, 3, 6, 3]  # so many calls take 22 ms and more
    assert calls[-9:] == ["a"] * 6 + ["b"] * 3


def test_the_best_stretch_of_a_turn_counts(monkeypatch):
    """A call of 0.3 ms is disturbed all the time but for a while."""
    now, calls = [0.0], [0]

    def call():
        calls[0] += 1
        now[0] += 0.0003 + 0.002 * (not 4 <= calls[0] < 8)

    monkeypatch.setattr("whippletree.benchmark.measure.perf_counter", lambda: now[0])
    assert best_times({"a": call}, 1, at_least=0.02) == {"a": pytest.approx(0.0003)}


def test_bench_notes_a_peer_that_refuses_a_file(tmp_path):
    (tmp_path / "nameless.urdf").write_text(ARM.replace('<robot name="arm">', "<robot>"))
    told, rows = figures(tmp_path, tmp_path / "nameless.urdf")
    assert len(rows) == 3
    assert told.startswith("Pinocchio refuses nameless: ")
    assert all(row["one_pinocchio"] is None and row["one_mujoco"] > 0 for row in rows)


def test_bench_notes_a_peer_that_refuses_an_algorithm(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise RuntimeError("not with\nthis arm")

    (tmp_path / "arm.urdf").write_text(ARM)
    monkeypatch.setattr("pinocchio.crba", refuse)
    told, rows = figures(tmp_path, tmp_path / "arm.urdf")
    assert "Pinocchio on arm, crba: not with this arm\n" in told
    assert [row["one_pinocchio"] is None for row in rows] == [False, True, False]
    assert [row["batch_pinocchio"] is None for row in rows] == [False, True, False]


def test_bench_goes_on_after_a_robot_that_cannot_be_computed(tmp_path, monkeypatch):
    def compile(function, m):
        if function is wt.aba and m.name == "double-pendulum":
            raise wt.SingularError("joint 'elbow'\nmoves no inertia")
        return wt.compile(function, m)

    monkeypatch.setattr(kernels, "compile", compile)
    told, rows = figures(tmp_path, "double-pendulum", "pendulum")
    assert "double-pendulum, aba: left out, joint 'elbow' moves no inertia\n" in told
    assert [(row["robot"], row["algorithm"]) for row in rows] == [
        *(("double-pendulum", algorithm) for algorithm in ("rnea", "crba")),
        *(("pendulum", algorithm) for algorithm in ("rnea", "crba", "aba")),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["double-pendulum", "--floating"], "--floating: double-pendulum has its own root"),
        (["--floating"], "--floating: name the URDF files"),
        (["pendulum", "double-pendlum"], "double-pendlum: no such file, and no bundled mechanism"),
    ],
)
def test_bench_refuses_before_it_measures(tmp_path, monkeypatch, arguments, message):
    monkeypatch.setattr("whippletree.cli.bench.measure_robot", None)
    result = run(app, ["bench", *arguments, "--out", str(tmp_path / "x.json")])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "x.json").exists()


def test_bench_refuses_a_place_for_its_figures_before_it_measures(tmp_path, monkeypatch):
    monkeypatch.setattr("whippletree.cli.bench.measure_robot", None)

    def refusal(out):
        result = run(app, ["bench", "pendulum", "--rounds", "1", "--out", str(out)])
        assert result.exit_code == 2
        assert list(tmp_path.iterdir()) == []
        return result.stderr

    nowhere = tmp_path / "none" / "x.json"
    assert refusal(nowhere) == (
        f"whippletree: {nowhere}: cannot be written: there is no directory {str(nowhere.parent)!r}\n"
    )
    assert refusal(tmp_path) == f"whippletree: {tmp_path}: cannot be written: it is a directory\n"
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "cannot be written: no permission to write into" in refusal(tmp_path / "x.json")


KEPT = ["talos_left_arm", "rnea", "12,345 (5.2×)", "1,234 (52.4×)", "657", "12.34 s", "24 ms"]
REST = ["50", "12,654", "64,194", "5,365", "dynibo", "64,662", "700 (1.76×)", "2e-07", "18.7", "32%"]


def printed(width, **changes):
    """Lines of the bench's table in a window of some width."""
    figures: dict = {
        "robot": "talos_left_arm",
        "nv": 50,
        "algorithm": "rnea",
        "operations": 12654,
        "compile_seconds": 12.341,
        "cached_seconds": 0.0241,
        "one": 12345.0,
        "one_pinocchio": 5.2 * 12345.0,
        "one_mujoco": 5365.0,
        "one_dynibo": None,
        "batch": 1234.0,
        "batch_two_threads": 657.0,
        "batch_pinocchio": 52.4 * 1234.0,
        "batch_single": 700.0,
        "single_error": 2.3e-7,
        "gflops": 18.7,
    }
    written = StringIO()
    console = Console(file=written, width=width, highlight=False)
    cli_bench.print_table(console, [kernels.KernelTimes(**figures | changes)], 18.7 / 0.32)
    lines = written.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    return lines


@pytest.mark.parametrize("width", [80, 120, 200, 10_000])
def test_no_figure_is_cut_in_a_narrow_window(width):
    lines = printed(width)
    row = next(line for line in lines if line.startswith("talos_left_arm"))
    for text in KEPT:
        assert text in row
    told = "\n".join(lines)
    assert "…" not in told
    if width < 200:
        assert not any(text in row for text in REST)
        assert "only in the file, as the window is narrow: nv, operations, Pinocchio," in told
        assert lines[1].split() == ["one", "2", "compiled"]
        assert lines[2].split() == ["robot", "algorithm", "state", "batch", "threads", "in", "cached"]
    else:
        assert all(text in " ".join(lines) for text in REST)
        assert "narrow" not in told
        assert lines[1].split("  ")[-1] == "cached"


def test_a_long_name_is_broken_and_not_the_figures():
    name = "an_arm_whose_file_has_a_name_longer_than_windows"
    lines = printed(80, robot=name)
    row = next(k for k, line in enumerate(lines) if line.startswith("an_arm"))
    for text in KEPT[1:]:
        assert text in lines[row]
    assert "".join(line.split()[0] for line in lines[row:-2]) == name


def test_nothing_is_said_of_a_peer_that_was_not_measured():
    assert printed(80)[0] == "ns per state; in brackets how many times faster than Pinocchio"
    assert printed(80, one_pinocchio=None, batch_pinocchio=None)[0] == "ns per state"


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
    monkeypatch.setattr("whippletree.benchmark.loop_times.AGREE", 0.0)
    with pytest.raises(
        SolverError, match="four-bars 2: accelerations by constraintDynamics differ from ours"
    ):
        measure(case, rounds=1)


@pytest.mark.parametrize("name", ["tree of 31 four-bars", "linkage-humanoid"])
def test_peers_are_given_the_same_closed_mechanism(name):
    m, q, qd = dict(cases())[name]()
    zero = np.zeros(m.nv)
    expected = wt.loops.grcr(m, q, qd, zero)
    for peer in pinocchio_peers(m, q, qd, expected, 1e-6).values():
        np.testing.assert_allclose(peer.accelerations(q, qd), expected, atol=1e-6 * np.abs(expected).max())
    at_rest = wt.loops.grcr(m, q, zero, zero)
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
    assert "1 program or piece of machine code, 1.2 MB of at most 256 MB, kept in" in told.output
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
