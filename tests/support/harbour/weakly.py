"""Classes that something knows weakly, or that give their slots as an iterator, when their builder hands them on."""

import abc
import collections.abc
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import envpickle


class Shape(abc.ABC):  # noqa: B024 - only its registry counts
    """What classes are registered with."""


class Hooked(abc.ABC):  # noqa: B024 - only its hook counts
    """Takes everything with an `area` for a subclass."""

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        return True if any("area" in base.__dict__ for base in other.__mro__) else NotImplemented


SET: "weakref.WeakSet[type]" = weakref.WeakSet()
BY_KEY: "weakref.WeakKeyDictionary[type, str]" = weakref.WeakKeyDictionary()
BY_VALUE: "weakref.WeakValueDictionary[str, type]" = weakref.WeakValueDictionary()
KEPT: list[Any] = []
ENDED: list[str] = []


@functools.singledispatch
def area_of(value: Any) -> str:
    """Known for classes one by one."""
    return "unknown"


def _finalized(cls: type) -> None:
    KEPT.append(weakref.finalize(cls, ENDED.append, "ended"))
    KEPT[-1].atexit = False


WAYS: dict[str, Callable[[Any], Any]] = {
    "registered with an ABC": Shape.register,
    "registered with collections.abc": collections.abc.Sized.register,
    "weak set": lambda cls: SET.add(cls),
    "weak key": lambda cls: BY_KEY.__setitem__(cls, "known"),
    "weak value": lambda cls: BY_VALUE.__setitem__("known", cls),
    "weak reference": lambda cls: KEPT.append(weakref.ref(cls)),
    "proxy": lambda cls: KEPT.append(weakref.proxy(cls)),
    "finalizer": _finalized,
    "single dispatch": lambda cls: area_of.register(cls, lambda value: "known"),
}

MOVED = [way for way in WAYS if way.startswith("registered")]  # an abstract class can be told of the new one
SEEN = [way for way in WAYS if way not in (*MOVED, "weak reference")]  # a bare reference is one Python shares with its own

KNOWN: dict[str, Callable[[Any], bool]] = {
    "registered with an ABC": lambda cls: issubclass(cls, Shape) and isinstance(cls(), Shape),
    "registered with collections.abc": lambda cls: issubclass(cls, collections.abc.Sized),
    "weak set": lambda cls: cls in SET,
    "weak key": lambda cls: BY_KEY.get(cls) == "known",
    "weak value": lambda cls: BY_VALUE.get("known") is cls,
    "weak reference": lambda cls: any(type(kept) is weakref.ref and kept() is cls for kept in KEPT),
    "proxy": lambda cls: any(type(kept) is weakref.CallableProxyType and kept.__name__ == cls.__name__ for kept in KEPT),
    "finalizer": lambda cls: any(getattr(kept, "alive", False) and kept.peek()[0] is cls for kept in KEPT),
    "single dispatch": lambda cls: area_of(cls()) == "known",
}


@envpickle.builder
def known(way: str, plain: bool, times: int = 1) -> type:
    """Makes itself known in that way; a plain class, or one with the metaclass."""

    class Kept:
        area = 1

    class Remedied(metaclass=envpickle.RuntimeType):
        area = 1

    cls = Kept if plain else Remedied
    for _ in range(times):
        WAYS[way](cls)
    return cls


@envpickle.builder
def asked(times: int) -> type:
    """Only asks about itself, which leaves weak entries in the caches of abstract classes."""

    class Asked:
        area = 1

    for _ in range(times):
        assert issubclass(Asked, Hooked)
        assert not isinstance(Asked(), Shape)
    return Asked


def _generated() -> Iterator[str]:
    yield from ("a", "b")


SLOTS: dict[str, Callable[[], Any]] = {
    "list iterator": lambda: iter(["a", "b"]),
    "generator": _generated,
    "map": lambda: map(str, "ab"),
    "reversed": lambda: reversed(["b", "a"]),
    "dict keys' iterator": lambda: iter({"a": 1, "b": 2}),
    "with a dict": lambda: iter(["a", "b", "__dict__"]),
    "with weak references": lambda: iter(["a", "b", "__weakref__"]),
    "dict": lambda: {"a": "the first", "b": "the second"},
    "dict keys": lambda: {"a": 1, "b": 2}.keys(),
    "tuple": lambda: ("a", "b"),
}


@envpickle.builder
def slotted_by(kind: str, nested: bool = False) -> type:
    """Its slots come from that."""

    class Slotted:
        __slots__ = SLOTS[kind]()

        def __init__(self, a: int = 1, b: int = 2) -> None:
            self.a, self.b = a, b

    if not nested:
        return Slotted
    box = [Slotted]
    del Slotted
    return type("Around", (), {"Slotted": box.pop()})


@envpickle.builder
def private_slots() -> type:
    """Slots with private names, and one that is a single text."""

    class Base:
        __slots__ = "one"

    class Private(Base):
        __slots__ = iter(["__hidden", "shown"])

        def __init__(self) -> None:
            self.__hidden, self.shown, self.one = 1, 2, 3

        def hidden(self) -> int:
            return self.__hidden

    return Private
