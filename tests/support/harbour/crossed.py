"""Builders that call each other, wait for each other, call themselves, or take their time."""

import threading
from typing import Any

import envpickle

MEETING: list[threading.Barrier] = []
MET = threading.local()
GATE = threading.Event()
ENTERED = threading.Event()
RUNS: list[str] = []


def meet() -> None:
    """Wait, the first time in each thread, until another thread is in its builder too."""
    if MEETING and getattr(MET, "barrier", None) is not MEETING[0]:
        MET.barrier = MEETING[0]
        MEETING[0].wait(10)


@envpickle.builder
def left(crossing: bool) -> Any:
    """Needs right, which needs left."""
    meet()
    other = right(crossing) if crossing else None
    return type("Left", (), {"other": staticmethod(lambda: other)})


@envpickle.builder
def right(crossing: bool) -> Any:
    """Needs left, which needs right."""
    meet()
    other = left(crossing) if crossing else None
    return type("Right", (), {"other": staticmethod(lambda: other)})


@envpickle.builder
def selfish(number: int) -> Any:
    """Needs the class it is building."""
    return selfish(number)


@envpickle.builder
def stairs(steps: int) -> type:
    """Needs the class one step below: a legitimate chain."""
    RUNS.append(f"stairs {steps}")
    below = stairs(steps - 1) if steps else None
    return type("Stairs", (), {"height": steps, "below": staticmethod(lambda: below)})


@envpickle.builder
def slow(number: int) -> type:
    """Stays in the builder until the gate opens."""
    RUNS.append(f"slow {number}")
    ENTERED.set()
    if not GATE.wait(20):
        raise TimeoutError("nobody opened the gate")
    return type("Slow", (), {"number": number})


@envpickle.builder
def quick(number: int) -> type:
    """Stays nowhere."""
    return type("Quick", (), {"number": number})


@envpickle.builder
def threaded(number: int) -> type:
    """Builds another class in a thread of its own, and waits for it."""
    found: list[type] = []
    worker = threading.Thread(target=lambda: found.append(quick(number)))
    worker.start()
    worker.join(10)
    assert found, "the thread inside a builder got nowhere"
    inner = found[0]
    return type("Threaded", (), {"inner": staticmethod(lambda: inner)})
