"""The viewer and strangers: who is let in, and what becomes of senseless values."""

import http.client
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
import pytest
import websockets.asyncio.server
from viser import _messages
from websockets.exceptions import InvalidStatus

import whippletree as wt
from viewer_client import client, knock, until
from whippletree.display.gate import Gate
from whippletree.display.session import Session


def page(url: str, path: str | None = None, host: str | None = None) -> tuple[int, bytes]:
    """Status and content of a page, asked for by another path or under another name."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        line.putrequest("GET", parts.path if path is None else path, skip_host=True)
        line.putheader("Host", host or parts.netloc)
        line.endheaders()
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def test_who_has_the_address_is_served() -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer:
        port = urlsplit(viewer.url).port
        with urlopen(viewer.url) as answer:
            assert answer.status == 200
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert b"<!doctype html>" in answer.read(200).lower()
        assert page(viewer.url, host=f"localhost:{port}")[0] == 200
        assert page(viewer.url, host="localhost:9000")[0] == 200  # a port that was forwarded
        for host in (None, f"localhost:{port}"):
            with knock(viewer.url, host=host) as connection:
                assert len(connection.recv(timeout=10)) > 16  # the scene


@pytest.mark.parametrize("path", ["/", "", "/index.html", "/wrong/", "/{cut}/", "/{token}x/", "/x/{token}/"])
def test_without_the_token_neither_page_nor_scene_is_served(path: str) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer:
        token = urlsplit(viewer.url).path.strip("/")
        assert len(token) >= 22  # 128 bits
        asked = path.format(token=token, cut=token[:-1])
        status, told = page(viewer.url, asked or "/")
        assert (status, told) == (
            403,
            b"the token is missing or wrong: use the address that the viewer told\n",
        )
        with pytest.raises(InvalidStatus, match="403"):
            knock(viewer.url, path=asked)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.2", "localhost.evil.example", "[::2]", ""])
def test_another_host_is_refused(host: str) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer:
        port = urlsplit(viewer.url).port
        named = f"{host}:{port}"
        assert page(viewer.url, host=named) == (403, b"Host is not the address of this viewer\n")
        if host:
            with pytest.raises(InvalidStatus, match="403"):
                knock(viewer.url, host=named)


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://{host}", "http://{host}.evil.example"],
)
def test_another_origin_is_refused_even_with_the_token(origin: str) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer:
        with pytest.raises(InvalidStatus, match="403") as caught:
            knock(viewer.url, origin=origin.format(host=urlsplit(viewer.url).netloc))
        assert caught.value.response.body == b"Origin is not the page of this viewer\n"


def test_each_viewer_has_a_token_of_its_own() -> None:
    assert Gate("127.0.0.1").token != Gate("127.0.0.1").token


@pytest.mark.parametrize(
    ("host", "local", "name", "served"),
    [
        ("0.0.0.0", "192.0.2.7", "192.0.2.7:8080", True),
        ("0.0.0.0", "192.0.2.7", "192.0.2.8:8080", False),
        ("0.0.0.0", "192.0.2.7", "localhost:8080", False),
        ("0.0.0.0", "127.0.0.1", "localhost:8080", True),
        ("::", "::ffff:192.0.2.7", "192.0.2.7:8080", True),
        ("::1", "::1", "[::1]:8080", True),
        ("Robot.Local", "192.0.2.7", "robot.local:8080", True),
    ],
)
def test_names_of_the_host(host: str, local: str, name: str, served: bool) -> None:
    from websockets.datastructures import Headers
    from websockets.http11 import Request

    gate = Gate(host)
    assert (gate.refusal(Request(gate.path, Headers(Host=name)), local) is None) == served
    twice = Headers([("Host", name), ("Host", name)])
    assert gate.refusal(Request(gate.path, twice), local) == "Host is not the address of this viewer"


def test_servers_of_others_are_left_alone() -> None:
    plain = websockets.asyncio.server.serve
    with wt.view(wt.examples.load("pendulum")):
        assert websockets.asyncio.server.serve is plain


def test_nobody_can_ask_for_a_public_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *given: opened.append(given))
    with wt.view(wt.examples.load("pendulum")) as viewer, client(viewer.url) as page:
        page.send("ShareUrlRequest")
        page.send("ShareUrlDisconnect")
        page.set(viewer._controls._positions[0], 0.3)
        until(lambda: viewer.q[0] == 0.3, "the message after it")
        handled = viewer._server._websock_server._incoming_handlers
        assert not {_messages.ShareUrlRequest, _messages.ShareUrlDisconnect} & set(handled)
        assert viewer._server.request_share_url() is None
    assert opened == []


def told(viewer: wt.Viewer) -> str:
    message = viewer._controls._message
    return message.content if message.visible else ""


@pytest.mark.parametrize(
    ("widget", "value", "message"),
    [
        (lambda c: c._positions[0], float("nan"), "a field was set to nan, expected a finite number"),
        (lambda c: c._positions[0], "-inf", "a field was set to -inf, expected a finite number"),
        (lambda c: c._positions[0], "east", "a field was set to what it cannot take: could not convert"),
        (lambda c: c._positions[0], 1e9, "pivot is 1e+09, expected -3.1416 to 3.1416"),
        (lambda c: c._velocities[0], -1e300, "pivot is -1e+300, expected -10 to 10"),
        (lambda c: c._pull[2], 99.0, "z [m/s²] is 99, expected -30 to 30"),
        (lambda c: c._speed, "fast", "speed is fast; known: "),
        (lambda c: c._coordinates._amount, 1e308, "step is 1e+308, expected -1 to 1"),
        (lambda c: c._coordinates._shown, "all", "ghost shows is all; known: nothing, special, ordinary"),
        (lambda c: c._coordinates._of, ["x"], "coordinates of is [&#x27;x&#x27;]; known: it and all it"),
    ],
)
def test_senseless_values_are_told_in_the_page_alone(
    widget: Callable[[Any], Any], value: Any, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    m = wt.examples.load("pendulum")
    message = message.replace("pivot", m.bodies[0].joint_name)
    with wt.view(m) as viewer, client(viewer.url) as page:
        before = viewer.q
        page.set(widget(viewer._controls), value)
        until(lambda: message in told(viewer), message)
        assert np.array_equal(viewer.q, before)
        assert not np.any(viewer.qd)
        assert viewer._session.m.gravity == m.gravity
        page.set(viewer._controls._positions[0], 0.3)
        until(lambda: viewer.q[0] == 0.3, "the next value")
        until(lambda: told(viewer) == "", "the message gone")
    assert capfd.readouterr() == ("", "")


def test_only_values_can_be_set_from_the_page(capfd: pytest.CaptureFixture[str]) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer, client(viewer.url) as page:
        slider = viewer._controls._positions[0]
        page.send("GuiUpdateMessage", uuid=slider._impl.uuid, updates={"update_cb": 5})
        until(lambda: "&#x27;update_cb&#x27; cannot be set from the page" in told(viewer), "the refusal")
        page.set(slider, 0.3)
        until(lambda: viewer.q[0] == 0.3, "the next value")
    assert capfd.readouterr() == ("", "")


def test_gravity_is_not_dragged_to_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    m = wt.examples.load("pendulum")
    with wt.view(m) as viewer, client(viewer.url) as page:
        handle = viewer._controls._scene.gravity
        page.send(
            "TransformControlsUpdateMessage",
            name=handle.name,
            wxyz=(1.0, 0.0, 0.0, 0.0),
            position=(0.0, float("nan"), 0.0),
        )
        until(lambda: "gravity[1] is nan: every entry must be finite" in told(viewer), "the refusal")
        assert viewer._session.m.gravity == m.gravity
        until(lambda: bool(np.all(np.isfinite(handle.position))), "the handle back")
    assert capfd.readouterr() == ("", "")


def test_rubbish_ends_its_connection_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer:
        for rubbish in (b"\xc1", b"\x81\xa4type\xa7Nothing", "a text"):
            with knock(viewer.url) as connection:
                connection.send(rubbish)
                until(lambda c=connection: c.protocol.state.name == "CLOSED" or bool(c.close_code), "the end")
        with client(viewer.url) as page:
            page.set(viewer._controls._positions[0], 0.3)
            until(lambda: viewer.q[0] == 0.3, "others go on")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("value", [1e9, 0.0, -5.0])
def test_a_duration_beyond_the_page_is_refused(value: float, capfd: pytest.CaptureFixture[str]) -> None:
    with wt.view(wt.examples.load("pendulum")) as viewer, client(viewer.url) as page:
        page.set(viewer._controls._duration, value)
        page.set(viewer._controls._simulate, True)
        until(lambda: f"duration [s] is {value:g}, expected 0.1 to 1000" in told(viewer), "the refusal")
        assert viewer.trajectory is None
        until(lambda: not viewer._controls._simulate.disabled, "the button free")
    assert capfd.readouterr() == ("", "")


def test_one_simulation_at_a_time(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    runs, go, plain = [], threading.Event(), Session.simulated

    def slow(session: Session, duration: float) -> wt.Trajectory:
        runs.append(duration)
        assert go.wait(30.0)
        return plain(session, duration)

    monkeypatch.setattr(Session, "simulated", slow)
    with wt.view(wt.examples.load("pendulum")) as viewer, client(viewer.url) as page:
        button = viewer._controls._simulate
        page.set(button, True)
        until(lambda: runs == [5.0], "the first")
        assert (button.label, button.disabled) == ("Simulating …", True)
        page.set(button, True)
        until(lambda: "a simulation is running: wait for its end" in told(viewer), "the refusal")
        go.set()
        until(lambda: viewer.trajectory is not None, "a trajectory")
        assert runs == [5.0]
        until(lambda: (button.label, button.disabled) == ("Simulate from here", False), "the button free")
    assert capfd.readouterr() == ("", "")
