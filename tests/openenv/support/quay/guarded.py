"""A server of sessions that asks for a header."""

import http
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

__all__ = ["guarded"]


@contextmanager
def guarded(authorization: str) -> Iterator[str]:
    """Serve for the length of a ``with`` block; a session's reset is answered by ``welcome``.

    Args:
        authorization: The header's value without which it answers HTTP 401.

    Yields:
        The server's address.
    """

    def look(connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Authorization") == authorization:
            return None
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, "no\n")

    def play(connection: ServerConnection) -> None:
        for _ in connection:
            data = {"observation": {"text": "welcome"}, "reward": None, "done": False}
            connection.send(json.dumps({"type": "observation", "data": data}))

    with serve(play, "127.0.0.1", 0, process_request=look) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()
