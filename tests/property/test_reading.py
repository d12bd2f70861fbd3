"""What every reader of files does alike: names that no file can have, pipes, sizes, open files and texts.

Source of truth: what was written into the files.
"""

import os
import re
from io import BytesIO, StringIO
from pathlib import Path

import pytest

import whippletree as wt
from urdf_text import link, robot
from whippletree import io
from whippletree.io import bounds, file_source

SUFFIXES = [".urdf", ".toml", ".npz", ".csv", ".parquet"]


def read(path):
    return (wt.load if Path(path).suffix in (".urdf", ".toml") else wt.load_trajectory)(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_that_no_file_has(suffix, tmp_path):
    for name, message in [
        ("none", "no such file (looked in "),
        ("zero\0byte", "embedded null "),
        ("long" * 100, "cannot be read: File name too long"),
        ("\ud800", "cannot be read: 'utf-8' codec"),
    ]:
        path = tmp_path / f"{name}{suffix}"
        with pytest.raises(wt.FileError, match=re.escape(message)):
            read(path)
        if suffix in (".urdf", ".toml"):
            (problem,) = io.problems(path)
            assert message in problem.message


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_pipe_is_refused_and_not_waited_for(suffix, tmp_path):
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with pytest.raises(wt.FileError, match="it is no regular file, but a directory, pipe or device"):
        read(path)
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(wt.FileError, match="directory"):
        read(folder)


def test_a_file_beyond_the_bound_is_not_read(tmp_path):
    path = tmp_path / "large.toml"
    with open(path, "wb") as file:
        file.truncate(bounds.LARGEST_TEXT + 1)  # a hole, which takes no room on the disk
    with pytest.raises(wt.FileError, match="is larger than 64 MB, the most that is read"):
        wt.load(path)


TOML = "format = 1\nname = 'made'\n"


def test_open_files_and_texts(tmp_path):
    urdf, path = robot(link("a")), tmp_path / "arm.xml"
    path.write_text(urdf)
    arm = wt.load(path)  # .xml, told by its content
    assert arm.name == "made"
    assert (
        wt.loads(urdf)
        == wt.loads(urdf.encode())
        == wt.load(StringIO(urdf))
        == wt.load(BytesIO(urdf.encode()))
    )
    assert wt.loads(urdf) == wt.loads("\n" + urdf) == wt.loads("\ufeff" + urdf) == arm
    assert wt.loads(urdf.encode("utf-16")) == arm
    assert wt.loads("note\n<?xml version='1.0'?>" + urdf) == arm
    with path.open() as text, path.open("rb") as data:
        assert wt.load(text) == wt.load(data) == arm
    assert wt.loads(TOML) == wt.load(StringIO(TOML)) == wt.Mechanism("made")
    assert wt.loads(urdf, root=wt.Free()).nv == 6


def test_open_files_and_texts_that_hold_nothing(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text("<!-- <robot> --><?note?>\n<scene/>")
    with pytest.raises(
        wt.FileError, match=r"model\.xml, line 2: the root element is <scene>: .*<robot>.*<mujoco>.*<sdf>"
    ):
        wt.load(path)
    with path.open("wb") as file, pytest.raises(wt.FileError, match=r"model\.xml: cannot be read: "):
        wt.load(file)
    with pytest.raises(wt.FileError, match=r"^text: is empty \(0 bytes\)"):
        wt.loads("")
    with pytest.raises(wt.FileError, match=r"^text, line 1: is not TOML"):
        wt.loads("hello")
    with pytest.raises(wt.FileError, match="cannot be read: 'utf-8' codec"):
        wt.loads("\ud800")
    for wrong in (3, None):
        with pytest.raises(wt.InputError, match="give the name of a file, or a file that is open"):
            wt.load(wrong)  # pyright: ignore[reportArgumentType]  # wrong on purpose
        with pytest.raises(wt.InputError, match="give a text, or bytes"):
            wt.loads(wrong)  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_whatever_a_library_raises_is_told_as_the_fault_of_the_file():
    with (
        pytest.raises(wt.FileError, match=r"^a\.npz: is damaged: RecursionError$"),
        file_source.reading(Path("a.npz"), "is damaged"),
    ):
        raise RecursionError
    with pytest.raises(KeyboardInterrupt), file_source.reading(Path("a.npz"), "is damaged"):
        raise KeyboardInterrupt
