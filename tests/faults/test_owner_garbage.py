"""Owners and the garbage collector: what is collected before, while and after an owner closes is closed, and once."""

import contextlib
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harbour import latched

import envpickle
from envpickle import errors


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    """What was closed in this test; the collector is left as it was."""
    latched.reset()
    yield latched.LOG
    sys.setprofile(None)
    gc.enable()


def made(owner: envpickle.Owner, spec: int, count: int) -> None:
    """Make so many instances in cycles of their own, and hold none."""
    cls: Any = owner.build(latched.churned, spec)
    for number in range(count):
        cls(number)


def test_what_the_collector_had_not_met_yet_is_closed(log: list[Any]) -> None:
    """Instances that are garbage in cycles when the owner closes are closed like those that somebody holds."""
    owner = envpickle.Owner()
    gc.disable()
    made(owner, 1, 300)
    assert log == []

    owner.close()

    assert sorted(log) == list(range(300))


def collecting_at(moment: int) -> Callable[[Any, str, Any], None]:
    """A profile function that has the collector run at one step, and at no other."""
    steps = iter(range(1, 1_000_000))

    def collect(frame: Any, event: str, arg: Any) -> None:
        if next(steps) == moment:
            gc.collect()

    return collect


def test_a_collection_at_any_moment_of_closing_loses_none(log: list[Any], request: pytest.FixtureRequest) -> None:
    """Whenever the collector runs while an owner closes, each instance is closed, and closed once."""
    wrong = []
    gc.disable()
    gc.freeze()  # what other tests left here is no garbage of this one, and hundreds of collections go through it
    request.addfinalizer(gc.unfreeze)
    for moment in range(1, 120):
        log.clear()
        owner = envpickle.Owner()
        made(owner, 2, 20)
        sys.setprofile(collecting_at(moment))
        owner.close()
        sys.setprofile(None)
        gc.collect()
        if not latched.wait_until(lambda: len(log) >= 20, 1) or sorted(log) != list(range(20)):
            wrong.append((moment, len(log)))

    assert wrong == []


@pytest.mark.parametrize("held", [False, True])
def test_what_was_dropped_and_closed_is_not_closed_again(log: list[Any], held: bool) -> None:
    """An instance in a cycle stays in the collector's sight after it was dropped and closed; its owner leaves it alone."""
    owner = envpickle.Owner()
    gc.disable()
    cls: Any = owner.build(latched.churned, 3)
    made(owner, 3, 50)
    kept = cls(50) if held else None
    gc.collect()
    assert latched.wait_until(lambda: len(log) >= 50)

    owner.close()

    assert sorted(log) == list(range(50 + held)), kept
    gc.collect()
    assert len(log) == 50 + held


WAYS: dict[str, Callable[[Any], Any]] = {
    "one holds the other": lambda cls: setattr(cls(1), "other", cls(2)),
    "each holds the other": lambda cls: (one := cls(1), setattr(one, "other", cls(2)), setattr(one.other, "other", one)),
    "a list holds both": lambda cls: (both := [cls(1), cls(2)], both.append(both)),
}


@pytest.mark.parametrize("way", WAYS)
def test_instances_that_hold_each_other(log: list[Any], way: str) -> None:
    """Instances that are dropped together are closed each once, whether the collector or the owner is first."""
    for first in ("collector", "owner"):
        log.clear()
        owner = envpickle.Owner()
        gc.disable()
        WAYS[way](owner.build(latched.churned, 5))
        if first == "collector":
            gc.collect()
            assert latched.wait_until(lambda: len(log) >= 2)
        owner.close()
        gc.collect()
        assert sorted(log) == [1, 2], first


def test_threads_that_make_and_drop_while_the_owner_closes(log: list[Any]) -> None:
    """Of all instances that four threads make until they are refused none is closed twice, and few are under way at the end."""
    owner = envpickle.Owner()
    cls: Any = owner.build(latched.churned, 4)
    cls(-1)
    gc.collect()
    assert latched.wait_until(lambda: log == [-1])  # what closing imports is there: four busy threads would starve that
    count = [0, 0, 0, 0]

    def churn(mine: int) -> None:
        with contextlib.suppress(errors.OwnerClosed):
            while True:
                cls(mine + 4 * count[mine])
                count[mine] += 1

    threads = [threading.Thread(target=churn, args=(mine,)) for mine in range(4)]
    for thread in threads:
        thread.start()
    assert latched.wait_until(lambda: len(log) > 50)
    owner.close(30)
    for thread in threads:
        thread.join(20)
    gc.collect()

    assert latched.wait_until(lambda: len(log) >= sum(count) - 8, 5), (len(log), sum(count))
    assert len(log) == len(set(log))
