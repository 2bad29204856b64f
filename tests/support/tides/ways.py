"""What is sent in the state machine, and how the receiver tells that it is right: at home and in a child alike."""

import contextlib
import functools
import gc
import importlib
import weakref
from collections.abc import Callable
from typing import Any

from voyage import picklers

import envpickle
from envpickle import errors
from tides import shipyard

PLAIN_KINDS = ("plain", "nested", "abstract", "data", "slotted", "error", "choice", "record", "holding", "moody")
CLOSABLE = ("plain", "nested", "data", "slotted")
STRICT = "strict"
BY_VALUE = ("cloudpickle", "dill")  # these send by value what no name finds
TOOLS = (*picklers.PLAIN_TOOLS, *BY_VALUE, STRICT)


def dumps(tool: str, obj: Any) -> bytes:
    """Pickle with a tool of `voyage.picklers`, or with cloudpickle's strict backend."""
    if tool == STRICT:
        return bytes(importlib.import_module("envpickle.backends.cloudpickle_backend").dumps(obj))
    return picklers.dumps(tool, obj)


def loads(tool: str, payload: bytes) -> Any:
    """Load what `dumps` made."""
    return picklers.loads("pickle" if tool == STRICT else tool, payload)


def instance(shape: str, cls: Any, number: int) -> Any:
    """An instance that says `number`."""
    if shape == "choice":
        return cls["RED"] if number % 2 else cls["GREEN"]
    if shape == "record":
        return cls(number, "other")
    if shape == "error":
        return cls(number, path="quay")
    one = cls(number)
    one.load = number  # a derived class may have another constructor
    return one


def expected(kind: str, shape: str, text: str, version: int, number: int) -> str:
    """What an instance says of itself."""
    said = ("RED" if number % 2 else "GREEN") if shape == "choice" else number
    return f"{version} {kind} {text} {said}"


def _cyclic(one: Any) -> Any:
    one.me = [one]
    return one


# name -> how class and instance are put into what is sent, and taken out of what arrives
WRAPS: dict[str, tuple[Callable[[type, Any], Any], Callable[[Any], tuple[Any, Any]]]] = {
    "class": (lambda cls, one: cls, lambda got: (got, None)),
    "instance": (lambda cls, one: one, lambda got: (type(got), got)),
    "container": (
        lambda cls, one: {"class": cls, "ones": [one, (cls, one)]},
        lambda got: (got["class"], got["ones"][0]) if got["ones"][0] is got["ones"][1][1] else None,  # type: ignore[return-value]
    ),
    "partial": (lambda cls, one: functools.partial(isinstance, one, cls), lambda got: (got.args[1], got.args[0])),
    "alias": (lambda cls, one: list[cls], lambda got: (got.__args__[0], None)),  # type: ignore[valid-type]
    "cycle": (lambda cls, one: _cyclic(one), lambda got: (type(got), got if got.me[0] is got else None)),
    "method": (lambda cls, one: one.told, lambda got: (type(got.__self__), got.__self__)),
    "nested": (lambda cls, one: (cls.Slot.Label, cls, cls.Slot()), lambda got: (got[1], None)),  # type: ignore[attr-defined]
    "closure": (lambda cls, one: lambda: (cls, one), lambda got: got()),
}
ALWAYS = ("class", "instance", "container", "partial", "alias")


def fits(wrap: str, kind: str, shape: str, tool: str) -> bool:
    """Whether that can be sent at all: some shapes of instance have no dict, some picklers no closures."""
    if shape == "slotted" and wrap not in ("class", "alias") and tool in ("pickle:0", "pickle:1", "pure:0", "pure:1"):
        return False
    if wrap == "closure":
        return tool in BY_VALUE
    if wrap == "method":
        return tool not in (*BY_VALUE, STRICT) and kind != "choice"
    if wrap == "nested":
        return kind == "nested"
    if wrap == "cycle":
        return kind in ("plain", "nested", "abstract", "holding", "moody")
    return True


def packed(wrap: str, shape: str, cls: type, number: int) -> Any:
    """The class, with an instance where the wrap takes one, as it is sent."""
    one = None if wrap in ("class", "alias", "nested") else instance(shape, cls, number)
    return WRAPS[wrap][0](cls, one)


def checked(wrap: str, got: Any, told: Callable[[int], str], number: int) -> Any:
    """The class of what arrived, after looking at all the rest of it; `told` gives what an instance of it must say."""
    cls, one = WRAPS[wrap][1](got)
    if one is not None:
        assert type(one) is cls, f"{type(one)!r} and {cls!r} are two classes"
        assert one.told() == told(number), f"the instance says {one.told()!r}, not {told(number)!r}"
        if wrap == "method":
            assert got() == told(number)
    if wrap == "nested":
        assert got[0] is cls.Slot.Label
        assert type(got[2]) is cls.Slot
    return cls


def surface(cls: Any) -> list[str]:
    """The public names of a class, its bases' too, without what Python derives."""
    return sorted(name for name in dir(cls) if name[:1] != "_" and name != "sulk")


def live_classes() -> list[type]:
    """Every class of the shipyard's that is in this process, by what gc knows."""
    return [obj for obj in gc.get_objects() if issubclass(type(obj), type) and obj.__module__ == shipyard.__name__]


def forget_all() -> None:
    """Have the registry forget every class of the shipyard's; those that a failed example left count no more."""
    for cls in live_classes():
        with contextlib.suppress(errors.RegistrationError):
            envpickle.unregister(cls)


class Opaque:
    """No plain data, and no class or module leads to it."""


def raw(kind: str, value: Any) -> type:
    """What the builder of that kind returns, made without it."""
    made: type = getattr(shipyard, f"_{kind}")(value)
    return made


def subclass(base: Any) -> type:
    """A class made at run time by no builder."""

    class Sub(base):  # type: ignore[misc]
        own = "own"

    return Sub


def weakly(cls: type) -> "weakref.ref[type]":
    """A weak reference to a class."""
    return weakref.ref(cls)


def nothing(cls: type) -> None:
    """No instance."""
