"""How it is measured: contenders take turns in every round, so that drift hits all of them alike."""

import gc
import multiprocessing
import pickle
import time
import timeit
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from . import child
from .contenders import CONTENDERS, Contender, first_method, for_shape
from .results import Line, Spread

__all__ = ["METHODS", "Samples", "codec", "cold", "lines", "trips"]

METHODS = ("spawn", "forkserver", "fork")
BASES: tuple[str, ...] = ("importable", "cloudpickle")
"""Whose figures the others are set against."""
ANSWER_SECONDS = 60
Samples = dict[str, list[float]]
"""Seconds (or bytes) per contender, one per round."""


def lines(shape: str, count: int, metric: str, samples: Samples, unit: str = "s") -> Iterator[Line]:
    """Make lines of samples, with ratios taken round by round.

    Args:
        shape: The shape measured.
        count: How many tools.
        metric: What was measured.
        samples: The samples.
        unit: Their unit.

    Yields:
        One line per contender.
    """
    for name, values in samples.items():
        ratios = {
            other: Spread.of([a / b for a, b in zip(values, samples[other], strict=True)])
            for other in BASES
            if other in samples
        }
        yield Line(shape, count, name, metric, unit, Spread.of(values), ratios)


def codec(shape: str, count: int, rounds: int, least: float, tick: Callable[[], None]) -> Iterator[Line]:
    """Measure bytes, dumps, and loads with the class there.

    Args:
        shape: The shape.
        count: How many tools.
        rounds: How many rounds.
        least: Seconds a batch of repetitions should take at least, far above the clock's resolution.
        tick: Called after every round.

    Yields:
        The lines.
    """
    made = for_shape(shape, count)
    payloads = {contender.name: contender.dumps(cls) for contender, cls in made}
    yield from lines(shape, count, "bytes", {name: [float(len(p))] for name, p in payloads.items()}, "B")
    # A timer switches the garbage collector off while it runs.
    dumps = {contender.name: timeit.Timer(partial(pickle.dumps, contender.carry(cls))) for contender, cls in made}
    loads = {name: timeit.Timer(partial(pickle.loads, payload)) for name, payload in payloads.items()}
    for metric, timers in (("dumps", dumps), ("loads", loads)):
        repeats = {name: repetitions(one, least) for name, one in timers.items()}
        samples: Samples = {name: [] for name in timers}
        for _ in range(rounds):
            for name, one in timers.items():
                samples[name].append(one.timeit(repeats[name]) / repeats[name])
            tick()
        yield from lines(shape, count, metric, samples)


def repetitions(one: timeit.Timer, least: float) -> int:
    """Return how often to repeat a call so that a batch takes long enough."""
    repeat = 1
    while (spent := one.timeit(repeat)) < least:
        repeat = max(repeat + 1, int(repeat * min(100.0, 1.2 * least / max(spent, 1e-9))))
    return repeat


def cold(shape: str, count: int, rounds: int, tick: Callable[[], None]) -> Iterator[Line]:
    """Measure loads where the class is not there and has to be built.

    A child that was never given the class loads it, drops it, and sees it collected before the next load.

    Args:
        shape: The shape.
        count: How many tools.
        rounds: How many rounds.
        tick: Called when done.

    Yields:
        The lines.
    """
    payloads = {contender.name: contender.dumps(cls) for contender, cls in for_shape(shape, count)}
    samples = ask_child("spawn", cold_loads, payloads, rounds)
    tick()
    yield from lines(shape, count, "loads_cold", samples)


def cold_loads(payloads: dict[str, bytes], rounds: int, connection: Connection) -> None:
    """Load every contender's class again and again, each time without the one before (runs in a child)."""
    samples: Samples = {name: [] for name in payloads}
    contenders = [contender for contender in CONTENDERS if contender.name in payloads]
    for number in range(rounds + 1):
        for contender in contenders:
            spent = one_cold_load(contender, payloads[contender.name])
            if number:  # the first round imports what a contender needs
                samples[contender.name].append(spent)
        if not number:
            gc.freeze()
    connection.send(samples)


def one_cold_load(contender: Contender, payload: bytes) -> float:
    """Load a class, see it go, and return the seconds the loading took."""
    gc.disable()
    begun = time.perf_counter()
    cls = contender.loads(payload)
    spent = time.perf_counter() - begun
    gc.enable()
    ref = weakref.ref(cls)
    contender.forget(cls.__name__)
    del cls
    gc.collect()
    if ref() is not None:
        raise RuntimeError(f"{contender.name}: the class loaded is still there, so the next load would not be cold")
    return spent


def trips(shape: str, count: int, method: str, rounds: int, tick: Callable[[], None]) -> Iterator[Line]:
    """Measure the whole trip: from a process's ``start()`` to the first method call answered.

    Args:
        shape: The shape.
        count: How many tools.
        method: The start method.
        rounds: How many rounds.
        tick: Called after every round.

    Yields:
        The lines.
    """
    made = for_shape(shape, count)
    samples: Samples = {contender.name: [] for contender, _ in made}
    for number in range(rounds + 1):
        for contender, cls in made:
            spent = one_trip(method, contender.carry(cls), first_method(shape))
            if number:  # the first round starts the fork server and fills the file cache
                samples[contender.name].append(spent)
        if number:
            tick()
    yield from lines(shape, count, f"trip_{method}", samples)


def one_trip(method: str, carried: Any, name: str) -> float:
    """Start a process with a class, have it call a method, and return the seconds until the answer."""
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child.answer, args=(carried, name, sender))  # type: ignore[attr-defined]
    begun = time.perf_counter()
    process.start()
    sender.close()  # so that a child that dies is noticed
    receive(receiver, method)
    spent = time.perf_counter() - begun
    finish(process, receiver)
    return spent


def ask_child(method: str, target: Callable[..., None], *arguments: Any) -> Any:
    """Run a function in a fresh child and return what it sends.

    Args:
        method: The start method.
        target: The function; its last parameter is the connection to send on.
        *arguments: Its other arguments.
    """
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*arguments, sender))  # type: ignore[attr-defined]
    process.start()
    sender.close()
    answer = receive(receiver, method)
    finish(process, receiver)
    return answer


def receive(receiver: Connection, method: str) -> Any:
    """Return what a child sends."""
    if not receiver.poll(ANSWER_SECONDS):
        raise RuntimeError(f"a child started by {method} did not answer within {ANSWER_SECONDS} s")
    try:
        return receiver.recv()
    except EOFError:
        raise RuntimeError(f"a child started by {method} ended without an answer; its error is above") from None


def finish(process: Any, receiver: Connection) -> None:
    """Wait for a child that has answered, and check that it ended well."""
    receiver.close()
    process.join(ANSWER_SECONDS)
    if process.exitcode != 0:
        raise RuntimeError(f"a child ended with exit code {process.exitcode}; its error is above")
    process.close()
