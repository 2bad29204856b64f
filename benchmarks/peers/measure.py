"""What is measured of each way: sizes and times in turns, and what becomes of the class."""

import gc
import statistics
import timeit
import weakref
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.spawn_roundtrip.measure import ask_child, repetitions

from .closing import closed_elsewhere
from .ways import Way, installed

__all__ = ["Figure", "measured"]


@dataclass
class Figure:
    """What was found out about one way.

    Attributes:
        way: Its name.
        tools: How many tools the class has.
        bytes: The size of the class.
        dumps: Seconds of one more ``dumps``.
        loads: Seconds of ``loads`` in the process that has the class.
        cold: Seconds of ``loads`` in a process that has not.
        home: Whether what is loaded at home is the same class.
        one: Whether two loads in another process give one class.
        overrides: What becomes of a subclass made at run time: ``refused``, or ``copied`` if what it overrides arrives.
        closes: Whether an instance in another process is closed with an owner.
    """

    way: str
    tools: int
    bytes: int
    dumps: float
    loads: float
    cold: float
    home: bool
    one: bool
    overrides: str
    closes: bool


def measured(tools: int, rounds: int, least: float) -> list[Figure]:
    """Measure every way that can be, round by round in turns.

    Args:
        tools: How many tools the class has.
        rounds: How many rounds.
        least: Seconds a batch takes at least.
    """
    ways = installed()
    classes = {way.name: way.make(tools) for way in ways}
    data = {way.name: way.dumps(classes[way.name]) for way in ways}
    times: dict[str, dict[str, float]] = {}
    for what in ("dumps", "loads"):
        timers = {
            way.name: timeit.Timer(
                partial(way.dumps, classes[way.name]) if what == "dumps" else partial(way.loads, data[way.name])
            )
            for way in ways
        }
        times[what] = in_turns(timers, rounds, least)
    elsewhere = {way.name: ask_child("spawn", in_child, way.name, data[way.name], rounds) for way in ways}
    return [
        Figure(
            way.name,
            tools,
            len(data[way.name]),
            times["dumps"][way.name],
            times["loads"][way.name],
            elsewhere[way.name][0],
            way.loads(data[way.name]) is classes[way.name],
            elsewhere[way.name][1],
            overrides(way, classes[way.name]),
            way.built and closed_elsewhere(way),  # no owner travels with any other
        )
        for way in ways
    ]


def in_turns(timers: dict[str, timeit.Timer], rounds: int, least: float) -> dict[str, float]:
    """Run timers in turns and return their medians."""
    repeats = {name: repetitions(timer, least) for name, timer in timers.items()}
    samples: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            samples[name].append(timer.timeit(repeats[name]) / repeats[name])
    return {name: statistics.median(values) for name, values in samples.items()}


def in_child(name: str, data: bytes, rounds: int, connection: Connection) -> None:
    """Load a class where it is not, again and again; and twice, to see whether it is one class (runs in a child)."""
    way = next(way for way in installed() if way.name == name)
    way.loads(data)  # imports what the way needs
    gc.collect()
    spent = []
    for _ in range(max(3, rounds)):
        gc.disable()
        begun = timeit.default_timer()
        cls = way.loads(data)
        spent.append(timeit.default_timer() - begun)
        gc.enable()
        gone = weakref.ref(cls)
        del cls
        gc.collect()
        if gone() is not None:
            raise RuntimeError(f"{name}: the class loaded is still there, so the next load would not be cold")
    first, second = way.loads(data), way.loads(data)
    connection.send((statistics.median(spent), first is second))


def overrides(way: Way, cls: Any) -> str:
    """Return what becomes of a subclass made at run time that overrides a method."""
    changed = type("Changed", (cls,), {"move_0": lambda self, **arguments: "changed"})
    try:
        arrived = way.loads(way.dumps(changed))
    except Exception:  # noqa: BLE001 -- each way refuses in its own manner
        return "refused"
    return "copied" if arrived().move_0() == "changed" else "LOST"
