"""Rollouts by the workers of an executor: complete, and the same to the last bit, whoever dies on the way."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation import distribute as distribution
from whippletree.simulation.distribute import ATTEMPTS, IN_FLIGHT, PIECES

COUNT, STEPS = 270, 8
"""Trajectories and steps of a rollout of small pieces, the last of which is no whole one."""


def states(count: int = COUNT) -> tuple[wt.Mechanism, np.ndarray, np.ndarray, np.ndarray]:
    """A mechanism with a quaternion, and for each trajectory a start and forces."""
    rng = np.random.default_rng(0)
    m = wt.Mechanism("swing")
    inertia = wt.Inertia(1.2, (0.1, -0.2, -0.4), (0.1, 0.2, 0.15))
    m.add_body("ball", wt.Spherical(), inertia=inertia, friction=0.1)
    m.add_body("rod", wt.Revolute("x"), "ball", wt.Placement((0, 0, -0.5)), inertia)
    q0, qd0 = np.array([m.random(rng) for _ in range(count)]), rng.normal(size=(count, m.nv))
    return m, q0, qd0, rng.normal(size=(count, STEPS, m.nv))


def same(got: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray]) -> bool:
    return [part.tobytes() for part in got] == [part.tobytes() for part in expected]


def check_all_kinds(pool: Executor) -> None:
    """Forces as arrays of every layout, as feedback and as a function that no other process can import."""
    m, q0, qd0, tau = states()
    swapped = np.asfortranarray(tau)
    for forces, options in (
        (tau, {"every": 3}),
        (swapped, {"method": "rk4"}),
        (tau[0], {"threads": 2}),
        (np.broadcast_to(tau[:1], tau.shape), {}),
        (np.broadcast_to(tau[:, :1], tau.shape), {}),
        (None, {"steps": 5}),
        (wt.Feedback(np.ones((4, 8)), m.neutral(), forward=tau), {}),
        (lambda t, q, qd: tau[0, 0] * np.sin(30.0 * t) - 2.0 * qd, {"steps": 7}),
    ):
        given: Any = {"dt": 0.01, **options}
        expected = wt.rollout(m, q0, qd0, forces, **given)
        assert same(wt.rollout(m, q0, qd0, forces, **given, executor=pool), expected)
    expected = wt.rollout(m, q0[0], qd0[0], tau[0], dt=0.01)
    assert same(wt.rollout(m, q0[0], qd0[0], tau[0], dt=0.01, executor=pool), expected)
    grid = wt.rollout(m, q0[:20, None], qd0[:9], tau[0], dt=0.01)
    assert same(wt.rollout(m, q0[:20, None], qd0[:9], tau[0], dt=0.01, executor=pool), grid)


def test_threads_give_the_same():
    with ThreadPoolExecutor(2) as pool:
        check_all_kinds(pool)


def test_processes_give_the_same():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        check_all_kinds(pool)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two processes of Dask, and a client of theirs."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as processes,
        Client(processes) as client,
    ):
        yield client


def test_a_cluster_gives_the_same(cluster):
    check_all_kinds(cluster.get_executor())


class Killing(Executor):
    """Passes work on to a cluster, and kills one of its workers while that has work to do."""

    def __init__(self, client: Any) -> None:
        self.client, self.inner = client, client.get_executor()
        self.pids = client.run(os.getpid)
        self.submitted, self.victims, self.lost = 0, list[int](), 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = self.inner.submit(fn, *args, **kwargs)
        self.submitted += 1
        # From the middle on, until a worker is caught in the middle of something.
        while self.submitted >= PIECES // 2 and not self.lost and not future.done():
            for address, tasks in self.client.processing().items():
                if tasks and not self.lost:
                    self.lost = len(tasks)
                    self.victims.append(self.pids[address])
                    os.kill(self.victims[0], signal.SIGKILL)
        return future


def test_a_worker_killed_on_the_way_changes_nothing(cluster):
    m, q0, qd0, _ = states(512)
    given: Any = {"steps": 40_000, "every": 20_000, "dt": 1e-4}
    expected = wt.rollout(m, q0, qd0, **given)
    killing = Killing(cluster)
    assert same(wt.rollout(m, q0, qd0, **given, executor=killing), expected)
    assert killing.submitted >= PIECES
    assert killing.lost > 0
    pids = cluster.run(os.getpid).values()
    assert killing.victims[0] not in pids


class Losing(Executor):
    """Computes at once, but loses what `loses(number of the call)` says, as a worker that died would."""

    def __init__(self, loses: Callable[[int], bool], error: BaseException) -> None:
        self.loses, self.error, self.calls, self.largest = loses, error, 0, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if self.loses(self.calls):
            future.set_exception(self.error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize(
    "error", [ConnectionError("gone"), CancelledError(), RuntimeError("killed"), TimeoutError()]
)
def test_lost_pieces_are_sent_again(error):
    m, q0, qd0, tau = states()
    expected = wt.rollout(m, q0, qd0, tau)
    losing = Losing(lambda call: call <= 20 and call % 2 == 0, error)
    assert same(wt.rollout(m, q0, qd0, tau, executor=losing), expected)
    assert losing.calls == -(-COUNT // 16) + 10


def test_pieces_that_never_come_back_are_accounted_for():
    m, q0, qd0, tau = states()
    expected = wt.rollout(m, q0, qd0, tau)
    first = {1, 2}  # and every time they are sent again

    def loses(call: int) -> bool:
        return call in first or call > pieces

    pieces = -(-COUNT // 16)
    losing = Losing(loses, ConnectionError("worker 7\nwent away"))
    out = np.zeros_like(expected[0]), np.zeros_like(expected[1])
    with pytest.raises(
        wt.WorkerError,
        match=r"^2 of 17 pieces, 32 of 270 trajectories, were not computed: ConnectionError: worker 7 went "
        r"away\. A piece is sent 3 times",
    ):
        wt.rollout(m, q0, qd0, tau, executor=losing, out=out)
    assert losing.calls == pieces + 2 * (ATTEMPTS - 1)
    for got, wanted in zip(out, expected, strict=True):
        assert np.isnan(got[:32]).all()
        assert got[32:].tobytes() == wanted[32:].tobytes()


def test_what_the_computation_raises_is_raised_at_once(monkeypatch):
    """As where a worker has another version: it would be so every time."""
    m, q0, qd0, tau = states()
    losing = Losing(lambda call: False, ConnectionError())
    true = distribution._packed

    def packed(iteration):
        with monkeypatch.context() as patch:
            patch.setattr(distribution.llvmlite, "__version__", "0.1")
            return true(iteration)

    monkeypatch.setattr(distribution, "_packed", packed)
    with pytest.raises(wt.WorkerError, match=r"a worker has .*, this process .*, llvmlite 0\.1: install the"):
        wt.rollout(m, q0, qd0, tau, executor=losing)
    assert losing.calls <= IN_FLIGHT


def test_an_executor_that_takes_no_work_is_told():
    m, q0, qd0, tau = states()
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(wt.WorkerError, match=r"17 of 17 pieces, 270 of 270 .*after shutdown"):
        wt.rollout(m, q0, qd0, tau, executor=pool)


class Breaking(ProcessPoolExecutor):
    """Its only process is killed when it is given the tenth piece."""

    def __init__(self) -> None:
        super().__init__(1, mp_context=multiprocessing.get_context("spawn"))
        self.victim, self.submitted = super().submit(os.getpid).result(), 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted == 10:
            os.kill(self.victim, signal.SIGKILL)
        return super().submit(fn, *args, **kwargs)


def test_a_pool_of_processes_does_not_survive_one_of_its_own():
    """Nothing can be done about it but to tell, and to keep what was computed."""
    m, q0, qd0, tau = states()
    expected = wt.rollout(m, q0, qd0, tau)
    out = np.zeros_like(expected[0]), np.zeros_like(expected[1])
    with (
        Breaking() as pool,
        pytest.raises(wt.WorkerError, match=r"of 17 pieces, .*BrokenProcessPool: A .*process") as caught,
    ):
        wt.rollout(m, q0, qd0, tau, executor=pool, out=out)
    lost = np.isnan(out[0]).any(axis=(1, 2))
    assert f"{lost.sum()} of 270 trajectories" in str(caught.value)
    assert out[0][~lost].tobytes() == expected[0][~lost].tobytes()
    with Breaking() as pool:
        pool.submitted = 10
        assert same(wt.rollout(m, q0, qd0, tau, executor=pool), expected)


def test_pieces_are_small_enough_to_be_sent(monkeypatch):
    """However long the trajectories are, and few are on their way at a time."""
    starts, out = [np.zeros((1000, 2))], [np.empty((1000, 125_000))]
    cuts = distribution._cuts(starts, [], out)
    assert len(cuts) == 125
    assert [cut.start for cut in cuts] == list(range(0, 1000, 8))
    assert cuts[-1].stop == 1000
    m, q0, qd0, _ = states(8 * 3 * PIECES)
    running = [0, 0]

    class Counting(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            running[0] += 1
            running[1] = max(running)
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(lambda _: running.__setitem__(0, running[0] - 1))
            return future

    monkeypatch.setattr(distribution, "BYTES", 1)
    with Counting(1) as pool:
        got = wt.rollout(m, q0, qd0, steps=3, executor=pool)
    assert same(got, wt.rollout(m, q0, qd0, steps=3))
    assert PIECES < running[1] <= IN_FLIGHT


class Distorts(Executor):
    """Computes, and gives back something else."""

    def __init__(self, distort: Callable[[Any], Any], calls: int = 10**9) -> None:
        self.distort, self.left = distort, calls

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        future: Future[Any] = Future()
        results = fn(*args, **kwargs)
        future.set_result(results if self.left < 0 else self.distort(results))
        return future


@pytest.mark.parametrize(
    ("distort", "told"),
    [
        (lambda results: None, "gave back NoneType"),
        (lambda results: results[:1], r"gave back \['float64 \(16, 8, 5\)'\]"),
        (lambda results: [result[:1] for result in results], r"gave back \['float64 \(1, 8, 5\)'"),
        (lambda results: [result[0, 0, 0] for result in results], r"gave back \['float64'"),
        (lambda results: [result.astype(complex) for result in results], r"gave back \['complex128 "),
        (lambda results: [result.tolist() for result in results], r"gave back \['list', 'list'\]"),
        (lambda results: "text", "gave back str"),
    ],
)
def test_results_of_another_shape_are_none(distort, told):
    m, q0, qd0, tau = states()
    out = np.zeros((COUNT, STEPS, m.nq)), np.zeros((COUNT, STEPS, m.nv))
    with pytest.raises(wt.WorkerError, match=f"{told}.*, expected ") as caught:
        wt.rollout(m, q0, qd0, tau, executor=Distorts(distort), out=out)
    assert "17 of 17 pieces, 270 of 270 trajectories, were not computed" in str(caught.value)
    assert np.isnan(out[0]).all()
    expected = wt.rollout(m, q0, qd0, tau)
    assert same(wt.rollout(m, q0, qd0, tau, executor=Distorts(distort, 2)), expected)  # it is sent again
