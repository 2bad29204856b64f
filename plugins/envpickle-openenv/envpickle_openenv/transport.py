"""One WebSocket connection to a server's ``/ws``: asked by one thread at a time, severed by any."""

import contextlib
import json
import logging
import os
import socket
import ssl
import struct
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, cast
from weakref import WeakSet

from websockets.client import ClientProtocol
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxy,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.sync.client import ClientConnection, connect

from .errors import EnvironmentClosed, ServerRefused, ServerUnavailable
from .results import reason
from .server import DEFAULTS, UNTRUSTED, resolved, shown_url, websocket_url

__all__ = ["BROKEN", "Link"]

LOGGER = logging.getLogger(__name__)
LOGGER.setLevel(logging.INFO)  # at DEBUG, websockets logs the headers, and with them what is secret
MAX_MESSAGE_BYTES = 100 * 2**20
WORTH_RETRYING = frozenset({408, 425, 429, 500, 502, 503, 504})

ANSWERS = {"reset": "observation", "step": "observation", "mcp": "mcp", "state": "state"}

BROKEN = (ConnectionClosed, OSError, ValueError)
"""What `Link.ask` raises when there is no answer: dropped, timed out (an OSError), or no JSON (a ValueError)."""


class Link:
    """A connection, which is one session on the server: the server ends the session when it drops.

    Args:
        settings: What `server_settings` returned.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.pid = os.getpid()
        self.severed = False
        self._socket: socket.socket | None = None
        self._server: tuple[bool, str, int] | None = None
        self._connection: ClientConnection | None = None
        _links().add(self)

    def open(self) -> None:
        """Connect.

        Raises:
            ServerUnavailable: If there was no connection, and another try may get one.
            ServerRefused: If another try would meet the same.
            EnvironmentClosed: If it was severed meanwhile.
        """
        shown = shown_url(self.settings)
        url, headers = resolved(self.settings)
        try:
            connection = connect(
                websocket_url(url),
                additional_headers=headers,
                open_timeout=self.settings.get("open_timeout", DEFAULTS["open_timeout"]),
                # The server pings. Pings of ours would end a long tool call on a server that is busy with it.
                ping_interval=None,
                max_size=MAX_MESSAGE_BYTES,
                logger=LOGGER,
                create_connection=cast("type[ClientConnection]", self._made),
            )
            # The only way in that is not deprecated; severing takes the place of __exit__, which waits for the server.
            self._connection = connection.__enter__()
        except (EnvironmentClosed, ServerRefused):
            raise
        except (InvalidStatus, InvalidProxyStatus) as error:
            raise _refusal(shown, error) from None
        except ssl.SSLCertVerificationError:  # its text and those of the following may hold what is secret
            raise ServerRefused(f"{shown} cannot be connected to: {UNTRUSTED}", code="CERTIFICATE") from None
        except InvalidProxy:
            text = f"{shown} cannot be connected to: a variable for proxies (HTTP_PROXY, HTTPS_PROXY) holds no address of one"
            raise ServerRefused(text, code="PROXY") from None
        except (InvalidURI, ValueError) as error:
            raise ServerRefused(f"{shown} cannot be connected to: {type(error).__name__}", code="ADDRESS") from None
        except ImportError as error:  # a proxy that takes a further library
            raise ServerRefused(f"{shown} cannot be connected to: {error}", code="PROXY") from None
        except (OSError, InvalidHandshake, WebSocketException) as error:
            self._raise_if_severed()
            raise ServerUnavailable(f"{shown} could not be connected to: {reason(error)}") from None
        self._raise_if_severed()

    def _made(self, sock: socket.socket, protocol: ClientProtocol, **options: Any) -> ClientConnection:
        """Get hold of the socket before the handshake, so that it can be severed from then on."""
        self._raise_if_sent_elsewhere(protocol)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # Of sending alone: a socket's own timeout would, under some versions of the library, end the reading of it too.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(self.settings.get("call_timeout")))
        self._socket = sock
        self._raise_if_severed()
        return ClientConnection(sock, protocol, **options)

    def _raise_if_sent_elsewhere(self, protocol: ClientProtocol) -> None:
        """A server may send to another address of its own. Another server would be told the headers."""
        secure, host, port = protocol.uri.secure, protocol.uri.host, protocol.uri.port
        self._server = self._server or (secure, host, port)
        if (secure, host, port) != self._server and (self._server, secure, port) != ((False, host, 80), True, 443):
            text = f"{shown_url(self.settings)} sends to another server, {host}:{port}; give that server's address"
            raise ServerRefused(text, code="ADDRESS")

    def _raise_if_severed(self) -> None:
        if self.severed:
            self.sever()
            raise EnvironmentClosed("the environment was closed while its session was being opened")

    def ask(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Send a message and wait for the answer; what the server says of its own accord meanwhile is passed over.

        Args:
            message: The message.
            timeout: Seconds to wait.

        Returns:
            The answer.

        Raises:
            ConnectionClosed: If the connection dropped; this and the following are `BROKEN`.
            OSError: If there was no answer in time, or the network failed.
            ValueError: If the answer is no JSON object with a type, or answers something else.
        """
        assert self._connection is not None
        with contextlib.suppress(ConnectionClosed):  # a server with no room says so, and closes, before it is asked
            self._connection.send(json.dumps(message))
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            answer = _read(self._connection.recv(left))
            if answer["type"] in (ANSWERS[message["type"]], "error"):
                return answer
            if answer["type"] in ANSWERS.values():
                raise ValueError(f"a {message['type']} was answered as if it were something else: {answer['type']}")
        raise TimeoutError("timed out")

    def is_open(self) -> bool:
        """Tell whether the connection stands, as far as this side knows."""
        return self._connection is not None and not self.severed and self._connection.state.name == "OPEN"

    def sever(self) -> None:
        """Break the connection: whoever waits for an answer gets an error, and the server ends the session.

        Takes no lock, starts no thread and waits for nothing. An opening that has no socket yet (the name is being looked
        up, TCP is being set up) ends after ``open_timeout`` at the latest, and then says so too. In a forked child only
        the child's handle is given up, since shutting the connection down would end the parent's session.
        """
        self.severed = True
        sock = self._socket
        if sock is None:
            return
        with contextlib.suppress(OSError):
            if os.getpid() == self.pid:
                sock.shutdown(socket.SHUT_RDWR)
            else:
                sock.close()

    def leave_to_parent(self) -> None:
        """Give up a forked child's handle: it would keep the session alive beyond the parent's end."""
        if self._socket is not None:
            self._socket.close()

    def __del__(self) -> None:
        # The library's receiving thread keeps the connection alive; nobody but us knows that nobody will ask any more.
        with contextlib.suppress(Exception):
            self.sever()


