"""Files that are written whole or not at all: what they replace, what they refuse, what a kill leaves."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path

import pytest

import whippletree as wt
from whippletree.io.atomic import must_be_writable, whole

posix = pytest.mark.skipif(os.name != "posix", reason="modes, pipes and signals of POSIX")


def write(path: Path, data: bytes = b"new") -> None:
    with whole(path) as file:
        file.write(data)


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "robot.toml"
    path.write_bytes(b"old")
    path.chmod(mode)
    with whole(path) as file:
        (part,) = set(tmp_path.iterdir()) - {path}
        assert stat.S_IMODE(part.stat().st_mode) == mode  # from the start: who may not read it never may
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_file_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").touch()
    write(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


@posix
def test_a_link_stays_a_link_and_its_file_keeps_its_mode(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o604)
    (tmp_path / "link").symlink_to("file")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o604


@posix
@pytest.mark.parametrize("kind", ["named pipe", "socket"])
def test_what_is_no_file_is_refused(tmp_path, kind):
    path = tmp_path / "out"
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as end, chdir(tmp_path):
            end.bind("out")
    else:
        os.mkfifo(path)
    before = path.stat()
    for refused in (must_be_writable, write):
        with pytest.raises(
            wt.FileError, match=rf"out: cannot be written: it is a {kind}: give the path of a file$"
        ):
            refused(path)
    assert path.stat() == before
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_devices_are_refused():
    with pytest.raises(
        wt.FileError, match=r"/dev/null: cannot be written: it is a device: give the path of a file$"
    ):
        must_be_writable("/dev/null")


WRITER = """
import sys, time
from whippletree.io.atomic import whole
with whole(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    print("writing", flush=True)
    time.sleep(60.0)
"""


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


def age(folder: Path) -> None:
    an_hour_ago = time.time() - 3600.0
    for path in parts(folder):
        os.utime(path, (an_hour_ago, an_hour_ago))


@posix
def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path):
    path = tmp_path / "run[1].npz"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        age(tmp_path)
        write(path)
        assert len(parts(tmp_path)) == 1  # it is alive, and writes
        child.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"new"
    write(tmp_path / "other")
    assert len(parts(tmp_path)) == 1  # that of another file is left alone
    write(path, b"newer")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["other", "run[1].npz"]
    assert path.read_bytes() == b"newer"


@posix
def test_only_what_is_ours_goes(tmp_path):
    names = [".run.part", ".run.mine.part", ".run.0123456789ab.part.txt", "run.0123456789ab.part"]
    for name in names:
        (tmp_path / name).write_bytes(b"a user's")
    os.mkfifo(tmp_path / ".run.0123456789ab.part")
    age(tmp_path)
    write(tmp_path / "run")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        [*names, ".run.0123456789ab.part", "run"]
    )


@posix
def test_one_that_was_begun_just_now_stays(tmp_path):
    (tmp_path / ".run.0123456789ab.part").write_bytes(b"of one who has not locked it yet")
    write(tmp_path / "run")
    assert len(parts(tmp_path)) == 1


@posix
def test_an_interrupt_leaves_nothing(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with whole(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == [b"old"]
