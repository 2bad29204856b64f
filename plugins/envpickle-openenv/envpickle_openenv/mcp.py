"""The little of the Model Context Protocol that listing tools takes: a handshake, pages, a goodbye."""

import contextlib
import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx

__all__ = ["PROTOCOL_VERSION", "handshake_and_list", "pages"]

PROTOCOL_VERSION = "2025-06-18"
ACCEPT = {"Accept": "application/json, text/event-stream"}
MAX_PAGES = 1_000
MAX_REDIRECTS = 5
MAX_CHARACTERS = 100 * 2**20
MOVED = frozenset({301, 302})


@contextlib.contextmanager
def rpc(
    client: httpx.Client, url: str, method: str, params: dict[str, Any], headers: dict[str, str] | None = None
) -> Iterator[httpx.Response]:
    """Send a JSON-RPC request.

    Args:
        client: The client.
        url: Where to.
        method: The method.
        params: Its parameters.
        headers: Further headers.

    Yields:
        The HTTP answer, of any status, not read yet: a server may send more behind the answer, and need not end.

    Raises:
        httpx.TransportError: If there is none.
        ValueError: If it leads to another server, which is not told the headers.
    """
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = 1
    post = partial(client.build_request, "POST", json=message, headers={**ACCEPT, **(headers or {})})
    response = client.send(post(url), stream=True)
    try:
        for _ in range(MAX_REDIRECTS):
            following = response.next_request
            if following is None:
                break
            if not _same_server(response.url, following.url):
                where = f"{following.url.scheme}://{following.url.netloc.decode()}"
                raise ValueError(f"it sends to another server, {where}; give that server's address")
            if response.status_code in MOVED:  # which the library, as browsers do, makes a GET without what is asked
                following = post(following.url)
            response.close()
            response = client.send(following, stream=True)
        yield response
    finally:
        response.close()


def _same_server(here: httpx.URL, there: httpx.URL) -> bool:
    if (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port):
        return True
    secured = (here.scheme, there.scheme) == ("http", "https") and here.port is None and there.port is None
    return secured and here.host == there.host


def result_of(response: httpx.Response, seconds: float | None) -> dict[str, Any]:
    """Read the result of a JSON-RPC answer, plain or as a stream of events; a stream is read no further than that.

    Args:
        response: The HTTP answer.
        seconds: How long it may take.

    Returns:
        The result.

    Raises:
        httpx.TransportError: If it breaks off or takes longer.
        ValueError: If the answer is an error or none at all; the text says which.
    """
    if not response.is_success:
        raise ValueError(f"HTTP {response.status_code}")
    for answer in _answers(response, seconds):
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            raise ValueError(str(answer["error"].get("message", answer["error"])))
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return dict(answer["result"])
    raise ValueError("no JSON-RPC answer")


def _answers(response: httpx.Response, seconds: float | None) -> Iterator[Any]:
    pieces = _pieces(response, seconds)
    if "text/event-stream" not in response.headers.get("content-type", ""):
        yield _parsed("".join(pieces))
        return
    rest = ""
    for piece in pieces:
        *events, rest = f"{rest}{piece}".replace("\r\n", "\n").split("\n\n")
        for event in events:
            yield from _told(event)
    yield from _told(rest)


def _pieces(response: httpx.Response, seconds: float | None) -> Iterator[str]:
    """The text as it comes. The library's own timeout begins anew with every byte, so that some would never end."""
    deadline = None if seconds is None else time.monotonic() + seconds
    count = 0
    for piece in response.iter_text():
        count += len(piece)
        if count > MAX_CHARACTERS:
            raise ValueError(f"the answer has more than {MAX_CHARACTERS} characters")
        yield piece
        if deadline is not None and time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer did not end in time", request=response.request)


def _told(event: str) -> Iterator[Any]:
    data = [line.removeprefix("data:").lstrip() for line in event.split("\n") if line.startswith("data:")]
    if data:
        yield _parsed("\n".join(data))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the answer nests too deep") from None


def handshake_and_list(client: httpx.Client, url: str) -> list[Any]:
    """Ask an MCP server for its tools (streamable HTTP).

    Args:
        client: The client.
        url: The server's endpoint.

    Returns:
        The tools as listed, all pages of them.

    Raises:
        httpx.TransportError: If there is no answer.
        ValueError: If the answers are not those of an MCP server.
    """
    hello = {
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "envpickle-openenv", "version": "0.1.0"},
    }
    with rpc(client, url, "initialize", hello) as response:
        version = str(result_of(response, client.timeout.read).get("protocolVersion", PROTOCOL_VERSION))
    headers = {"MCP-Protocol-Version": version}
    if "mcp-session-id" in response.headers:
        headers["Mcp-Session-Id"] = response.headers["mcp-session-id"]
    try:
        with rpc(client, url, "notifications/initialized", {}, headers):
            pass
        return pages(client, url, headers)
    finally:
        if "Mcp-Session-Id" in headers:
            with contextlib.suppress(httpx.HTTPError):
                client.delete(url, headers=headers)


def pages(client: httpx.Client, url: str, headers: dict[str, str] | None = None) -> list[Any]:
    """Read all pages of a server's tools.

    Args:
        client: The client.
        url: The server's endpoint.
        headers: Further headers.

    Returns:
        The tools as listed.

    Raises:
        httpx.TransportError: If there is no answer.
        ValueError: If an answer is no list of tools.
    """
    tools: list[Any] = []
    params: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        with rpc(client, url, "tools/list", params, headers) as response:
            page = result_of(response, client.timeout.read)
        listed = page.get("tools") or []
        if not isinstance(listed, list):
            raise ValueError(f"its tools are no list but {listed!r:.100}")
        tools += listed
        if not page.get("nextCursor"):
            return tools
        params = {"cursor": page["nextCursor"]}
    raise ValueError(f"more than {MAX_PAGES} pages of tools")
