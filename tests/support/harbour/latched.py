"""Owned classes whose closing waits for a word, or calls back, and that note when they were closed."""

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import envpickle

LOG: list[Any] = []
WORD = threading.Event()
BEGUN = threading.Event()
WAITING: list[int] = []
CALLS: dict[str, Callable[[], Any]] = {}


def reset() -> None:
    """Forget what was noted."""
    LOG.clear()
    CALLS.clear()
    WORD.clear()
    BEGUN.clear()


@envpickle.builder
def plain(number: int = 0) -> type:
    """Notes its number when closed."""

    class Plain:
        def _close(self) -> None:
            LOG.append(("closed", number))

    return Plain


@envpickle.builder
def slow(number: int = 0) -> type:
    """Says that closing has begun, and waits for the word."""

    class Slow:
        def _close(self) -> None:
            WAITING.append(number)
            BEGUN.set()
            WORD.wait(20)
            LOG.append(("closed", number))
            WAITING.remove(number)

    return Slow


@envpickle.builder
def calling(name: str) -> type:
    """Does in closing what the test put under that name."""

    class Calling:
        def _close(self) -> None:
            LOG.append(("closed", name))
            CALLS[name]()
            LOG.append(("called", name))

    return Calling


@envpickle.builder
def numbered(number: int) -> type:
    """A named tuple: its `_make` goes past the class's own `__new__`."""

    class Numbered(NamedTuple):
        one: int = 1

        def _close(self) -> None:
            LOG.append(("closed", number))

    return Numbered


@envpickle.builder
def churned(number: int) -> type:
    """Closes in an instant; many of these are dropped while their owner closes."""

    class Churned:
        def __init__(self, number: int = 0) -> None:
            self.me, self.number = self, number  # only the collector finds it

        def _close(self) -> None:
            LOG.append(self.number)

    return Churned


@envpickle.builder
def without_constructor(number: int) -> type:
    """Has no constructor of its own."""
    return type("Bare", (), {"number": number})


@envpickle.builder
def with_constructor(number: int) -> type:
    """Has one, with annotations."""

    class Made:
        def __init__(self, one: int, *, two: str = "2") -> None:
            self.one = one

    return Made


def wait_until(condition: Callable[[], Any], seconds: float = 20) -> bool:
    """Whether something became so."""
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.002)
    return bool(found)
