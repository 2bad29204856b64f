"""What runs in the measured children. Imports nothing that a contender would have to pay for."""

import pickle
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["answer", "import_cost", "load_cost"]


def answer(carried: Any, method: str, connection: Connection) -> None:
    """Call one method of a class that came along, and send what it returns.

    Args:
        carried: The class, or a wrapper that carries it.
        method: The method's name.
        connection: Where to send the answer.
    """
    cls = carried if isinstance(carried, type) else carried.value
    connection.send(getattr(cls(), method)())


def load_cost(payload: bytes, connection: Connection) -> None:
    """Load a pickled class, and send the nanoseconds that took and the modules it brought in.

    Args:
        payload: The class, pickled.
        connection: Where to send them.
    """
    before = set(sys.modules)
    begun = time.perf_counter_ns()
    pickle.loads(payload)
    spent = time.perf_counter_ns() - begun
    connection.send((spent, sorted(sys.modules.keys() - before)))


def import_cost(first: list[str], module: str, connection: Connection) -> None:
    """Import some modules, then one more, and send the nanoseconds and the modules that one took.

    Args:
        first: Modules that do not count.
        module: The module that does.
        connection: Where to send them.
    """
    for name in first:
        __import__(name)
    before = set(sys.modules)
    begun = time.perf_counter_ns()
    __import__(module)
    spent = time.perf_counter_ns() - begun
    connection.send((spent, sorted(sys.modules.keys() - before)))
