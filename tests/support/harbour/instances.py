"""Classes whose instances pickle in their own ways, over bases that know nothing of envpickle."""

import dataclasses
import enum
import ipaddress
import json
from collections import namedtuple
from typing import Any

import envpickle
from harbour import outside


def remade(cls: Any, attributes: dict[str, Any]) -> Any:
    """What `HandedOn` is made again by."""
    one = cls.__new__(cls)
    one.__dict__.update(attributes)
    return one


class HandedOn:
    """An importable base that hands its attributes on among the arguments, and has a state of its own, as tensors do."""

    def __reduce__(self) -> Any:
        return remade, (type(self), self.__dict__)

    def __setstate__(self, state: Any) -> None:
        raise AssertionError("there is no state")


STANDARD = {
    "handed on": HandedOn,
    "address": ipaddress.IPv4Address,
    "network": ipaddress.IPv6Network,
    "decode error": json.JSONDecodeError,
}
REDUCING = {"document": outside.Document, "ledger": outside.Ledger}


@envpickle.builder
def reducing(base: str) -> type:
    """Derives from a base whose inherited reducer names the base alone."""
    return type("Reducing", (REDUCING[base],), {"score": lambda self: 7})


@envpickle.builder
def over(base: str) -> type:
    """Derives from a class of the standard library whose reducer is older than its constructor, or that is an error."""
    return type("Over", (STANDARD[base],), {"score": lambda self: 7})


@envpickle.builder
def fair(label: str) -> type:
    """Derives from a base whose reducer speaks of `type(self)`."""
    return type("Fairly", (outside.Fair,), {"label": label})


@envpickle.builder
def error(name: str, fields: list[str]) -> type:
    """An exception whose constructor takes other arguments than it passes on."""

    def __init__(self: Any, *values: Any) -> None:
        if len(values) != len(fields):
            raise TypeError(f"{name} takes {len(fields)} arguments")
        Exception.__init__(self, ": ".join(map(str, values)))
        self.__dict__.update(zip(fields, values, strict=True))

    return type(name, (Exception,), {"__init__": __init__})


@envpickle.builder
def plain_error(name: str) -> type:
    """An exception with the constructor all exceptions have."""
    return type(name, (LookupError,), {})


@envpickle.builder
def slotted(fields: list[str]) -> type:
    """Instances without a `__dict__`."""
    return type("Slotted", (), {"__slots__": tuple(fields)})


@envpickle.builder
def stated(name: str) -> type:
    """Has its own `__getstate__` and `__setstate__`."""

    class Stated:
        def __init__(self) -> None:
            self.value, self.lock = name, object()

        def __getstate__(self) -> Any:
            return {"value": self.value}

        def __setstate__(self, state: Any) -> None:
            self.value, self.lock = state["value"], None

    return Stated


@envpickle.builder
def containers(kind: str) -> type:
    """Derives from a container of Python's."""
    return type("Contains", ({"list": list, "dict": dict, "set": set, "str": str, "int": int, "tuple": tuple}[kind],), {})


@envpickle.builder
def row(fields: list[str]) -> type:
    """A named tuple with a method-bearing subclass on top."""
    base = namedtuple("row_t", fields, defaults=(0,))  # type: ignore[misc]

    class Row(base):  # type: ignore[misc, valid-type]
        __slots__ = ()

        def total(self) -> int:
            return sum(self)

    return Row


@envpickle.builder
def record(fields: list[str], frozen: bool) -> type:
    """A frozen, slotted dataclass."""
    kinds = [(f, int, 0) for f in fields]
    return dataclasses.make_dataclass("Record", kinds, frozen=frozen, slots=True)


@envpickle.builder
def actions(values: list[str]) -> type:
    """An enumeration from a list."""
    return enum.Enum("Action", values)  # type: ignore[return-value]


@envpickle.builder
def flags(values: list[str]) -> type:
    """A Flag, whose table of values grows in use."""
    return enum.Flag("Mark", values)  # type: ignore[return-value]


@envpickle.builder
def reach(default: float, forward: bool) -> type:
    """An EzPickle environment that does, or does not, hand its arguments on."""
    from gymnasium.utils import EzPickle

    class Reach(EzPickle):
        def __init__(self, distance: float = default) -> None:
            EzPickle.__init__(self, *([distance] if forward else []))
            self.distance = distance

    return Reach


@envpickle.builder
def own_reduce(name: str) -> type:
    """Writes its own `__reduce__`, which speaks of `type(self)`."""

    class Own:
        def __init__(self, load: int) -> None:
            self.load = load

        def __reduce__(self) -> Any:
            return type(self), (self.load,)

    return Own


@envpickle.builder
def linked(name: str) -> type:
    """Instances that refer to each other in a circle."""

    class Node:
        def __init__(self) -> None:
            self.other: Any = self

    return Node


class Collected:
    """Its reducer hands on the fields of whatever dataclass derives from it, or those it knows of."""

    known: tuple[str, ...] = ()

    def __init__(self) -> None:
        """Take nothing: a dataclass that derives from it takes its fields."""

    def __reduce__(self) -> Any:
        names = self.known or [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(self), tuple([getattr(self, name) for name in names])


@envpickle.builder
def collected(fields: list[str], known: list[str], by_name: bool = False) -> type:
    """A dataclass that derives from it."""
    kinds = [(f, int, 0) for f in fields]
    return dataclasses.make_dataclass("Sum", kinds, bases=(Collected,), namespace={"known": (*known,)}, kw_only=by_name)
