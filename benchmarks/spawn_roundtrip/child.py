"""What runs in the measured children. Imports nothing that a contender would have to pay for."""

import pickle
import sys
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Load a pickled class, and send what that cost: see `costs`.

    Args:
        payload: The class, pickled.
        connection: Where to send it.
    """
    connection.send(costs(lambda: pickle.loads(payload)))


def import_cost(first: list[str], module: str, connection: Connection) -> None:
    """Import some modules, then one more, and send what that one cost: see `costs`.

    Args:
        first: Modules that do not count.
        module: The module that does.
        connection: Where to send it.
    """
    for name in first:
        __import__(name)
    connection.send(costs(lambda: __import__(module)))


def costs(work: "Callable[[], object]") -> tuple[float, float, list[str]]:
    """Return the milliseconds on the clock and on the processor that some work took, and the modules it brought in."""
    before = set(sys.modules)
    clock, processor = time.perf_counter(), time.process_time()
    work()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return 1e3 * clock, 1e3 * processor, sorted(sys.modules.keys() - before)
