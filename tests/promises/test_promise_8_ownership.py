"""Promise 8: a class belongs to its owner, and is closed with it, whatever way its instances came about."""

import contextlib
import copy
import gc
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harbour import owned

import envpickle
from envpickle import errors


@pytest.fixture(autouse=True)
def closed() -> Iterator[list[Any]]:
    """What was closed in this test."""
    owned.CLOSED.clear()
    owned.GATE.clear()
    yield owned.CLOSED
    owned.GATE.set()


WAYS: dict[str, Callable[[Any], list[Any]]] = {
    "called": lambda cls: [cls()],
    "unpickled": lambda cls: [one := cls(), *pickle.loads(pickle.dumps([one]))],
    "copied": lambda cls: [one := cls(), copy.copy(one)],
    "deep copied": lambda cls: [one := cls(), copy.deepcopy(one)],
    "made by __new__": lambda cls: [cls.__new__(cls)],
    "of a subclass": lambda cls: [type("Sub", (cls,), {})()],
    "of a subclass's subclass": lambda cls: [type("SubSub", (type("Sub", (cls,), {}),), {})()],
    "of an unpickled class": lambda cls: [pickle.loads(pickle.dumps(cls))()],
}


@pytest.mark.parametrize("way", WAYS)
def test_promise_8_every_instance_is_closed(closed: list[Any], way: str) -> None:
    """Closing finds the instances of every origin and closes each once."""
    owner = envpickle.Owner()
    cls = owner.build(owned.closable, ["_close", way])
    held = WAYS[way](cls)
    for number, one in enumerate(held):
        one.number = number

    owner.close()

    assert sorted(closed) == [("_close", number) for number in range(len(held))]


@pytest.mark.parametrize("builder", [owned.slotted_closable, owned.unhashable])
def test_promise_8_awkward_instances_are_closed(closed: list[Any], builder: Any) -> None:
    """Instances without weak references, hash or identity of their own are closed, each of them."""
    owner = envpickle.Owner()
    held = [owner.build(builder, 1)(number) for number in range(3)]

    owner.close()

    assert sorted(number for _, number in closed) == [0, 1, 2], held


@pytest.mark.parametrize("builder", [owned.registered, owned.own_meta])
def test_promise_8_foreign_metaclasses_are_closed_and_refuse(closed: list[Any], builder: Any) -> None:
    """A class of another metaclass is closed with its owner, and its call is refused afterwards."""
    owner = envpickle.Owner()
    cls = owner.build(builder, 1)
    held = cls()
    owner.close()

    assert len(closed) == 1, held
    with pytest.raises(errors.OwnerClosed):
        cls()


ORDER = ["__envpickle_close__", "_close", "close", "aclose", "__exit__"]


@pytest.mark.parametrize("first", range(5))
def test_promise_8_the_first_closing_method_that_exists(closed: list[Any], first: int) -> None:
    """Of the closing methods the first that exists is called, and no other."""
    owner = envpickle.Owner()
    held = owner.build(owned.closable, ORDER[first:][::-1])(3)

    owner.close()

    assert closed == [(ORDER[first], 3)], held


def test_promise_8_an_instance_without_a_closing_method(closed: list[Any]) -> None:
    """What cannot be closed does not stand in the way of the rest."""
    owner = envpickle.Owner()
    held = [owner.build(owned.closable, [])(1), owner.build(owned.closable, ["close"])(2)]

    owner.close()

    assert closed == [("close", 2)], held


def test_promise_8_all_are_closed_at_once(closed: list[Any]) -> None:
    """Closing is concurrent: instances that wait for each other in closing are all closed."""
    owned.BARRIERS[:] = [threading.Barrier(6)]
    owner = envpickle.Owner()
    held = [owner.build(owned.together, number)() for number in range(6)]

    owner.close()

    assert closed == ["together"] * 6, held


@pytest.mark.parametrize("how", ["raises", "exits", "hangs"])
def test_promise_8_a_difficult_instance_does_not_stop_the_others(closed: list[Any], how: str) -> None:
    """An instance whose closing raises, exits or does not end leaves the others closed and `close` ended."""
    owner = envpickle.Owner()
    held = [owner.build(owned.difficult, how)(1), owner.build(owned.closable, ["_close"])(2)]
    done = threading.Thread(target=_close_quietly, args=(owner,))
    done.start()
    done.join(30)

    assert not done.is_alive()
    assert set(closed) == {(how, 1), ("_close", 2)}, held
    assert owner.closed


def _close_quietly(owner: envpickle.Owner) -> None:
    with contextlib.suppress(BaseExceptionGroup, Exception):
        owner.close()


def test_promise_8_closing_waits_for_no_call(closed: list[Any]) -> None:
    """Closing takes no lock that a call in flight holds."""
    owner = envpickle.Owner()
    one = owner.build(owned.difficult, "well")(4)
    call = threading.Thread(target=one.work)
    call.start()
    owner.close()

    assert closed == [("well", 4)]
    assert call.is_alive()
    owned.GATE.set()
    call.join(10)


