"""What runs in workers: tasks and actors that hold instances of somebody else's owner."""

import os
from typing import Any

KEPT: list[Any] = []


def keep(cls: Any, count: int = 1) -> tuple[int, str]:
    """Hold instances in a module's variable, after the task too; this process, and by what it is tied to their owner."""
    KEPT.extend(cls() for _ in range(count))
    return os.getpid(), tie(cls)


def try_one(cls: Any) -> str:
    """Make and keep an instance; what came of it."""
    try:
        KEPT.append(cls())
    except Exception as error:
        return type(error).__name__
    return "made"


def tie(cls: Any) -> str:
    """What ties this process to a class's owner: the name of a module, or nothing."""
    line = cls.__dict__["__envpickle_record__"].owner.line
    return "" if line is None else type(line).__module__.rpartition(".")[2]


class Hand:
    """An actor that holds what it is told to."""

    def take(self, cls: Any) -> tuple[int, str]:
        """Hold one more."""
        return keep(cls)

    def try_one(self, cls: Any) -> str:
        """The same, and what came of it."""
        return try_one(cls)
