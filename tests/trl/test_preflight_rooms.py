"""Asking an environment's server for sessions: by the address and the headers that the environment itself uses."""

import http
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

from envpickle import Secret
from envpickle_openenv import server_settings
from envpickle_trl.rooms import NoAnswer, find_room
from envpickle_trl.served import Served, Unreachable


@contextmanager
def sessions(seen: list[Request], elsewhere: str | None = None, status: int | None = None) -> Iterator[str]:
    """A server whose sessions answer whatever they are asked; or that sends elsewhere, or refuses."""

    def play(connection: ServerConnection) -> None:
        for _ in connection:
            connection.send(json.dumps({"type": "state", "data": {}}))

    def look(connection: ServerConnection, request: Request) -> Response | None:
        seen.append(request)
        if elsewhere is None and status is None:
            return None
        response = connection.respond(http.HTTPStatus(status or 307), "")
        if elsewhere is not None:
            response.headers["Location"] = elsewhere
        return response

    with serve(play, "127.0.0.1", 0, process_request=look) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("scheme", ["http", "WS"])
def test_secrets_are_taken_as_the_environment_takes_them(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    """A line break at the end of a file that it was read from is none of it; the server seemed to be out of reach."""
    seen: list[Request] = []
    with sessions(seen) as host:
        monkeypatch.setenv("QUAY_URL", f"{scheme}://port:sword%40fish@{host}/dock/\n")
        monkeypatch.setenv("QUAY_KEY", "swordfish\n")
        settings: dict[str, Any] = server_settings(Secret("QUAY_URL"), headers={"X-Key": Secret("QUAY_KEY")})
        assert find_room(settings, 3).opened == 3
    assert {(request.path, request.headers["X-Key"]) for request in seen} == {("/dock/ws", "swordfish")}
    assert {request.headers["Authorization"] for request in seen} == {"Basic cG9ydDpzd29yZEBmaXNo"}


def test_a_server_may_send_to_itself_but_to_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one would be told the headers, and with them what is secret."""
    monkeypatch.setenv("QUAY_KEY", "swordfish")
    told: list[Request] = []
    with sessions(told) as other, sessions([], elsewhere=f"ws://{other}/ws") as host:
        settings = server_settings(f"http://{host}", headers={"X-Key": Secret("QUAY_KEY")})
        with pytest.raises(NoAnswer, match=f"it sends to another server, {other}"):
            find_room(settings, 1)
    assert told == []


def test_why_there_was_no_answer() -> None:
    with sessions([], status=401) as host, pytest.raises(NoAnswer, match="HTTP 401 after 0 sessions"):
        find_room(f"http://{host}", 1)
    with pytest.raises(NoAnswer, match="ConnectionRefusedError: Connection refused after 0 sessions"):
        find_room(f"http://{host}", 1)


@pytest.mark.parametrize("proxy", ["socks5h://127.0.0.1:9", "127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_a_reason(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    """Libraries for some kinds are no requirement, and their absence ended preflight by a traceback."""
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(NoAnswer, match="a proxy that the environment names cannot be used after 0 sessions"):
        find_room("http://quay.invalid", 1)
    with pytest.raises(Unreachable):
        Served("http://quay.invalid").max_model_len  # asking for it is what fails
