"""Closing methods that never end, or end with what is no `Exception`, cost no other instance its closing."""

import gc
import math
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from harbour import latched

import envpickle

MORE_THAN_ARE_PARKED = 12
MORE_THAN_AT_FIRST = 70


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    """What was noted in this test; what waits is let go after it."""
    latched.reset()
    yield latched.LOG
    latched.WORD.set()
    assert latched.wait_until(lambda: not latched.WAITING)


def leave_behind(number: int, dropped: bool) -> None:
    """Have closing methods wait for the word, in the threads that close."""
    owner = envpickle.Owner()
    cls = owner.build(latched.slow, number)
    held = [cls() for _ in range(number)]
    if not dropped:
        with pytest.raises(ExceptionGroup, match="failed"):
            owner.close(0.1)
    del held
    gc.collect()
    assert latched.wait_until(lambda: len(latched.WAITING) == number)


@pytest.mark.parametrize("dropped", [False, True])
def test_what_never_ends_takes_no_thread_from_another_owner(log: list[Any], dropped: bool) -> None:
    """Instances that are still being closed, held or dropped, are more than there are threads; another owner closes."""
    leave_behind(MORE_THAN_ARE_PARKED, dropped)
    owner = envpickle.Owner()
    held = owner.build(latched.plain, 2)()

    owner.close(20)

    assert log == [("closed", 2)], held


def test_what_is_dropped_after_what_never_ends(log: list[Any]) -> None:
    """The same for an instance that is dropped, in a process that closes no owner."""
    leave_behind(MORE_THAN_ARE_PARKED, dropped=True)
    owner = envpickle.Owner()
    owner.build(latched.plain, 2)()

    assert latched.wait_until(lambda: log == [("closed", 2)]), owner


def test_all_are_tried_however_many_never_end(log: list[Any]) -> None:
    """Every other instance is closed while they are waited for."""
    owner = envpickle.Owner()
    held = [owner.build(latched.slow, 1)() for _ in range(MORE_THAN_AT_FIRST)]
    held += [owner.build(latched.plain, 2)() for _ in range(3)]
    closing = threading.Thread(target=owner.close, args=(20,))
    closing.start()

    assert latched.wait_until(lambda: len(log) == 3), log
    latched.WORD.set()
    closing.join(20)


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_what_raises_when_it_is_dropped_ends_no_thread(log: list[Any], raised: type[BaseException]) -> None:
    """A closing method of a dropped instance may end with what threads end by; it did end them, until none was left."""

    def ends() -> None:
        raise raised

    latched.CALLS["ends"] = ends
    owner = envpickle.Owner()
    cls = owner.build(latched.calling, "ends")
    for _ in range(MORE_THAN_ARE_PARKED):
        cls()
    held = owner.build(latched.plain, 2)()
    owner.close(20)

    assert log.count(("closed", "ends")) == MORE_THAN_ARE_PARKED
    assert log.count(("closed", 2)) == 1, held


@pytest.mark.parametrize("timeout", [math.inf, 1e12, sys.float_info.max])
def test_an_owner_may_take_its_time(log: list[Any], timeout: float) -> None:
    """More seconds than a lock can wait for are as many as it can."""
    owner = envpickle.Owner()
    held = owner.build(latched.plain, 2)()
    owner.close(timeout)
    assert log == [("closed", 2)], held


@pytest.mark.parametrize("timeout", [0, -1, -0.5])
def test_an_owner_whose_time_is_over(log: list[Any], timeout: float) -> None:
    """What is left of somebody's time may be less than nothing: all are tried, and nobody is waited for."""
    owner = envpickle.Owner()
    held = owner.build(latched.slow, 2)()
    with pytest.raises(ExceptionGroup, match="failed"):
        owner.close(timeout)
    assert latched.BEGUN.wait(20), held


@pytest.mark.parametrize("timeout", [0, -1, -0.5])
def test_whose_time_is_over_waits_for_no_other_thread(log: list[Any], timeout: float) -> None:
    """The same while another thread closes the owner."""
    owner = envpickle.Owner()
    held = owner.build(latched.slow, 2)()
    first = threading.Thread(target=owner.close, args=(20,))
    first.start()
    assert latched.BEGUN.wait(20)

    def close() -> None:
        owner.close(timeout)
        log.append("returned")

    second = threading.Thread(target=close)
    second.start()
    second.join(10)

    assert log == ["returned"], held
    latched.WORD.set()
    first.join(20)
