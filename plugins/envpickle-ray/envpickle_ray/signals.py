"""Both ends of the beacons: the process that made owners keeps one lit, those that hold instances follow it.

All calls of Ray are made on one thread of ours: a pickler may be Ray's own, and an instance may be made on a thread that Ray
needs for the answer. So whoever asks waits for a short time only, and the thread goes on.
"""

import asyncio
import logging
import os
import threading
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

_log = logging.getLogger("envpickle")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop on our thread; it goes on until this process ends."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _, context: _log.debug("on a Ray cluster: %s", context))
    threading.Thread(target=loop.run_forever, name="envpickle-ray", daemon=True).start()
    return loop


def _run(work: Coroutine[Any, Any, Any]) -> "Future[Any]":
    return asyncio.run_coroutine_threadsafe(work, _loop())


class _Home:
    """Keeps this process's beacon lit in the cluster that it is in, one cluster after another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: tuple[str, str] | None = None
        self._keeping: Future[Any] | None = None
        self._beacon: Any = None
        self._known = threading.Event()

    def light(self, here: tuple[str, str], key: bytes) -> None:
        """Have the beacon lit, unless it is.

        Waits a moment until the cluster knows of it: a holder takes the end of a process that it never saw a beacon of for
        nothing, and this process may be killed as soon as the class has left.
        """
        if here == self._session:
            return
        with self._lock:
            if here == self._session:
                return
            if self._keeping is not None:
                self._keeping.cancel()  # in a cluster that this process has left
            self._session, self._beacon = here, None
            self._known.clear()
            self._keeping = _run(self._keep(here, beacons.mark_of(key)))
        self._known.wait(_KNOWN)

    def tell(self, key: bytes) -> None:
        """Have the beacon tell that an owner is closed; waits a moment for it to know."""
        for old in list(closed)[: max(0, len(closed) - beacons.MOST)]:
            closed.pop(old, None)
        beacon = self._beacon
        if beacon is not None and session() == self._session:
            told = _run(_answer(beacon.tell, [key]))
            with suppress(Exception):
                told.result(_WORD_LEAVES)

    async def _keep(self, here: tuple[str, str], mark: bytes) -> None:
        while session() == here:
            try:
                self._beacon = beacons.light(mark, here[0])
                while session() == here and beacons.find(mark) is None:  # noqa: ASYNC110 -- Ray tells nobody
                    await asyncio.sleep(_PAUSE / 10)
                self._known.set()
                await self._serve(self._beacon, here)
            except Exception as error:  # noqa: BLE001 -- the name is still taken, or the beacon was killed for good: once more
                _log.debug("the beacon of process %s: %s: %s", os.getpid(), type(error).__name__, error)
            await asyncio.sleep(5 * _PAUSE)

    async def _serve(self, beacon: Any, here: tuple[str, str]) -> None:
        """Tell a beacon what is closed, whenever it has been started again; raises when it is gone for good."""
        while session() == here:
            await _answer(beacon.tell, list(closed))
            with suppress(Exception):
                await _answer(beacon.stay, retries=0)
            await asyncio.sleep(_PAUSE)


class _Followed:
    """What this process holds of owners of one other process."""

    def __init__(self, mark: bytes, here: tuple[str, str] | None) -> None:
        self.mark = mark
        self.here = here
        self.held: dict[object, tuple[bytes, Callable[[], None]]] = {}
        self.seen = False
        self.task: asyncio.Task[None] | None = None

    def over(self, keys: "list[bytes] | None" = None) -> None:
        """Say that owners have ended; all of them without keys."""
        for token, (key, ended) in list(self.held.items()):
            if (keys is None or key in keys) and self.held.pop(token, None) is not None:
                ended()


class _Holder:
    """Follows the beacons of those owners under which this process holds instances."""

    def __init__(self) -> None:
        self._followed: dict[bytes, _Followed] = {}  # touched on our thread alone

    def hold(self, key: bytes, ended: Callable[[], None]) -> Callable[[], None]:
        """Follow the beacon of an owner's process; waits a moment for word whether the owner is closed already."""
        token = object()
        entered = _run(self._enter(token, key, ended))
        with suppress(Exception):
            entered.result(_ANSWER)
        return partial(self._let_go, key, token)

    async def _enter(self, token: object, key: bytes, ended: Callable[[], None]) -> None:
        mark = beacons.mark_of(key)
        followed = self._followed.get(mark)
        if followed is None or followed.here != session():  # or what was followed was in a cluster that this process has left
            followed = self._followed[mark] = _Followed(mark, session())
        followed.held[token] = key, ended
        beacon = beacons.find(mark)
        if followed.task is None:
            followed.task = asyncio.create_task(self._follow(followed))
        if beacon is not None and await _answer(beacon.is_closed, key):
            followed.over([key])

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
                followed.seen = True  # maybe it is not lit yet, but Ray knows of it, and ends it with its process
                await _listen(followed, beacon)
                until, pause = clock() + GRACE, _PAUSE
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


async def _listen(followed: _Followed, beacon: Any) -> None:
    """Pass on what one beacon tells, until it is gone or there is nobody left to tell."""
    epoch, count = b"", 0
    try:
        while followed.held:
            epoch, count, keys = await _answer(beacon.news, epoch, count)
            followed.over(keys)
    except Exception as error:  # noqa: BLE001 -- whatever it is, whether the beacon is still there will be seen
        _log.debug("a beacon is lost: %s: %s", type(error).__name__, error)


async def _answer(method: Any, *args: Any, retries: int = -1) -> Any:
    """Call a beacon; it is asked again after a restart, and no longer when nobody waits for the answer."""
    asked = method.options(max_task_retries=retries).remote(*args)
    try:
        return await asked
    except asyncio.CancelledError:
        import ray

        if ray.is_initialized():  # else asking would start one
            with suppress(Exception):
                ray.cancel(asked)
        raise


@cache
def home() -> _Home:
    """The one of this process."""
    return _Home()


@cache
def holder() -> _Holder:
    """The one of this process."""
    return _Holder()
