"""A class with one of everything that can be changed after it was built."""

import abc
from typing import Any

import envpickle

NAN = float("nan")


class Before:
    """The base the class is built with."""


class Based:
    """A base to be swapped in."""


@envpickle.builder
def crane(name: str) -> type:
    """The class whose attributes the tests change."""

    class Crane(Before):
        number, flag = 1, True
        text, nan = "text", NAN
        pair = (1, 2)
        listed = [1, 2]
        mapped = {"a": {"b": [1, {2}]}}
        chosen = {1, 2}
        odd = [NAN]
        holds = ([1],)
        thing = object()
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
