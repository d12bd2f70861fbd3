"""Who may see the viewer's page: the one who was given its address, from a page of that address."""

import dataclasses
import secrets
import socket
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names under which a machine reaches itself."""

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all of a machine's own."""


class Gate:
    """Lets pages and WebSockets through if they know the token and come by the name of this server.

    The token stands first in the path. A page of a foreign site that guesses the port has neither: its
    `Origin` is another, and a name that it made lead here (DNS rebinding) is seen in `Host`. The port of
    `Host` is free, since a forwarded port has another number outside.

    Attributes:
        token: 128 random bits, in letters that need no quoting.
        path: Where the page is, "/<token>/".
    """

    def __init__(self, host: str) -> None:
        self.token: str = secrets.token_urlsafe(16)
        self.path: str = f"/{self.token}/"
        self._names = {socket.gethostname().lower()} if host in EVERYWHERE else {host.lower()}

    def refusal(self, request: "Request", local: str) -> str | None:
        """Why a request that came in at a local address is refused, in words; None if it is not."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or _name(hosts[0]) not in self._served(local):
            return "Host is not the address of this viewer"
        if origins not in ([], [f"http://{hosts[0]}"]):
            return "Origin is not the page of this viewer"
        given = request.path.partition("?")[0].split("/")[1:2]
        if not given or not secrets.compare_digest(given[0].encode(), self.token.encode()):
            return "the token is missing or wrong: use the address that the viewer told"
        return None

    def _served(self, local: str) -> set[str]:
        """Names of the host for a connection that came in at a local address."""
        address = _plain(local)
        return {str(address), *self._names, *(LOOPBACK if address.is_loopback else ())}

    def around(self, inside: "Process | None") -> "Process":
        """What a server does with a request: refuse it, or hand it on without the token in its path."""

        def process(connection: "ServerConnection", request: "Request") -> "Response | None":
            told = self.refusal(request, connection.local_address[0])
            if told is not None:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{told}\n")
            rest = request.path[len(self.path) - 1 :] or "/"
            response = None if inside is None else inside(connection, dataclasses.replace(request, path=rest))
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"  # it would carry the token
                response.headers["Cache-Control"] = "no-store"
            return response

        return process


Process = Callable[["ServerConnection", "Request"], Any]
"""`process_request` of websockets: the answer to a request, or None to open a WebSocket."""


def _name(host: str) -> str:
    """The name or address in a `Host`, without brackets and port.

    >>> _name("[::1]:8080"), _name("LOCALHOST")
    ('::1', 'localhost')
    """
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.lower()


def _plain(address: str) -> IPv4Address | IPv6Address:
    """An address as a number; one of IPv4 that is wrapped for IPv6 is unwrapped.

    >>> _plain("::ffff:192.0.2.7")
    IPv4Address('192.0.2.7')
    """
    found = ip_address(address.partition("%")[0])
    inner = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return inner or found
