"""Importable metaclasses with ideas of their own, builders that use them, and builders that make one as they run."""

import abc
import collections
import weakref
from typing import Any

import envpickle

RECORDED: list[str] = []
LIVING: "weakref.WeakSet[Any]" = weakref.WeakSet()


class Equal(type):
    """All its classes are equal, and so have no hash."""

    def __eq__(cls, other: object) -> bool:
        return True


class NeverEqual(type):
    """Not even a class is equal to itself."""

    def __eq__(cls, other: object) -> bool:
        return False

    __hash__ = type.__hash__


class Unhashable(type):
    """Says so with an error of its own."""

    def __hash__(cls) -> int:
        raise RuntimeError("no hash")


class Locked(type):
    """Lets nobody set or delete attributes."""

    def __setattr__(cls, name: str, value: Any) -> None:
        raise TypeError("locked")

    def __delattr__(cls, name: str) -> None:
        raise TypeError("locked")


class Recording(type):
    """Notes what is set through it."""

    def __setattr__(cls, name: str, value: Any) -> None:
        RECORDED.append(name)
        super().__setattr__(name, value)


class Calling(type):
    """Calling a class does not make an instance."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return "called", args, kwargs


class Singleton(type):
    """One instance for each class."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_only" not in cls.__dict__:
            cls._only = super().__call__(*args, **kwargs)
        return cls._only


class Preparing(type):
    """Takes keywords and prepares its own namespace."""

    @classmethod
    def __prepare__(mcs, name: str, bases: Any, *, flag: int = 0, **rest: Any) -> Any:  # type: ignore[override]
        return collections.OrderedDict(prepared=flag)

    def __new__(mcs, name: str, bases: Any, namespace: Any, *, flag: int = 0) -> Any:
        made = super().__new__(mcs, name, bases, dict(namespace))
        made.flag = flag
        return made

    def __init__(cls, name: str, bases: Any, namespace: Any, *, flag: int = 0) -> None:
        super().__init__(name, bases, namespace)


class Silent(type):
    """Its classes show nothing, are false, empty, and cannot be shown."""

    def __dir__(cls) -> list[str]:
        return []

    def __len__(cls) -> int:
        return 0

    def __bool__(cls) -> bool:
        raise RuntimeError("neither true nor false")

    def __iter__(cls) -> Any:
        return iter([1])

    def __repr__(cls) -> str:
        raise RuntimeError("no repr")

    def __instancecheck__(cls, one: Any) -> bool:
        raise RuntimeError("no instances")

    def __subclasscheck__(cls, other: Any) -> bool:
        raise RuntimeError("no subclasses")


class OwnOrder(type):
    """Has its own method resolution order."""

    def mro(cls) -> list[type]:
        return [cls, object]


class Answering(type):
    """Has an answer for every name."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            return 5
        raise AttributeError(name)


class Guarding(type):
    """Lets nobody read what is not its own."""

    def __getattribute__(cls, name: str) -> Any:
        if name.startswith("__envpickle"):
            raise RuntimeError("not yours")
        return super().__getattribute__(name)


class Abstract(abc.ABCMeta):
    """Derives from the metaclass of abstract classes."""


METAS = {kind.__name__: kind for kind in (
    Equal, NeverEqual, Unhashable, Locked, Recording, Calling, Singleton, Preparing, Silent, OwnOrder, Answering, Guarding,
    Abstract,
)}  # fmt: skip


@envpickle.builder
def of(meta: str, number: int = 0) -> type:
    """A class of that metaclass."""
    keywords = {"flag": 7} if meta == "Preparing" else {}

    class Built(metaclass=METAS[meta], **keywords):  # type: ignore[misc,call-arg]
        value = 1
        __envpickle_state__ = ("_only",)

        def go(self) -> int:
            return number

    return Built


@envpickle.builder
def around(meta: str) -> type:
    """A class with a nested one of that metaclass."""
    keywords = {"flag": 7} if meta == "Preparing" else {}

    class Around:
        class Built(metaclass=METAS[meta], **keywords):  # type: ignore[misc,call-arg]
            value = 1

    return Around


def _registering(base: Any) -> Any:
    class Registering(base):  # type: ignore[misc]
        registry: list[Any] = []

        def __init__(cls, *args: Any) -> None:
            super().__init__(*args)
            Registering.registry.append(cls)

    return Registering


def _empty(base: Any) -> Any:
    class Empty(base): ...  # type: ignore[misc]

    return Empty


def _called(base: Any) -> Any:
    return type("Called", (base,), {"__qualname__": "made.<locals>.Called"})


MAKERS = {"registering": _registering, "empty": _empty, "called": _called}
BASES = {"type": type, "ABCMeta": abc.ABCMeta, "RuntimeType": envpickle.RuntimeType, "importable": Preparing}


@envpickle.builder
def of_its_own(maker: str, base: str, number: int) -> type:
    """A class of a metaclass made in this very call."""
    meta = MAKERS[maker](BASES[base])
    made: Any = meta("Made", (), {"go": lambda self: number})
    LIVING.add(made)
    LIVING.add(meta)
    return made  # type: ignore[no-any-return]


@envpickle.builder
def around_its_own(number: int, registering: bool) -> type:
    """A class with a nested one of a metaclass made in this very call."""

    class Meta(type):
        registry: list[Any] = []

        def __init__(cls, *args: Any) -> None:
            super().__init__(*args)
            if registering:
                Meta.registry.append(cls)

    class Around:
        class Inside(metaclass=Meta):
            value = number

    LIVING.add(Meta)
    LIVING.add(Around.Inside)
    return Around
