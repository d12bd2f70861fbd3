"""The cache of machine code: found again, and never in the way whatever happens to it."""

import contextlib
import json
import multiprocessing
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kernel_use import many_at_once, use
from whippletree.cli.app import app
from whippletree.kernels.run import build
from whippletree.kernels.store import cache


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if cache.directory() != tmp_path / "whippletree" / "kernels":
        pytest.skip("this system keeps caches elsewhere")
    return cache.directory()


@pytest.fixture
def compilations(monkeypatch):
    """The list of IR texts compiled from now on."""
    texts = []
    real = build.compile_object

    def counted(text, target, effort):
        texts.append(text)
        return real(text, target, effort)

    monkeypatch.setattr(build, "compile_object", counted)
    return texts


def test_code_is_found_again(compilations, folder):
    use()
    assert len(compilations) == 3  # the entrance, one state, batches
    use()
    assert len(compilations) == 3
    use(4.0)
    assert len(compilations) == 5  # the same entrance: it depends on the shapes alone


def test_code_of_another_version_is_not_used(compilations, monkeypatch):
    use()
    maker = build._maker()
    monkeypatch.setattr(build, "_maker", lambda: f"{maker}1")
    use()
    assert len(compilations) == 6


def test_permissions(folder):
    use()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_info_and_clear(folder):
    assert cache.info() == cache.CacheInfo(folder, 0, 0)
    use()
    found = cache.info()
    assert found.path == folder
    assert found.entries == 3
    assert found.bytes == sum(path.stat().st_size for path in folder.iterdir())
    (folder / "notes.txt").write_text("not ours")
    assert cache.clear() == (*found, ())
    assert cache.info().entries == 0
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    use()


def test_what_cannot_be_removed_is_told(folder, monkeypatch):
    use()
    first, *others = sorted(folder.iterdir())
    size = first.stat().st_size
    first.unlink()
    first.mkdir()
    found = cache.info()
    assert found.entries == 2  # a directory is no entry
    assert found.bytes == sum(path.stat().st_size for path in others)
    told = cache.clear()
    assert told[:3] == found
    ((path, reason),) = told.left
    assert path == first
    assert reason
    first.rmdir()
    first.write_bytes(bytes(size))

    def denied(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", denied)
    assert cache.info()[1:] == (1, size)
    assert cache.clear() == (folder, 0, 0, ((first, "Permission denied"),))


def test_what_another_process_removes_meanwhile_is_no_failure(folder, monkeypatch):
    use()
    real = Path.unlink

    def twice(path: Path) -> None:
        real(path)
        real(path)

    monkeypatch.setattr(Path, "unlink", twice)
    assert cache.clear() == (folder, 0, 0, ())
    assert cache.clear() == (folder, 0, 0, ())


def test_directory_that_cannot_be_listed(folder, monkeypatch):
    def denied(path: Path) -> list[str]:
        raise PermissionError(13, "Permission denied", str(path))

    use()
    monkeypatch.setattr(os, "listdir", denied)
    assert cache.info().entries == 0
    assert cache.clear() == (folder, 0, 0, ((folder, "Permission denied"),))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def exchange(path: Path) -> None:
    """Whole, but the content of another entry."""
    others = sorted(path.parent.iterdir())
    path.write_bytes(others[others.index(path) - 1].read_bytes())


@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        flip,
        exchange,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("something else entirely"),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: path.chmod(0o622),
    ],
)
def test_damaged_entries_are_compiled_anew(damage, compilations, folder):
    use()
    saved = [(path, path.read_bytes()) for path in sorted(folder.iterdir())]
    for path, _ in saved:
        damage(path)
        if path.is_file():
            os.utime(path)
        if damage is exchange:
            break  # the others stay what they were
    use()
    damaged = 1 if damage is exchange else 3
    assert len(compilations) == 3 + damaged
    if all(path.is_file() for path, _ in saved):
        use()  # and put right
        assert len(compilations) == 3 + damaged


def test_directory_that_others_may_write_is_not_used(compilations, folder):
    use()
    for mode in (0o777, 0o770, 0o702):
        folder.chmod(mode)
        before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())
        count = len(compilations)
        use()
        assert len(compilations) == count + 3
        assert sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir()) == before


def test_entries_of_another_user_are_not_used(compilations, monkeypatch):
    use()
    monkeypatch.setattr(os, "getuid", lambda: 12345678)
    use()
    assert len(compilations) == 6


def test_directory_that_is_a_file(folder, compilations):
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    use()
    assert cache.info().entries == 0
    assert cache.clear().entries == 0
    assert folder.read_text() == "in the way"


def test_directory_that_cannot_be_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    use()
    assert cache.info().entries == 0


@pytest.mark.parametrize("call", ["mkstemp", "replace"])
def test_full_or_read_only_disk(call, monkeypatch, folder):
    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp" if call == "mkstemp" else "os.replace", fails)
    use()
    assert list(folder.iterdir()) == []


def test_no_home(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    use()
    assert cache.load("0" * 64) is None
    assert cache.info() == (None, 0, 0)
    assert cache.clear() == (None, 0, 0, ())
    told = CliRunner().invoke(app, ["cache", "info"])
    assert (told.exit_code, told.output) == (0, "nothing is kept: there is no home directory for a cache\n")
    assert json.loads(CliRunner().invoke(app, ["cache", "info", "--json"]).output)["path"] is None


def test_a_place_for_caches_needs_no_home(folder, monkeypatch, compilations):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    use()
    use()
    assert len(compilations) == 3
    assert cache.info().path == folder


@pytest.mark.skipif(os.name != "posix", reason="HOME is not asked elsewhere")
def test_home_that_is_no_place(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "somewhere")
    monkeypatch.chdir(tmp_path)
    use()
    assert list(tmp_path.iterdir()) == []
    assert cache.info().path is None


def test_every_directory_made_is_ours_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "caches"))
    before = os.umask(0)
    try:
        cache.save("entry", b"data")
    finally:
        os.umask(before)
    folder = cache.directory()
    made = [folder, *folder.parents][: len(folder.relative_to(tmp_path).parts)]
    assert len(made) == 4
    assert {stat.S_IMODE(place.stat().st_mode) for place in made} == {0o700}
    assert cache.load("entry") == b"data"


