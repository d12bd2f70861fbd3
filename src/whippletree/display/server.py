"""The web server of a viewer: viser's, behind a gate, with checked messages and without its public tunnel."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import viser
import websockets.asyncio.server
from viser import _messages

from ..errors import InputError
from .gate import Gate

QUIET = logging.getLogger("whippletree.viewer")
"""What websockets logs of broken connections: nothing a user of the viewer could act on."""
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False

_STARTING = threading.Lock()


class Server(viser.ViserServer):
    """A server of viser that lets in only who passes the gate.

    Attributes:
        gate: Holds the token.
        refused: Called with what was wrong, in words, when a browser has sent something senseless.
    """

    def __init__(self, host: str, port: int) -> None:
        self.gate: Gate = Gate(host)
        self.refused: Callable[[str], None] = lambda told: None
        address = _Address(host)
        address.server = self
        with _guarding():
            super().__init__(address, port, verbose=False)
        if not address.guarded:
            self.stop()
            raise InputError(f"viser {viser.__version__} starts a server that cannot be guarded: install 1.1")
        inside = self._websock_server
        for tunnel in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
            inside.unregister_handler(tunnel)
        # Handlers are called in their order, up to one that raises.
        inside.unregister_handler(_messages.GuiUpdateMessage)
        inside.register_handler(_messages.GuiUpdateMessage, _check_update)
        inside.register_handler(_messages.GuiUpdateMessage, self._check_choice)
        inside.register_handler(_messages.GuiUpdateMessage, self.gui._handle_gui_updates)

    def request_share_url(self, verbose: bool = True) -> None:
        """Nothing: the page is for who was given its address."""

    def _check_choice(self, client: int, message: Any) -> None:
        """InputError if a browser chooses what a list does not have."""
        handle = self.gui._gui_input_handle_from_uuid.get(message.uuid)
        if isinstance(handle, viser.GuiDropdownHandle) and message.updates["value"] not in handle.options:
            known = ", ".join(handle.options)
            raise InputError(f"{handle.label} is {message.updates['value']}; known: {known}")

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What becomes of an error in answering a message: it is told in the page, not on the terminal."""
        error = context.get("exception")
        told = isinstance(error, InputError)  # else it comes from viser, which takes a value as it is
        self.refused(str(error) if told else f"a field was set to what it cannot take: {error}")


class _Address(str):
    """The host that a server listens at; by it the server is known where websockets is started."""

    server: Server
    guarded = False


class _Serve(websockets.asyncio.server.serve):
    """`serve` of websockets, with the gate before all else if it is one of our servers that starts."""

    def __init__(self, handler: Any, host: Any = None, port: Any = None, **options: Any) -> None:
        if isinstance(host, _Address):
            server = host.server
            options["process_request"] = server.gate.around(options.get("process_request"))
            options["logger"] = QUIET
            asyncio.get_running_loop().set_exception_handler(server.failed)
            host.guarded = True
        super().__init__(handler, host, port, **options)


@contextmanager
def _guarding() -> Iterator[None]:
    """While a server starts. viser hands on neither `process_request` nor `logger` to `serve`.

    Servers that others start meanwhile are as they would be: theirs has no such address.
    """
    with _STARTING:
        plain = websockets.asyncio.server.serve
        websockets.asyncio.server.serve = _Serve
        try:
            yield
        finally:
            websockets.asyncio.server.serve = plain


def _check_update(client: int, message: Any) -> None:
    """InputError unless a browser changes the value of a widget, and numbers are finite.

    Raises:
        InputError: It does not.
    """
    if set(message.updates) != {"value"}:
        raise InputError(f"{', '.join(map(repr, message.updates))} cannot be set from the page, only a value")
    try:
        number = float(message.updates["value"])  # viser reads numbers from texts as well
    except (TypeError, ValueError):
        return
    if not np.isfinite(number):
        raise InputError(f"a field was set to {number}, expected a finite number")
