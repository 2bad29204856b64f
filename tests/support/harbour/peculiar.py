"""Instances that Python itself would bring back changed, or not at all: each base pickles in a way of its own.

`made(kind)` builds the class of a kind, `KINDS[kind]` makes an instance of it; what the instance must say is `shown`.
"""

import collections
import datetime
import decimal
import fractions
import functools
import pathlib
import random
from typing import Any

import envpickle


class Announced:
    """An importable base whose reducer calls the class with what its own constructor took."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> Any:
        return type(self), (self.text,)


class Counted(Announced):
    """One that hands its state on as well."""

    def __reduce__(self) -> Any:
        return type(self), (self.text,), self.__dict__


class Serializable:
    """An importable base that pickles the arguments it was told of, as some libraries' do."""

    def __init__(self, *args: Any) -> None:
        self.told = args

    def __getstate__(self) -> dict[str, Any]:
        return {"args": self.told}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(type(self)(*state["args"]).__dict__)


class Partly:
    """One whose state leaves out what belongs to the process."""

    def __init__(self) -> None:
        self.client, self.size = object(), 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "client"}


class Slotted:
    """One whose state is a tuple of its slots."""

    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 1

    def __getstate__(self) -> tuple[int]:
        return (self.a,)

    def __setstate__(self, state: tuple[int]) -> None:
        (self.a,) = state


class Pair:
    """An importable base that says what `__new__` is to be given."""

    def __new__(cls, a: int, b: int) -> Any:
        made = super().__new__(cls)
        made.a, made.b = a, b  # type: ignore[attr-defined]
        return made

    def __getnewargs__(self) -> tuple[int, int]:
        return self.a, self.b  # type: ignore[attr-defined]


class Picking:
    """An importable base that takes what it knows out of a state which Python made."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.size = state["size"]


class Restoring(Picking):
    """One that takes whatever comes."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _labelled(base: Any) -> dict[str, Any]:
    def __init__(self: Any, *args: Any, label: str = "none", **more: Any) -> None:
        if base.__init__ is not object.__init__:
            base.__init__(self, *args, **more)
        self.label = label

    def __new__(cls: Any, *args: Any, label: str = "none", **more: Any) -> Any:
        return base.__new__(cls, *args, **more)

    return {"__init__": __init__, "__new__": __new__}


def _needing(base: Any) -> dict[str, Any]:
    """A constructor that the base's reducer does not know."""

    def __init__(self: Any, label: str, *args: Any) -> None:
        base.__init__(self, *args)
        self.label = label

    return {"__init__": __init__}


def _doubling(base: Any) -> dict[str, Any]:
    def __new__(cls: Any, value: Any) -> Any:
        return base.__new__(cls, value + value)

    return {"__new__": __new__}


def _swapped(base: Any) -> dict[str, Any]:
    def __new__(cls: Any, b: int, a: int) -> Any:
        return base.__new__(cls, a, b)

    return {"__new__": __new__}


def _telling(told: bool) -> Any:
    def body(base: Any) -> dict[str, Any]:
        def __init__(self: Any, n: int = 1) -> None:
            base.__init__(self, *([n] if told else []))
            self.n = n

        return {"__init__": __init__}

    return body


def _setting(base: Any) -> dict[str, Any]:
    def widen(self: Any) -> None:
        self.width = 2

    return {"widen": widen}


def _missing(base: Any) -> dict[str, Any]:
    def __init__(self: Any, name: str) -> None:
        base.__init__(self, f"no {name}", name=name)
        self.extra = self.name

    return {"__init__": __init__}


def _passing(base: Any) -> dict[str, Any]:
    def __init__(self: Any, *args: Any, **more: Any) -> None:
        base.__init__(self, *args, **more)
        self.size = len(self.text)

    return {"__init__": __init__}


def _row(fields: Any) -> Any:
    return collections.namedtuple("row", fields)  # type: ignore[misc]


def _one_field(base: Any) -> dict[str, Any]:
    def __new__(cls: Any, x: int) -> Any:
        return base.__new__(cls, x, x + 1)

    return {"__new__": __new__, "__slots__": ()}


def _slotted_error(base: Any) -> dict[str, Any]:
    def __init__(self: Any, code: int) -> None:
        base.__init__(self, f"code {code}")
        self.code = code

    return {"__init__": __init__, "__slots__": ("code",)}


