"""Both ends of the beacons: the process that made owners keeps one lit, those that hold instances follow it.

All calls of Ray are made on one thread of ours: a pickler may be Ray's own, and an instance may be made on a thread that Ray
needs for the answer. So whoever asks waits for a short time only, and the thread goes on.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from typing import Any

from . import beacons
from .carrier import closed, session

GRACE = 3.0  # seconds that a beacon may be gone before that counts as its process's end
SEARCH = 60.0  # seconds until a holder no longer looks for a beacon that it has never seen
_WORD_LEAVES = 1.0  # seconds that closing an owner waits until its beacon knows
_ANSWER = 2.0  # seconds that a first instance waits to learn whether its owner is closed
_KNOWN = 1.0  # seconds that a process's first pickle waits until its cluster knows of its beacon
_PAUSE = 0.1  # seconds between two looks, and more each time, up to a second
_RETRY = 0.5  # seconds until a beacon is lit again, and from the sixth time on twice as many each time, up to a minute
_SOON = 5

_log = logging.getLogger("envpickle")
_first = threading.RLock()  # of threads that come at once, one makes what is there once


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop on our thread; it goes on until this process ends."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _, context: _log.debug("on a Ray cluster: %s", context))
    threading.Thread(target=loop.run_forever, name="envpickle-ray", daemon=True).start()
    return loop


def _run(work: Coroutine[Any, Any, Any]) -> "Future[Any]":
    with _first:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop)


def _await(answer: "Future[Any]", seconds: float, whose: object, late: set[object]) -> None:
    """Wait a moment for an answer, unless an earlier one is late: else each of many owners would wait as long."""
    if whose in late:
        return
    try:
        answer.result(seconds)
    except TimeoutError:
        late.add(whose)
        answer.add_done_callback(lambda _: late.discard(whose))
    except Exception as error:  # noqa: BLE001 -- whether the beacon is still there will be seen
        _log.debug("a beacon does not answer: %s: %s", type(error).__name__, error)


class _Home:
    """Keeps this process's beacon lit in the cluster that it is in, one cluster after another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: tuple[str, str] | None = None
        self._keeping: Future[Any] | None = None
        self._beacon: Any = None
        self._known = threading.Event()
        self._until = 0.0
        self._late: set[object] = set()

    def light(self, here: tuple[str, str], key: bytes) -> None:
        """Have the beacon lit, unless it is.

        Waits a moment until the cluster knows of it: a holder takes the end of a process that it never saw a beacon of for
        nothing, and this process may be killed as soon as the class has left.
        """
        if here == self._session and self._known.is_set():
            return
        with self._lock:
            if here != self._session:
                if self._keeping is not None:
                    self._keeping.cancel()  # in a cluster that this process has left
                self._known.clear()
                self._session, self._beacon = here, None
                self._until = time.monotonic() + _KNOWN
                self._keeping = _run(self._keep(here, beacons.mark_of(key)))
        self._known.wait(max(0.0, self._until - time.monotonic()))

    def tell(self, key: bytes) -> None:
        """Have the beacon tell that an owner is closed; waits a moment for it to know, unless it is late with its answers."""
        here, beacon = self._session, self._beacon
        if beacon is not None and here is not None and session() == here:
            _await(_run(_answer(here, beacon.tell, [key])), _WORD_LEAVES, here, self._late)

    async def _keep(self, here: tuple[str, str], mark: bytes) -> None:
        failures, warned = 0, False
        while session() == here:
            try:
                self._beacon = beacons.light(mark, here[0])
                self._known.set()
                await _answer(here, self._beacon.tell, list(closed))
                failures = 0
                await self._serve(self._beacon, here, mark)
            except Exception as error:  # noqa: BLE001 -- the name is still taken, or the beacon was killed for good: once more
                _log.debug("the beacon of process %s: %s: %s", os.getpid(), type(error).__name__, error)
                if not warned and _never_lit(error):
                    warned = True
                    _log.warning(
                        "owners of process %s are not closed on other nodes, as a worker of this one does not start what "
                        "envpickle-ray needs there (is it installed for workers, in the job's runtime environment?): %s",
                        os.getpid(),
                        str(error).strip().rpartition("\n")[2],
                    )
            failures += 1
            await asyncio.sleep(_RETRY * 2 ** min(max(0, failures - _SOON), 7))

    async def _serve(self, beacon: Any, here: tuple[str, str], mark: bytes) -> None:
        """Tell a beacon what is closed, whenever it has been started again; raises when it is gone for good."""
        while session() == here:
            try:
                await _answer(here, beacon.stay)
            except Exception:
                if session() != here or _look(mark) == (True, None):
                    raise
            await asyncio.sleep(_PAUSE)
            with suppress(Exception):
                await _answer(here, beacon.tell, list(closed))


