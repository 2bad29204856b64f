"""A class with one of everything that can be changed after it was built."""

import abc
import functools
import types
from typing import Any, Protocol

import envpickle

NAN = float("nan")


class Before:
    """The base the class is built with."""


class Based:
    """A base to be swapped in."""


def shared(self: Any) -> None:
    """Stands in a module, and in classes: it is not theirs."""


@envpickle.builder
def crane(name: str) -> type:
    """The class whose attributes the tests change."""

    class Crane(Before):
        number, flag = 1, True
        text, nan = "text", NAN
        pair, listed = (1, 2), [1, 2]
        mapped = {"a": {"b": [1, {2}]}}
        chosen = {1, 2}
        odd = [NAN]
        holds = ([1],)
        shown, space = types.MappingProxyType({"a": [1]}), types.SimpleNamespace(a=1, b=[1])
        thing, shared = object(), shared
        state: dict[str, Any] = {}
        __envpickle_state__ = ("state", "later")

        def __init__(self, load: int = 0) -> None:
            self.load = load

        def lift(self, item: str = "box", *, speed: int = 1) -> str:
            return f"{name} {item} {speed}"

        @classmethod
        def make(cls) -> Any:
            return cls()

        @staticmethod
        def still() -> str:
            return "still"

        @property
        def size(self) -> int:
            return 3

        def __len__(self) -> int:
            return 5

        class Hook:
            weight = 2

    return Crane


@envpickle.builder
def scales(name: str) -> type:
    """A class whose method does as the type of its argument says; the first such function is held by the method alone."""

    class Scales:
        @functools.singledispatchmethod
        def weigh(self, item: Any) -> str:
            return "something"

        @weigh.register
        def _(self, item: int) -> str:
            return f"{super().__str__() and item} crates"

        @weigh.register
        def _(self, item: list) -> str:  # type: ignore[type-arg]
            return "many"

    return Scales


class Lifts(Protocol):
    """A protocol that a class may derive from."""

    def lift(self) -> str:
        """What is lifted."""
        ...


@envpickle.builder
def lifting(name: str) -> type:
    """A class that derives from a protocol, into which typing puts an `__init__` when it is first called."""

    class Lifting(Lifts):
        def lift(self) -> str:
            return name

    return Lifting


@envpickle.builder
def abstract(name: str) -> type:
    """An abstract class, whose caches change by themselves."""

    class Api(abc.ABC):
        label: str = name

        @abc.abstractmethod
        def reset(self) -> None: ...

    return Api


def other_lift(self: Any, item: str = "box", *, speed: int = 1) -> str:
    """Another function with the same parameters."""
    return "other"
