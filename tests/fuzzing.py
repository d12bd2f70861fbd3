"""Damaged files by the thousand: a reader may refuse each by a FileError, or read good sense out of it."""

import re
import signal
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np

import whippletree as wt
from mjcf_text import MACHINE
from sdf_text import ROVER
from urdf_text import ARM
from whippletree.io.toml.toml_write import dumps

SECONDS, WAIT = 20, 600
"""s: a reader that works longer than the one at a small file, or waits longer than the other, hangs. A busy
machine may let it wait for minutes."""

NUMBER = re.compile(rb"-?\d+\.?\d*(?:e[+-]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]{2,}")
NUMBERS = b"nan inf -inf 1e999 -1e999 -0 0 -0.0 1e308 1e-308 1e100 -1 1_0 0x10 1e 1,5 true".split()
NUMBERS += [b"9" * 400, b"9" * 5000, b"", b'"1"', b"[1]", b"5e-324", b"720", b"1 2", b"1.0.0"]


def _flipped(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _overwritten(data: bytes, rng: Random) -> bytes:
    at, length = rng.randrange(len(data)), rng.randrange(1, 9)
    return data[:at] + rng.randbytes(length) + data[at + length :]


def _cut(data: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] if rng.random() < 0.5 else data[:start] + data[start + rng.randrange(1, 60) :]


def _lines(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(3)
    if action == 0:
        del lines[i]
    elif action == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def _replaced(pattern: re.Pattern[bytes], data: bytes, new: bytes, rng: Random) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    match = rng.choice(found)
    return data[: match.start()] + new + data[match.end() :]


def _number(data: bytes, rng: Random) -> bytes:
    return _replaced(NUMBER, data, rng.choice(NUMBERS), rng)


def _renamed(data: bytes, rng: Random) -> bytes:
    words = WORD.findall(data) or [b"x"]
    new = rng.choice([*words[:200], b"x", b"ground", "é".encode(), b"\0", b"a.b", b"#", b"x" * 300])
    return _replaced(WORD, data, new, rng)


Damage = Callable[[bytes, Random], bytes]
DAMAGES: tuple[Damage, ...] = (_flipped, _overwritten, _cut, _lines, _number, _renamed)


def damaged(data: bytes, rng: Random) -> bytes:
    """The content with one to four things done to it."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        if data:
            data = rng.choice(DAMAGES)(data, rng)
    return data


def _repacked(data: bytes, rng: Random) -> bytes:
    """An archive, one member of which is damaged and packed again: its check sums are right."""
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen, action = rng.choice(names), rng.randrange(4)
        for name in names:
            if name == chosen and action == 0:
                continue
            content = old.read(name)
            hit = name == chosen
            new.writestr(name, damaged(content, rng) if hit and action > 1 else content)
            if hit and action == 1:
                new.writestr(rng.choice(["x.npy", "t", "../t.npy"]), content)
    return packed.getvalue()


# What a reader may give back


def check_mechanism(m: wt.Mechanism) -> None:
    """Numbers are finite, and the mechanism is the same after a way through our own format."""
    for body in m.bodies:
        assert np.all(np.isfinite([body.inertia.m, *body.inertia.h, *body.inertia.I])), body
        assert body.inertia.m >= 0, body
        assert not np.isnan([body.limits.lower, body.limits.upper]).any(), body
        assert np.isfinite([body.armature, body.damping, body.friction, body.stiffness]).all(), body
    for frame in m.frames:
        assert np.isfinite(frame.placement.position).all(), frame
    assert all(np.isfinite(X.r).all() and np.isfinite(X.E).all() for X in m.X_T)
    assert np.isfinite(m.gravity).all()
    assert m.random(np.random.default_rng(0)).shape == (m.nq,)
    assert wt.loads(dumps(m)) == m


def check_trajectory(run: wt.Trajectory) -> None:
    """Arrays fit together, numbers are finite, and times do not go back."""
    n, nq, nv = len(run), sum(joint[1] for joint in run.joints), sum(joint[2] for joint in run.joints)
    assert run.t.shape == (n,)
    assert (run.q.shape, run.qd.shape, run.tau.shape) == ((n, nq), (n, nv), (n, nv))
    assert run.constraint_error.shape[0] == n
    for values in (run.t, run.q, run.qd, run.tau, run.kinetic, run.potential, run.step, run.elastic):
        assert np.isfinite(values).all()
    assert np.all(np.diff(run.t) >= 0)
    assert (len(run.labels("q")), len(run.labels("qd"))) == (nq, nv)
    for event in run.events:
        assert np.isfinite([event.t, *event.q, *event.qd]).all()
    if run.mechanism is not None:
        check_mechanism(run.mechanism)


# Good files


@cache
def _press() -> bytes:
    """The mechanism of docs/format.md that has a part of every kind."""
    text = (Path(__file__).parents[1] / "docs" / "format.md").read_text()
    (press,) = (part for part in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if '"press"' in part)
    return press.encode()


@cache
def _saved(suffix: str) -> bytes:
    m = wt.Mechanism("mixed")
    inertia = wt.Inertia(1.0, (0, 0, -0.3), (0.1, 0.2, 0.15))
    m.add_body("ball", wt.Spherical(), inertia=inertia)
    m.add_body("arm", wt.Revolute("x"), "ball", wt.Placement((0, 0, -0.5)), inertia)
    event = wt.Event(lambda t, q, qd: qd[3], "turn")
    run = wt.simulate(m, None, [0.3, 0.1, -0.2, 2.0], 0.5, events=[event])
    with tempfile.TemporaryDirectory() as folder:
        run.save(f"{folder}/run{suffix}")
        return Path(f"{folder}/run{suffix}").read_bytes()


def _archive(data: bytes, rng: Random) -> bytes:
    return _repacked(data, rng) if rng.random() < 0.6 else damaged(data, rng)


Read = Callable[[bytes, Path], None]


def _read_urdf(data: bytes, folder: Path) -> None:
    path = folder / "arm.urdf"
    path.write_bytes(data)
    check_mechanism(wt.load(path, root=wt.Free()))


def _read_sdf(data: bytes, folder: Path) -> None:
    path = folder / "rover.sdf"
    path.write_bytes(data)
    check_mechanism(wt.load(path))


def _read_mjcf(data: bytes, folder: Path) -> None:
    path = folder / "machine.xml"
    path.write_bytes(data)
    check_mechanism(wt.load(path))


def _read_trajectory(suffix: str) -> Read:
    def read(data: bytes, folder: Path) -> None:
        path = folder / f"run{suffix}"
        path.write_bytes(data)
        check_trajectory(wt.load_trajectory(path))

    return read


FORMATS: dict[str, tuple[Callable[[], bytes], Damage, Read]] = {
    "urdf": (ARM.encode, damaged, _read_urdf),
    "mjcf": (MACHINE.encode, damaged, _read_mjcf),
    "sdf": (ROVER.encode, damaged, _read_sdf),
    "toml": (_press, damaged, lambda data, _: check_mechanism(wt.loads(data))),
    "npz": (lambda: _saved(".npz"), _archive, _read_trajectory(".npz")),
    "csv": (lambda: _saved(".csv"), damaged, _read_trajectory(".csv")),
    "parquet": (
        lambda: _saved(".parquet"),
        damaged,
        _read_trajectory(".parquet"),
    ),
}
"""For each format a good file, a way to damage it, and a reader that checks what it gives back."""


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError(f"not read within {SECONDS} s of work, or {WAIT} s")

    signals = (signal.SIGPROF, signal.SIGALRM)
    before = [signal.signal(sent, ring) for sent in signals]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(WAIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for sent, handler in zip(signals, before, strict=True):
            signal.signal(sent, handler)


def damage(name: str, number: int) -> bytes:
    """The damaged file of a number: always the same one."""
    good, spoil, _ = FORMATS[name]
    return spoil(good(), Random(f"{name} {number}"))


def survives(name: str, number: int, folder: Path) -> bool:
    """Read a damaged file; whether it was read. Anything but good sense or a FileError is raised."""
    data = damage(name, number)
    try:
        with _alarm():
            FORMATS[name][2](data, folder)
    except wt.FileError:
        return False
    except BaseException as error:
        error.add_note(f"case {number} of {name}")
        raise
    return True