class _Followed:
    """What this process holds of owners of one other process."""

    def __init__(self, mark: bytes, here: tuple[str, str]) -> None:
        self.mark = mark
        self.here = here
        self.held: dict[object, tuple[bytes, Callable[[], None]]] = {}
        self.seen = False
        self.task: asyncio.Task[None] | None = None

    def over(self, keys: "set[bytes] | None" = None) -> None:
        """Say that owners have ended; all of them without keys."""
        for token, (key, ended) in list(self.held.items()):
            if (keys is None or key in keys) and self.held.pop(token, None) is not None:
                ended()


class _Holder:
    """Follows the beacons of those owners under which this process holds instances."""

    def __init__(self) -> None:
        self._followed: dict[bytes, _Followed] = {}  # touched on our thread alone
        self._late: set[object] = set()

    def hold(self, key: bytes, ended: Callable[[], None]) -> Callable[[], None]:
        """Follow the beacon of an owner's process; waits a moment for word whether the owner is closed already."""
        token = object()
        _await(_run(self._enter(token, key, ended)), _ANSWER, (beacons.mark_of(key), session()), self._late)
        return partial(self._let_go, key, token)

    async def _enter(self, token: object, key: bytes, ended: Callable[[], None]) -> None:
        mark, here = beacons.mark_of(key), session()
        if here is None:  # meanwhile
            return
        followed = self._followed.get(mark)
        if followed is None or followed.here != here:  # or what was followed was in a cluster that this process has left
            followed = self._followed[mark] = _Followed(mark, here)
        followed.held[token] = key, ended
        beacon = beacons.find(mark)
        if followed.task is None:
            followed.task = asyncio.create_task(self._follow(followed))
        if beacon is not None and await _answer(here, beacon.is_closed, key):
            followed.over({key})

    def _let_go(self, key: bytes, token: object) -> None:
        """Takes no lock: it may be called in a collection."""
        _loop().call_soon_threadsafe(self._drop, beacons.mark_of(key), token)

    def _drop(self, mark: bytes, token: object) -> None:
        followed = self._followed.get(mark)
        if followed is None:
            return
        followed.held.pop(token, None)
        if not followed.held and followed.task is not None:
            followed.task.cancel()
            del self._followed[mark]

    async def _follow(self, followed: _Followed) -> None:
        """Pass on what a beacon tells, until it has been out for too long, or there is nobody left to tell."""
        clock = asyncio.get_running_loop().time
        until, pause = clock() + SEARCH, _PAUSE
        while followed.held and session() == followed.here:
            found, beacon = _look(followed.mark)
            if beacon is not None:
                # maybe it is not lit yet, but Ray knows of it, and ends it with its process
                if await _listen(followed, beacon):
                    followed.seen, pause = True, _PAUSE
                until = clock() + (GRACE if followed.seen else SEARCH)
            elif found and clock() > until:
                break
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)
        if followed.seen and session() == followed.here:
            followed.over()
        if self._followed.get(followed.mark) is followed:
            del self._followed[followed.mark]


def _look(mark: bytes) -> tuple[bool, Any]:
    """Whether the cluster answers, and the beacon."""
    try:
        return True, beacons.find(mark)
    except Exception as error:  # noqa: BLE001 -- a cluster that does not answer just now says nothing about an owner
        _log.debug("looking for a beacon: %s: %s", type(error).__name__, error)
        return False, None


async def _listen(followed: _Followed, beacon: Any) -> bool:
    """Pass on what one beacon tells, until it is gone or there is nobody left to tell; whether its loss means anything."""
    epoch, count = b"", 0
    try:
        while followed.held:
            epoch, count, keys = await _answer(followed.here, beacon.news, epoch, count)
            followed.over(set(keys))
    except Exception as error:  # noqa: BLE001 -- whatever it is, whether the beacon is still there will be seen
        _log.debug("a beacon is lost: %s: %s", type(error).__name__, error)
        return not _never_lit(error)
    return True


async def _answer(here: tuple[str, str], method: Any, *args: Any) -> Any:
    """Call a beacon, in the cluster that it is in: elsewhere Ray would be started for the call, or confused by it."""
    if session() != here:
        raise ConnectionError("this process has left the cluster")
    asked = method.remote(*args)
    try:
        return await asked
    except asyncio.CancelledError:
        if session() == here:
            with suppress(Exception):
                _ray().cancel(asked)
        raise


def _never_lit(error: Exception) -> bool:
    """Whether a beacon was lost because a worker of its node could not start it, which says nothing about its process."""
    return isinstance(error, _ray().exceptions.RuntimeEnvSetupError) or getattr(error, "actor_init_failed", False)


def _ray() -> Any:
    import ray

    return ray


_home, _holder = cache(_Home), cache(_Holder)


def home() -> _Home:
    """The one of this process."""
    with _first:
        return _home()


def holder() -> _Holder:
    """The one of this process."""
    with _first:
        return _holder()


def _forget() -> None:
    """In a forked child: the thread is the parent's."""
    global _first
    _first = threading.RLock()
    for one in (_loop, _home, _holder):
        one.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
