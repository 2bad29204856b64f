"""Promise 1: while a class lives, loading what was dumped gives that very class."""

import copy
import gc
import pickle
import typing
from multiprocessing.reduction import ForkingPickler

import cloudpickle
import pytest
from harbour import docks
from voyage.picklers import BY_VALUE, TOOLS, dumps, loads

SHAPES = {
    "bare": lambda cls: cls,
    "dict": lambda cls: {"env": cls, "again": [cls, (cls,)]},
    "dict key": lambda cls: {cls: 1},
    "frozenset": lambda cls: frozenset([cls]),
    "deep": lambda cls: [[[[[{"a": ({"b": [cls]},)}]]]]],
    "alias": lambda cls: list[cls],
    "optional": lambda cls: typing.Optional[cls],  # noqa: UP045 - the typing form is another object than X | None
    "union": lambda cls: cls | None,
    "instance": lambda cls: cls(3),
    "bound method": lambda cls: cls(3).describe,
    "bound classmethod": lambda cls: cls.create,
    "partial": docks.partial_of,
    "closure": docks.closure_over,
}
READ = {
    "bare": lambda got: got,
    "dict": lambda got: got["env"] if got["env"] is got["again"][0] is got["again"][1][0] else None,
    "dict key": lambda got: next(iter(got)),
    "frozenset": lambda got: next(iter(got)),
    "deep": lambda got: got[0][0][0][0][0]["a"][0]["b"][0],
    "alias": lambda got: got.__args__[0],
    "optional": lambda got: got.__args__[0],
    "union": lambda got: got.__args__[0],
    "instance": type,
    "bound method": lambda got: type(got.__self__),
    "bound classmethod": lambda got: got.__self__,
    "partial": lambda got: got.func,
    "closure": lambda got: got(),
}


def travels(tool: str, shape: str) -> bool:
    """Plain pickle sends no closure and old protocols no C-implemented extras; cloudpickle's bound methods are a limit."""
    if shape == "closure":
        return tool in BY_VALUE
    return not (shape.startswith("bound") and tool == "cloudpickle")


@pytest.mark.parametrize(("tool", "shape"), [(t, s) for t in TOOLS for s in SHAPES if travels(t, s)])
def test_promise_1_every_pickler_gives_the_same_object(tool: str, shape: str) -> None:
    """Every pickler and protocol gives back the class itself, at any depth."""
    cls = docks.dock(["lift", "drop"], size=2)

    assert READ[shape](loads(tool, dumps(tool, SHAPES[shape](cls)))) is cls


@pytest.mark.parametrize("tool", TOOLS)
def test_promise_1_nested_classes_and_their_instances(tool: str) -> None:
    """A class nested in a built class, two deep, is the same object too, and so is an instance's class."""
    yard = docks.yard(3)
    sent = [yard.Slot, yard.Slot.Label, yard.Slot(4), yard]

    slot, label, instance, outer = loads(tool, dumps(tool, sent))

    assert (slot, label, outer) == (yard.Slot, yard.Slot.Label, yard)
    assert type(instance) is yard.Slot
    assert instance.number == 4


def test_promise_1_address_is_documented_form() -> None:
    """The class keeps its name, says its builder's module, and can be found under builder.Name@key."""
    cls = docks.dock(["lift"])
    builder, name = cls.__qualname__.split(".")
    kept, key = name.split("@")

    assert (cls.__module__, builder, kept, cls.__name__) == ("harbour.docks", "dock", "Dock", "Dock")
    assert int(key, 16) >= 0
    assert getattr(docks.dock, name) is cls
    assert not hasattr(docks.dock, f"Dock@{'0' * len(key)}")


def test_promise_1_equal_names_have_different_addresses() -> None:
    """Two classes of one name and builder are two objects under two addresses."""
    first, second = docks.dock(["lift"]), docks.dock(["drop"])

    assert first.__name__ == second.__name__
    assert first.__qualname__ != second.__qualname__
    assert pickle.loads(pickle.dumps([first, second])) == [first, second]


def test_promise_1_cloudpickle_sends_no_code() -> None:
    """Cloudpickle sends the call and not the class's body."""
    payload = cloudpickle.dumps(docks.dock(["lift", "drop"]))

    assert b"rebuild_class" in payload
    assert b"describe" not in payload or len(payload) < 1000


def test_promise_1_rebuilt_by_our_builder_after_death() -> None:
    """A class that died meanwhile is rebuilt by our own builder, once, and is the one the builder then returns."""
    payload = pickle.dumps(docks.dock(["perish"]))
    gc.collect()
    docks.reset_runs()

    back = pickle.loads(payload)

    assert docks.RUNS == ["dock"]
    assert docks.dock(["perish"]) is back
    assert docks.RUNS == ["dock"]


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy])
def test_promise_1_copy_gives_the_class_itself(copier: typing.Callable[[type], type]) -> None:
    """Copying a class, or a structure with it in it, keeps the class."""
    cls = docks.dock(["lift"])

    assert copier(cls) is cls
    assert copier([cls])[0] is cls
    assert type(copier(cls(5))) is cls


def test_promise_1_shared_in_one_message() -> None:
    """Class and instances of one message agree about the class, and the message holds its bytes once."""
    cls = docks.dock([f"tool_{i}" for i in range(64)])
    one = len(pickle.dumps(cls))
    many = pickle.dumps([cls, cls(1), {"again": cls, "more": [cls(i) for i in range(50)]}])

    assert len(many) < one + 51 * 40
    assert {type(i) for i in pickle.loads(many)[2]["more"]} == {cls}


@pytest.mark.parametrize("builder", [docks.dock, docks.Yards.inner])
def test_promise_1_the_builder_itself_pickles_by_name(builder: typing.Any) -> None:
    """A builder comes back as itself from every pickler."""
    for tool in TOOLS:
        assert loads(tool, dumps(tool, builder)) is builder


def test_promise_1_builder_in_a_class_namespace() -> None:
    """A builder that is found under a dotted name works like one at module level."""
    cls = docks.Yards.inner(4)

    assert cls().number_of() == 4
    assert pickle.loads(pickle.dumps(cls)) is cls
    payload, cls = pickle.dumps(cls), None
    gc.collect()
    assert pickle.loads(payload)().number_of() == 4


def test_promise_1_an_unbound_function_is_refused_not_changed() -> None:
    """A bare function of a built class keeps its `<locals>` name, so plain pickle refuses it (a documented limit)."""
    cls = docks.dock(["lift"])
    assert "<locals>" in cls.describe.__qualname__

    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(cls.describe)


def test_promise_1_forking_pickler_sees_what_is_registered_late() -> None:
    """ForkingPickler copies copyreg's table when it is made, and still knows a metaclass first used afterwards."""
    cls = docks.yard(77)

    assert pickle.loads(bytes(ForkingPickler.dumps({"env": cls})))["env"] is cls
