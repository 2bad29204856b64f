"""`unlike` takes a class for its like only where nothing that counts differs, and names what does."""

import abc
import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import itertools
import operator
import re
import threading
import types
import typing
from collections.abc import Callable
from typing import Any

import pytest

from envpickle.likeness import NOT_COMPARED, unlike

T = typing.TypeVar("T")
U = typing.TypeVar("U")
SHARED = [1]


def holding(value: Any) -> Callable[[], Any]:
    """A class with one attribute, made anew at every call; a function makes the attribute anew too."""
    return lambda: type("Env", (), {"held": value() if type(value) is types.FunctionType else value})


def closing(value: Any, default: Any = None) -> Any:
    def held(self: Any, given: Any = default, *, named: Any = default) -> Any:
        return value, given, named

    return held


def reading(variables: dict[str, Any]) -> Any:
    """A function whose global variables are these."""
    return types.FunctionType((lambda: T).__code__, variables)


def tuple_of(*args: Any, **kwargs: Any) -> Callable[[], Any]:
    return lambda: collections.namedtuple(*args, **kwargs)


def record(**options: Any) -> Callable[[], Any]:
    fields: list[Any] = ["a", ("b", int, 1), ("c", list, dataclasses.field(default_factory=list))]
    return lambda: dataclasses.make_dataclass("Row", fields, **options)


def field(**options: Any) -> Callable[[], Any]:
    return lambda: dataclasses.make_dataclass("Row", [("x", int, dataclasses.field(**options))])


def members(*args: Any, kind: Any = enum.Enum, **kwargs: Any) -> Callable[[], Any]:
    return lambda: kind("Word", *args, **kwargs)


class Loaded:
    """A class statement with a bit of everything; `flavour` is what differs."""

    @staticmethod
    def made(flavour: Any = 1) -> Any:
        class Env(abc.ABC):
            kept = functools.partial(print, flavour)

            def __init__(self) -> None:
                super().__init__()

            @functools.lru_cache(3)  # noqa: B019 -- under test
            def cached(self) -> Any:
                return Env

            @property
            def shown(self) -> Any:
                return __class__  # type: ignore[name-defined]

            @functools.cached_property
            def once(self) -> Any:
                return flavour

            @classmethod
            def of(cls) -> Any:
                return {flavour: [cls]}

            @abc.abstractmethod
            def must(self) -> Any: ...

            class Inner:
                def outer(self) -> Any:
                    return Env

        return Env


