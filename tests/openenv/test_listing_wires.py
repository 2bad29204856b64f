"""What lies between here and a server that is asked for its tools: streams without end, moves, certificates, proxies."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from quay.plain_http import Asked, serving, tls, trusted_file

from envpickle_openenv import list_mcp_tools, list_tools, server_settings
from envpickle_openenv.errors import ListingError

LISTED = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18", "tools": [{"name": "move"}]}}
LONG_SECONDS = 20.0
"""How long the servers here go on; asking them takes nothing like it."""


def listing(asked: Asked) -> None:
    body = json.dumps(LISTED)
    asked.begin(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
    asked.send(body)


def go_on(asked: Asked, text: str) -> None:
    until = time.monotonic() + LONG_SECONDS
    while time.monotonic() < until:
        asked.send(text)
        time.sleep(0.1)


def test_a_stream_is_read_no_further_than_the_answer() -> None:
    """An MCP server may keep its stream open, and send a sign of life now and then."""

    def answer(asked: Asked) -> None:
        asked.begin(200, {"Content-Type": "text/event-stream"})
        asked.send(': hello\r\n\r\ndata: {"jsonrpc": "2.0", "method": "notifications/message"}\r\n\r\nevent: message\r\n')
        asked.send(f"data: {json.dumps(LISTED)}\r\n\r")
        asked.send("\n")
        go_on(asked, ": still here\r\n\r\n")

    began = time.monotonic()
    with serving(answer) as url:
        assert list_mcp_tools(server_settings(f"{url}/mcp", retry_for=1)).names == ("move",)
    assert time.monotonic() - began < LONG_SECONDS / 2


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_that_never_ends(kind: str) -> None:
    def answer(asked: Asked) -> None:
        asked.begin(200, {"Content-Type": kind})
        go_on(asked, " ")

    began = time.monotonic()
    with serving(answer) as url, pytest.raises(ListingError, match="the answer did not end in time"):
        list_mcp_tools(server_settings(f"{url}/mcp", retry_for=0.1, call_timeout=0.5))
    assert time.monotonic() - began < LONG_SECONDS / 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_server_that_has_moved_is_asked_the_same_there(status: int) -> None:
    seen: list[Any] = []

    def answer(asked: Asked) -> None:
        seen.append(asked.message)
        if asked.path == "/mcp":
            return asked.begin(status, {"Location": "/mcp/", "Content-Length": "0"})
        return listing(asked)

    with serving(answer) as url:
        assert list_tools(server_settings(url, retry_for=0.1)).names == ("move",)
    assert len(seen) == 2
    assert seen[0] == seen[1]


def test_a_certificate_that_is_not_trusted_is_told_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    began = time.monotonic()
    with serving(listing, tls()) as url:
        with pytest.raises(ListingError) as caught:
            list_tools(server_settings(url, retry_for=LONG_SECONDS))
        assert str(caught.value).count("name a file of those that are in SSL_CERT_FILE") == 3
        with pytest.raises(ListingError, match="SSL_CERT_FILE"):
            list_mcp_tools(server_settings(f"{url}/mcp", retry_for=LONG_SECONDS))
        assert time.monotonic() - began < LONG_SECONDS / 2
        monkeypatch.setenv("SSL_CERT_FILE", trusted_file(tmp_path))
        assert list_tools(server_settings(url, retry_for=1)).names == ("move",)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks://port:swordfish@127.0.0.1:9"),
        ("ALL_PROXY", "socks5://port:swordfish@127.0.0.1:9"),
        ("HTTP_PROXY", "http://port:swordfish@:::9"),
        ("http_proxy", "htp://port:swordfish@127.0.0.1"),
    ],
)
def test_proxies_that_cannot_be_used_are_told(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    told = f"proxies cannot be used .* look into .*{re.escape(variable)}"
    with pytest.raises(ListingError, match=told) as caught:
        list_tools(server_settings("http://127.0.0.1:9", retry_for=0.1))
    assert "swordfish" not in str(caught.value)


def test_a_wrong_endpoint_is_told_with_a_right_one() -> None:
    told = "HTTP 404; check the headers, and that the address is that of its endpoint"
    with serving(lambda asked: asked.begin(404, {"Content-Length": "0"})) as url, pytest.raises(ListingError, match=told):
        list_mcp_tools(server_settings(url, retry_for=0.1))
