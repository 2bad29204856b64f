"""The actor that stands in a Ray cluster for the owners of one process: a beacon, which goes out with its process.

It is a named actor of the process that made the owners, on the same node. Ray ends it with that process, so that those who
follow it notice, and starts it again if it alone was killed.
"""

import asyncio
import os
from itertools import takewhile
from typing import Any

from .carrier import MOST

NAMESPACE = "envpickle"
_MARK = 6  # bytes at the end of an owner's key: those of the process that made it
_FOLLOWERS = 100_000  # calls that may wait at one time


class Beacon:
    """What runs in the actor."""

    def __init__(self) -> None:
        self._epoch = os.urandom(8)  # another one after a restart, when what it was told is forgotten
        self._closed: dict[bytes, int] = {}  # key -> its number
        self._count = 0
        self._told = asyncio.Event()

    async def tell(self, keys: list[bytes]) -> None:
        """Note that owners are closed, and let those know who follow."""
        for key in keys:
            if key not in self._closed:
                self._count += 1
                self._closed[key] = self._count
        for old in list(self._closed)[:-MOST]:
            del self._closed[old]
        self._told.set()
        self._told = asyncio.Event()

    async def is_closed(self, key: bytes) -> bool:
        """Whether an owner is closed."""
        return key in self._closed

    async def news(self, epoch: bytes, count: int) -> tuple[bytes, int, list[bytes]]:
        """Wait for owners that are closed after so many others; who comes with another epoch is told at once of all of them.

        Returns:
            The epoch, how many were closed until now, and the keys of those that are news.
        """
        if epoch != self._epoch:
            return self._epoch, self._count, list(self._closed)
        while self._count <= count:
            await self._told.wait()
        news = takewhile(lambda one: one[1] > count, reversed(self._closed.items()))
        return self._epoch, self._count, [key for key, _ in news]

    async def stay(self) -> None:
        """Never return: who waits for it notices when the actor is restarted."""
        await asyncio.Event().wait()


def mark_of(key: bytes) -> bytes:
    """The part of an owner's key that says which process made it."""
    return key[-_MARK:]


def _name(mark: bytes) -> str:
    return f"envpickle-{mark.hex()}"


def light(mark: bytes, node: str) -> Any:
    """Start the beacon of this process. When this returns, the cluster knows of it, though it may not run yet.

    Args:
        mark: The end of the keys of this process's owners.
        node: The id of the node it is on.

    Returns:
        The handle, with which the beacon ends.

    Raises:
        ValueError: It is there already.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return (
        ray.remote(Beacon)
        .options(
            name=_name(mark),
            namespace=NAMESPACE,
            lifetime="non_detached",
            num_cpus=0,
            max_restarts=-1,
            max_task_retries=0,  # who asks looks whether it is still there, and asks again
            max_concurrency=_FOLLOWERS,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
        )
        .remote()
    )


def find(mark: bytes) -> Any:
    """The beacon of a process; None if there is none in this cluster."""
    import ray

    try:
        return ray.get_actor(_name(mark), namespace=NAMESPACE)
    except ValueError:
        return None
