"""Objects as arguments: cycles and chains, classes that cannot travel, state beyond the fields, constructors that run once."""

import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from harbour import docks, kin, ledgers

import envpickle
from envpickle import errors


def travelled(value: Any) -> Any:
    """The value as a builder gets it in a process where the class is not there."""
    data = envpickle.describe(docks.lighthouse(value)).to_bytes()
    gc.collect()
    cls: Any = envpickle.rebuild(data)
    return cls.value()


def refused(value: Any, path: str = "lighthouse(value=") -> str:
    """Build with that value, which works at home, and return the refusal of pickling it."""
    cls: Any = docks.lighthouse(value)
    assert cls.value() is value
    for attempt in (lambda: pickle.dumps(cls), lambda: pickle.dumps([cls()]), lambda: envpickle.describe(cls).to_bytes()):
        with pytest.raises(errors.NotPlainData) as caught:
            attempt()
        assert caught.value.path.startswith(path)
    return str(caught.value)


THROUGH = ["directly", "a list", "a dict", "a tuple", "another record"]


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("kind", ledgers.NODES)
def test_a_record_that_holds_itself_is_refused_when_pickled(kind: str, through: str) -> None:
    """A cycle through a record of any library neither disturbs those at home nor ends in a RecursionError."""
    text = refused(ledgers.circle(kind, through))

    assert "holds itself" in text


@pytest.mark.parametrize("length", [60, 500, 5_000])
@pytest.mark.parametrize("kind", ["Node", "AttrsNode", "StructNode"])
def test_a_long_chain_of_records_is_refused_when_pickled(kind: str, length: int) -> None:
    """What is nested deeper than a descriptor may be is refused by its depth, at home it works."""
    value = ledgers.chain(kind, length)
    text = refused(value)

    assert "deep" in text
    while value.inner is not None:  # 5,000 deep, Python's own clean-up of slots would recurse
        value, value.inner = value.inner, None


@pytest.mark.parametrize("kind", ledgers.NODES)
def test_a_short_chain_of_records_travels(kind: str) -> None:
    """A few records in each other arrive, each of its kind."""
    back = travelled([ledgers.chain(kind, 8)])[0]
    for _ in range(8):
        assert type(back) is ledgers.NODES[kind]
        back = back.inner
    assert back.inner is None


def _changed() -> Any:
    cls: Any = docks.dock(["cannot"])
    cls.late = 1
    return cls