@pytest.mark.parametrize("which", ["kernels", "whippletree"])
def test_a_directory_that_is_a_link_is_not_used(which, folder, tmp_path, compilations):
    use()
    place = folder if which == "kernels" else folder.parent
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    kept = sorted(path.name for path in folder.iterdir())
    use()
    use(4.0)
    assert len(compilations) == 3 + 3 + 3
    assert sorted(path.name for path in folder.iterdir()) == kept
    assert cache.info().entries == 0
    assert cache.clear()[1:] == (0, 0, ())
    assert sorted(path.name for path in folder.iterdir()) == kept


@pytest.mark.parametrize("how", ["link", "open to all"])
def test_nothing_is_made_in_a_directory_that_is_not_used(how, folder, tmp_path):
    place = folder.parent
    place.parent.mkdir(parents=True, exist_ok=True)
    if how == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.mkdir()
        place.chmod(0o777)
    cache.save("entry", b"data")
    assert list(place.iterdir()) == []


def test_users_may_put_their_caches_elsewhere(folder, tmp_path, monkeypatch, compilations):
    (tmp_path / "large disk").mkdir()
    (tmp_path / "caches").symlink_to(tmp_path / "large disk")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    use()
    use()
    assert len(compilations) == 3


def test_a_directory_whose_parent_others_may_write_is_not_used(folder, compilations):
    use()
    folder.parent.chmod(0o777)
    use()
    assert len(compilations) == 6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("kind", ["pipe", "link", "socket"])
def test_entries_that_are_no_plain_files_are_ignored(kind, folder, tmp_path, compilations):
    use()
    for path in folder.iterdir():
        if kind == "pipe":
            path.unlink()
            os.mkfifo(path, 0o600)  # whoever opens it to read waits for one who writes
        elif kind == "link":
            path.rename(tmp_path / path.name)
            path.symlink_to(tmp_path / path.name)
        else:
            path.unlink()
            with socket.socket(socket.AF_UNIX) as end, contextlib.chdir(folder):
                end.bind(path.name)
    assert cache.info()[1:] == (0, 0)
    use()
    assert len(compilations) == 6
    use()  # they were replaced
    assert len(compilations) == 6


def test_what_was_used_least_recently_goes(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 10_000)
    for number in range(9):
        cache.save(f"entry{number}", bytes(1_000))
        os.utime(folder / f"entry{number}.wtk", (1e9 + number, 1e9 + number))
    assert cache.info().entries == 9
    assert cache.load("entry0") is not None  # used now
    cache.save("large", bytes(2_000))
    kept = sorted(path.stem for path in folder.iterdir())
    assert kept == ["entry0", "entry5", "entry6", "entry7", "entry8", "large"]
    assert cache.info().bytes <= 0.75 * cache.LIMIT
    cache.save("huge", bytes(20_000))
    assert [path.stem for path in folder.iterdir()] == ["huge"]  # of use, if only until the next one


def test_small_entries_are_bounded_with_few_looks(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 100_000)
    looks = []
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: looks.append(path) or listed(path))
    for number in range(1_500):
        cache.save(f"entry{number}", bytes(100))
    size = len(cache._MAGIC) + 32 + 100
    assert 1_500 * size > 2 * cache.LIMIT
    assert 0.7 * cache.LIMIT < cache.info().bytes < 1.1 * cache.LIMIT
    assert 60 < len(looks) < 140  # 96 are expected: one for 1,562 bytes of data


def test_the_limit_is_told(folder):
    use()
    told = CliRunner().invoke(app, ["cache", "info"]).output
    assert "MB of at most 256 MB, kept in" in told.replace("\n", " ")
    assert json.loads(CliRunner().invoke(app, ["cache", "info", "--json"]).output)["limit"] == cache.LIMIT


def test_relative_cache_home_is_ignored(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache.directory() == Path.home() / ".cache" / "whippletree" / "kernels"


def test_interrupted_write_leaves_the_old_entry(folder, monkeypatch):
    cache.save("entry", b"old")

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        cache.save("entry", b"new")
    assert cache.load("entry") == b"old"
    assert [path.name for path in folder.iterdir()] == ["entry.wtk"]
    (folder / ".new-abc.wtk").write_bytes(b"of a process that was killed")
    cache.clear()
    assert list(folder.iterdir()) == []  # what was left over is removed as well


def test_processes_at_once(folder):
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    workers = [context.Process(target=many_at_once, args=(start, seed)) for seed in range(2)]
    for worker in workers:
        worker.start()
    start.set()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert cache.info().entries == 1 + 1 + 2 * 6  # hashes of the sources, calls, two codes a kernel
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_another_process_uses_it(folder, compilations):
    use()
    script = (
        "import numpy as np\n"
        "from whippletree.kernels.run import build\n"
        "from whippletree.kernels.run.kernel import Kernel\n"
        "from whippletree.kernels.trace.recording import trace\n"
        "build.compile_object = None\n"
        "k = Kernel(trace(lambda x: 3.0 * x + 1.0, {'x': ()}))\n"
        "print(k(2.0), k(np.arange(3.0)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "7.0 [1. 4. 7.]\n"


def test_keys_tell_parts_apart():
    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("ab", "c") == cache.key("ab", "c")
