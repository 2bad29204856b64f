"""What ties an owner to the same owner in other processes of this machine: a local socket, of which nobody reads but the end.

The process that made an owner listens once a class of it may have left (see :mod:`envpickle.lines` for those who connect). It
accepts nobody while the owner is open and needs no thread: lines wait in the backlog. The kernel ends them when the process is
gone, by whatever signal, and :func:`end` when the owner is closed. Where anything is in the way there is no lifeline, and the
other endings of a process remain.
"""

from __future__ import annotations

import atexit
import os
import select
import socket
import sys
import threading
from contextlib import suppress
from functools import partial
from weakref import ref

from . import places
from .classes import later

TYPE_CHECKING = False  # importing typing would cost 5 ms
if TYPE_CHECKING:
    from typing import Any

BACKLOG = 4_096  # lines of one owner; the kernel may allow fewer
MOST = 256  # owners of one process that listen at once
MOST_LEFT = 128  # of them, those that were dropped without being closed
_PATIENCE = 1.0  # seconds that a fork waits for another thread

_listening: dict[bytes, _Listener] = {}
_left: dict[bytes, None] = {}  # keys of owners that nobody holds any more, oldest first
_lock = threading.RLock()  # around the opening of sockets; a collection under it may pickle
_forking: list[int] = []  # threads that hold the lock while they fork
_leaves_in = 0


class _Listener:
    """The owner's end of its lines."""

    __slots__ = ("inode", "owner", "path", "socket")

    def __init__(self, ownership: Any, path: str, opened: socket.socket) -> None:
        self.path, self.socket, self.inode = path, opened, os.fstat(opened.fileno()).st_ino
        self.belong_to(ownership)

    def belong_to(self, ownership: Any) -> None:
        """Note when nobody holds the owner any more."""
        self.owner = ref(ownership, partial(_drop, ownership.key))

    def let_go(self) -> None:
        """Go on: the owner is closed because this process ends, and children at work may outlive its exit hooks."""

    def end(self, word: str | None) -> None:
        """End every line, and leave word for those that come too late."""
        with suppress(OSError):
            places.leave_word(self.path, word)
        if not places.is_still(self.socket, self.inode):
            return
        with suppress(OSError):
            while True:
                line, _ = self.socket.accept()
                with suppress(OSError), line:
                    line.shutdown(socket.SHUT_RDWR)  # even where a copy of the listening socket was inherited
        self.socket.close()

    def has_lines(self) -> bool:
        """Whether anybody ever connected."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(0))


def listen(ownership: Any) -> None:
    """Listen for an owner of this process, so that others notice its end; where that cannot be, nothing happens.

    Of one that is closed already, word is left for those who get its class now.

    Args:
        ownership: The owner's part in this process.
    """
    with _lock:
        known = _listening.get(ownership.key)
        try:
            if ownership.closed:
                if not later("closing").ending:
                    _leave_word(ownership.key)
                return
            if known is None:
                known = _listening[ownership.key] = _Listener(ownership, *_open(ownership.key))
            elif known.owner() is None:  # the owner was dropped, and a class of it came home
                _left.pop(ownership.key, None)
                known.belong_to(ownership)
            ownership.line = known
            if ownership.closed and not later("closing").ending:  # meanwhile, and who closed it saw no line
                end(ownership.key)
        except OSError as error:
            places.say("nobody is told of the end of %s: %s", ownership.key, error)


def _leave_word(key: bytes) -> None:
    path = places.path_of(key)
    if places.word_at(path) != places.CLOSED:
        places.say_alive(path, key)
        _leave_in_the_end()
        places.leave_word(path, places.CLOSED)


def _open(key: bytes) -> tuple[str, socket.socket]:
    if len(_listening) >= MOST:
        raise OSError(f"{MOST} owners of this process are listening")
    path = places.path_of(key)
    places.say_alive(path, key)
    _leave_in_the_end()
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.bind(path)
        opened.listen(BACKLOG)
    except BaseException:
        opened.close()
        raise
    return path, opened


def end(key: bytes) -> None:
    """Tell every process that holds instances of an owner's classes that it is closed.

    Args:
        key: The owner's key.
    """
    listener = _listening.pop(key, None)
    _left.pop(key, None)
    if listener is not None:
        listener.end(places.CLOSED)


def _drop(key: bytes, _: Any = None) -> None:
    """Go on listening for an owner that nobody holds here any more, as others may; but not for any number of them."""
    if not _listening:  # nobody; or None: late in its shutdown Python takes a module's names away
        return
    if key in _listening:
        _left[key] = None
    for old in list(_left)[: max(0, len(_left) - MOST_LEFT)]:
        _left.pop(old, None)
        listener = _listening.pop(old, None)
        if listener is not None:
            listener.end(places.LEFT if listener.has_lines() else None)


def _leave_in_the_end() -> None:
    """Have what lies in the directory removed when this process ends, after multiprocessing has joined children at work."""
    global _leaves_in
    if _leaves_in == os.getpid():
        return
    _leaves_in = os.getpid()
    if util := sys.modules.get("multiprocessing.util"):
        util.Finalize(None, _leave, args=(_leaves_in,), exitpriority=-100)
    else:
        atexit.register(_leave, _leaves_in)  # if multiprocessing is imported later, its own hook runs earlier


def _leave(pid: int) -> None:
    """Remove what this process has in the directory; a forked child that runs its parent's exit hooks does nothing here."""
    if pid != os.getpid():
        return
    for key in list(_listening):
        if (listener := _listening.pop(key, None)) is not None:
            listener.end(None)
    places.leave()


def before_fork(owners: list[Any]) -> None:
    """Listen for owners before a fork, and open no socket in another thread meanwhile: the child must know what it closes.

    Args:
        owners: The owners' parts in this process.
    """
    if _lock.acquire(timeout=_PATIENCE):
        _forking.append(threading.get_ident())
        for ownership in owners:
            if not ownership.closed:  # else the child knows
                ownership.listen()


def after_fork() -> None:
    """Go on, in the process that forked."""
    if threading.get_ident() in _forking:
        _forking.remove(threading.get_ident())
        _lock.release()


def _forget() -> None:
    """In a forked child: what the parent listens for is the parent's."""
    global _lock
    _lock = threading.RLock()
    _forking.clear()
    for listener in _listening.values():
        if places.is_still(listener.socket, listener.inode):
            listener.socket.close()
    _listening.clear()
    _left.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