def test_promise_8_closing_is_idempotent_and_safe_from_threads(closed: list[Any]) -> None:
    """However often and from wherever an owner is closed, each instance is closed once and each callback runs once."""
    owner = envpickle.Owner()
    held = [owner.build(owned.closable, ["_close"])(number) for number in range(4)]
    ran: list[str] = []
    owner.callback(ran.append, "callback")
    threads = [threading.Thread(target=owner.close) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join(20) for thread in threads]
    owner.close()

    assert sorted(closed) == [("_close", number) for number in range(4)], held
    assert ran == ["callback"]


def test_promise_8_closed_classes_refuse_calls() -> None:
    """After closing, the class, its subclasses and new builds refuse, and the message names the class."""
    owner = envpickle.Owner()
    cls = owner.build(owned.closable, ["_close"])
    sub = type("Sub", (cls,), {})
    assert not owner.closed
    owner.close()

    assert owner.closed
    for call in (cls, sub, lambda: owner.build(owned.closable, ["close"])):
        with pytest.raises(errors.OwnerClosed):
            call()
    with pytest.raises(errors.OwnerClosed, match="Closable"):
        cls()


def test_promise_8_bytes_of_a_closed_owner_give_a_closed_class() -> None:
    """A class rebuilt later in this process from a closed owner's bytes is closed too."""
    owner = envpickle.Owner()
    payload = pickle.dumps(owner.build(owned.closable, ["_close"]))
    gc.collect()
    owner.close()

    with pytest.raises(errors.OwnerClosed):
        pickle.loads(payload)(1)


def test_promise_8_bytes_rebuilt_before_closing_are_closed(closed: list[Any]) -> None:
    """A class that died and was rebuilt from bytes belongs to its owner like the first one."""
    owner = envpickle.Owner()
    payload = pickle.dumps(owner.build(owned.closable, ["_close"]))
    gc.collect()
    held = pickle.loads(payload)(5)
    owner.close()

    assert closed == [("_close", 5)], held


def test_promise_8_owners_do_not_share_classes(closed: list[Any]) -> None:
    """Two owners and nobody have three classes for equal calls; closing one touches no other; bytes find the right one."""
    first, second = envpickle.Owner(), envpickle.Owner()
    classes = [
        first.build(owned.closable, ["_close"]),
        second.build(owned.closable, ["_close"]),
        owned.closable(["_close"]),
    ]
    assert len(set(classes)) == 3
    assert first.build(owned.closable, ["_close"]) is classes[0]
    assert first.key != second.key
    assert len(first.key) == 16
    assert [envpickle.describe(cls).owner for cls in classes] == [first.key, second.key, None]
    assert pickle.loads(pickle.dumps(classes)) == classes
    held = [cls(number) for number, cls in enumerate(classes)]
    first.close()

    assert closed == [("_close", 0)], held
    assert [classes[1](8).number, classes[2](9).number] == [8, 9]
    second.close()


def test_promise_8_the_context_manager_closes(closed: list[Any]) -> None:
    """Leaving the block closes, also by an exception, which goes on."""
    owner = envpickle.Owner()
    held = owner.build(owned.closable, ["_close"])(1)

    def leave() -> None:
        with owner as entered:
            assert entered is owner
            raise ValueError("on its way")

    with pytest.raises(ValueError, match="on its way"):
        leave()
    assert owner.closed
    assert closed == [("_close", 1)], held


def test_promise_8_a_callback_that_raises_does_not_stop_closing(closed: list[Any]) -> None:
    """What was hung on an owner cannot keep it from closing the rest."""
    owner = envpickle.Owner()
    ran: list[int] = []
    owner.callback(ran.append, 1)
    owner.callback(lambda: 1 / 0)
    owner.callback(ran.append, 2)
    held = owner.build(owned.closable, ["_close"])(1)
    _close_quietly(owner)

    assert sorted(ran) == [1, 2], held
    assert closed == [("_close", 1)]


def test_promise_8_an_enum_of_an_owner_is_closed() -> None:
    """After its owner closed, an owned enumeration's members still exist and pickling is still faithful."""
    owner = envpickle.Owner()
    cls = owner.build(owned.foreign, ["a", "b"])

    assert pickle.loads(pickle.dumps(cls.a)) is cls.a
    owner.close()
    assert cls.a.name == "a"


def test_promise_8_a_dropped_owner_leaves_its_classes_usable() -> None:
    """An owner that nobody holds any more is not closed behind the user's back."""
    cls = envpickle.Owner().build(owned.closable, ["_close"])
    gc.collect()

    assert cls(3).number == 3
    assert pickle.loads(pickle.dumps(cls)) is cls


def test_promise_8_an_instance_nobody_holds_is_closed_once(closed: list[Any]) -> None:
    """An instance that was dropped before its owner closed is closed once, and not kept."""
    owner = envpickle.Owner()
    cls = owner.build(owned.closable, ["_close"])
    cls(1)
    gc.collect()
    owner.close()

    assert closed.count(("_close", 1)) <= 1
    assert not [one for one in gc.get_objects() if type(one) is cls]
