"""Owned classes whose constructor takes its time, or fails, while the owner closes."""

import threading
from typing import Any

import envpickle

LOG: list[Any] = []
WORD = threading.Event()
BEGUN = threading.Event()


def reset() -> None:
    """Forget what was noted."""
    LOG.clear()
    WORD.clear()
    BEGUN.clear()


@envpickle.builder
def opening(number: int = 0, patience: float = 20) -> type:
    """Opens something at the end of its constructor, which waits for the word; closing needs what was opened."""

    class Opening:
        def __init__(self, name: str = "it") -> None:
            """Open it."""
            BEGUN.set()
            WORD.wait(patience)
            self.opened = name
            LOG.append(("opened", name))

        def _close(self) -> None:
            LOG.append(("closed", self.opened))

    return Opening


@envpickle.builder
def shutting(number: int) -> type:
    """Closes its owner in the middle of its constructor."""

    class Shutting:
        def __init__(self, owner: envpickle.Owner) -> None:
            owner.close()
            self.opened = "never asked for"

        def _close(self) -> None:
            LOG.append(("closed", self.opened))

    return Shutting


@envpickle.builder
def failing(number: int) -> type:
    """Has an attribute missing for good."""

    class Failing:
        def __init__(self) -> None:
            self.opened = True

        def _close(self) -> None:
            self.nothing_of_this_name

    return Failing


@envpickle.builder
def derived(number: int) -> type:
    """Built over another owned class, whose constructor it calls."""

    class Derived(opening(number)):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.more = name

        def _close(self) -> None:
            LOG.append(("closed", self.more))

    return Derived