CANNOT: dict[str, Callable[[], Any]] = {
    "changed": _changed,
    "of arguments that are not plain": lambda: docks.lighthouse(object()),
    "a subclass": lambda: type("Sub", (docks.dock(["cannot"]),), {}),
    "of no builder": lambda: type("Nobody", (), {}),
    "with a changed nested one": lambda: (cls := kin.crane("argument"), setattr(cls.Hook.Pin, "weight", 3))[0],  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("what", CANNOT)
def test_a_class_that_cannot_travel_does_not_break_the_build(what: str) -> None:
    """The outer class is built with it; pickling the outer one is refused, with the way to the inner one."""
    inner = CANNOT[what]()
    text = refused({"env": [1, inner]}, 'lighthouse(value=["env"][1]')

    assert inner.__qualname__.partition(".")[0] in text


def test_a_class_whose_builder_was_replaced_does_not_break_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the module holds another builder now."""
    inner = docks.replaced("reloaded")
    with monkeypatch.context() as patched:
        patched.setattr(docks, "replaced", envpickle.builder(docks.replaced.fn))
        text = refused([inner], "lighthouse(value=[0]")

    assert "Replaced" in text


def test_an_instance_of_such_a_class_is_refused_too() -> None:
    """A record's class, or an enumeration's, that cannot travel is refused by the way to the value."""
    local = type("Local", (ledgers.Node,), {})
    text = refused([{"one": local(1)}], 'lighthouse(value=[0]["one"]')

    assert "Local" in text


@pytest.mark.parametrize("path", ["Hook", "Hook.Pin"])
def test_a_nested_class_travels_as_an_argument(path: str) -> None:
    """A class nested in a built one is sent as its way through the outer class, from any depth."""
    outer: Any = kin.crane("as an argument")
    inner = outer.Hook if path == "Hook" else outer.Hook.Pin
    cls: Any = docks.lighthouse([inner, {"deep": inner}])
    data = pickle.dumps(cls)
    assert pickle.loads(data) is cls
    assert docks.lighthouse([inner, {"deep": inner}]) is cls

    del outer, inner, cls
    gc.collect()
    got = pickle.loads(data).value()
    again: Any = kin.crane("as an argument")
    assert got[0] is got[1]["deep"] is (again.Hook if path == "Hook" else again.Hook.Pin)


def test_a_variant_travels_as_an_argument() -> None:
    """So does a nested class that derives from the one around it."""
    outer: Any = kin.variants()

    assert travelled([outer.Circle.Small, outer])[0].__mro__[1:3] == (outer.Circle, outer)


def _with(value: Any, **more: Any) -> Any:
    for name, item in more.items():
        setattr(value, name, item)
    return value


BEYOND: dict[str, Callable[[], Any]] = {
    "slot of a base": lambda: _with(ledgers.OnHidden(1), hidden=7),
    "slot of a subclass": lambda: _with(ledgers.WithExtraSlot(1), extra=5),
    "dict of a subclass": lambda: _with(ledgers.WithExtraDict(1), extra=5),
    "slot of an attrs base": lambda: _with(ledgers.AttrsOnHidden(1), hidden=7),
    "attribute of a struct": lambda: _with(ledgers.OpenStruct(1), extra=5),
    "attribute of a dataclass": lambda: _with(ledgers.Open(1), extra=5),
    "attribute of attrs": lambda: _with(ledgers.OpenAttrs(1), extra=5),
}


@pytest.mark.parametrize("what", BEYOND)
def test_state_beyond_the_fields_is_refused(what: str) -> None:
    """What an object holds beyond its fields would be lost, so it is refused, wherever it is kept."""
    text = refused([BEYOND[what]()], "lighthouse(value=[0]")

    assert "ledgers" in text


WITHIN: dict[str, Callable[[], Any]] = {
    "base slot unset": lambda: ledgers.OnHidden(1),
    "subclass slot unset": lambda: ledgers.WithExtraSlot(1),
    "empty dict of a subclass": lambda: ledgers.WithExtraDict(1),
    "attrs base slot unset": lambda: ledgers.AttrsOnHidden(1),
    "open struct": lambda: ledgers.OpenStruct(1),
}


@pytest.mark.parametrize("what", WITHIN)
def test_objects_whose_fields_are_all_there_is_travel(what: str) -> None:
    """Slots that are not set, and dicts that are empty, hold nothing to be lost."""
    value = WITHIN[what]()
    back = travelled([value])[0]

    assert (type(back), back.x) == (type(value), 1)


STRUCTS: dict[str, tuple[Callable[[], Any], bool]] = {
    "doubling": (lambda: ledgers.Doubling(1), False),
    "doubling nothing": (lambda: ledgers.Doubling(0), True),
    "settled": (lambda: ledgers.Settled(-3), True),
    "raising": (lambda: ledgers.Raising(5), False),
    "changing a list": (lambda: ledgers.Growing([1]), False),
}


@pytest.mark.parametrize("what", STRUCTS)
def test_a_struct_arrives_as_it_was_or_is_refused(what: str) -> None:
    """A struct's `__post_init__` runs again where it arrives, so one that would become another value is refused."""
    make, travels = STRUCTS[what]
    value = make()
    before = repr(value)
    if travels:
        assert travelled([value])[0] == value
    else:
        refused([value], "lighthouse(value=[0]")
    assert repr(value) == before


CACHED: dict[str, Callable[[], Any]] = {
    "frozen": lambda: ledgers.CachedHash(1, (2,)),
    "not frozen": lambda: ledgers.CachedHashOpen(3),
}


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("what", CACHED)
def test_a_cached_hash_is_made_anew(what: str, asked: bool) -> None:
    """A record of attrs that keeps its hash arrives whole, whether its hash was asked for before or not."""
    value = CACHED[what]()
    if asked:
        hash(value)
    back = travelled([value])[0]

    assert back == value
    assert hash(back) == hash(value)
    assert travelled({value: "key"}) == {value: "key"}


def test_attrs_records_are_not_made_again() -> None:
    """Converters, validators and `__attrs_post_init__` do not run where a record arrives."""
    value = ledgers.Converted(1)
    ledgers.MADE.clear()

    assert travelled([value])[0].x == 2
    assert ledgers.MADE == []
