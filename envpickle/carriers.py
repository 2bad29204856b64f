"""What carries an owner's end to where the local line does not reach (another machine, another directory): plugins bring it.

At home, carriers are told when a class of an owner is pickled, and when the owner is closed. Elsewhere they are asked when a
process makes its first instance and :mod:`envpickle.lines` has not reached the owner.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol
from weakref import ref

from . import closers
from .classes import later
from .lines import close_now, close_soon
from .ownership import Ownership, all_known


class Carrier(Protocol):
    """What a plugin's carrier offers; an object or module with these names is one.

    An owner's key is 16 bytes, of which the last six are those of every owner that one process makes. What a method raises is
    logged, and the other carriers are asked all the same.
    """

    def send(self, key: bytes, /) -> None:
        """Take note that a class of an owner of this process is about to be pickled, so that its end can be noticed elsewhere.

        Called each time, on the thread that pickles, which may be in the middle of the framework's own pickler: leave to a
        thread whatever calls the framework, and return at once, or the first time within a second. Where the owner is closed
        already, :meth:`end` is called next.
        """

    def end(self, key: bytes, /) -> None:
        """Tell those who hold instances that an owner of this process was closed.

        Called on the thread that closes; it may wait until the word has left, but for no more than a second. When a class of
        the owner is pickled afterwards, it is called again.
        """

    def hold(self, key: bytes, ended: Callable[[], None], /) -> Callable[[], None] | None:
        """Have this process, which makes its first instance under an owner, notice the owner's end.

        Called on the thread that makes the instance. It may wait to learn whether the owner is closed already, but for no more
        than two seconds.

        Args:
            key: The owner's key.
            ended: To be called once when the owner was closed or its process has ended; from any thread, also before this
                returns.

        Returns:
            What to call when nobody here needs it any more, or None if this carrier has no way to the owner. It may be called
            in the middle of a garbage collection, so it must take no lock.
        """


_asked: tuple[Carrier, ...] | None = None


def asked() -> tuple[Carrier, ...]:
    """The carriers of all plugins, which are asked once."""
    global _asked
    if _asked is None:
        if not closers.may_ask():
            return ()
        try:
            _asked = tuple(carrier for answer in later("manager").hooks().envpickle_carriers() for carrier in answer)
        except Exception as error:  # noqa: BLE001 -- a plugin's fault must not keep a class from being pickled
            closers.log().warning("owners end on this machine alone, as plugins cannot be asked for carriers: %r", error)
            _asked = ()
    return _asked


def send(ownership: Ownership) -> None:
    """Tell the carriers that a class of an owner of this process is about to be pickled.

    Args:
        ownership: The owner's part in this process.
    """
    ownership.carriers = asked()
    for carrier in ownership.carriers:
        _try(carrier.send, ownership.key)
    if ownership.closed and not later("closing").ending:  # before, or meanwhile
        end(ownership)


def end(ownership: Ownership) -> None:
    """Tell the carriers that an owner of this process is closed.

    Args:
        ownership: The owner's part in this process.
    """
    carriers, ownership.carriers = ownership.carriers, ()
    for carrier in carriers:
        _try(carrier.end, ownership.key)


def hold(ownership: Ownership) -> None:
    """Have a carrier notice the end of an owner that is not to be reached on this machine, if one can.

    Args:
        ownership: The owner's part in this process.
    """
    for carrier in asked():
        line = _Line(ownership)
        line.give_back = _try(carrier.hold, ownership.key, line.end)
        if line.give_back is not None:
            line.tie(ownership)
            return


def _try(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:  # noqa: BLE001 -- a plugin's fault must not disturb who pickles, closes, or makes an instance
        closers.log().warning("%r in process %s: %s: %s", function, os.getpid(), type(error).__name__, error)
        return None


class _Line:
    """The holder's end of what a carrier holds."""

    __slots__ = ("ended", "give_back", "owner", "pid", "tied")

    def __init__(self, ownership: Ownership) -> None:
        self.ended = self.tied = False
        self.give_back: Callable[[], None] | None = None
        self.pid = os.getpid()
        self.owner = ref(ownership, lambda _: self.let_go())

    def tie(self, ownership: Ownership) -> None:
        """Be the owner's line, unless the owner has ended meanwhile."""
        if ownership.line is None:
            ownership.line = self
        else:  # of threads that come at once, one has the line
            self.let_go()
        self.tied = True
        if self.ended:
            close_now([ownership])  # on this thread: the instance it makes is refused

    def end(self) -> None:
        """Close what this process holds: the owner has ended."""
        self.ended = True
        ownership = self.owner()
        if self.tied and ownership is not None and self.pid == os.getpid():
            ownership.line = None
            close_soon([ownership])

    def let_go(self) -> None:
        """Nobody needs it any more. Takes no lock: it may be called in a collection."""
        if self.give_back is not None and self.pid == os.getpid():
            with suppress(Exception):
                self.give_back()


def _forget() -> None:
    """In a forked child: what was sent was the parent's to send."""
    for ownership in all_known():
        ownership.carriers = ()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
