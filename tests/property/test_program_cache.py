"""Programs kept on disk: found again to the last bit, never for anything else, never in the way."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whippletree as wt
from program_use import changed, places, rich
from random_graphs import recipe
from whippletree.api.compiling import record
from whippletree.dynamics.aba import aba as plain_aba
from whippletree.kernels.run import build
from whippletree.kernels.store import cache, sources
from whippletree.kernels.store import programs as stored
from whippletree.kernels.store.content import content
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace
from whippletree.model.snapshot import Snapshot
from whippletree.simulation import equations, stepping


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if cache.directory() != tmp_path / "whippletree" / "kernels":
        pytest.skip("this system keeps caches elsewhere")
    return cache.directory()


@pytest.fixture
def recordings(monkeypatch, folder):
    """What names the programs recorded from now on."""
    made, program = [], stored.program

    def counted(parts, record):
        def recorded():
            made.append(parts)
            return record()

        return program(parts, recorded)

    monkeypatch.setattr(stored, "program", counted)
    return made


def arm(joint: wt.Joint | None = None, tip: float = 0.4) -> wt.Mechanism:
    """A new object every time."""
    m = wt.Mechanism("arm")
    inertia = wt.Inertia(1.3, (0.2, 0.1, -0.3), (0.11, 0.12, 0.13))
    m.add_body("one", joint or wt.Revolute("z"), inertia=inertia)
    m.add_body("two", wt.Revolute("y"), "one", wt.Placement((0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1)), inertia)
    m.add_frame("tool", "two", wt.Placement((0.0, 0.1, tip)))
    m.add_frame("eye", "two", wt.Placement((0.2, 0.1, 0.0)))
    return m


RNG = np.random.default_rng(11)
STATE = np.array([0.3, -0.7]), np.array([0.9, 0.4]), np.array([1.7, -0.6])
BATCH = tuple(np.array([x, x[::-1], -x]) for x in STATE)


def same(a: Program, b: Program) -> None:
    """Equal in everything, to the last bit."""
    assert {field.name for field in fields(Program)} == {
        "inputs",
        "constants",
        "columns",
        "results",
        "outputs",
        "loops",
    }
    assert (a.inputs, a.instructions, a.results, a.outputs) == (
        b.inputs,
        b.instructions,
        b.results,
        b.outputs,
    )
    assert a.columns.names == b.columns.names
    assert np.array(a.constants).tobytes() == np.array(b.constants).tobytes()
    assert (a.cost, a.digest, a.n_instructions) == (b.cost, b.digest, b.n_instructions)
    assert {first: loop.times for first, loop in a.loops.items()} == {
        first: loop.times for first, loop in b.loops.items()
    }
    for first, loop in a.loops.items():
        same(loop.body, b.loops[first].body)


# What is found again


def test_programs_are_found_again(recordings):
    first = wt.compile(wt.aba, arm())
    second = wt.compile(wt.aba, arm())
    assert len(recordings) == 1
    same(second.program, first.program)
    for arguments in (STATE, BATCH):
        assert second(*arguments).tobytes() == first(*arguments).tobytes()
    assert (second.source("c"), second.source("llvm")) == (first.source("c"), first.source("llvm"))
    assert repr(second) == repr(first)


def test_instructions_are_not_unpacked_to_run(recordings):
    wt.compile(wt.rnea, arm())(*STATE)
    k = wt.compile(wt.rnea, arm())
    k(*STATE)
    assert k.cost["mul"] > 0
    assert "instructions" not in vars(k.program)
    k.source("python")
    assert "instructions" in vars(k.program)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (wt.energy, {}),
        (wt.forward_kinematics, {}),
        (wt.frame_velocity, {"frame": "tool"}),
        (wt.frame_velocity, {"frame": "eye"}),
        (wt.aba, {"inputs": {"f_ext": (2, 6)}}),
        (wt.aba, {"parameters": ["two.mass", "gravity.x"]}),
        (wt.aba, {"parameters": ["gravity.x", "two.mass"]}),
        (wt.forward_dynamics, {"method": "crba"}),
        (wt.total_mass, {}),
    ],
)
def test_every_kind_of_call(function, options, recordings):
    first, second = record(function, arm(), **options), record(function, arm(), **options)
    assert len(recordings) == 1
    same(first, second)


def test_reductions_are_plain_values(recordings):
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    first, second = (
        wt.compile(wt.loops.grcr, m, reduction=wt.loops.choose_reduction(m, q)) for _ in range(2)
    )
    assert len(recordings) == 1
    state = q, [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    assert second(*state).tobytes() == first(*state).tobytes()


def test_simulations_are_found_again(recordings):
    counts = []
    for _ in range(2):
        equations._equations.cache_clear()  # as a new process would find it
        wt.simulate(arm(), STATE[0], STATE[1], duration=0.01, progress=False)
        counts.append(len(recordings))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
def test_rollouts_are_found_again(name, recordings):
    m = wt.examples.load(name)
    q = wt.assemble(m, m.neutral()) if m.loops else m.neutral()
    gain = RNG.normal(size=(m.nv, 2 * m.nv))
    forces = (RNG.normal(size=(4, m.nv)), wt.Feedback(gain, q))
    found, counts = [], []
    for _ in range(2):
        stepping._given_forces.cache_clear()  # as a new process would find it
        stepping._linear_feedback.cache_clear()
        found.append([wt.rollout(m, q, np.zeros(m.nv), tau, dt=1e-3, steps=4) for tau in forces])
        counts.append(len(recordings))
    assert counts[0] == counts[1] >= 2
    np.testing.assert_array_equal(np.array(found[0][0]), np.array(found[1][0]))
    np.testing.assert_array_equal(np.array(found[0][1]), np.array(found[1][1]))


@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_random_programs_survive(data):
    made = recipe(lambda n: data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, 25)))
    program = trace(made.traced, {"x": (made.n_inputs,)})
    packed = stored.pack(program)
    assert packed is not None
    found = stored.unpack(packed)
    assert found is not None
    same(found, program)


def test_odd_programs_survive():
    def odd(x, y):
        return {"a": [x * np.inf, (x / 3.0 + np.nan,)], 2: np.array([-0.0, 1e-320]), "none": ()}

    for program in (trace(odd, {"x": (), "y": (0, 3)}), trace(lambda x: x, {"x": (2, 1)}), trace(tuple, {})):
        packed = stored.pack(program)
        assert packed is not None
        found = stored.unpack(packed)
        assert found is not None
        same(found, program)
        again = pickle.loads(pickle.dumps(stored.unpack(packed)))
        same(again, program)


# What decides


def test_everything_in_a_mechanism_counts():
    m = rich()
    ways = [way for way in places(m) if way[0] != ("attribute", "_kept")]
    assert {name for way in ways for kind, name in way if kind == "attribute"} >= {
        *(name for name in vars(m) if name[0] == "_" and name != "_kept"),
        "warnings",
        *(field.name for part in (wt.Body, wt.Limits, wt.Geometry) for field in fields(part)),
        *(
            field.name
            for part in (wt.Loop, wt.Gear, wt.Spring, wt.Frame, wt.Force, wt.PlacedShape)
            for field in fields(part)
        ),
        *("axis", "pitch", "of", "first", "second", "position", "rotation", "m", "h", "I", "E", "r"),
    }
    found = [content(changed(m, way)) for way in ways]
    assert None not in found
    assert len({*found, content(m)}) == len(ways) + 1
    before = content(m)
    Snapshot(m)  # which the mechanism keeps, with a copy of itself
    assert content(m) == before
    assert content(rich()) == content(m)


@pytest.mark.parametrize("name", wt.examples.names())
def test_examples_have_contents_of_their_own(name):
    assert content(wt.examples.load(name)) == content(wt.examples.load(name)) is not None


def test_what_follows_from_the_rest_does_not_count():
    m, fresh = rich(), content(rich())
    for X in m.X_T:
        wt.Inertia(1.0).to_child(X)  # finds out what kind of rotation and shift it is, and remembers
    assert any(len(vars(X)) > 2 for X in m.X_T)
    assert content(m) == fresh
    for name in dir(m):  # tuples of parts are made when they are first read
        getattr(m, name)
    assert len(m.bodies) == len(m.q_index) == m.nq - 1
    assert content(m) == fresh == content(m.copy()) == content(pickle.loads(pickle.dumps(m)))


def test_equal_values_are_the_same_however_they_are_held():
    shared = wt.Inertia(2.0, (0.1, 0.2, 0.3))
    text = "".join(["pend", "ulum"])  # no constant of this file
    assert content((shared, shared)) == content((shared, wt.Inertia(2.0, (0.1, 0.2, 0.3))))
    assert content(["pendulum", text]) == content([text, text])


def test_values_of_different_kinds_differ():
    values = [1, 1.0, True, "1", b"1", None, (1,), [1], {1: 1}, np.float64(1.0), np.array(1.0)]
    values += [np.array([1.0]), np.array([1]), np.array([[1.0]]), -0.0, 0.0, ("ab", "c"), ("a", "bc"), np.nan]
    values += [slice(1), slice(1, 1), wt.Revolute("x"), wt.Prismatic("x"), wt.Reversed(wt.Revolute("x"))]
    values += [wt.aba, plain_aba, wt.rnea, {"a": 1, "b": 2}, {"b": 2, "a": 1}]
    found = [content(value) for value in values]
    assert None not in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((wt.aba, {}), (plain_aba, {})),
        ((wt.aba, {}), (wt.dynamics.forward_dynamics_crba, {})),
        ((wt.frame_pose, {"frame": "tool"}), (wt.frame_pose, {"frame": "eye"})),
        ((wt.aba, {}), (wt.aba, {"inputs": {"f_ext": (2, 6)}})),
        ((wt.aba, {"parameters": ["one.mass"]}), (wt.aba, {"parameters": ["two.mass"]})),
    ],
)
def test_calls_are_told_apart(first, second, recordings):
    programs = [record(function, arm(), **options) for function, options in (first, second, first, second)]
    assert len(recordings) == 2
    same(programs[0], programs[2])
    same(programs[1], programs[3])
    assert programs[0].digest != programs[1].digest


def test_a_mechanism_that_is_built_further_is_another(recordings):
    m = arm()
    wt.compile(wt.aba, m)
    m.add_body("three", wt.Prismatic("x"), "two", inertia=wt.Inertia(0.7))
    assert wt.compile(wt.aba, m).program.inputs[0].shape == (3,)
    m.gravity = (0.3, 0.2, -1.6)
    there, q = wt.compile(wt.gravity_force, m), np.array([0.3, -0.7, 0.2])
    np.testing.assert_allclose(there(q), wt.gravity_force(m, q), rtol=1e-13)
    assert len(recordings) == 3


# What is never taken from the disk


@dataclass(frozen=True)
class Turn(wt.Revolute):
    """A joint type of a user."""


class Machine(wt.Mechanism):
    """A kind of mechanism of a user."""


def aba(m, q, qd, tau):
    """A function of a user, called as one of the library is."""
    return FACTOR * wt.aba(m, q, qd, tau)


FACTOR = 2.0


def test_functions_of_users_are_recorded(recordings, monkeypatch):
    expected = wt.aba(arm(), *STATE)
    np.testing.assert_allclose(wt.compile(aba, arm())(*STATE), 2.0 * expected, rtol=1e-13)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    np.testing.assert_allclose(wt.compile(aba, arm())(*STATE), 3.0 * expected, rtol=1e-13)
    monkeypatch.setattr(aba, "__module__", "whippletree.dynamics.aba")
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    np.testing.assert_allclose(wt.compile(aba, arm())(*STATE), 4.0 * expected, rtol=1e-13)
    assert len(recordings) == 3


def test_whatever_holds_something_of_users_is_recorded(recordings, folder):
    odd = arm()
    vars(odd)["frame"] = lambda name: arm().frame("eye")  # someone's idea of a patch
    machine = Machine("machine")
    machine.add_body("one", wt.Revolute("z"), inertia=wt.Inertia(1.3, (0.2, 0.1, -0.3)))
    cases = [
        (wt.crba, arm(Turn("z")), {}),
        (wt.crba, arm(wt.Reversed(Turn("z"))), {}),
        (wt.frame_pose, odd, {"frame": "tool"}),
        (wt.crba, machine, {}),
    ]
    for function, m, options in cases:
        for _ in range(2):
            record(function, m, **options)
    assert len(recordings) == 2 * len(cases)
    assert cache.info().entries == 0
    assert content([object()]) is None
    assert content(np.array([None])) is None
    assert content({1, 2}) is None
    circle: list = []
    circle.append(circle)
    assert content(circle) is None


def test_outputs_in_classes_of_users_are_not_kept():
    class Pair(tuple):
        """A container of a user."""

    assert stored.pack(trace(lambda x: Pair((x, x)), {"x": ()})) is None
    assert stored.pack(trace(lambda x: {1.5: x}, {"x": ()})) is None


# Whatever happens to the entry


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def rewrite(path: Path, change) -> None:
    """An entry with another header but a checksum that holds."""
    data = cache.load(path.stem)
    assert data is not None
    line, _, body = data.partition(b"\n")
    head = json.loads(line)
    cache.save(path.stem, change(head, body))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
        lambda path: path.write_bytes(b""),
        lambda path: path.chmod(0o622),
        lambda path: rewrite(path, lambda head, body: json.dumps(head).encode() + b"\n" + body[:-4]),
        lambda path: rewrite(path, lambda head, body: b"[1, 2]\n" + body),
        lambda path: rewrite(path, lambda head, body: b"\xff\xfe\n" + body),
        lambda path: rewrite(path, lambda head, body: b"{}\n" + body),
        lambda path: rewrite(
            path,
            lambda head, body: (
                json.dumps({**head, "outputs": {"kind": "os:system", "children": [], "keys": []}}).encode()
                + b"\n"
                + body
            ),
        ),
        lambda path: rewrite(path, lambda head, body: b""),
    ],
)
def test_damaged_entries_are_recorded_anew(damage, recordings, folder):
    record(wt.aba, arm())
    (path,) = entries(folder)
    whole = path.read_bytes()
    damage(path)
    record(wt.aba, arm())
    assert len(recordings) == 2
    assert path.read_bytes() == whole  # and put right
    record(wt.aba, arm())
    assert len(recordings) == 2


def test_processes_at_once(folder):
    command = [sys.executable, "-c", SCRIPT]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    told = [process.communicate()[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert told[0][1] == told[1][1]
    assert len(entries(folder)) == 4  # with the hashes of the sources
    assert cache.info().entries == 4


def test_no_cache_at_all(recordings, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    for count in (1, 2):
        np.testing.assert_allclose(wt.compile(wt.aba, arm())(*STATE), wt.aba(arm(), *STATE), rtol=1e-13)
        assert len(recordings) == count


def test_info_and_clear_cover_programs(recordings, folder):
    record(wt.aba, arm())
    assert cache.info().entries == 1
    assert cache.clear().entries == 1
    record(wt.aba, arm())
    assert len(recordings) == 2


def test_code_is_made_of_the_stored_program(recordings, folder):
    """A kernel from the disk whose machine code is not there compiles what was stored."""
    first = wt.compile(wt.aba, arm())
    expected = first(*BATCH)
    names = {path.name for path in entries(folder)}
    cache.clear()
    record(wt.aba, arm())
    assert {path.name for path in entries(folder)} < names
    assert wt.compile(wt.aba, arm())(*BATCH).tobytes() == expected.tobytes()
    assert len(recordings) == 2


# Which library


def test_without_knowledge_of_the_sources_nothing_is_kept(recordings, folder, monkeypatch):
    monkeypatch.setattr(sources, "digest", lambda folder="": None)
    for count in (1, 2):
        assert wt.compile(wt.aba, arm())(*STATE).shape == (2,)
        assert len(recordings) == count
    assert build._maker() is None
    assert cache.info().entries == 0


SCRIPT = """
import os, sys
import numpy as np
import whippletree as wt
from whippletree.kernels.store import cache
from whippletree.kernels.store import programs as stored
count, program = [], stored.program
stored.program = lambda parts, record: program(parts, lambda: (count.append(1), record())[1])
m = wt.examples.load("double-pendulum")
if len(sys.argv) > 1:
    os.utime(sys.argv[1])
k = wt.compile(wt.aba, m)
x = k(np.array([0.3, 0.5]), np.array([0.1, 0.7]), np.array([0.9, 0.2]))
print(len(count), x.tobytes().hex(), cache.info().entries)
"""


def test_other_sources_of_the_same_size_and_time_are_another_library(tmp_path, folder):
    package = tmp_path / "copy" / "whippletree"
    shutil.copytree(sources.ROOT, package, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*arguments: str) -> list[str]:
        command = [sys.executable, "-c", SCRIPT, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    count, numbers, kept = run()
    assert (count, kept) == ("1", "4")  # hashes of sources, the program, its entrance, its code for one state
    assert run() == ["0", numbers, "4"]
    path = package / "dynamics" / "aba.py"
    status, text = path.stat(), path.read_text()
    changed_text = text.replace("Forward", "forward", 1)
    assert len(changed_text) == len(text)
    assert changed_text != text
    path.write_text(changed_text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run() == ["1", numbers, "6"]  # machine code depends on the program alone
    assert run() == ["0", numbers, "6"]
    assert run(str(path)) == ["1", numbers, "6"]  # touched while it runs: neither used nor kept
