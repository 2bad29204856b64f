"""An ASGI wrapper that counts what clients ask for, read off the wire.

Counting here, not in the environments, counts what was really asked: OpenEnv and FastMCP list an
environment's tools on their own account as well.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .counts import Counts

__all__ = ["Meter"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

ASKED = {"tools/list": "tools_listed", "tools/call": "tool_calls"}
STEPS = {"list_tools": "tools_listed", "call_tool": "tool_calls"}


class Meter:
    """Wraps one environment's application and counts its requests."""

    def __init__(self, app: App, counts: Counts) -> None:
        """Wrap an application.

        Args:
            app: The application OpenEnv made.
            counts: Where to count.
        """
        self.app = app
        self.counts = counts

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket":
            await self.app(scope, self._frames(receive), self._refusals(send))
        elif scope["type"] == "http" and scope["method"] == "POST":
            await self.app(scope, self._body(receive, scope["path"]), send)
        else:
            await self.app(scope, receive, send)

    def _frames(self, receive: Receive) -> Receive:
        async def counted() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                self._count(asked_by_frame(decoded(message.get("text"))))
            return message

        return counted

    def _body(self, receive: Receive, path: str) -> Receive:
        body = bytearray()

        async def counted() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            if message["type"] == "http.request" and not message.get("more_body"):
                self._count(asked_by_post(path, decoded(bytes(body))))
            return message

        return counted

    def _refusals(self, send: Send) -> Send:
        async def counted(message: Message) -> None:
            if '"CAPACITY_REACHED"' in (message.get("text") or ""):
                self.counts.refuse()
            await send(message)

        return counted

    def _count(self, what: str | None) -> None:
        if what is not None:
            self.counts.ask(what)


def decoded(text: str | bytes | None) -> dict[str, Any]:
    """Return the JSON object in a message, or an empty one when there is none."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def asked_by_frame(frame: dict[str, Any]) -> str | None:
    """Name what a frame on ``/ws`` asks for, None when it is not counted.

    A frame on ``/mcp`` is a bare JSON-RPC request, without the envelope ``/ws`` has.
    """
    data = frame.get("data") or {}
    match frame.get("type"):
        case "reset":
            return "resets"
        case "step":
            return STEPS.get(data.get("type", ""))
        case "mcp":
            return ASKED.get(data.get("method", ""))
    return ASKED.get(frame.get("method", ""))


def asked_by_post(path: str, body: dict[str, Any]) -> str | None:
    """Name what a POST request asks for, None when it is not counted."""
    if path.endswith("/reset"):
        return "resets"
    if path.endswith("/step"):
        return STEPS.get((body.get("action") or {}).get("type", ""))
    return ASKED.get(body.get("method", ""))
