"""How many sessions an OpenEnv server has room for. It says so only when it refuses one, so they are opened and dropped."""

import json
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import WebSocketException
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
    url = f"ws{_text(settings['url']).rstrip('/').removeprefix('http')}/ws"
    headers = {name: _text(value) for name, value in settings.get("headers", {}).items()}
    with ExitStack() as sessions:
        for opened in range(wanted):
            try:
                connection = sessions.enter_context(
                    connect(url, additional_headers=headers, open_timeout=_SECONDS, close_timeout=1, ping_interval=None)
                )
                answer = _asked(connection)
            except (OSError, ValueError, WebSocketException) as error:
                raise NoAnswer(f"{type(error).__name__} after {opened} sessions") from error
            if answer.get("type") == "error":
                told = answer.get("data") or {}
                most = told.get("max_sessions")
                return Room(opened, str(told.get("message", answer)), most if isinstance(most, int) else None)
    return Room(wanted)


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
