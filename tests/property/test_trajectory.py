"""Trajectories in files and pictures."""

import io
import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import whippletree as wt
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
        (HEAD + "\n1,2,3,four,5,6,7\n", "contains values that are not numbers"),
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
    np.testing.assert_array_equal(velocities.lines[3].get_ydata(), run.qd[:, 3])
    np.testing.assert_array_equal(energies.lines[2].get_ydata(), run.energy)
    np.testing.assert_array_equal(energies.lines[3].get_ydata(), run.elastic)
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
    phase = pendulum.plot().axes[3]
    np.testing.assert_array_equal(phase.lines[0].get_xdata(), pendulum.q[:, 0])
    with pytest.raises(wt.InputError, match="cannot be plotted; at least two are needed"):
        wt.Trajectory(*([np.zeros((1, 1))] * 11)).plot()  # pyright: ignore[reportArgumentType]  # eleven
