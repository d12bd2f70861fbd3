"""The viewer: a mechanism in the browser, to be moved, simulated and played."""

import contextlib
import io
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..analysis.driven_kinematics import DrivenMotion
from ..analysis.modes import Modes
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import position, vector
from ..simulation.trajectory import Trajectory
from ..spatial import Array
from .gate import EVERYWHERE
from .session import Session, check
from .stage import stage

PORT = 8080
"""Where the search for a free port begins, if none is given."""

FRAME = 1.0 / 30.0
"""s between two pictures while a trajectory is played."""

PATH = 40
"""About so many states of a trajectory the first picture has room for."""

SELDOM = 5
"""Every so many pictures the widgets follow."""


def view(
    what: Mechanism | Trajectory | DrivenMotion | Modes, *, port: int | None = None, host: str = "127.0.0.1"
) -> "Viewer":
    """Show a mechanism, or play a trajectory, a driven motion or modes, in the browser.

    Bodies are drawn from their visual shapes and meshes or, without any, from joints and ellipsoids of
    inertia. The panel has a slider for every coordinate (loops follow, as far as they can), gravity to be
    dragged, a button that simulates from the state shown, and a plot of energies.

    Returns at once: the viewer lives until it is stopped or the program ends, and `Viewer.wait` waits for
    Ctrl-C. Needs viser: pip install whippletree[view].

    The page is for who has its address: `Viewer.url` carries a random token, without which nothing is
    served, and pages of other sites are refused even with it.

    Args:
        what: A mechanism, a trajectory that has one, a motion of `kinematics`, or `modes`, which swing one
            after the other.
        port: Of the web page; without one, the first free from 8080 on.
        host: Address to listen at; the default is reached from this machine only, "0.0.0.0" from all.

    Raises:
        InputError: There is nothing to be shown, viser is missing, or the port is taken.

    >>> import whippletree as wt
    >>> with wt.view(wt.examples.load("four-bar")) as viewer:
    ...     viewer.show([0.5, -0.6, 0.25])
    ...     print(viewer.url.startswith("http://127.0.0.1:"), viewer.q)
    True [ 0.5  -0.6   0.25]
    """
    m, trajectory = check(what)
    return Viewer(m, trajectory, port, host)


class Viewer:
    """A mechanism shown in the browser; made by `view`.

    Attributes:
        url: Where to point the browser, with the token that opens it.
        warnings: Meshes that could not be drawn, loops that could not be closed; in words.

    A viewer is a context manager that stops it at the end.
    """

    def __init__(self, m: Mechanism, trajectory: Trajectory | None, port: int | None, host: str) -> None:
        _check_installed()
        _check_free(host, port)
        self._lock = threading.RLock()
        self._session = Session(m, trajectory)
        every = max(1, 0 if trajectory is None else len(trajectory) // PATH)
        path = None if trajectory is None else trajectory.q[::every]
        shot = stage(self._session.m, self._session.q, path)
        from .controls import Controls
        from .scene import Scene
        from .server import Server

        with _silent():
            self._server: Any = Server(host, PORT if port is None else port)
        try:
            scene = Scene(self._server, self._session.m, shot)
            self._controls = Controls(self._server, self._session, scene, shot.size, self._lock)
            self.warnings: list[str] = [*self._session.problems, *scene.problems]
            self._controls.warnings(self.warnings)
        except BaseException:
            with _silent():
                self._server.stop()
            raise
        shown_host = "localhost" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
        self.url: str = f"http://{shown_host}:{self._server.get_port()}{self._server.gate.path}"
        self._over = threading.Event()
        self._player = threading.Thread(target=self._play, name="whippletree-view", daemon=True)
        self._player.start()

    @property
    def q(self) -> Array:
        """(nq,) the position shown, rad or m."""
        return self._session.q.copy()

    @property
    def qd(self) -> Array:
        """(nv,) the velocity of the state shown, rad/s or m/s."""
        return self._session.qd.copy()

    @property
    def time(self) -> float:
        """Of the trajectory's state shown, s."""
        return self._session.time

    @property
    def trajectory(self) -> Trajectory | None:
        """What is played: the one given, or the last one simulated in the browser."""
        return self._session.trajectory

    def show(self, q: Any, qd: Any = None) -> None:
        """Show a position (nq,) with a velocity (nv,), at rest by default."""
        m = self._session.m
        at = position(m, q)
        speed = None if qd is None else vector(qd, (m.nv,), "qd", f"one entry per velocity of {m.name!r}")
        with self._lock:
            self._session.show(at, speed)
            self._controls.refresh()

    def begin(self, q: Any, qd: Any, control: Any = None, impacts: str = "poisson") -> None:
        """Show a state first, to which "Reset" comes back, and let simulations start with what acts on it.

        Args:
            q: (nq,) position, rad or m.
            qd: (nv,) velocity, rad/s or m/s.
            control, impacts: Of `simulate`.
        """
        m = self._session.m
        at = position(m, q)
        speed = vector(qd, (m.nv,), "qd", f"one entry per velocity of {m.name!r}")
        with self._lock:
            self._session.begin(at, speed, control, impacts)
            self._controls.refresh()

    def play(self) -> None:
        """Play the trajectory, from its start if it is at the end."""
        with self._lock:
            self._session.play()

    def pause(self) -> None:
        """Stay at the state shown."""
        with self._lock:
            self._session.playing = False
            self._controls.refresh()

    def _play(self) -> None:
        """While playing, a picture each thirtieth of a second, and the state of the widgets now and then."""
        last, count, was_playing = time.monotonic(), 0, False
        while not self._over.wait(FRAME):
            now = time.monotonic()
            with self._lock:
                if self._session.playing or was_playing:
                    self._session.advance(now - last)
                    was_playing = self._session.playing
                    count += 1
                    self._controls.refresh(widgets=count % SELDOM == 0 or not was_playing)
            last = now

    def wait(self) -> None:
        """Wait until Ctrl-C is pressed or the viewer is stopped, then stop it."""
        try:
            while not self._over.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        """End the server; the page in the browser goes dead. Nothing happens the second time."""
        if self._over.is_set():
            return
        self._over.set()
        self._player.join()
        with _silent():
            self._server.stop()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Viewer of {self._session.m.name!r} at {self.url}>"


def _check_installed() -> None:
    """InputError that says how to get the libraries that serve the page and read meshes."""
    try:
        import trimesh  # noqa: F401  # needed later, and reported now if missing
        import viser  # noqa: F401  # likewise
    except ImportError as error:
        raise InputError(f"the viewer needs {error.name}: pip install whippletree[view]") from None


def _check_free(host: str, port: int | None) -> None:
    """InputError for an address that cannot be had: viser would silently take the next port, or hang."""
    if port is not None and not (isinstance(port, int) and 0 <= port <= 65535):
        raise InputError(f"port is {port!r}, expected a number from 0 to 65535")
    if not isinstance(host, str):
        raise InputError(f"host is {host!r}, expected an address, as '127.0.0.1'")
    import socket  # on use, like all that only the viewer needs

    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port or 0))
    except OSError as error:
        where, hint = (
            (f"host {host!r}", "give an address of this machine")
            if port is None
            else (f"port {port} of {host}", "give another port, or leave it out to use a free one")
        )
        raise InputError(f"{where} cannot be used ({error.strerror or error}): {hint}") from None


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Without the banners that viser prints; the viewer tells its address itself."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
