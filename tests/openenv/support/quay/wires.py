"""Things on the wire between an environment and its server: a line that can be cut, a door that never opens."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

__all__ = ["Line", "Silent", "line", "silence"]


class Line:
    """A TCP relay to a server.

    Attributes:
        url: The server's address by way of the line.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}{parts.path}"
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                there = socket.create_connection(self._target)
                self._ends += [here, there]
                for source, sink in ((here, there), (there, here)):
                    threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Break every connection that is open; new ones are taken."""
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """Break every connection and take no more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()


@contextmanager
def line(url: str) -> Iterator[Line]:
    """A line to a server, for the length of a ``with`` block."""
    found = Line(url)
    try:
        yield found
    finally:
        found.close()


class Silent:
    """A listener that takes connections and never says a word.

    Attributes:
        url: Its address.
    """

    def __init__(self, listener: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._listener = listener
        self._taken: list[socket.socket] = []

    def take(self) -> None:
        """Wait until somebody has connected."""
        self._taken.append(self._listener.accept()[0])

    def close(self) -> None:
        """Hang up."""
        for taken in self._taken:
            taken.close()


@contextmanager
def silence() -> Iterator[Silent]:
    """A silent listener, for the length of a ``with`` block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent = Silent(listener)
        try:
            yield silent
        finally:
            silent.close()
