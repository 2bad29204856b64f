"""The holder's end of the lifelines: a process closes the instances of a class when the class's owner ends in another process.

It connects with its first instance, without ever waiting, and one thread waits for the ends of all lines. Nothing is read from
a line but its end: what is sent on it changes nothing.
"""

from __future__ import annotations

import os
import select
import socket
import threading
from collections import deque
from contextlib import suppress
from weakref import ref

from . import places
from .classes import later

TYPE_CHECKING = False  # importing typing would cost a process that makes its first instance 5 ms
if TYPE_CHECKING:
    from typing import Any

_CALM_MS = 200  # without news, before what closing takes is loaded
PATIENCE = 5.0  # seconds for closing what hung on a line, as Owner.close has
_lock = threading.RLock()  # around the start of the thread, and the choice of a line
_watches: set[_Watch] = set()  # one at most


def hold(ownership: Any) -> None:
    """Connect to the owner in the process that made it, and close what this process holds when that ends.

    Args:
        ownership: The owner's part in this process.
    """
    try:
        _connect(ownership)
    except OSError as error:
        places.say("%s is not to be reached: %s", ownership.key, error)
        if not ownership.closed:
            later("carriers").hold(ownership)


def _connect(ownership: Any) -> None:
    path = places.path_of(ownership.key)
    places.check(os.path.dirname(path))
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connected.setblocking(False)  # where the backlog is full it fails
        connected.connect(path)
        line = _Line(ownership, path, connected, _watching())
    except BaseException:
        connected.close()
        if places.word_at(path) == places.CLOSED:
            close_now([ownership])
        raise
    with _lock:  # of threads that come at once, one has the line
        first = ownership.line is None
        if first:
            ownership.line = line
    if first:
        line.watch.tell(line, True)
    else:
        connected.close()


def _watching() -> _Watch:
    with _lock:
        watch = next(iter([*_watches]), None) or _Watch()  # a list: one may go meanwhile
        _watches.add(watch)
        return watch


class _Line:
    """The holder's end of one owner's line."""

    __slots__ = ("inode", "owner", "path", "socket", "watch")

    def __init__(self, ownership: Any, path: str, connected: socket.socket, watch: _Watch) -> None:
        self.path, self.socket, self.inode, self.watch = path, connected, os.fstat(connected.fileno()).st_ino, watch
        self.owner = ref(ownership, lambda _: self.let_go())

    def let_go(self) -> None:
        """Nobody needs it any more: the thread closes it, as it may be waiting for it just now."""
        self.watch.tell(self, False)


class _Watch:
    """The thread that waits for the ends of all lines of this process."""

    def __init__(self) -> None:
        self.ear, self.mouth = os.pipe()
        self.inode = os.fstat(self.ear).st_ino
        os.set_blocking(self.ear, False)
        os.set_blocking(self.mouth, False)
        self.orders: deque[tuple[_Line, bool]] = deque()
        self.lines: dict[int, _Line] = {}
        try:
            threading.Thread(target=self._wait, name="envpickle-lines", daemon=True).start()
        except RuntimeError as error:  # the interpreter is shutting down
            self.end()
            raise OSError(str(error)) from None

    def tell(self, line: _Line, stays: bool) -> None:
        """Have the thread take a line, or close it. Takes no lock: it may be called in a collection."""
        self.orders.append((line, stays))
        with suppress(OSError):  # full: it is awake
            os.write(self.mouth, b".")

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self.ear, select.POLLIN)
        ready = False
        while True:
            events = dict(poll.poll(None if ready else _CALM_MS))
            if not events:
                ready = True
                later("closers").load_plugins()
                continue
            if events.pop(self.ear, 0) & ~select.POLLIN or not places.is_ours(self.ear, self.inode):
                # somebody closed what is not theirs: new lines get a new thread
                self.mouth = -1
                _watches.discard(self)
                return
            with suppress(OSError):
                os.read(self.ear, 4_096)
            while self.orders:
                line, stays = self.orders.popleft()
                self._take(line, poll) if stays else self._close(line, poll)
            _close_ended([line for fd in events for line in [self.lines.get(fd)] if line and self._close(line, poll)])

    def _take(self, line: _Line, poll: Any) -> None:
        self.lines[line.socket.fileno()] = line
        poll.register(line.socket, 0)  # nothing but the end

    def _close(self, line: _Line, poll: Any) -> bool:
        """Close a line; whether it still was one."""
        fd = line.socket.fileno()
        if self.lines.pop(fd, None) is None:
            return False
        poll.unregister(fd)
        still = places.is_still(line.socket, line.inode)
        line.socket.close()
        return still

    def end(self) -> None:
        """Give back what it has, where there is no thread: in a forked child."""
        for line in [*self.lines.values(), *(line for line, _ in self.orders)]:
            if places.is_still(line.socket, line.inode):
                line.socket.close()
        ends, self.ear, self.mouth = (self.ear, self.mouth), -1, -1
        for end in ends:
            if places.is_ours(end, self.inode):
                os.close(end)


def _close_ended(lines: list[_Line]) -> None:
    """Close what the owners hold whose lines have ended."""
    ended = []
    for line in lines:
        ownership = line.owner()
        if ownership is None:
            continue
        ownership.line = None
        if places.word_at(line.path) == places.LEFT:
            places.say("%s was dropped by its process, which had too many to listen for", ownership.key)
        else:
            ended.append(ownership)
    if ended:
        close_soon(ended)


def close_soon(ended: list[Any]) -> None:
    """Close what owners hold in this process, in a thread of its own.

    Args:
        ended: The owners' parts in this process.
    """
    try:
        threading.Thread(target=close_now, args=(ended,), name="envpickle-end", daemon=True).start()
    except RuntimeError:  # the interpreter is shutting down
        close_now(ended)


def close_now(ended: list[Any]) -> None:
    """Close what owners hold in this process; what goes wrong is logged.

    Args:
        ended: The owners' parts in this process.
    """
    for error in later("closing").close_owned(ended, PATIENCE):
        later("closers").log().warning("closing in process %s: %s: %s", os.getpid(), type(error).__name__, error)


def _forget() -> None:
    """In a forked child: the lines are the parent's."""
    global _lock
    _lock = threading.RLock()
    for watch in _watches:
        watch.end()
    _watches.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
