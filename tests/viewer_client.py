"""A client of the viewer that is no browser: it can say what a browser would not."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
from websockets.sync.client import ClientConnection, connect

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 1.0,
    "near": 0.1,
    "far": 10.0,
    "image_height": 100,
    "image_width": 100,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}
"""The first thing that a browser says; before it viser answers no widget."""


def knock(url: str, path: str | None = None, host: str | None = None, origin: str | None = None) -> Any:
    """A WebSocket to a viewer, by another path, under another name, or from another page."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    line = socket.create_connection((parts.hostname, parts.port))
    return connect(
        f"ws://{host or parts.netloc}{parts.path if path is None else path}",
        sock=line,
        origin=origin or f"http://{host or parts.netloc}",  # pyright: ignore[reportArgumentType]
        subprotocols=[f"viser-v{viser.__version__}"],  # pyright: ignore[reportArgumentType]
        compression=None,
        max_size=None,
        open_timeout=10,
    )


@contextmanager
def client(url: str) -> Iterator["Client"]:
    with knock(url) as connection:
        connection.send(msgspec.msgpack.encode(CAMERA))
        yield Client(connection)


class Client:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def send(self, kind: str, **content: Any) -> None:
        self._connection.send(msgspec.msgpack.encode({"type": kind, **content}))

    def set(self, handle: Any, value: Any) -> None:
        self.send("GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value})


def until(true: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.01)
