"""What `tides.shipyard` depends on that a reload of it does not reset."""

import threading
from typing import Any

VERSION = [0]  # of the shipyard's source: what its classes say of themselves
MOOD = [False]  # whether the builder `moody` gives its class one method more
CLOSED: dict[Any, str] = {}  # number of an instance that was closed -> which that was, and by which thread
RUNS: list[str] = []  # the kinds of the classes that were made by running a builder, in order


def close(one: Any) -> None:
    """Note that an instance was closed."""
    CLOSED[one.load] = f"{type(one)!r} {id(one):x} by {threading.current_thread().name}"
