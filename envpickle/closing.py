"""Closing what a process holds: now, when its owner says so, and at the latest when the process ends.

Instances are found by asking the garbage collector who refers to their classes (a constructor sees only some of them). Each is
closed in a thread of its own, several at once, and the whole has a deadline. The threads are started with the first
instance and parked: a process that is ending cannot start any. Nothing here takes a lock that an interrupted main thread
might hold: jobs go through :class:`queue.SimpleQueue`, and what waits for them looks every millisecond.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from functools import partial
from queue import SimpleQueue

from . import ownership as owners
from .classes import later
from .closers import close_instance, close_when_made, closer_of, log
from .ownership import Ownership, all_known, at_end, busy, catch_terminate, terminate, told

TYPE_CHECKING = False  # importing typing would cost a process that makes its first instance 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

PATIENCE = 4.0  # seconds for closing everything when the process ends: TRL kills 5 seconds after SIGTERM
_PARKED = 8
_NAME = "envpickle-closer"
_AT_FIRST = 64  # threads for the instances of one closing, before it shows how long they take
_MOST_THREADS = 1_024

_inherited: list[Any] = []  # instances a forked child got from its parent: the parent closes them
_interrupted: set[Ownership] = set()  # those whose closing began and was not gone through
_dropped: dict[int, tuple[Any, Ownership]] = {}  # instances nobody held any more, until they are closed


class _Parked:
    """Threads that wait for closing jobs, in one process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.at_work: list[None] = []
        self.grow(_PARKED)

    def grow(self, wanted: int) -> None:
        """Have as many threads as wanted, if any more can be started."""
        while len(self.threads) < min(wanted, _MOST_THREADS):
            thread = threading.Thread(target=self._work, name=_NAME, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is shutting down: those that are parked must do
                return
            self.threads.append(thread)

    def _work(self) -> None:
        while True:
            job = self.jobs.get()
            self.at_work.append(None)
            if len(self.at_work) >= len(self.threads):  # those at work may never be done: one is kept free
                self.grow(len(self.threads) + 1)
            job()
            del job  # it holds an instance
            self.at_work.pop()


ending = False  # whether all is closed because this process ends: then others may still be at work
_parked: _Parked | None = None
_armed_in = 0
_FROZEN_AT_FIRST = gc.get_freeze_count()  # some Pythons freeze what they start with


def _is_child() -> bool:
    """Whether multiprocessing started this process."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def arm() -> None:
    """See to it that this process closes what it holds when it ends, in every way a process can still run code."""
    global _armed_in, _parked
    if _armed_in == os.getpid():
        return
    _armed_in = os.getpid()
    _parked = _Parked()
    if _is_child():
        catch_terminate()
        later("endings").watch(at_end, owners.inherited_parent)
        later("answering").see_to_it(terminate, lambda: ending or bool(told))


class Closing:
    """Around every closing, so that SIGTERM does not cut it short: the handler runs on the very thread that may be closing."""

    def __enter__(self) -> None:
        busy.append(threading.get_ident())

    def __exit__(self, *exception: object) -> None:
        if threading.get_ident() in busy:  # not in a child that was forked meanwhile
            busy.remove(threading.get_ident())
        if told and threading.current_thread() is threading.main_thread() and threading.get_ident() not in busy:
            terminate(told.pop(), None)


def close_owned(ownerships: Iterable[Ownership], timeout: float) -> list[BaseException]:
    """Close every instance that ownerships hold in this process, and run what was hung on them, once.

    Args:
        ownerships: Whose instances.
        timeout: Seconds to wait for all of it together; what takes longer goes on in its thread.

    Returns:
        What went wrong, one error for each instance or callback.
    """
    deadline = time.monotonic() + timeout
    with Closing():
        gates = {ownership: ownership.gate for ownership in ownerships if ownership.gate.acquire(blocking=False)}
        try:
            closing = [owner for owner in gates if not owner.closed or owner.callbacks or owner in _interrupted]
            _interrupted.update(closing)
            found = _closed(closing, deadline)
            _interrupted.difference_update(closing)
            return found
        finally:
            for gate in gates.values():  # not the owners': a closing method may fork, and the child has new ones
                gate.release()


def await_closed(ownership: Ownership, timeout: float) -> None:
    """Wait until another thread has closed an owner; not where that thread waits for this one."""
    waits_for_us = threading.current_thread().name == _NAME or threading.get_ident() in busy
    if not waits_for_us and ownership.gate.acquire(timeout=min(max(timeout, 0.0), threading.TIMEOUT_MAX)):
        ownership.gate.release()


def _closed(ownerships: list[Ownership], deadline: float) -> list[BaseException]:
    for ownership in ownerships:
        ownership.shut()
    instances = _instances(ownerships)
    for ownership in ownerships:
        ownership.found.update(map(id, instances))
    found = _run(_jobs(instances, time.monotonic() / 2 + deadline / 2), deadline)
    for ownership in ownerships:
        while ownership.callbacks:
            found += _run([(_call, ownership.callbacks.pop())], deadline)
    while any(owner in ownerships for _, owner in list(_dropped.values())) and time.monotonic() < deadline:
        time.sleep(0.001)
    return found


def _jobs(instances: list[Any], patience: float) -> list[tuple[Callable[..., Any], Any]]:
    closers: dict[int, Callable[[Any], Any]] = {}  # plugins are asked once for each class
    for instance in instances:
        if id(type(instance)) not in closers:
            closers[id(type(instance))] = closer_of(type(instance))
    return [(partial(close_when_made, closers[id(type(instance))], patience), instance) for instance in instances]


def _call(callback: Callable[[], Any]) -> None:
    callback()


def _others_are_closing() -> bool:
    return any(thread != threading.get_ident() for thread in busy)


def _run(jobs: list[tuple[Callable[..., Any], Any]], deadline: float) -> list[BaseException]:
    if not jobs:
        return []
    parked = _parked if _parked is not None and _parked.pid == os.getpid() else _park()
    parked.grow(min(len(jobs), _AT_FIRST))
    done: list[Any] = []
    failed: list[BaseException] = []

    def job(function: Callable[..., Any], argument: Any) -> Callable[[], None]:
        def run() -> None:
            try:
                function(argument)
            except BaseException as error:  # noqa: BLE001 -- the others are closed all the same
                failed.append(error)
            finally:
                done.append(None)

        return run

    for function, argument in jobs:
        parked.jobs.put(job(function, argument))
    while not parked.threads and not parked.jobs.empty():  # none could be started any more: one after the other, then
        parked.jobs.get()()
    while len(done) < len(jobs):
        if time.monotonic() > deadline:
            return [*failed, TimeoutError(f"{len(jobs) - len(done)} of {len(jobs)} were not closed in time")]
        time.sleep(0.001)
    return failed


def _park() -> _Parked:
    global _parked
    _parked = _Parked()
    return _parked


def _instances(ownerships: list[Ownership]) -> list[Any]:
    kinds: dict[int, type] = {}  # by id: a metaclass may have made its classes unhashable
    stack = [cls for ownership in ownerships for cls in list(ownership.classes.values())]
    while stack:
        cls = stack.pop()
        if id(cls) not in kinds:
            kinds[id(cls)] = cls
            stack.extend(type.__subclasses__(cls))
    if not kinds:
        return []
    if gc.get_freeze_count() > _FROZEN_AT_FIRST:
        gc.unfreeze()  # for good: gc does not ask frozen objects, and freezing again would take in everything that lives now
    referrers = gc.get_referrers(*kinds.values())  # get_objects would hold tuples that other threads are still filling
    found = [item for item in referrers if id(type(item)) in kinds]
    inherited = set(map(id, _inherited))
    return [item for item in found if id(item) not in inherited and not _was_dropped(item)]


def _was_dropped(instance: Any) -> bool:
    """Whether an instance has been through our ``__del__``, which handed it to be closed; a cycle may still show it."""
    closes = next((base.__dict__["__del__"] for base in type(instance).__mro__ if "__del__" in base.__dict__), None)
    return gc.is_finalized(instance) and getattr(closes, "closes", False)


def dropped(instance: Any, ownership: Ownership) -> None:
    """Close an instance that nobody holds any more and nobody closed; not here, in the middle of a collection."""
    parked = _parked
    if parked is None or parked.pid != os.getpid():
        return
    _dropped[id(instance)] = instance, ownership

    def run() -> None:
        try:
            close_instance(instance)
        except BaseException as error:  # noqa: BLE001 -- it may never have been initialised; the thread has more to close
            log().info("closing a dropped %s: %s: %s", type(instance).__qualname__, type(error).__name__, error)
        finally:
            _dropped.pop(id(instance), None)

    parked.jobs.put(run)


class _Uninterrupted:
    """Around the closing at a process's end, which a second Ctrl-C would cut short; it has a deadline."""

    def __enter__(self) -> None:
        on_main = threading.current_thread() is threading.main_thread()
        self.held_back = on_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.held_back:
            signal.signal(signal.SIGINT, lambda number, frame: None)  # a handler: what a closing method starts inherits none

    def __exit__(self, *exception: object) -> None:
        if self.held_back:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def close_everything(timeout: float = PATIENCE) -> None:
    """Close all that any owner holds in this process, once; what goes wrong is logged."""
    global ending
    ending = True
    deadline = time.monotonic() + timeout
    with _Uninterrupted():
        found = close_owned(all_known(), timeout)
    while _others_are_closing() and time.monotonic() < deadline:
        time.sleep(0.001)
    for error in found:
        log().warning("closing at the end of process %s: %s: %s", os.getpid(), type(error).__name__, error)


def _forget_parent() -> None:
    """In a forked child: what lives now is the parent's, the threads are gone, and nothing is armed."""
    global _armed_in, _parked, ending
    ending = False
    if _armed_in:
        _inherited.extend(_instances(all_known()))
    _armed_in, _parked = 0, None
    _inherited.extend(instance for instance, _ in _dropped.values())
    _dropped.clear()
    _interrupted.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_parent)