BASES: dict[str, tuple[Any, Any]] = {
    "deque": (collections.deque, _labelled),
    "deque of another constructor": (collections.deque, _needing),
    "ordered dict": (collections.OrderedDict, _labelled),
    "ordered dict of another constructor": (collections.OrderedDict, _needing),
    "default dict": (collections.defaultdict, _labelled),
    "counter": (collections.Counter, _labelled),
    "decimal": (decimal.Decimal, _labelled),
    "fraction": (fractions.Fraction, _labelled),
    "date": (datetime.date, _labelled),
    "datetime": (datetime.datetime, _labelled),
    "random": (random.Random, _labelled),
    "path": (pathlib.PurePosixPath, lambda base: {}),
    "int": (int, _labelled),
    "doubling int": (int, _doubling),
    "doubling text": (str, _doubling),
    "doubling tuple": (tuple, _doubling),
    "doubling bytes": (bytes, _doubling),
    "doubling float": (float, _doubling),
    "named tuple of one": (_row(["x", "y"]), _one_field),
    "swapped pair": (Pair, _swapped),
    "pair": (Pair, lambda base: {}),
    "announced": (Announced, lambda base: {}),
    "announced with an attribute": (Announced, lambda base: {"mark": lambda self: setattr(self, "marked", True)}),
    "announced, passing on": (Announced, _passing),
    "announced of another constructor": (Announced, _needing),
    "counted": (Counted, lambda base: {"mark": lambda self: setattr(self, "marked", True)}),
    "serializable": (Serializable, _telling(True)),
    "serializable that tells nothing": (Serializable, _telling(False)),
    "slotted": (Slotted, lambda base: {"__slots__": ()}),
    "slotted that adds a slot": (Slotted, lambda base: {"__slots__": ("b",)}),
    "partly": (Partly, lambda base: {"mark": lambda self: setattr(self, "marked", True)}),
    "picking": (Picking, lambda base: {}),
    "picking, with more to pick": (Picking, _setting),
    "restoring": (Restoring, _setting),
    "partial": (functools.partial, lambda base: {}),
    "missing attribute": (AttributeError, _missing),
    "missing name": (NameError, _missing),
    "slotted error": (RuntimeError, _slotted_error),
    "slotted system error": (OSError, lambda base: {"__slots__": ("extra",)}),
}


@envpickle.builder
def made(kind: str) -> type:
    base, body = BASES[kind]
    return envpickle.RuntimeType("Made", (base,), body(base))


def _marked(one: Any) -> Any:
    one.mark()
    return one


def _with(one: Any, **attributes: Any) -> Any:
    for name, value in attributes.items():
        setattr(one, name, value)
    return one


KINDS: dict[str, Any] = {
    "deque": lambda cls: cls([1, 2], label="x"),
    "deque of another constructor": lambda cls: cls("x", [1, 2]),
    "ordered dict": lambda cls: cls({"a": 1}, label="x"),
    "ordered dict of another constructor": lambda cls: cls("x", {"a": 1}),
    "default dict": lambda cls: cls(list, {"a": [1]}, label="x"),
    "counter": lambda cls: _with(cls("aab"), label="x"),
    "decimal": lambda cls: cls("1.5", label="x"),
    "fraction": lambda cls: cls(1, 3, label="x"),
    "date": lambda cls: cls(2026, 1, 2, label="x"),
    "datetime": lambda cls: cls(2026, 1, 2, 3, label="x"),
    "random": lambda cls: cls(4, label="x"),
    "path": lambda cls: cls("a/b"),
    "int": lambda cls: cls(5, label="x"),
    "doubling int": lambda cls: cls(5),
    "doubling text": lambda cls: cls("ab"),
    "doubling tuple": lambda cls: cls((1, 2)),
    "doubling bytes": lambda cls: cls(b"ab"),
    "doubling float": lambda cls: cls(1.5),
    "named tuple of one": lambda cls: cls(3),
    "swapped pair": lambda cls: cls(1, 2),
    "pair": lambda cls: cls(1, 2),
    "announced": lambda cls: cls("text"),
    "announced with an attribute": lambda cls: _marked(cls("text")),
    "announced, passing on": lambda cls: cls("text"),
    "announced of another constructor": lambda cls: cls("x", "text"),
    "counted": lambda cls: _marked(cls("text")),
    "serializable": lambda cls: cls(7),
    "serializable that tells nothing": lambda cls: cls(7),
    "slotted": lambda cls: cls(),
    "slotted that adds a slot": lambda cls: _with(cls(), b=2),
    "partly": lambda cls: _marked(cls()),
    "picking": lambda cls: _with(cls(), size=3),
    "picking, with more to pick": lambda cls: _with(cls(), size=3, width=4),
    "restoring": lambda cls: _with(cls(), size=3, width=4),
    "partial": lambda cls: _with(cls(int, "3"), label="x"),
    "missing attribute": lambda cls: cls("berth"),
    "missing name": lambda cls: cls("berth"),
    "slotted error": lambda cls: cls(7),
    "slotted system error": lambda cls: _with(cls(2, "gone"), extra=5),
}


def shown(one: Any) -> Any:
    """All that an instance says about itself: its class, its value, its attributes, in slots and in its dict."""
    said: Any = None
    if isinstance(one, random.Random):
        said = one.getstate()
    elif isinstance(one, BaseException):
        said = one.args, getattr(one, "name", None), one.code if isinstance(one, RuntimeError) else one.extra  # type: ignore[attr-defined]
    elif type(one).__repr__ is not object.__repr__:
        said = repr(one)
    return type(one).__qualname__, said, dict(getattr(one, "__dict__", {}))
