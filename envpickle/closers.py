"""How one instance is closed: when its constructor is done, as a plugin says, or by the closing method that its class has."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

from .classes import later
from .ownership import all_known, busy, fresh, making, unmade

TYPE_CHECKING = False  # importing typing would cost a process that makes its first instance 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BY_NAME = ("__envpickle_close__", "_close", "close", "aclose", "__exit__")
_PATIENCE = 1.0  # seconds for an import in another thread
_forked = _asked_before_fork = False
_loading = threading.RLock()  # held while plugins are loaded ahead
_holding: list[int] = []  # threads that hold it while they fork


def close_when_made(closer: Callable[[Any], Any], patience: float, instance: Any) -> None:
    """Close an instance once its constructor is done, or has had time enough; in that case once more when it is dropped."""
    if not await_made(instance, patience):
        for ownership in all_known():
            ownership.found.discard(id(instance))
    half_made = is_half_made(instance)
    try:
        _close_by(closer, instance)
    except AttributeError as error:
        if not half_made:
            raise
        log().info("closing a %s before it was made: %s", type(instance).__qualname__, error)


def close_instance(instance: Any) -> None:
    """Close one instance: as a plugin says for its class, else by the first closing method its class has."""
    _close_by(closer_of(type(instance)), instance)


def _close_by(closer: Callable[[Any], Any], instance: Any) -> None:
    answer = closer(instance)
    if hasattr(answer, "__await__"):
        import asyncio  # 40 ms, for those that close asynchronously

        asyncio.run(_awaited(answer))


async def _awaited(answer: Any) -> None:
    await answer


def closer_of(kind: type) -> Callable[[Any], Any]:
    """What closes an instance of a class."""
    return _from_plugins(kind) or _by_name(kind)


def load_plugins() -> None:
    """Load what asking plugins takes, ahead of the moment when all processes of a machine may close at once."""
    with _loading:
        if not _forked:
            with suppress(Exception):  # who asks is told
                later("manager").hooks()


def may_ask() -> bool:
    """Whether plugins may be asked here.

    Not in a forked child that would have to load them: a thread that is not here may have been importing what this would
    import, and its lock is never released.
    """
    return not _forked or _asked_before_fork


def _from_plugins(kind: type) -> Callable[[Any], Any] | None:
    if not may_ask():
        return None
    try:
        closer: Any = later("manager").hooks().envpickle_close(cls=kind)
        if closer is None or callable(closer):
            return closer  # type: ignore[no-any-return]
        error: Any = f"a plugin answered envpickle_close with {closer!r}. Return a function of one instance, or None."
    except Exception as raised:  # noqa: BLE001 -- a plugin's fault, or a signal in the middle of importing what this needs
        error = f"envpickle_close raised {raised!r}"
    log().warning("closing %s as its class says, not as plugins may: %s", kind.__qualname__, error)
    return None


def _by_name(kind: type) -> Callable[[Any], Any]:
    # by the dictionaries of the classes: a metaclass may answer for any name
    own = {name for base in kind.__mro__ for name, value in base.__dict__.items() if name in _BY_NAME and value is not None}
    name = next((name for name in _BY_NAME if name in own), None)
    if name is None:
        return lambda instance: None
    if name == "__exit__":
        return lambda instance: instance.__exit__(None, None, None)
    return lambda instance: getattr(instance, name)()


def is_half_made(instance: Any) -> bool:
    """Whether no constructor has been through with an instance, so that its closing method may miss attributes."""
    allocated = list(fresh.values())
    if id(instance) in allocated or id(type(instance)) in allocated:
        return True
    # asked after fresh: a constructor enters these before it leaves that
    return id(instance) in making or id(instance) in unmade


def await_made(instance: Any, deadline: float) -> bool:
    """Wait until no constructor is at work on an instance; not for one that waits for us. Whether it is made."""
    while (maker := making.get(id(instance))) is not None and maker not in busy:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def log() -> Any:
    """The logger of this library."""
    import logging

    return logging.getLogger("envpickle")


def _before_fork() -> None:
    """Fork in no import of ours: the child would never get its lock."""
    if _loading.acquire(timeout=_PATIENCE):
        _holding.append(threading.get_ident())


def _after_fork() -> None:
    if threading.get_ident() in _holding:
        _holding.remove(threading.get_ident())
        _loading.release()


def _note_fork() -> None:
    """In a forked child: whether the plugins were asked before."""
    global _forked, _asked_before_fork, _loading
    _loading = threading.RLock()
    _holding.clear()
    made = sys.modules.get("envpickle.manager")
    _forked, _asked_before_fork = True, bool(getattr(made, "managers", None))


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_note_fork)
