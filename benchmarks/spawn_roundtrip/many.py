"""Many classes on one toolset: the bytes of them all in one pickle, and the time of pickling them for the first time."""

import gc
import time
from collections.abc import Callable, Iterator

from .contenders import CONTENDERS, Contender
from .measure import Samples, lines
from .results import Line

__all__ = ["many"]

TOOLS = 64


def many(shape: str, count: int, rounds: int, patience: float, tick: Callable[[], None]) -> Iterator[Line]:
    """Measure a list of classes that share a toolset and differ in their name.

    Args:
        shape: The shape.
        count: How many classes.
        rounds: How many times to pickle the list.
        patience: Seconds one list may take; a contender is left out whose single class says it would take longer.
        tick: Called after each contender.

    Yields:
        Lines of the metrics ``many_COUNT_bytes`` and ``many_COUNT_dumps``.
    """
    contenders = [contender for contender in CONTENDERS if contender.name != "importable"]
    sizes: Samples = {}
    seconds: Samples = {}
    for contender in contenders:  # one after another: the classes of one are out of memory before the next
        if one_dumps(contender, shape) * count <= patience:
            sizes[contender.name], seconds[contender.name] = one_contender(contender, shape, count, rounds)
        tick()
    yield from lines(shape, TOOLS, f"many_{count}_bytes", sizes, "B")
    yield from lines(shape, TOOLS, f"many_{count}_dumps", seconds)


def one_dumps(contender: Contender, shape: str) -> float:
    """Return the seconds of pickling one class."""
    cls = contender.make(shape, TOOLS, "Env")
    contender.dumps(cls)  # imports the library
    begun = time.perf_counter()
    contender.dumps(cls)
    return time.perf_counter() - begun


def one_contender(contender: Contender, shape: str, count: int, rounds: int) -> tuple[list[float], list[float]]:
    """Return the size and the seconds of pickling many classes of one contender, new ones every time."""
    seconds = []
    for _ in range(rounds):
        classes = [contender.make(shape, TOOLS, f"Env{number}") for number in range(count)]
        begun = time.perf_counter()
        payload = contender.dumps(classes)
        seconds.append(time.perf_counter() - begun)
        del classes
        gc.collect()
    return [float(len(payload))], seconds
