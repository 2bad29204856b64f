"""Owners: what is built under one is closed with it, in every process."""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Self

from . import building, ownership
from .classes import later
from .closing import await_closed, close_owned
from .ownership import all_known, local
from .refusals import owner_closed
from .runtime import Builder

_TIMEOUT = 5.0


class Owner:
    """A thing with a key and a ``close()``; the classes built under it, and their instances, are closed with it.

    The key travels with the classes. A process that rebuilds one of them closes what it holds when it ends; on the same
    machine, and where a plugin carries the word, also when the owner is closed, or its process ends. In the process that holds
    the owner, rebuilt classes belong to it like the original.

    Two owners make two classes of one call, and each closes only its own.

    Attributes:
        key: 16 random bytes; the last 6 are those of every owner that this process makes.
    """

    def __init__(self) -> None:
        self.key = os.urandom(10) + ownership.mark
        self._ownership = local(self.key)

    @property
    def closed(self) -> bool:
        """Whether the owner was closed in this process."""
        return self._ownership.closed

    def build(self, builder: Builder, /, *args: Any, **kwargs: Any) -> type:
        """Call a builder for this owner, and return the class.

        Args:
            builder: The builder.
            *args: Its positional arguments.
            **kwargs: Its keyword arguments.

        Raises:
            OwnerClosed: The owner is closed.
        """
        if self.closed:
            raise owner_closed(builder)
        return building.call(builder, args, kwargs, self._ownership)

    def callback(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        """Have a function called when the owner is closed, after the instances; the last one added is called first.

        It is called at the latest when this process ends, and only in this process: a forked child does not call it.

        Args:
            function: The function.
            *args: Its positional arguments.
            **kwargs: Its keyword arguments.
        """
        self._ownership.hang(partial(function, *args, **kwargs))

    def close(self, timeout: float = _TIMEOUT) -> None:
        """Close every live instance of every class built under this owner in this process, concurrently.

        Other processes of this machine that hold instances, and those that a plugin reaches, are told to close theirs, but
        are not waited for. If it is called in a process that did not make the owner (a forked child), it closes only what
        that process holds, and tells no other.

        Afterwards these classes, and those of this owner that arrive later, raise :class:`~envpickle.errors.OwnerClosed` when
        called. A second call closes nothing; if the first is still closing in another thread, it waits for that.

        Args:
            timeout: Seconds to wait for all instances together; one that takes longer goes on closing in its thread.

        Raises:
            ExceptionGroup: Some instances could not be closed, or took too long; closing was tried on all of them.
        """
        self._tell()
        found = close_owned([self._ownership], timeout)
        self._tell()  # those to whom another thread has sent a class meanwhile
        await_closed(self._ownership, timeout)
        if found:
            raise BaseExceptionGroup("closing an owner's instances failed", found)

    def _tell(self) -> None:
        if self._ownership.line is not None:
            later("lifeline").end(self.key)
        if self._ownership.carriers:
            later("carriers").end(self._ownership)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.key.hex()[:12]}{', closed' if self.closed else ''}>"


def _before_fork() -> None:
    """What a fork takes along may hold instances soon: every owner of this process listens before."""
    owners = [ownership for ownership in all_known() if ownership.is_at_home]
    if owners:
        later("lifeline").before_fork(owners)


def _after_fork() -> None:
    if owners_may_listen := sys.modules.get("envpickle.lifeline"):
        owners_may_listen.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork)
