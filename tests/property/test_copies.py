"""Everything a user holds survives pickle, copy and deepcopy, and comes back from another process."""

import copy
import inspect
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import other_process
import whippletree as wt
from whippletree import errors
from whippletree.kernels.export.trigonometric import NotTrigonometric, TooManyTerms
from whippletree.kernels.trace.refusal import TraceError
from whippletree.loops.equations.rank import MisfitError
from whippletree.model.snapshot import motion_key
from whippletree.simulation.acting import ForceFault


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS: list[Callable[[Any], Any]] = [pickled, copy.copy, copy.deepcopy]


def trajectory() -> wt.Trajectory:
    m = wt.examples.load("double-pendulum")
    low = wt.Event(lambda t, q, qd: q[1] - 0.28, "low")
    return wt.simulate(m, [0.1, 0.3], [0.2, -0.4], duration=0.5, events=[low])


def examples_of_errors() -> list[errors.WhippletreeError]:
    plain = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
    special: list[errors.WhippletreeError] = [
        wt.FileError("robot.urdf", "no such joint", 17),
        wt.FileError("robot.urdf", "is empty"),
        wt.SimulationError("stopped", 0.25, "elbow", trajectory()),
        ForceFault("control gives nan", 0.75),
        TooManyTerms(1200, 1000),
        NotTrigonometric("sqrt"),
        other_process.OwnError(number=3, of="leg"),
    ]
    simple = {*plain, TraceError, MisfitError} - {type(error) for error in special}
    return [*special, *(kind("what", 2) for kind in sorted(simple, key=lambda kind: kind.__name__))]


ERRORS = examples_of_errors()


def test_every_error_is_tried():
    kinds, found = [errors.WhippletreeError], set()
    while kinds:
        found.add(kind := kinds.pop())
        kinds += kind.__subclasses__()
    assert {kind for kind in found if kind.__module__.startswith("whippletree.")} <= set(map(type, ERRORS))


def same(one: Any, other: Any) -> bool:
    """Whether errors tell the same; a trajectory is compared by its arrays."""
    if isinstance(one, wt.Trajectory):
        return all(
            np.array_equal(getattr(one, name), getattr(other, name)) for name in ("t", "q", "qd", "tau")
        )
    return bool(one == other)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors(error, way):
    error.add_note("seen on Tuesday")
    other = way(error)
    assert type(other) is type(error)
    assert other is not error
    assert (str(other), other.args) == (str(error), error.args)
    assert vars(other).keys() == vars(error).keys()
    assert all(same(value, getattr(other, name)) for name, value in vars(error).items())


def test_through_another_process():
    """A pool whose worker cannot send its error back breaks, or waits for ever."""
    run = trajectory()
    m = run.mechanism
    assert m is not None
    given = m, wt.compile(wt.aba, m), wt.Convention("pinocchio", m), run
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for error in ERRORS:
            told = pool.submit(other_process.raise_it, error).exception(timeout=60.0)
            assert (type(told), str(told)) == (type(error), str(error))
        there = pool.submit(other_process.results, *given).result(timeout=60.0)
    here = other_process.results(*given)
    assert there[0] == here[0]
    assert all(np.array_equal(a, b) for a, b in zip(there[1:], here[1:], strict=True))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asked", [False, True], ids=["new", "asked before"])
@pytest.mark.parametrize("name", wt.examples.names())
def test_mechanisms(name, asked, way):
    m = wt.examples.load(name)
    if asked:
        _ = m.bodies, m.parents, m.X_T, m.q_index, m.v_index, m.nq, m.nv, m.loops, m.gears
    other = way(m)
    assert other == m
    assert motion_key(other) == motion_key(m)
    before = len(m), m.nq, m.parents, m.names("body")
    other.add_body("one more", wt.Revolute("x"), inertia=wt.Inertia(1.0, about_com=(1.0, 1.0, 1.0)))
    other.add_frame("one more frame", "one more")
    assert (len(m), m.nq, m.parents, m.names("body")) == before
    assert not m.has("frame", "one more frame")
    assert other.bodies[:-1] == m.bodies
    assert len(other.X_T) == len(other.parents) == before[0] + 1
    assert other.nq == before[1] + 1
    assert other.number("body", "one more") == before[0]


@pytest.mark.parametrize("way", WAYS)
def test_what_could_not_be_written_cannot_in_a_copy(way):
    m = wt.Mechanism("box")
    corners = np.random.default_rng(2).normal(size=(4, 3))
    mesh = wt.Mesh("box.stl", vertices=corners, faces=np.array([[0, 1, 2], [0, 2, 3]]))
    ground = wt.Heights(np.array([[0.0, 0.2], [0.1, 0.3]]), (0.0, 1.0), (-1.0, 1.0))
    m.add_body("box", wt.Free(), placement=wt.Placement((1.0, 2.0, 3.0)), inertia=wt.Inertia(1.0))
    m.add_shape("box mesh", mesh, "box")
    m.add_shape("hills", ground)
    other = way(m)
    (mesh, hills), X = (part.shape for part in other.shapes), other.X_T[0]
    assert np.array_equal(mesh.vertices, corners)
    assert np.array_equal(hills.heights, ground.heights)
    for array in (mesh.vertices, mesh.faces, hills.heights, X.E, X.r, other.bodies[0].placement.position):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


@pytest.mark.parametrize("way", WAYS)
def test_conventions(way):
    m = wt.examples.load("double-pendulum")
    names = [body.joint_name for body in m.bodies][::-1]
    one = wt.Convention("rbdl", m, names)
    other, q = way(one), np.array([0.3, -0.7])
    assert (other.program, other.nq) == ("rbdl", 2)
    assert np.array_equal(other.to_position(q), one.to_position(q))
    assert other.to_position(q)[0] == q[1]


@pytest.mark.parametrize("way", WAYS)
def test_kernels_are_compiled_again(way):
    m = wt.examples.load("double-pendulum")
    kernel = wt.compile(wt.aba, m)
    kernel.name = "dynamics"
    other, x = way(kernel), np.random.default_rng(1).normal(size=(3, 5, 2))
    assert other is not kernel
    assert repr(other) == repr(kernel)
    assert np.array_equal(other(*x), kernel(*x))


@pytest.mark.parametrize("way", WAYS)
def test_trajectories(way):
    run = trajectory()
    other = way(run)
    assert same(run, other)
    assert other.mechanism == run.mechanism
    assert other.joints == run.joints
    assert [event.name for event in other.events] == [event.name for event in run.events] != []
    assert np.array_equal(other.energy, run.energy)
    assert other.labels("q") == run.labels("q")


def test_what_was_found_out_once_is_forgotten_with_a_change():
    m = wt.examples.load("double-pendulum")

    def mass(m):
        return sum(body.inertia.m for body in m.bodies)

    other, before = m.copy(), m.once(mass)
    assert other.once(mass) == before  # a copy knows it, too
    m.change("lower", inertia=wt.Inertia(5.0, (0.1, 0.0, 0.0)))
    assert m.once(mass) == mass(m) != before
    assert other.once(mass) == before
    m.gravity = (0.0, 0.0, -1.0)
    assert m.once(lambda m: m.gravity) == (0.0, 0.0, -1.0)
    with pytest.raises(ValueError, match="read-only"):
        m.bodies[0].inertia.h[0] = 3.0
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(m)).bodies[0].inertia.I[0] = 3.0
