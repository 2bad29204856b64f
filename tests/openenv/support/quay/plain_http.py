"""An HTTP server whose answers a test writes byte by byte, in clear or behind a certificate that nobody trusts."""

import contextlib
import functools
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme

__all__ = ["Asked", "serving", "tls", "trusted_file"]


class Asked(BaseHTTPRequestHandler):
    """One request.

    Attributes:
        message: The JSON of its body.
    """

    protocol_version = "HTTP/1.1"
    message: dict[str, Any]

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the head of an answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, text: str) -> None:
        """Send a part of the answer at once."""
        self.wfile.write(text.encode())
        self.wfile.flush()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@functools.cache
def _authority() -> trustme.CA:
    return trustme.CA()


def tls() -> ssl.SSLContext:
    """A server's side of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _authority().issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context


def trusted_file(folder: Path) -> str:
    """The path of a file by which that server is trusted, for ``SSL_CERT_FILE``; made in a folder."""
    path = folder / "authority.pem"
    _authority().cert_pem.write_to_path(path)
    return str(path)


@contextmanager
def serving(answer: Callable[[Asked], None], context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve for the length of a ``with`` block.

    Args:
        answer: Answers a request.
        context: Makes it ``https``.

    Yields:
        The server's address.
    """

    class Handler(Asked):
        def do_POST(self) -> None:
            self.message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with contextlib.suppress(ConnectionError):
                answer(self)

        def do_GET(self) -> None:
            self.begin(405, {"Content-Length": "0"})

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Who asks may hang up."""

    server = Server(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http{'' if context is None else 's'}://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()
