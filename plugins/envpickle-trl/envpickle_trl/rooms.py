"""How many sessions an OpenEnv server has room for. It says so only when it refuses one, so they are opened and dropped."""

import json
import os
import socket
import ssl
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from errno import errorcode
from typing import Any, cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidProxy, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from envpickle import Secret

__all__ = ["NoAnswer", "Room", "find_room"]

_SECONDS = 10.0  # for one session to open and answer


class NoAnswer(Exception):
    """The server could not be asked; the text says why, without its credentials."""


@dataclass(frozen=True, slots=True)
class Room:
    """What was found.

    Attributes:
        opened: Sessions that were open at once.
        refused: Why the next one was refused, in the server's words; empty if none was.
        most: The server's ``max_concurrent_envs``, if it said so.
    """

    opened: int
    refused: str = ""
    most: int | None = None


def find_room(server: Any, wanted: int) -> Room:
    """Open sessions at once until enough are open or one is refused, and drop them all; none is reset.

    Args:
        server: A server's address, or what ``envpickle_openenv.server_settings`` returned.
        wanted: How many are enough.

    Returns:
        What was found.

    Raises:
        NoAnswer: The server could not be reached, or answers something else than an OpenEnv server.
    """
    settings = server if isinstance(server, dict) else {"url": server}
    url = _address(_text(settings["url"]))
    headers = {name: _text(value).strip() for name, value in settings.get("headers", {}).items()}
    made = cast("type[ClientConnection]", _by_one_server())
    with ExitStack() as sessions:
        for opened in range(wanted):
            try:
                connection = sessions.enter_context(
                    connect(
                        url,
                        additional_headers=headers,
                        open_timeout=_SECONDS,
                        close_timeout=1,
                        ping_interval=None,
                        create_connection=made,
                    )
                )
                answer = _asked(connection)
            except (ImportError, OSError, ValueError, WebSocketException) as error:  # a proxy may take a further library
                raise NoAnswer(f"{_why(error)} after {opened} sessions") from error
            if answer.get("type") == "error":
                told = answer.get("data") or {}
                most = told.get("max_sessions")
                return Room(opened, str(told.get("message", answer)), most if isinstance(most, int) else None)
    return Room(wanted)


def _address(text: str) -> str:
    """Where a server's sessions are, by its base address as environments take it, white space around it included."""
    scheme, _, rest = text.strip().partition("://")
    return f"{'wss' if scheme.lower() in ('https', 'wss') else 'ws'}://{rest.rstrip('/')}/ws"


def _by_one_server() -> Callable[..., ClientConnection]:
    """What makes connections to the first server alone: one that it sends to would be told the headers."""
    first: list[tuple[bool, str, int]] = []

    def made(sock: socket.socket, protocol: ClientProtocol, **options: Any) -> ClientConnection:
        server = (protocol.uri.secure, protocol.uri.host, protocol.uri.port)
        first.append(server)
        if server != first[0] and (first[0], server) != ((False, server[1], 80), (True, server[1], 443)):
            raise NoAnswer(f"it sends to another server, {server[1]}:{server[2]}")
        return ClientConnection(sock, protocol, **options)

    return made


def _why(error: Exception) -> str:
    """An error without its text, which may hold credentials."""
    if isinstance(error, InvalidStatus):
        return f"HTTP {error.response.status_code}"
    if isinstance(error, ImportError | InvalidProxy):
        return "a proxy that the environment names cannot be used"
    number = error.errno if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else None  # which has others
    if number is None or number not in errorcode:
        return type(error).__name__
    return f"{type(error).__name__}: {os.strerror(number)}"


def _asked(connection: ClientConnection) -> dict[str, Any]:
    """The answer to a message that every session answers; a refusal comes in its place."""
    with suppress(WebSocketException):  # refused and closed: the refusal lies there to be read
        connection.send('{"type": "state"}')
    answer = json.loads(connection.recv(timeout=_SECONDS))
    if not isinstance(answer, dict):
        raise ValueError("no message")
    return answer


def _text(value: Any) -> str:
    if isinstance(value, Secret):
        return value.resolve()
    return "".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)
