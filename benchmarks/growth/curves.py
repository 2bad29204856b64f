"""The curves: each a figure of some contenders over a growing number, taken in turns so that drift hits all alike."""

import gc
import pickle
import statistics
import timeit
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.spawn_roundtrip import shapes
from benchmarks.spawn_roundtrip.builders import plain_env
from benchmarks.spawn_roundtrip.measure import repetitions
from benchmarks.spawn_roundtrip.wrappers import CloudpickleWrapper

__all__ = ["CURVES", "Curve", "Extent"]

TOOLS = 64
OWN, PEER = "envpickle", "cloudpickle"


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        tools: Numbers of tools.
        classes: Numbers of classes.
        peer_classes: The greatest number of classes that the peer, which is slow, is asked for.
        toolsets: Numbers of toolsets that 100 classes are spread over.
        flights: Numbers of processes in flight.
        rounds: Rounds of whatever takes microseconds.
        least: Seconds a batch of repetitions takes at least.
    """

    tools: tuple[int, ...] = (1, 4, 16, 64, 256, 1000)
    classes: tuple[int, ...] = (1, 10, 100, 1000, 10_000)
    peer_classes: int = 100
    toolsets: tuple[int, ...] = (1, 5, 25, 100)
    flights: tuple[int, ...] = (1, 4, 16, 64)
    rounds: int = 11
    least: float = 0.01


@dataclass
class Curve:
    """One figure of some contenders over a growing number.

    Attributes:
        name: What it is called in JSON.
        title: What it is called in tables and pictures.
        over: What grows.
        unit: ``s`` or ``B``.
        at: The numbers.
        points: The figure at each number, by contender; None where it was not measured.
        ratio: Of envpickle, the figure at each number over the one at the reference, taken round by round.
    """

    name: str
    title: str
    over: str
    unit: str
    at: list[int]
    points: dict[str, list[float | None]] = field(default_factory=dict)
    ratio: list[float] = field(default_factory=list)


def dumps_by_tools(extent: Extent) -> Curve:
    """One more ``dumps`` of a class that was pickled before, over its tools."""
    classes = {
        count: (plain_env(shapes.toolset(count), "Env"), shapes.plain_class(shapes.toolset(count), "Env"))
        for count in extent.tools
    }
    timers = {
        OWN: {count: timeit.Timer(partial(pickle.dumps, own)) for count, (own, _) in classes.items()},
        PEER: {count: timeit.Timer(partial(pickle.dumps, CloudpickleWrapper(raw))) for count, (_, raw) in classes.items()},
    }
    return timed("dumps_by_tools", "dumps, pickled before", "tools", timers, extent)


def loads_by_tools(extent: Extent) -> Curve:
    """``loads`` of a class that is there, over its tools."""
    kept = [plain_env(shapes.toolset(count), "Env") for count in extent.tools]
    own = {count: pickle.dumps(cls) for count, cls in zip(extent.tools, kept, strict=True)}
    raw = {c: pickle.dumps(CloudpickleWrapper(shapes.plain_class(shapes.toolset(c), "Env"))) for c in extent.tools}
    timers = {
        name: {c: timeit.Timer(partial(pickle.loads, data)) for c, data in datas.items()}
        for name, datas in ((OWN, own), (PEER, raw))
    }
    return timed("loads_by_tools", "loads, the class is there", "tools", timers, extent, keep=kept)


def dumps_by_live(extent: Extent) -> Curve:
    """``dumps`` of one class, pickled before, over the number of classes that live in the process."""
    return among_live("dumps_by_live", "dumps of one class", extent, lambda cls: partial(pickle.dumps, cls))


def loads_by_live(extent: Extent) -> Curve:
    """``loads`` of one class that is there, over the number of classes that live in the process."""
    return among_live(
        "loads_by_live", "loads of one class that is there", extent, lambda cls: partial(pickle.loads, pickle.dumps(cls))
    )


def found_by_live(extent: Extent) -> Curve:
    """A class found by its address, over the number of classes that live in the process."""

    def look(cls: type) -> Callable[[], Any]:
        return partial(getattr, plain_env, cls.__qualname__.rpartition(".")[2])

    return among_live("found_by_live", "one class found by its address", extent, look)


def called_by_live(extent: Extent) -> Curve:
    """The builder called again for a class that lives, over the number of classes that live in the process."""
    return among_live(
        "called_by_live", "the builder called again", extent, lambda cls: partial(plain_env, shapes.toolset(1), cls.__name__)
    )


def among_live(name: str, title: str, extent: Extent, action: Callable[[type], Callable[[], Any]]) -> Curve:
    """Measure what is done with one class while more and more classes live beside it.

    Making ten thousand classes takes seconds, in which a machine's speed may change. So each figure is taken in turns with a
    piece of work that has nothing to do with classes, and ratios are those of figures over that.
    """
    curve = Curve(name, title, "live classes", "s", list(extent.classes))
    samples: dict[int, list[float]] = {count: [] for count in extent.classes}
    relative: dict[int, list[float]] = {count: [] for count in extent.classes}
    one = plain_env(shapes.toolset(1), "One")
    timers = [timeit.Timer(action(one)), timeit.Timer("sorted(range(99, -1, -1), key=str)")]
    repeats = [repetitions(timer, extent.least / 4) for timer in timers]
    for _ in range(max(3, extent.rounds // 2)):
        live: list[type] = []
        for count in extent.classes:
            live += [plain_env(shapes.toolset(1), f"Other{number}") for number in range(len(live), count - 1)]
            gc.collect()
            gc.freeze()  # a collection over ten thousand classes is not what is measured
            turns = [[timer.timeit(repeat) / repeat for timer, repeat in zip(timers, repeats, strict=True)] for _ in range(15)]
            gc.unfreeze()
            samples[count].append(statistics.median(turn[0] for turn in turns))
            relative[count].append(statistics.median(turn[0] / turn[1] for turn in turns))
        del live
        gc.collect()
    reference = min(extent.classes, key=lambda count: abs(count - 10))
    curve = summed_up(curve, {OWN: samples}, reference)
    curve.ratio = ratios(curve, relative, reference)
    return curve


def bytes_by_classes(extent: Extent) -> Curve:
    """The bytes of one pickle of many classes on one toolset."""
    curve = Curve("bytes_by_classes", f"bytes of classes on one toolset of {TOOLS}", "classes", "B", list(extent.classes))
    own = [plain_env(shapes.toolset(TOOLS), f"Env{number}") for number in range(max(extent.classes))]
    raw = [shapes.plain_class(shapes.toolset(TOOLS), f"Env{number}") for number in range(extent.peer_classes)]
    curve.points[OWN] = [float(len(pickle.dumps(own[:count]))) for count in extent.classes]
    curve.points[PEER] = [
        float(len(pickle.dumps(CloudpickleWrapper(raw[:count])))) if count <= extent.peer_classes else None
        for count in extent.classes
    ]
    return curve


def bytes_by_toolsets(extent: Extent) -> Curve:
    """The bytes of one pickle of 100 classes, over the number of toolsets they are spread over."""
    curve = Curve("bytes_by_toolsets", f"bytes of 100 classes, toolsets of {TOOLS}", "toolsets", "B", list(extent.toolsets))

    def classes(make: Callable[..., type], toolsets: int) -> list[type]:
        several = [
            [*shapes.toolset(TOOLS)[:-1], {**shapes.toolset(TOOLS)[-1], "description": f"Toolset {n}"}] for n in range(toolsets)
        ]
        return [make(several[number % toolsets], f"Env{number}") for number in range(100)]

    curve.points[OWN] = [float(len(pickle.dumps(classes(plain_env, count)))) for count in extent.toolsets]
    curve.points[PEER] = [
        float(len(pickle.dumps(CloudpickleWrapper(classes(shapes.plain_class, count))))) for count in extent.toolsets
    ]
    return curve


def memory_by_classes(extent: Extent) -> Curve:
    """Memory that one more pickled class on one toolset takes, by tracemalloc, beside a plain class that nobody registered."""
    counts = [count for count in extent.classes if count >= 10]
    curve = Curve("memory_by_classes", f"memory per class, {TOOLS} tools", "classes", "B", counts)
    plain_env(shapes.toolset(TOOLS), "Warm")
    curve.points[OWN] = [
        memory_of(count, lambda n: plain_env(shapes.toolset(TOOLS), f"Env{n}"), pickle.dumps) for count in counts
    ]
    curve.points["unregistered"] = [
        memory_of(count, lambda n: shapes.plain_class(shapes.toolset(TOOLS), f"Env{n}"), lambda cls: None) for count in counts
    ]
    return curve


def memory_of(count: int, make: Callable[[int], type], use: Callable[[type], object]) -> float:
    """Return the bytes that a class takes, of so many."""
    gc.collect()
    tracemalloc.start()
    try:
        live = [make(number) for number in range(count)]
        for cls in live:
            use(cls)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / count
    finally:
        tracemalloc.stop()


def timed(
    name: str, title: str, over: str, timers: dict[str, dict[int, timeit.Timer]], extent: Extent, keep: object = None
) -> Curve:
    """Run timers in turns; ``keep`` is held meanwhile."""
    curve = Curve(name, title, over, "s", list(next(iter(timers.values()))))
    repeats = {who: {count: repetitions(one, extent.least) for count, one in ones.items()} for who, ones in timers.items()}
    samples: dict[str, dict[int, list[float]]] = {who: {count: [] for count in ones} for who, ones in timers.items()}
    for _ in range(extent.rounds):
        for who, ones in timers.items():
            for count, one in ones.items():
                samples[who][count].append(one.timeit(repeats[who][count]) / repeats[who][count])
    del keep
    return summed_up(curve, samples, reference=curve.at[0])


def summed_up(curve: Curve, samples: dict[str, dict[int, list[float]]], reference: int) -> Curve:
    """Fill a curve with medians, and with the ratios of envpickle to its own figure at a reference, round by round."""
    for who, by_count in samples.items():
        curve.points[who] = [statistics.median(by_count[count]) for count in curve.at]
    curve.ratio = ratios(curve, samples[OWN], reference)
    return curve


def ratios(curve: Curve, samples: dict[int, list[float]], reference: int) -> list[float]:
    """Return the samples at each number over those at a reference, round by round."""
    pairs = {count: zip(samples[count], samples[reference], strict=True) for count in curve.at}
    return [statistics.median(a / b for a, b in pairs[count]) for count in curve.at]


def curves() -> Iterator[Callable[[Extent], Curve]]:
    """Yield what is measured in this process."""
    yield from (dumps_by_tools, loads_by_tools, dumps_by_live, loads_by_live, found_by_live, called_by_live)
    yield from (bytes_by_classes, bytes_by_toolsets, memory_by_classes)


CURVES = tuple(curves())
