"""Objects that tests have explained: some that cross in odd ways, and one of each kind that does not."""

import collections
import contextlib
import enum
import functools
import queue
import socket
import sqlite3
import tempfile
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import envpickle

from . import docks


class Crate:
    """An instance with a dict."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def method(self) -> None: ...


class Slotted:
    __slots__ = ("__dict__", "first", "second")

    def __init__(self) -> None:
        self.first, self.second, self.third = 1, [2], 3


class Items(list[Any]):
    """A list with items and state."""


class Table(collections.OrderedDict[Any, Any]):
    """A dict with items."""


class Colour(enum.Enum):
    RED = "red"


class Reduced:
    """Answers what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __reduce__(self) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Keyword:
    """Takes keyword arguments in __new__."""

    def __new__(cls, *, size: int) -> "Keyword":
        return super().__new__(cls)

    def __getnewargs_ex__(self) -> Any:
        return (), {"size": 3}


def set_state(crate: Any, state: Any) -> None:
    crate.__dict__.update(state)


class Tensor:
    """Stands for a tensor on a device that another process does not have."""

    device = "cuda:0"

    def __reduce__(self) -> Any:
        raise RuntimeError("cannot share memory of device cuda:0")


def cyclic() -> Crate:
    crate = Crate(size=1)
    crate.me = crate
    crate.inside = [crate, {"again": crate}]
    return crate


def deep(make: Callable[[Any], Any], levels: int) -> Any:
    made = make(None)
    for _ in range(levels):
        made = make(made)
    return made


def local_function() -> Callable[[], int]:
    number = 3

    def inside() -> int:
        return number

    return inside


def local_class() -> type:
    number = 3

    class Inside:
        """Made in a function."""

        def closed_over(self) -> int:
            return number

    return Inside


def derived() -> type:
    class Tug(docks.dock(["lift"])):  # type: ignore[misc]
        """A subclass of a built class."""

        speed = 3

    return Tug


def patched() -> type:
    cls: Any = docks.dock(["patched"])
    cls.extra = lambda self: 1
    return cls


def plainly_replaced() -> None: ...


replaced = plainly_replaced


def plainly_replaced() -> None: ...  # type: ignore[no-redef]


@contextlib.contextmanager
def refused() -> Iterator[dict[str, Any]]:
    """One object of each kind that plain pickle refuses, open while it is looked at."""
    with contextlib.ExitStack() as stack:
        held = Crate()
        stack.callback(lambda: held)
        yield {
            "lock": threading.Lock(),
            "event": threading.Event(),
            "queue": queue.Queue(),
            "socket": stack.enter_context(socket.socket()),
            "file": stack.enter_context(tempfile.TemporaryFile()),
            "database": stack.enter_context(contextlib.closing(sqlite3.connect(":memory:"))),
            "lambda": lambda: 1,
            "local function": local_function(),
            "replaced function": replaced,
            "local class": local_class(),
            "subclass": derived(),
            "patched class": patched(),
            "method of a built class": docks.dock(["lift"]).describe,  # type: ignore[attr-defined]
            "weak reference": weakref.ref(held),
            "generator": (number for number in (1, 2)),
            "tensor": Tensor(),
            "module": types,
            "mapping proxy": types.MappingProxyType({}),
            "memory view": memoryview(b"abc"),
            "cached function": functools.lru_cache(local_function()),
        }


CROSSING: dict[str, Any] = {
    "instance": Crate(a=1, b=[1, 2, {"c": (1, 2, 3)}]),
    "slots": Slotted(),
    "empty list subclass": Items(),
    "list subclass, 1": Items([1]),
    "list subclass, 1001": Items(range(1001)),
    "dict subclass": Table(a=1, b=2),
    "dict subclass, 1": Table(a=1),
    "enum member": Colour.RED,
    "keyword": Keyword(size=3),
    "named by its reducer": Reduced("CROSSING_NAME"),
    "six items": Reduced((Crate, (), {"a": 1}, None, None, set_state)),
    "items and state": Reduced((Table, (), {"x": 1}, None, iter([("a", [1]), ("b", [2])]))),
    "bound method": Crate(a=1).method,
    "built class": docks.dock(["lift", "lower"] * 30),
    "built instance": docks.dock(["lift", "lower"] * 30)(),
    "shared parts": [docks.dock(["lift", "lower"] * 30, server) for server in ("sea", "lake")],
    "builder": docks.dock,
    "cycle": cyclic(),
    "partial": functools.partial(docks.make_method, "lift", server="sea"),
}
CROSSING_NAME = CROSSING["named by its reducer"]
deep_list = deep(lambda inner: [inner], 100_000)


@envpickle.builder
def reward(weight: float) -> type:
    """A class that test scripts build."""

    class Reward:
        def points(self) -> float:
            return weight

    return Reward


class Loud:
    """Notes every special method that is called of it or of its class."""

    log: list[str] = []

    def __init__(self) -> None:
        self.value = 1


def _loud(name: str) -> Any:
    original = getattr(object, name, None)

    def method(self: Any, *args: Any) -> Any:
        Loud.log.append(name if name != "__getattribute__" else f"{name} {args[0]}")
        if original is None:
            raise AttributeError(name)
        return original(self, *args)

    return method


for _name in ("__repr__", "__str__", "__eq__", "__hash__", "__getattribute__", "__dir__", "__format__", "__reduce_ex__"):
    setattr(Loud, _name, _loud(_name))
for _name in ("__len__", "__bool__", "__iter__", "__getattr__", "__contains__", "__call__", "__fspath__", "__index__"):
    setattr(Loud, _name, _loud(_name))


class LoudMeta(type):
    """The same for a class."""

    def __getattribute__(cls, name: str) -> Any:
        if name != "__class__":
            Loud.log.append(f"class {name}")
        return super().__getattribute__(name)

    def __repr__(cls) -> str:
        Loud.log.append("class repr")
        return "?"

    def __hash__(cls) -> int:
        Loud.log.append("class hash")
        return 1

    def __eq__(cls, other: object) -> bool:
        Loud.log.append("class eq")
        return cls is other

    def __instancecheck__(cls, instance: Any) -> bool:
        Loud.log.append("class instancecheck")
        return False


class LoudInstance(metaclass=LoudMeta):
    """Its class notes what is asked of it."""


class Refusing(Loud):
    """Refuses, with an error that cannot be shown."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        Loud.log.append("__reduce_ex__")
        raise Unspeakable


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")
