"""Builders whose calls are kept as golden files, one for each shape of class; their names and code never change.

And classes that libraries make, which `envpickle.register` recognises: what stands in their descriptors is the maker's call.
"""

import abc
import collections
import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import envpickle
from envpickle import building, ownership

T = TypeVar("T")
OWNER = bytes(range(16))  # an owner's key, which is random elsewhere


@envpickle.builder
def abstract(name: str) -> type:
    """A class with an abstract base made in the same call."""

    class Api(abc.ABC):
        @abc.abstractmethod
        def lift(self, load: int) -> str: ...

    class Crane(Api):
        def lift(self, load: int) -> str:
            return f"{name} {load}"

    return Crane


@envpickle.builder
def data(size: int) -> type:
    """A dataclass."""

    @dataclasses.dataclass(frozen=True, order=True)
    class Crate:
        weight: int = size
        labels: tuple[str, ...] = ()

    return Crate


@envpickle.builder
def choice(names: list[str]) -> type:
    """An enumeration."""
    return enum.Enum("Choice", names)  # type: ignore[return-value]


@envpickle.builder
def right(names: list[str]) -> type:
    """A flag."""
    return enum.Flag("Right", names)  # type: ignore[return-value]


@envpickle.builder
def record(fields: list[str]) -> type:
    """A class that derives from a named tuple."""

    class Row(collections.namedtuple("Row", fields)):  # type: ignore[misc]
        __slots__ = ()

        def first(self) -> Any:
            return self[0]

    return Row


@envpickle.builder
def typed_record(default: int) -> type:
    """A named tuple with types."""

    class Row(typing.NamedTuple):
        x: int
        y: int = default

    return Row


@envpickle.builder
def mapping(key: str) -> type:
    """A typed dict."""
    return typing.TypedDict("Mapping", {key: int})  # type: ignore[operator, no-any-return]


@envpickle.builder
def generic(name: str) -> type:
    """A generic class."""

    class Box(Generic[T]):
        label = name

        def get(self, default: T) -> T:
            return default

    return Box


@envpickle.builder
def error(code: int) -> type:
    """An exception with a constructor of its own."""

    class Trouble(OSError):
        def __init__(self, where: str, *, again: bool) -> None:
            super().__init__(code, where)
            self.again = again

    return Trouble


@envpickle.builder
def slotted(names: list[str]) -> type:
    """A class without a dict."""
    return type("Slotted", (), {"__slots__": tuple(names)})


@envpickle.builder
def derived(base: type) -> type:
    """A class that derives from another run-time class."""

    class Derived(base):  # type: ignore[misc]
        def more(self) -> str:
            return "more"

    return Derived


@envpickle.builder
def closable(name: str) -> type:
    """A class for an owner."""

    class Closable:
        def name(self) -> str:
            return name

        def _close(self) -> None: ...

    return Closable


@envpickle.builder
def deep(name: str) -> type:
    """Classes nested two deep."""

    class Outer:
        class Middle:
            class Inner:
                label = name

    return Outer


def _by_hand() -> type:
    return type("Closable", (), {"name": lambda self: "south", "_close": lambda self: None})


def _registered() -> type:
    try:
        return envpickle.register(_by_hand(), closable, "south")
    except envpickle.errors.RegistrationError:  # it lives, rebuilt from a file
        return closable("south")


def owned() -> type:
    """The class of an owner with a known key."""
    return building.call(closable, ("north",), {}, ownership.local(OWNER))


def _pydantic() -> Any:
    import pydantic

    field: Any = pydantic.Field(default=3, ge=1, description="how many")
    return pydantic.create_model("Order", item=(str, ...), count=(int, field), tags=(list[str], []))


def _boxed() -> Any:
    from harbour.made_pydantic import Box

    return Box[int]


def _attrs() -> Any:
    import attrs

    return attrs.make_class("Point", {"x": attrs.field(type=int), "y": attrs.field(type=int, default=2)}, frozen=True)


def _msgspec() -> Any:
    import msgspec

    return msgspec.defstruct("Order", [("item", str), ("count", int, 3)], tag="order")


def _deap() -> Any:
    from deap import base, creator

    if not hasattr(creator, "FitnessGolden"):
        creator.create("FitnessGolden", base.Fitness, weights=(1.0, -1.0))
    return creator.FitnessGolden


def _marshmallow() -> Any:
    from marshmallow import Schema, fields

    return Schema.from_dict({"name": fields.Str(required=True), "count": fields.Int(load_default=4)}, name="Person")


MADE: dict[str, Callable[[], Any]] = {
    "namedtuple": lambda: collections.namedtuple("Point", "x y", defaults=[2]),  # type: ignore[misc]
    "typing-namedtuple": lambda: typing.NamedTuple("Row", [("x", int), ("y", int | None)]),  # type: ignore[misc]
    "typing-typeddict": lambda: typing.TypedDict("Row", {"x": int, "a b": typing.NotRequired[str]}, total=False),  # type: ignore[misc]
    "make-dataclass": lambda: dataclasses.make_dataclass("Row", [("x", int), ("y", list[int] | None, None)], frozen=True),
    "enum": lambda: enum.Enum("Action", {"left": 1, "right": (1, "r"), "also_left": 1}),
    "flag": lambda: enum.IntFlag("Bits", {"a": 1, "b": 2}),
    "new-class": lambda: types.new_class("Made", (), {}, lambda body: body.update(limit=3, names=["a"])),
    "pydantic-create-model": _pydantic,
    "pydantic-generic": _boxed,
    "attrs-make-class": _attrs,
    "msgspec-defstruct": _msgspec,
    "deap-creator": _deap,
    "marshmallow-from-dict": _marshmallow,
}

THEIR_PART = ("pydantic", "attrs", "msgspec", "deap", "marshmallow")  # a newer version of these may give other arguments

BUILT: dict[str, Callable[[], Any]] = {
    "abstract": lambda: abstract("north"),
    "data": lambda: data(4),
    "choice": lambda: choice(["red", "green"]),
    "right": lambda: right(["read", "write"]),
    "record": lambda: record(["x", "y"]),
    "typed-record": lambda: typed_record(7),
    "mapping": lambda: mapping("a b"),
    "generic": lambda: generic("box"),
    "error": lambda: error(5),
    "slotted": lambda: slotted(["a", "b"]),
    "derived": lambda: derived(abstract("below")),
    "owned": owned,
    "deep": lambda: deep("inner"),
    "registered": _registered,
}

# how an instance of a class is made whose constructor cannot be passed by
ONES: dict[str, Callable[[Any], Any]] = {
    "choice": lambda cls: cls.green,
    "right": lambda cls: cls.read | cls.write,
    "record": lambda cls: cls(1, 2),
    "typed-record": lambda cls: cls(1),
    "mapping": lambda cls: None,
    "error": lambda cls: cls("pier", again=True),
    "namedtuple": lambda cls: cls(1),
    "typing-namedtuple": lambda cls: cls(1, None),
    "typing-typeddict": lambda cls: None,
    "make-dataclass": lambda cls: cls(1),
    "enum": lambda cls: cls.right,
    "flag": lambda cls: cls.a | cls.b,
    "pydantic-create-model": lambda cls: cls(item="tea"),
    "pydantic-generic": lambda cls: cls(value=1),
    "attrs-make-class": lambda cls: cls(1),
    "msgspec-defstruct": lambda cls: cls("tea"),
    "marshmallow-from-dict": lambda cls: None,
}
