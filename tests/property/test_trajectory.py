"""Trajectories in files and pictures."""

import io
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.display.smooth import smooth
from whippletree.io import bounds
from whippletree.simulation import files


@pytest.fixture(scope="module")
def run() -> wt.Trajectory:
    m = wt.Mechanism("mixed")
    inertia = wt.Inertia(1.0, (0, 0, -0.3), (0.1, 0.2, 0.15))
    m.add_body("ball", wt.Spherical(), inertia=inertia)
    m.add_body("arm, left", wt.Revolute("x"), "ball", wt.Placement((0, 0, -0.5)), inertia, stiffness=3.0)
    up = wt.Event(lambda t, q, qd: qd[3], "turn")
    return wt.simulate(m, None, [0.3, 0.1, -0.2, 2.0], 2.0, control=lambda t, q, qd: -0.1 * qd, events=[up])


def test_everything_comes_back_from_npz(run, tmp_path):
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz")
    for name in files.ARRAYS:
        assert getattr(again, name).tobytes() == getattr(run, name).tobytes()
        assert getattr(again, name).shape == getattr(run, name).shape
    assert (again.method, again.reason, again.joints) == (run.method, run.reason, run.joints)
    assert again.mechanism == run.mechanism
    assert len(run.events) > 1
    for old, new in zip(run.events, again.events, strict=True):
        assert (new.name, new.t, list(new.q), list(new.qd)) == (old.name, old.t, list(old.q), list(old.qd))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_come_back(suffix, run, tmp_path):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    again = wt.load_trajectory(path)
    for name in files.ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    assert again.joints == run.joints
    assert again.mechanism is None


def test_columns_are_named_after_joints(run, tmp_path):
    run.save(tmp_path / "run.csv")
    head = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert head.startswith('t,q:ball[0],q:ball[1],q:ball[2],q:ball[3],"q:arm, left",qd:ball[0]')


def damaged(content: bytes) -> list[bytes]:
    middle = len(content) // 2
    return [
        b"",
        b"format = 1",
        content[:middle],
        content[:-30],
        content[:middle] + bytes(200) + content[middle + 200 :],
    ]


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_damaged_files_are_refused(suffix, run, tmp_path):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    for content in damaged(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(wt.FileError, match=rf"run{suffix}: is (empty|not a .*, or damaged)"):
            wt.load_trajectory(path)


def repacked(path: Path, **changes) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{**arrays, **changes})


