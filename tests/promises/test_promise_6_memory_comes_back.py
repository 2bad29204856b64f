"""Promise 6: a class nobody holds is collected, however it was used, and so is everything kept about it."""

import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import cloudpickle
import dill
import pytest
from harbour import changing, docks
from voyage.fresh import run

import envpickle
from envpickle import errors


def _refused(cls: Any) -> None:
    cls.extra = 1
    with pytest.raises(errors.ClassChanged):
        pickle.dumps(cls)


def _subclass_refused(cls: Any) -> None:
    with pytest.raises(errors.UnknownClass):
        pickle.dumps(type("Sub", (cls,), {}))


USES: dict[str, Callable[[Any], Any]] = {
    "built": lambda cls: None,
    "pickled": lambda cls: [pickle.dumps(cls) for _ in range(20)],
    "loaded": lambda cls: [pickle.loads(pickle.dumps(cls)) for _ in range(20)],
    "cloudpickled": lambda cls: cloudpickle.loads(cloudpickle.dumps(cls)),
    "dilled": lambda cls: dill.loads(dill.dumps(cls)),
    "described": lambda cls: envpickle.rebuild(envpickle.describe(cls).to_bytes()),
    "address looked up": lambda cls: getattr(docks.dock, cls.__qualname__.split(".")[1]),
    "instances": lambda cls: pickle.loads(pickle.dumps([cls(i) for i in range(5)])),
    "refused": _refused,
    "subclass refused": _subclass_refused,
    "in another class's arguments": lambda cls: pickle.dumps(docks.lighthouse(cls)),
}


@pytest.mark.parametrize("use", USES)
def test_promise_6_a_used_class_is_collected(use: str) -> None:
    """Whatever was done with a class, it goes when the last reference to it goes."""
    cls = docks.dock([f"used {use}"])
    USES[use](cls)
    gone = weakref.ref(cls)
    del cls
    gc.collect()

    assert gone() is None


def test_promise_6_a_nested_class_keeps_its_outer_class_reachable() -> None:
    """Inner and outer class are collected together."""
    cls = docks.yard(5)
    pickle.dumps([cls.Slot, cls])
    gone = [weakref.ref(cls), weakref.ref(cls.Slot), weakref.ref(cls.Slot.Label)]
    del cls
    gc.collect()

    assert [ref() for ref in gone] == [None, None, None]


def test_promise_6_an_instance_keeps_its_class() -> None:
    """A class is not collected while an instance lives."""
    one = docks.dock(["kept"])(1)
    gc.collect()

    assert pickle.loads(pickle.dumps(one)).load == 1
    assert docks.dock(["kept"]) is type(one)


def test_promise_6_values_of_a_class_are_collected_with_it() -> None:
    """What a class refers to is not kept by what we remember of the class."""
    cls = changing.crane("held")
    thing = Thing()
    cls.state = {"thing": thing}
    pickle.dumps(cls)
    gone = weakref.ref(thing)
    del thing, cls
    gc.collect()

    assert gone() is None


class Thing:
    """Something that can be referred to weakly."""


def test_promise_6_after_a_failed_load_nothing_is_kept() -> None:
    """A builder that raised, and a mismatch, keep no class alive."""
    docks.FAILURES[:] = [RuntimeError("once")]
    payload = pickle.dumps(_failing())
    gc.collect()
    docks.FAILURES[:] = [RuntimeError("once")]
    with pytest.raises((RuntimeError, errors.EnvpickleError)):
        pickle.loads(payload)
    cls = weakref.ref(pickle.loads(payload))
    gc.collect()

    assert cls() is None


def _failing() -> type:
    docks.FAILURES.clear()
    return docks.failing()


def test_promise_6_twenty_thousand_classes() -> None:
    """20,000 classes built, pickled and dropped leave memory flat: no class, no part and no entry is left."""
    seen = run(SOAK, seconds=110)

    assert seen["alive"] <= 2, seen
    assert seen["grown"] < 1_000_000, seen  # 50 bytes a class: less than an entry of any table; tables may have grown once
    assert seen["objects"] < 500, seen


SOAK = """
import gc, os, pickle, tracemalloc
from voyage.fresh import report
from harbour import docks

ROUNDS = int(20_000 * float(os.environ.get("ENVPICKLE_TEST_SOAK", "1")))

def trip(number):
    cls = docks.lighthouse({"number": number, "text": "x" * 2000})
    pickle.dumps(cls)
    if number % 10 == 0:
        pickle.loads(pickle.dumps([cls, docks.lighthouse([cls, number])]))

def alive():
    return sum(isinstance(obj, type) and "@" in obj.__qualname__ for obj in gc.get_objects())

def settle(first, last):
    for number in range(first, last):
        trip(number)
        if number % 500 == 0:
            gc.collect()
    gc.collect()

settle(0, 1000)
tracemalloc.start()
gc.collect()
objects, used = len(gc.get_objects()), tracemalloc.get_traced_memory()[0]
settle(1000, 1000 + ROUNDS)
report(dict(alive=alive(), grown=tracemalloc.get_traced_memory()[0] - used, objects=len(gc.get_objects()) - objects))
"""


