"""The little of the Model Context Protocol that listing tools takes: a handshake, pages, a goodbye."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import httpx

__all__ = ["PROTOCOL_VERSION", "handshake_and_list", "rpc"]

PROTOCOL_VERSION = "2025-06-18"
ACCEPT = {"Accept": "application/json, text/event-stream"}
MAX_PAGES = 1_000


def rpc(
    client: httpx.Client, url: str, method: str, params: dict[str, Any], headers: dict[str, str] | None = None
) -> httpx.Response:
    """Send a JSON-RPC request.

    Args:
        client: The client.
        url: Where to.
        method: The method.
        params: Its parameters.
        headers: Further headers.

    Returns:
        The HTTP answer, of any status.

    Raises:
        httpx.TransportError: If there is none.
    """
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = 1
    return client.post(url, json=message, headers={**ACCEPT, **(headers or {})})


def result_of(response: httpx.Response) -> dict[str, Any]:
    """Read the result of a JSON-RPC answer, plain or as a stream of events.

    Args:
        response: The HTTP answer.

    Returns:
        The result.

    Raises:
        ValueError: If the answer is an error or none at all; the text says which.
    """
    if not response.is_success:
        raise ValueError(f"HTTP {response.status_code}")
    for answer in _answers(response):
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            raise ValueError(str(answer["error"].get("message", answer["error"])))
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return dict(answer["result"])
    raise ValueError("no JSON-RPC answer")


def _answers(response: httpx.Response) -> Iterator[Any]:
    if "text/event-stream" not in response.headers.get("content-type", ""):
        yield response.json()
        return
    for event in response.text.replace("\r\n", "\n").split("\n\n"):
        data = [line.removeprefix("data:").lstrip() for line in event.split("\n") if line.startswith("data:")]
        if data:
            yield json.loads("\n".join(data))


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
    response = rpc(client, url, "initialize", hello)
    version = str(result_of(response).get("protocolVersion", PROTOCOL_VERSION))
    headers = {"MCP-Protocol-Version": version}
    if "mcp-session-id" in response.headers:
        headers["Mcp-Session-Id"] = response.headers["mcp-session-id"]
    try:
        rpc(client, url, "notifications/initialized", {}, headers)
        return _pages(client, url, headers)
    finally:
        if "Mcp-Session-Id" in headers:
            with contextlib.suppress(httpx.HTTPError):
                client.delete(url, headers=headers)


def _pages(client: httpx.Client, url: str, headers: dict[str, str]) -> list[Any]:
    tools: list[Any] = []
    params: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        page = result_of(rpc(client, url, "tools/list", params, headers))
        tools += page.get("tools") or []
        if not page.get("nextCursor"):
            return tools
        params = {"cursor": page["nextCursor"]}
    raise ValueError(f"more than {MAX_PAGES} pages of tools")