class State:
    """A value with state of its own; its `__eq__` lies, and asking it is a mistake."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        raise AssertionError("user code was run")

    __hash__ = object.__hash__


class Incomparable(type):
    """A metaclass whose classes cannot be compared or hashed; asking it is a mistake."""

    def __eq__(cls, other: object) -> bool:
        raise AssertionError("user code was run")

    __hash__ = None  # type: ignore[assignment]


class Peculiar(metaclass=Incomparable):
    def __init__(self, value: Any) -> None:
        self.value = value


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def used_flag() -> Any:
    right = enum.Flag("Word", "a b c")
    assert right.a | right.b
    assert ~right.a
    assert right(5)
    return right


def used_class() -> Any:
    made = Loaded.made()
    typing.get_type_hints(made)
    made.__annotations__
    isinstance(1, made)
    return made


ALIKE: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    name: (make, make)
    for name, make in {
        "namedtuple": tuple_of("P", "x y", defaults=(1, [2])),
        "named tuple": lambda: typing.NamedTuple("P", [("x", int), ("y", list[int])]),  # type: ignore[misc]
        "typed dict": lambda: typing.TypedDict("D", {"x": int, "y": typing.Required[str]}, total=False),  # type: ignore[misc]
        "dataclass": record(),
        "frozen and slotted": record(frozen=True, slots=True, order=True, weakref_slot=True),
        "enum": members("a b c"),
        "int enum": members("a b", kind=enum.IntEnum),
        "text enum": members({"a": "x", "b": "x"}, type=str),
        "statement": Loaded.made,
        "exception": lambda: type("Lost", (ConnectionError,), {}),
        "generic": lambda: types.new_class("G", (typing.Generic[T],)),
        "not a number": holding(float("nan")),
        "moment": holding(lambda: datetime.datetime(2026, 1, 1)),
        "exact number": holding(lambda: decimal.Decimal("1.0")),
        "pattern": holding(lambda: re.compile("a" + "b")),
        "getter": holding(lambda: operator.itemgetter(1)),
        "iterator": holding(lambda: iter([1, 2])),
        "globals": holding(lambda: reading({"T": [1], "unused": object()})),
        "closure": holding(lambda: closing([1, {"a": 2}], (3,))),
        "state": holding(lambda: State([1])),
        "value of a peculiar class": holding(lambda: Peculiar([1])),
        "slots of a value": holding(lambda: Slotted([1])),
        "run-time type variable": holding(lambda: [typing.TypeVar("V", bound=int)] * 2),
        "new type": holding(lambda: typing.NewType("N", int)),
        "sets": holding(lambda: {frozenset([1, 2]), (3, "a")}),
        "mapping": holding(lambda: types.MappingProxyType({"a": [1]})),
        "cycle": holding(lambda: (lambda own: own.append(own) or own)([])),  # type: ignore[func-returns-value]
    }.items()
}
ALIKE |= {"a flag in use": (used_flag, members("a b c", kind=enum.Flag)), "a class in use": (used_class, Loaded.made)}

UNLIKE: dict[str, tuple[Callable[[], Any], Callable[[], Any], str]] = {
    "name": (tuple_of("P", "x"), tuple_of("Q", "x"), "its name"),
    "field": (tuple_of("P", "x y"), tuple_of("P", "x z"), "_fields"),
    "default of another type": (tuple_of("P", "x", defaults=(1,)), tuple_of("P", "x", defaults=(True,)), "_field_defaults"),
    "sign of zero": (holding(0.0), holding(-0.0), "held"),
    "number as text": (holding(1), holding("1"), "held"),
    "frozen": (record(), record(frozen=True), "__dataclass_params__"),
    "slots": (record(), record(slots=True), "layout"),
    "weak references": (record(slots=True), record(slots=True, weakref_slot=True), "layout"),
    "order": (record(), record(order=True), "__lt__"),
    "keyword only": (record(kw_only=True), record(), "__dataclass_fields__"),
    "factory": (field(default_factory=list), field(default_factory=dict), "__dataclass_fields__"),
    "metadata": (field(metadata={"a": 1}), field(metadata={"a": 2}), "__dataclass_fields__"),
    "value of a member": (members("a b"), members("a b", start=2), "a"),
    "alias": (members({"a": 1, "b": 1}), members({"a": 1, "b": 2}), "_member_names_"),
    "mixed-in type": (members("a b"), members("a b", type=str), "its bases"),
    "boundary": (members("a b", kind=enum.Flag), members("a b", kind=enum.Flag, boundary=enum.KEEP), "_boundary_"),
    "base": (lambda: type("X", (int,), {}), lambda: type("X", (str,), {}), "its bases"),
    "metaclass": (lambda: type("X", (), {}), lambda: abc.ABCMeta("X", (), {}), "its metaclass"),
    "type": (
        lambda: typing.NamedTuple("P", [("x", list[int])]),  # type: ignore[misc]
        lambda: typing.NamedTuple("P", [("x", list[str])]),  # type: ignore[misc]
        "__annotations__",
    ),
    "docstring": (lambda: type("X", (), {"__doc__": "a"}), lambda: type("X", (), {"__doc__": "b"}), "__doc__"),
    "missing": (lambda: type("X", (), {"a": 1}), lambda: type("X", (), {}), "a .made again, it has none"),
    "added": (lambda: type("X", (), {}), lambda: type("X", (), {"a": 1}), "a .only made again"),
    "order of attributes": (
        lambda: type("X", (), {"a": 1, "b": 2}),
        lambda: type("X", (), {"b": 2, "a": 1}),
        "the order",
    ),
    "code": (holding(lambda: lambda: 1), holding(lambda: lambda: 2), "held"),
    "constant of another type": (holding(lambda: lambda: 1), holding(lambda: lambda: True), "held"),
    "global": (holding(lambda: lambda: T), holding(lambda: lambda: U), "held"),
    "global of another module": (holding(lambda: reading({"T": [1]})), holding(lambda: reading({"T": [2]})), "held"),
    "cell": (holding(lambda: closing([1])), holding(lambda: closing([2])), "held"),
    "default": (holding(lambda: closing(1, 2)), holding(lambda: closing(1, 3)), "held"),
    "wrapped": (Loaded.made, lambda: Loaded.made(2), "kept"),
    "cache size": (
        holding(lambda: functools.lru_cache(1)(operator.index)),
        holding(lambda: functools.lru_cache(2)(operator.index)),
        "held",
    ),
    "getter": (holding(lambda: operator.itemgetter(1)), holding(lambda: operator.itemgetter(2)), "held"),
    "state": (holding(lambda: State(1)), holding(lambda: State(2)), "held"),
    "value of a peculiar class": (holding(lambda: Peculiar(1)), holding(lambda: Peculiar(2)), "held"),
    "slots of a value": (holding(lambda: Slotted(1)), holding(lambda: Slotted(2)), "held"),
    "iterator": (holding(lambda: iter([1, 2])), holding(lambda: iter([1, 3])), "held"),
    "counter": (holding(lambda: itertools.count(5)), holding(lambda: itertools.count(6)), "held"),
    "set": (holding(lambda: {1, "a"}), holding(lambda: {1, "b"}), "held"),
    "order of keys": (holding(lambda: {"a": 1, "b": 2}), holding(lambda: {"b": 2, "a": 1}), "held"),
    "sharing": (
        lambda: type("X", (), {"a": SHARED, "b": SHARED}),
        lambda: type("X", (), {"a": SHARED, "b": [1]}),
        "b",
    ),
    "type variable that is two": (
        holding(lambda: [typing.TypeVar("V")] * 2),
        holding(lambda: [typing.TypeVar("V"), typing.TypeVar("V")]),
        "held",
    ),
    "supertype": (holding(lambda: typing.NewType("N", int)), holding(lambda: typing.NewType("N", str)), "held"),
    "an object that is nothing but itself": (holding(lambda: object()), holding(lambda: object()), "held"),
    "what cannot be compared": (holding(lambda: threading.Lock()), holding(lambda: threading.Lock()), "held"),
    "a class of the same name": (holding(lambda: type("In", (), {"a": 1})), holding(lambda: type("In", (), {"a": 2})), "held"),
    "too deep": (holding(lambda: nested(100_000)), holding(lambda: nested(100_000)), "too deep"),
}


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("what", ALIKE)
def test_classes_made_the_same_way_are_alike(what: str) -> None:
    """Whatever they hold, and however they were used since."""
    one, again = ALIKE[what]

    assert unlike(one(), again()) == []


@pytest.mark.parametrize("what", UNLIKE)
def test_a_difference_is_named(what: str) -> None:
    """In both directions."""
    one, again, named = UNLIKE[what]

    assert re.search(named, "; ".join(unlike(one(), again())))
    assert unlike(again(), one())


def test_a_class_is_like_itself() -> None:
    cls = Loaded.made()

    assert unlike(cls, cls) == []


def test_what_is_not_compared_has_a_reason() -> None:
    assert all(reason for reason in NOT_COMPARED.values())
    assert not {"__init__", "__slots__", "__annotations__", "__doc__", "_member_map_"} & NOT_COMPARED.keys()