def test_promise_6_shared_parts_are_kept_once_and_let_go() -> None:
    """100 classes on one large argument keep it once, and let it go with the last of them."""
    seen = run(PARTS)

    assert seen["large"] - seen["small"] < 2 * seen["toolset"], seen
    assert seen["left"] < seen["toolset"] / 2, seen


PARTS = """
import gc, pickle, tracemalloc
from voyage.fresh import report
from harbour import docks

def toolset(text):
    return [f"tool_{i}_" + text for i in range(200)]

def used():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]

def hundred(text):
    before = used()
    held = [docks.shared(toolset(text), i) for i in range(100)]
    pickle.dumps(held)
    return held, used() - before

pickle.dumps([docks.shared(toolset("warm"), i) for i in range(3)])
tracemalloc.start()
base = used()
small_ones, small = hundred("s")
large_ones, large = hundred("x" * 2000)
del small_ones, large_ones
report(dict(toolset=200 * 2000, small=small, large=large, left=used() - base))
"""


def test_promise_6_a_hundred_classes_on_one_toolset_are_one_toolset_in_bytes() -> None:
    """100 classes on one 64-tool toolset pickle to at most 1.5 times one class plus 150 bytes each."""
    tools = [f"tool_{i}: " + "described " * 20 for i in range(64)]
    one = len(pickle.dumps(docks.shared(tools, 0)))
    hundred = [docks.shared([str(t) for t in tools], i) for i in range(100)]

    assert len(pickle.dumps(hundred)) <= 1.5 * one + 150 * 100


def test_promise_6_a_hundred_owners_on_one_toolset_are_one_toolset_in_bytes() -> None:
    """100 owners with one class each on one toolset pickle to as little: the owner's key stands apart from what they share."""
    tools = [f"tool_{i}: " + "described " * 20 for i in range(64)]
    owners = [envpickle.Owner() for _ in range(100)]
    hundred = [owner.build(docks.shared, tools, 0) for owner in owners]
    one = len(pickle.dumps(hundred[0]))

    assert len({id(cls) for cls in hundred}) == 100
    assert len(pickle.dumps(hundred)) <= 1.5 * one + 150 * 100


def test_promise_6_owners_leave_nothing() -> None:
    """400 owners, closed or dropped, with classes and instances, leave no object and next to no memory.

    Closed ones leave nothing from the first on. Of dropped ones, at most 128 go on listening for what others hold; 150 were
    dropped before the counting begins, so that more of them leave no more.
    """
    seen = run(OWNERS, seconds=100)

    assert seen["alive"] == 0, seen
    assert seen["closed"] < 100, seen
    assert seen["listening"] == [0, 128, 128], seen
    assert seen["objects"] < 100, seen
    assert seen["grown"] < 400 * 600, seen  # the keys of closed owners are remembered, so that late bytes are refused


OWNERS = """
import gc, pickle, time, tracemalloc
import envpickle
from envpickle import lifeline
from voyage.fresh import report
from harbour import owned

def settle(rounds, closed=(1,)):
    for number in range(rounds):
        owner = envpickle.Owner()
        cls = owner.build(owned.closable, ["_close"])
        one = cls(number)
        pickle.dumps([cls, one])
        if number % 2 in closed:
            owner.close()
    del owner, cls, one
    for _ in range(500):   # what was dropped open is closed by a thread
        gc.collect()
        if not alive():
            break
        time.sleep(0.02)
    owned.CLOSED.clear()

def alive():
    return sum(isinstance(obj, type) and "closable." in obj.__qualname__ for obj in gc.get_objects())

def objects():
    gc.collect()
    listening.append(len(lifeline._left))
    return len(gc.get_objects())

listening = []
settle(50, closed=(0, 1))
first = objects()
settle(200, closed=(0, 1))
closed = len(gc.get_objects()) - first
settle(300)
tracemalloc.start()
before, used = objects(), tracemalloc.get_traced_memory()[0]
settle(400)
more = objects() - before
report(dict(alive=alive(), grown=tracemalloc.get_traced_memory()[0] - used, objects=more, closed=closed, listening=listening))
"""