def test_foreign_files_are_refused(run, tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, t=np.zeros(3))
    with pytest.raises(wt.FileError, match="is not a Whippletree trajectory: it has no entry 'whippletree'"):
        wt.load_trajectory(path)
    run.save(path)
    repacked(path, qd=run.qd[:, :2])
    with pytest.raises(wt.FileError, match=r"damaged: qd has shape \(\d+, 2\), expected \(\d+, 4\)"):
        wt.load_trajectory(path)
    run.save(path)
    repacked(path, event_t=np.zeros(7))
    with pytest.raises(wt.FileError, match="lists of event names and event times have different lengths"):
        wt.load_trajectory(path)
    run.save(path)
    with zipfile.ZipFile(path) as archive:
        head = np.load(io.BytesIO(archive.read("whippletree.npy"))).tobytes()
    later = np.frombuffer(head.replace(b'"format": 1', b'"format": 9'), dtype=np.uint8)
    repacked(path, whippletree=later)
    with pytest.raises(wt.FileError, match="has format 9; this version reads format 1"):
        wt.load_trajectory(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"t": np.zeros(()), "q": np.zeros(())}, "t is not a list of times"),
        ({"t": np.full(4, np.nan)}, "has shape"),
        ({"q": np.zeros((3, 5), dtype=complex)}, "'q' holds complex128"),
        ({"q": np.zeros((3, 5), dtype=np.float32)}, "'q' holds float32"),
        ({"event_q": np.zeros((0, 3))}, "the lists of event names and event times have different lengths"),
        (
            {"whippletree": np.frombuffer(b"[1, 2]", dtype=np.uint8)},
            "is not a Whippletree trajectory, or damaged",
        ),
        (
            {"whippletree": np.frombuffer(b"[" * 90_000, dtype=np.uint8)},
            "is not a Whippletree trajectory, or",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message, run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    repacked(path, **changes)
    with pytest.raises(wt.FileError, match=message):
        wt.load_trajectory(path)


@pytest.mark.parametrize(
    ("word", "instead"),
    [(b'"method"', b'"mathod"'), (b'"reason"', b'"raeson"'), (b'"driven": []', b'"driven": 7')],
)
def test_a_head_that_lacks_a_word_is_refused(word, instead, run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    with np.load(path) as file:
        head = file["whippletree"].tobytes()
    assert word in head
    repacked(path, whippletree=np.frombuffer(head.replace(word, instead), dtype=np.uint8))
    with pytest.raises(wt.FileError, match="is not a Whippletree trajectory, or damaged"):
        wt.load_trajectory(path)


@pytest.mark.parametrize("name", ["t", "q", "constraint_error", "event_t"])
def test_numbers_that_are_none_are_refused(name, run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    with np.load(path) as file:
        values = file[name]
    if values.size == 0:
        values = np.zeros((len(run), 1))
    values.flat[-1] = np.inf
    repacked(path, **{name: values})
    with pytest.raises(wt.FileError, match=rf"damaged: {name} of state \d+ is inf"):
        wt.load_trajectory(path)


def bomb(path: Path, size: int) -> None:
    """An archive of some hundred kilobytes that claims, and has, so many zeros in q."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (size,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("q.npy", "w") as member:
        member.write(buffer.getvalue())
        for _ in range(8 * size // 2**20):
            member.write(bytes(2**20))


def test_a_file_that_unpacks_to_far_more_is_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    bomb(path, 40 * 2**20)
    assert path.stat().st_size < 400_000
    monkeypatch.setattr(zipfile.ZipFile, "read", None)  # nothing is taken out of it
    with pytest.raises(wt.FileError, match=r"claims to unpack from \d+ bytes to 335544\d+: it is damaged"):
        wt.load_trajectory(path)


def test_a_table_that_unpacks_to_far_more_is_not_unpacked(tmp_path):
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "run.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"t": np.zeros(10**7)}), path)
    assert path.stat().st_size < 100_000
    with pytest.raises(wt.FileError, match=r"claims to unpack from \d+ bytes to 80000000: it is damaged"):
        wt.load_trajectory(path)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_long_rest_comes_back(suffix, tmp_path, monkeypatch):
    """What hardly differs is packed well, and still no trap."""
    monkeypatch.setattr(bounds, "FREE", 10_000)
    m = wt.Mechanism("rest")
    for k in range(60):
        m.add_body(f"b{k}", wt.Revolute("x"), inertia=wt.Inertia(1.0))
    n = 3000
    ones, table = np.ones(n), np.ones((n, 60))
    joints = tuple((body.joint_name, 1, 1) for body in m.bodies)
    arrays: dict[str, Any] = {name: table if name in ("q", "qd", "tau") else ones for name in files.ARRAYS}
    arrays |= {"t": np.arange(n) * 0.25, "constraint_error": np.zeros((n, 0))}
    still = wt.Trajectory(**arrays, joints=joints)
    still.save(tmp_path / f"still{suffix}")
    np.testing.assert_array_equal(wt.load_trajectory(tmp_path / f"still{suffix}").q, table)


def test_nothing_in_a_file_is_executed(run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    repacked(path, q=np.array([{"a": 1}], dtype=object))
    with pytest.raises(wt.FileError, match="is not a Whippletree trajectory, or damaged"):
        wt.load_trajectory(path)


HEAD = "t,kinetic,potential,step,elastic,lost_power,external_power"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("t,kinetic,potential\n", "has no column 'step'"),
        (HEAD + ",x\n", "has the unknown column 'x'"),
        (HEAD + ",qd:a\n", "columns of qd and tau are not of the same joints"),
        (HEAD + "\n1,2,3\n", "line 2: has 3 entries, expected 7"),
        (HEAD + "\n1,2,3,four,5,6,7\n", "line 2: contains values that are not numbers"),
        (HEAD, "line 1: is cut short: its last line has no end"),
        (HEAD + "\n", "is damaged: it has no states"),
        (HEAD + "\n1,2,3,4,5,6,7\n2,2,3,4,5,6,7", "line 3: is cut short: its last line has no end"),
        (HEAD + "\n1,2,3,4,5,6,7\n2,2,3,4\n", "line 3: has 4 entries, expected 7"),
        (HEAD + "\n1,2,3,4,5,6,7\n2,2,3,nan,5,6,7\n", "line 3: is damaged: step of state 1 is nan"),
        (HEAD + "\n1,2,3,1e999,5,6,7\n", "line 2: is damaged: step of state 0 is inf"),
        (
            HEAD + "\n2,2,3,4,5,6,7\n1,2,3,4,5,6,7\n",
            r"line 3: is damaged: the time goes back from 2.0 s to 1",
        ),
        (HEAD + ",t\n", "it has the column 't' more than once"),
        (HEAD + ",q:a[1],qd:a,tau:a\n", r"the columns of q are not numbered as a$"),
        (HEAD + ",constraint_error:1\n", r"the columns of constraint_error are not numbered as 0"),
        (HEAD + '\n"1,2,3,4,5,6,7\n', "line 2: is not a table"),
        (HEAD + ',"' + "x" * 200_000 + '"\n', "is not a table: field larger than field limit"),
        ("\xff", "is not a table|has no column"),
    ],
)
def test_foreign_tables_are_refused(text, message, tmp_path):
    path = tmp_path / "run.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(wt.FileError, match=message):
        wt.load_trajectory(path)


def test_unknown_suffixes_are_refused(run, tmp_path):
    with pytest.raises(wt.FileError, match=r"unknown suffix '\.mat'; known: \.npz, \.csv, \.parquet"):
        run.save(tmp_path / "run.mat")
    with pytest.raises(wt.FileError, match=r"unknown suffix '\.mat'"):
        wt.load_trajectory(tmp_path / "run.mat")


def test_a_failed_write_leaves_the_old_file(run, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(wt.FileError, match="cannot be written: No space left on device"):
        run.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.npz"]


def test_a_plot_shows_the_numbers(run, tmp_path):
    figure = run.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    positions, velocities, energies, forces = figure.axes
    assert [line.get_label() for line in positions.lines[:5]] == run.labels("q")
    for line, values in (
        (velocities.lines[3], run.qd[:, 3]),
        (energies.lines[2], run.energy),
        (energies.lines[3], run.elastic),
    ):
        t, y = line.get_data()
        assert len(t) > 2 * len(run)  # and others between them
        np.testing.assert_allclose(np.interp(run.t, t, y), values, rtol=0, atol=1e-12)
    assert "(change " in energies.get_title(loc="left")  # as there is an actuator
    np.testing.assert_array_equal(forces.lines[0].get_ydata(), run.tau[:, 0])
    with pytest.raises(wt.InputError, match=r"a picture cannot be written as '\.doc'"):
        run.plot(tmp_path / "run.doc")


def frames(path: Path) -> int:
    """Of a moving picture."""
    from PIL import Image

    with Image.open(path) as picture:
        return getattr(picture, "n_frames", 1)


@pytest.mark.parametrize("name", ["double-pendulum", "spinning-top", "four-bar"])
def test_a_movie_has_a_frame_for_each_moment(name, tmp_path):
    moving = wt.simulate(wt.examples.load(name), duration=0.4)
    moving.animate(tmp_path / "run.gif", fps=10)
    assert 1 <= frames(tmp_path / "run.gif") <= 4  # equal ones are joined
    assert os.listdir(tmp_path) == ["run.gif"]


def test_an_mp4_is_a_movie_that_plays(tmp_path, monkeypatch):
    import imageio_ffmpeg

    moving = wt.simulate(wt.examples.load("four-bar"), duration=1.0)
    moving.animate(tmp_path / "run.mp4", fps=20)
    assert os.listdir(tmp_path) == ["run.mp4"]
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", tmp_path / "run.mp4", "-f", "rawvideo"]
    played = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    told = played.stderr.decode()
    assert "Video: h264" in told
    assert "yuv420p" in told
    assert "468x468" in told
    frames = np.frombuffer(played.stdout, np.uint8).reshape(-1, 468, 468, 3).astype(int)
    assert len(frames) == 20
    first, last = frames[0], frames[-1]
    assert first[0, 0].min() > 240  # a white corner
    assert (np.abs(first - last).max(axis=2) > 100).sum() > 500  # the bars have moved

    def missing():
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", missing)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        wt.InputError, match=r"x\.mp4: \.mp4 needs ffmpeg: pip install whippletree\[view\], or"
    ):
        moving.animate(tmp_path / "x.mp4")
    moving.animate(tmp_path / "x.gif", fps=5)
    assert sorted(os.listdir(tmp_path)) == ["run.mp4", "x.gif"]


def test_movies_that_cannot_be_are_refused(run, tmp_path):
    with pytest.raises(wt.InputError, match=r"a movie cannot be written as '\.avi'; known: \.gif, \.mp4"):
        run.animate(tmp_path / "run.avi")
    run.save(tmp_path / "run.csv")
    with pytest.raises(wt.InputError, match="a movie needs a mechanism"):
        wt.load_trajectory(tmp_path / "run.csv").animate(tmp_path / "run.gif")


def test_a_plot_without_actuators_shows_the_phase():
    pendulum = wt.simulate(wt.examples.load("pendulum"), [1.0], duration=1.0)
    figure = pendulum.plot()
    phase = next(axis for axis in figure.axes if axis.get_title(loc="left").startswith("phase"))
    q, drawn = np.asarray(phase.lines[0].get_xdata()), smooth(pendulum)
    np.testing.assert_array_equal(q, drawn.q[:, 0])
    np.testing.assert_allclose(np.interp(pendulum.t, drawn.t, q), pendulum.q[:, 0], rtol=0, atol=1e-13)
    with pytest.raises(wt.InputError, match="cannot be plotted; at least two are needed"):
        wt.Trajectory(*([np.zeros((1, 1))] * 11)).plot()  # pyright: ignore[reportArgumentType]  # eleven
