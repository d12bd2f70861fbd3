"""Closed mechanisms measured: recursive coordinate reduction against what other libraries offer."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from ..api.compiling import compile
from ..errors import SolverError
from ..examples.legged import linkage_humanoid
from ..examples.linkages import four_bar_tree, four_bars
from ..kernels.run.kernel import Kernel
from ..loops import choose_reduction, grcr
from ..loops.closing.projections import project_velocity
from ..model.mechanism import Mechanism
from ..spatial import Array
from .loop_peers import Peer, mujoco_peer, pinocchio_peers
from .measure import best_times
from .peers import installed

WINDOWS = (1, 10, 40, 100, 1000)
LEVELS = 5  # of the tree: 31 loops
BYTES = 8 << 20
"""Inputs and outputs of a batch together: the same for every size, so that all find the same memory."""

AGREE, AGREE_SOFT = 1e-5, 1e-2
"""How far, relative to the largest acceleration, a peer may be from us: rigid loops, soft ones at rest."""


@dataclass(frozen=True)
class LoopTimes:
    """One mechanism; times in ns per state, by name of the peer's function; what was left out, and why."""

    mechanism: str
    loops: int
    nv: int
    operations: int
    prepare_seconds: float
    states: int
    one: float
    batch: float
    peers: dict[str, float]
    differences: dict[str, float]
    left_out: dict[str, str]

    @property
    def pinocchio(self) -> float | None:
        """The faster one of Pinocchio's."""
        return min((time for name, time in self.peers.items() if name != "mj_forward"), default=None)

    @property
    def one_ratio(self) -> float | None:
        """How many times faster than that for one state."""
        return None if self.pinocchio is None else self.pinocchio / self.one

    @property
    def batch_ratio(self) -> float | None:
        """How many times the states per second of a core; peers take one state after the other."""
        return None if self.pinocchio is None else self.pinocchio / self.batch


Case = tuple[str, Callable[[], tuple[Mechanism, Array, Array]]]


def cases() -> list[Case]:
    """Names of what is measured, and what makes the mechanism and a state with all loops closed."""
    rows: list[Case] = [(f"four-bars {n}", lambda n=n: row_of_four_bars(n)) for n in WINDOWS]
    others: list[Case] = [
        (f"tree of {2**LEVELS - 1} four-bars", lambda: _moving(four_bar_tree(LEVELS))),
        ("linkage-humanoid", lambda: _moving(linkage_humanoid())),
    ]
    return rows + others


def row_of_four_bars(windows: int) -> tuple[Mechanism, Array, Array]:
    """Four-bars in a row with all bars at one angle and one rate: the parallelogram branch."""
    signs = np.array([1.0 if i % 2 == 0 else -1.0 for i in range(2 * windows + 1)])
    return four_bars(windows), 1.1 * signs, -0.7 * signs


def _moving(m: Mechanism) -> tuple[Mechanism, Array, Array]:
    """A mechanism where it closes at zero, every joint moving as the loops allow."""
    qd = project_velocity(m, m.neutral(), np.random.default_rng(0).normal(size=m.nv))
    return m, m.neutral(), qd


def measure(case: Case, rounds: int = 7, note: Callable[[str], None] = lambda text: None) -> LoopTimes:
    """One row: agreement first, then times, everything in turn.

    Args:
        case: From `cases`.
        rounds: How many turns; fewer where one call takes long.
        note: Called with what is being done.

    Raises:
        SolverError: A peer gives other accelerations.
    """
    name, make = case
    m, q, qd = make()
    note(f"{name}: recording and compiling")
    start = perf_counter()
    kernel = compile(grcr, m, reduction=choose_reduction(m, q))
    states = max(64, BYTES // (8 * (m.nq + 3 * m.nv)) // 64 * 64)
    zero = np.zeros(m.nv)
    batch = [np.tile(x, (states, 1)) for x in (q, qd, zero)]
    kernel(q, qd, zero)
    out = kernel(*batch)
    seconds = perf_counter() - start
    note(f"{name}: setting up peers")
    peers: dict[str, Peer] = {}
    left_out: dict[str, str] = {}
    if installed("pinocchio"):
        try:
            peers = pinocchio_peers(m, q, qd, kernel(q, qd, zero), AGREE)
        except MemoryError:  # what it keeps grows with the square of the joints
            left_out["Pinocchio"] = f"no memory for its data of {m.nv} joints"
    if installed("mujoco"):
        peers["mj_forward"] = mujoco_peer(m, q, qd)
    differences = {peer: _difference(name, peer, peers[peer], kernel, q, qd) for peer in peers}
    note(f"{name}: timing")
    calls: dict[str, Callable[[], object]] = {
        "one": lambda: kernel(q, qd, zero),
        "batch": lambda: kernel(*batch, out=out),
        **{peer: entry.call for peer, entry in peers.items()},
    }
    ns = {call: 1e9 * time for call, time in best_times(calls, rounds if len(m) < 500 else 3).items()}
    return LoopTimes(
        mechanism=name,
        loops=len(m.loops),
        nv=m.nv,
        operations=sum(kernel.cost.values()),
        prepare_seconds=seconds,
        states=states,
        one=ns["one"],
        batch=ns["batch"] / states,
        peers={peer: ns[peer] for peer in peers},
        differences=differences,
        left_out=left_out,
    )


def _difference(name: str, peer: str, entry: Peer, kernel: Kernel, q: Array, qd: Array) -> float:
    """How far a peer's accelerations are from ours, relative to the largest one."""
    zero = np.zeros(len(qd))
    speed = zero if entry.at_rest else qd
    ours = kernel(q, speed, zero)
    found = float(np.max(np.abs(entry.accelerations(q, speed) - ours)) / np.max(np.abs(ours)))
    allowed = AGREE_SOFT if entry.at_rest else AGREE
    if not found <= allowed:
        raise SolverError(
            f"{name}: accelerations by {peer} differ from ours by {found:.1e} of the largest, but at most "
            f"{allowed:.1e} is allowed: comparing times of different results means nothing"
        )
    entry.accelerations(q, qd)  # where it is timed
    return found


def per_loop(rows: list[LoopTimes]) -> dict[str, float] | None:
    """Time for each loop at the most windows over that at 40, for one state and batched."""
    by = {row.mechanism: row for row in rows}
    far, near = by.get(f"four-bars {WINDOWS[-1]}"), by.get("four-bars 40")
    if far is None or near is None:
        return None
    return {
        "one": far.one / far.loops / (near.one / near.loops),
        "batch": far.batch / far.loops / (near.batch / near.loops),
    }


def record(rows: list[LoopTimes]) -> list[dict[str, object]]:
    """The rows as plain data, ratios included."""
    return [{**asdict(row), "one_ratio": row.one_ratio, "batch_ratio": row.batch_ratio} for row in rows]
