"""A server of sessions that answers as a test wants."""

import http
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

__all__ = ["observed", "scripted"]


def observed(observation: Any, reward: Any = None) -> str:
    """An ``observation`` message."""
    return json.dumps({"type": "observation", "data": {"observation": observation, "reward": reward, "done": False}})


@contextmanager
def scripted(
    *answers: str | Callable[[dict[str, Any]], str],
    greeting: str | None = None,
    look: Callable[[Request], str | None] = lambda request: None,
    context: ssl.SSLContext | None = None,
) -> Iterator[str]:
    """Serve for the length of a ``with`` block.

    Args:
        *answers: What each session's messages are answered by in turn, or what makes that of the message; the last one
            answers all further messages.
        greeting: What a session is told before it asks.
        look: Is shown each request for a session; returns where to send it instead, or None.
        context: Makes it ``https``.

    Yields:
        The server's address.
    """

    def play(connection: ServerConnection) -> None:
        try:
            if greeting is not None:
                connection.send(greeting)
            for number, message in enumerate(connection):
                answer = answers[min(number, len(answers) - 1)]
                connection.send(answer if isinstance(answer, str) else answer(json.loads(message)))
        except ConnectionClosed:
            return

    def opened(connection: ServerConnection, request: Request) -> Response | None:
        elsewhere = look(request)
        if elsewhere is None:
            return None
        response = connection.respond(http.HTTPStatus.TEMPORARY_REDIRECT, "")
        response.headers["Location"] = elsewhere
        return response

    with serve(play, "127.0.0.1", 0, process_request=opened, ssl=context) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http{'' if context is None else 's'}://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()
