"""What `tides.shipyard` depends on that a reload of it does not reset."""

from typing import Any

VERSION = [0]  # of the shipyard's source: what its classes say of themselves
MOOD = [False]  # whether the builder `moody` gives its class one method more
CLOSED: list[Any] = []  # marks of the instances that were closed, in order
RUNS: list[str] = []  # the kinds of the classes that were made by running a builder, in order
