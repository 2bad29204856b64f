"""Classes that look like a maker's, each with what no call of the maker could give it."""

import collections
import dataclasses
import enum
import functools
import threading
import typing
from collections.abc import Callable
from typing import Any

from harbour import made_standard, tripped


class Registering:
    """A base that notes its subclasses."""

    known: typing.ClassVar[list[str]] = []

    def __init_subclass__(cls) -> None:
        Registering.known.append(cls.__name__)


class Meta(type):
    """A metaclass of somebody's own."""


class Incomparable(type):
    """A metaclass whose classes cannot be compared or hashed."""

    def __eq__(cls, other: object) -> bool:
        raise AssertionError("user code was run")

    __hash__ = None  # type: ignore[assignment]


class Peculiar(metaclass=Incomparable):
    """A class of it."""


class Commanded(metaclass=Meta):
    """A base that has it."""


class Numbered(enum.Enum):
    """An enumeration that makes its members itself."""

    def __new__(cls, value: Any) -> Any:
        member = object.__new__(cls)
        member._value_ = len(cls.__members__) + 1
        return member


set = frozenset


def _with(cls: Any, **attributes: Any) -> Any:
    for name, value in attributes.items():
        setattr(cls, name, value)
    return cls


def _stated_with_method() -> Any:
    class Row(typing.NamedTuple):
        x: int

        def twice(self) -> int:
            return self.x * 2

    return Row


def _old_defaults() -> Any:
    point: Any = collections.namedtuple("point", "x y")  # type: ignore[misc]
    point.__new__.__defaults__ = (None, None)
    return point


def _enum_with_method() -> Any:
    class Word(enum.Enum):
        yes = 1

        def loud(self) -> str:
            return self.name.upper()

    return Word


def _shared() -> Any:
    both = [1]
    return type("Env", (), {"first": both, "second": both})


def _row(*fields: Any, **options: Any) -> Any:
    return dataclasses.make_dataclass("Row", fields, **options)


def _field(**options: Any) -> Any:
    return ("x", int, dataclasses.field(**options))


_point: Any = collections.namedtuple
_dict: Any = typing.TypedDict
_tuple: Any = typing.NamedTuple

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a field beyond ASCII": (lambda: _point("p", ["gr\u00f6\u00dfe"]), "ASCII identifier"),
    "a default without a name": (lambda: _point("p", "x", defaults=[lambda: 1]), r"namedtuple\(defaults=\[0\]\)"),
    "defaults put on afterwards": (_old_defaults, "__new__"),
    "a method put on afterwards": (lambda: _with(_point("p", "x"), twice=lambda self: 2), "twice"),
    "a statement with a method": (_stated_with_method, "twice"),
    "a type as text of a module": (lambda: _tuple("p", [("x", "Registering")]), "Registering.*text"),
    "a type as text of its own name": (lambda: _tuple("Node", [("next", "Node | None")]), "Node.*text"),
    "a type as text that means another": (lambda: _tuple("p", [("x", "set")]), "'set' is a text"),
    "a type as text with a call": (lambda: _row(("x", "print(1)")), "names, subscripts and constants"),
    "a typed dict with text": (lambda: _dict("d", {"x": "int"}), "text"),
    "a factory without a name": (lambda: _row(_field(default_factory=lambda: 1)), "default_factory"),
    "a factory of the standard library": (lambda: _row(_field(default_factory=threading.Lock)), "kept to be called"),
    "a method without a name": (lambda: _row("x", namespace={"go": lambda self: 1}), r"namespace=\[\"go\"\]"),
    "a property": (lambda: _row("x", namespace={"go": property(made_standard.total)}), "'go'.*property"),
    "metadata with a lock": (lambda: _row(_field(metadata={"lock": threading.Lock()})), "lock"),
    "a dataclass changed afterwards": (lambda: _with(_row("x"), __repr__=lambda self: "!"), "__repr__"),
    "an enumeration with a method": (_enum_with_method, "loud"),
    "an enumeration that makes its members": (lambda: Numbered("N", "a b"), "_new_member_ of its own"),
    "a lambda in a body": (lambda: type("Env", (), {"go": lambda self: 1}), r"body=\[\"go\"\]"),
    "an object in a body": (lambda: type("Env", (), {"go": object()}), r"body=\[\"go\"\]"),
    "a value of a peculiar class": (lambda: type("Env", (), {"held": Peculiar()}), r"body=\[\"held\"\]"),
    "a lock in a body": (lambda: type("Env", (), {"lock": threading.Lock()}), "lock"),
    "a partial in a body": (lambda: type("Env", (), {"go": functools.partial(tripped.trip, 1)}), "'go'.*partial"),
    "a constructor in a body": (lambda: type("Env", (), {"__new__": tripped.trip}), "__new__"),
    "one list twice in a body": (_shared, "second"),
    "a base that notes its subclasses": (lambda: type("Env", (Registering,), {}), "__init_subclass__"),
    "a base with a metaclass": (lambda: Meta("Env", (Commanded,), {}), "no maker recognises it"),
}
