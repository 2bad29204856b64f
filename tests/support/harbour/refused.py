"""Plain classes that cannot be given a metaclass without something being lost or done twice; and bad builders."""

import collections
import functools
from typing import Any, NamedTuple, Protocol, runtime_checkable

import envpickle
from harbour import docks, outside

REGISTRY: dict[str, Any] = {}
CACHE: dict[str, Any] = {}


class Named:
    """A descriptor that is told its owner."""

    def __set_name__(self, owner: Any, name: str) -> None:
        REGISTRY[name] = owner


class Registering:
    """A base that keeps its subclasses."""

    def __init_subclass__(cls) -> None:
        REGISTRY[cls.__name__] = cls


class Text(str):
    """A kind of text that no descriptor knows."""

    __slots__ = ()


@envpickle.builder
def forgotten_return() -> Any:
    class Kept: ...


@envpickle.builder
def dict_of_closures() -> type:
    class Kept:
        def one(self) -> Any:
            return Kept

    Kept.table = {"me": lambda: Kept, "direct": Kept}  # type: ignore[attr-defined]
    return Kept


@envpickle.builder
def partial_of_itself() -> type:
    class Kept: ...

    Kept.make = functools.partial(isinstance, Kept)  # type: ignore[attr-defined]
    return Kept


@envpickle.builder
def outside_registry() -> type:
    class Kept: ...

    REGISTRY["outside"] = Kept
    return Kept


@envpickle.builder
def instance_of_itself() -> type:
    class Kept: ...

    Kept.only = Kept()  # type: ignore[attr-defined]
    return Kept


@envpickle.builder
def set_name() -> type:
    class Kept:
        field = Named()

    return Kept


@envpickle.builder
def init_subclass() -> type:
    class Kept(Registering): ...

    return Kept


@envpickle.builder
def protocol() -> type:
    @runtime_checkable
    class Kept(Protocol):
        def reset(self) -> str: ...

    return Kept


@envpickle.builder
def subclass_of_itself() -> type:
    class Kept: ...

    class Below(Kept): ...

    Kept.below = Below  # type: ignore[attr-defined]
    return Kept


NOT_ADOPTED = [
    dict_of_closures,
    partial_of_itself,
    outside_registry,
    instance_of_itself,
    set_name,
    init_subclass,
    subclass_of_itself,
]


@envpickle.builder
def returns(what: str) -> Any:
    """Returns anything but a class made in this call."""
    return {
        "none": None,
        "instance": object(),
        "builtin": int,
        "installed class": outside.Plain,
        "another builder's class": docks.dock(["lift"]) if what.startswith("another") else None,
        "its own class of another call": CACHE.get("own"),
        "function": len,
        "string": "Kept",
        "alias": list[int],
        "tuple": (type("Kept", (), {}),),
    }[what]


@envpickle.builder
def cached(number: int) -> Any:
    """Keeps its class and returns it again for another call."""
    return CACHE.setdefault("cached", envpickle.RuntimeType("Cached", (), {}))


def _decorator(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@_decorator
@envpickle.builder
def under_a_decorator(number: int) -> Any:
    """The name finds the wrapper, and not the builder."""
    return type("Hidden", (), {})


@functools.cache
@envpickle.builder
def under_a_cache(number: int) -> Any:
    """The same with functools."""
    return type("Hidden", (), {})


@envpickle.builder
def odd_name(name: str) -> Any:
    """A class of any name at all."""
    return type(name, (), {})


LAMBDA = lambda number: type("Lambda", (), {"number": number})  # noqa: E731 - it is what is tried
named_lambda = envpickle.builder(LAMBDA, name="named_lambda")


@envpickle.builder
def crane_of_slots(as_told: bool) -> type:
    slot: Any = collections.namedtuple("slot", "row")
    if as_told:
        slot = envpickle.RuntimeType("Slot", (slot,), {"__slots__": ()})

    class Crane(NamedTuple):
        at: slot

    Crane.Slot = slot  # type: ignore[attr-defined]
    slot.__name__, slot.__qualname__ = "Slot", f"{Crane.__qualname__}.Slot"
    return Crane