@cache
def _links() -> "WeakSet[Link]":
    """The links of this process, which a forked child leaves to it from the first on."""
    links: WeakSet[Link] = WeakSet()

    def leave() -> None:
        for link in list(links):
            with contextlib.suppress(Exception):
                link.leave_to_parent()
        links.clear()

    if hasattr(os, "register_at_fork"):  # not under Windows, which does not fork
        os.register_at_fork(after_in_child=leave)
    return links


def _refusal(shown: str, error: InvalidStatus | InvalidProxyStatus) -> ServerUnavailable | ServerRefused:
    status = error.response.status_code
    by_proxy = isinstance(error, InvalidProxyStatus)
    text = f"{f'the proxy before {shown}' if by_proxy else shown} answered HTTP {status} to the opening of a session"
    if status in WORTH_RETRYING:
        return ServerUnavailable(text)
    check = "the variables for proxies" if by_proxy else "the address and the headers"
    return ServerRefused(f"{text}; check {check}", code=str(status))


def _read(message: str | bytes) -> dict[str, Any]:
    try:
        answer = json.loads(message)
    except RecursionError:
        raise ValueError("the answer nests too deep") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("type"), str):
        raise ValueError("the answer is no JSON object with a type")
    return answer


def _timeval(seconds: float | None) -> bytes:
    """Seconds as the system's calls take them."""
    whole, fraction = divmod(seconds or DEFAULTS["call_timeout"] or 0.0, 1.0)
    return struct.pack("ll", int(whole), max(int(fraction * 1e6), 1))
