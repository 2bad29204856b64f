"""Instances that are being made while their owner closes: closed when they are made, or refused; never open afterwards."""

import copy
import gc
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harbour import halfway

import envpickle
from envpickle import errors


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    """What was opened and closed in this test, in this order."""
    halfway.reset()
    yield halfway.LOG
    halfway.WORD.set()


def in_thread(function: Callable[[], Any]) -> threading.Thread:
    """Run something in a thread."""
    thread = threading.Thread(target=function)
    thread.start()
    return thread


@pytest.mark.parametrize("build", [halfway.opening, halfway.derived])
def test_closing_waits_for_a_constructor_at_work(log: list[Any], build: envpickle.Builder) -> None:
    """What a constructor opens after the owner began to close is closed by this very closing."""
    owner = envpickle.Owner()
    cls = owner.build(build, 1)
    held: list[Any] = []
    making = in_thread(lambda: held.append(cls("door")))
    assert halfway.BEGUN.wait(20)
    closing = in_thread(lambda: owner.close(30))
    closing.join(0.2)
    assert log == []

    halfway.WORD.set()
    closing.join(30)
    making.join(20)

    assert log == [("opened", "door"), ("closed", "door")]
    held.clear()
    gc.collect()
    assert log.count(("closed", "door")) == 1


def test_a_constructor_that_takes_too_long(log: list[Any]) -> None:
    """Closing does not wait for ever; what such a constructor opens later is closed when it is dropped."""
    owner = envpickle.Owner()
    cls = owner.build(halfway.opening, 1)
    making = in_thread(lambda: cls("door"))
    assert halfway.BEGUN.wait(20)

    owner.close(0.3)
    assert log == []

    halfway.WORD.set()
    making.join(20)
    gc.collect()
    deadline = threading.Event()
    while len(log) < 2 and not deadline.wait(0.01):
        pass
    assert log == [("opened", "door"), ("closed", "door")]


def test_allocated_and_not_begun(log: list[Any]) -> None:
    """Between allocation and constructor there is nothing to close, and the constructor is refused after that."""
    owner = envpickle.Owner()
    cls: Any = owner.build(halfway.opening, 1)
    instance = cls.__new__(cls)

    owner.close()
    with pytest.raises(errors.OwnerClosed, match="Opening"):
        instance.__init__("door")

    assert log == []
    with pytest.raises(errors.OwnerClosed):
        cls("door")


def test_a_constructor_that_closes_its_owner(log: list[Any]) -> None:
    """It does not wait for itself."""
    owner = envpickle.Owner()
    cls: Any = owner.build(halfway.shutting, 1)

    cls(owner)

    assert log in ([], [("closed", "never asked for")])
    assert owner.closed


@pytest.mark.parametrize("way", ["called", "copied"])
def test_a_closing_method_that_misses_an_attribute_is_still_told(way: str) -> None:
    """Only for what is not made yet an attribute may be missing."""
    owner = envpickle.Owner()
    cls: Any = owner.build(halfway.failing, 1)
    held = [cls()]
    if way == "copied":
        held.extend([copy.copy(held[0]), cls()])

    with pytest.raises(ExceptionGroup) as caught:
        owner.close()

    assert len(caught.value.exceptions) == len(held)


def test_the_constructor_reads_as_it_was_written() -> None:
    """Signature, documentation and annotations of a constructor are its own under an owner too."""
    owned, free = envpickle.Owner().build(halfway.opening, 1), halfway.opening(1)

    assert inspect.signature(owned) == inspect.signature(free)
    assert inspect.signature(owned.__init__) == inspect.signature(free.__init__)
    assert (owned.__init__.__doc__, owned.__init__.__annotations__) == ("Open it.", {"name": str, "return": None})
