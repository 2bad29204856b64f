"""The builders most tests use; `RUNS` counts how often each function ran in this process."""

import functools
from collections.abc import Callable
from typing import Any

import envpickle

RUNS: list[str] = []


def make_method(tool: str, server: str) -> Callable[..., str]:
    """A method that closes over its tool, as an environment's methods do."""

    def call(self: Any, item: str = "crate") -> str:
        return f"{tool} {item} at {server}"

    call.__name__ = tool
    return call


@envpickle.builder
def dock(tools: list[str], server: str = "sea", *, size: int = 1) -> type:
    """A dock with one method for each tool."""
    RUNS.append("dock")

    class Dock:
        cache: list[Any] = []
        __envpickle_state__ = ("cache",)

        def __init__(self, load: int = 0) -> None:
            self.load = load

        def describe(self) -> str:
            return f"{server} {size} {self.load}"

        @classmethod
        def create(cls, load: int) -> Any:
            return cls(load)

    for tool in tools:
        setattr(Dock, tool, make_method(tool, server))
    return Dock


@envpickle.builder
def yard(rows: int) -> type:
    """A class with classes in it, two deep."""

    class Yard:
        count = rows

        class Slot:
            def __init__(self, number: int) -> None:
                self.number = number

            class Label:
                text = "label"

    return Yard


@envpickle.builder
def fleet(*ships: str, flag: str = "plain", **marks: int) -> type:
    """A builder with a star and two stars."""

    class Fleet:
        def names(self) -> tuple[str, ...]:
            return ships

        def told(self) -> tuple[str, dict[str, int]]:
            return flag, marks

    return Fleet


@envpickle.builder
def lighthouse(value: Any = None) -> type:
    """Any argument at all; `value` is kept by a function and not by the class."""
    RUNS.append("lighthouse")

    class Lighthouse:
        @staticmethod
        def value() -> Any:
            return value

    return Lighthouse


@envpickle.builder
def failing(fails: bool = True) -> type:
    """Raises as often as `failing_for` says."""
    RUNS.append("failing")
    if FAILURES:
        raise FAILURES.pop()
    return type("Failing", (), {})


FAILURES: list[BaseException] = []


class Yards:
    """A builder in a class's namespace."""

    @staticmethod
    @envpickle.builder
    def inner(number: int) -> type:
        class Inner:
            def number_of(self) -> int:
                return number

        return Inner


def reset_runs() -> None:
    """Forget the runs so far."""
    RUNS.clear()


def closure_over(cls: type) -> Callable[[], type]:
    """A function that closes over the class, which only by-value picklers send."""

    def closure() -> type:
        return cls

    return closure


def partial_of(cls: type) -> Any:
    """A partial over the class."""
    return functools.partial(cls, 7)


@envpickle.builder
def holding(values: list[Any]) -> type:
    """Gives its argument back."""

    class Holding:
        def given(self) -> list[Any]:
            return values

    return Holding


@envpickle.builder
def greedy(tools: list[str]) -> type:
    """Empties its own argument."""
    taken = 0
    while tools:
        tools.pop()
        taken += 1

    class Greedy:
        def taken(self) -> int:
            return taken

    return Greedy


@envpickle.builder
def ordered(name: str) -> type:
    """A class that a decorator can complete afterwards."""

    class Ordered:
        label: str = name

        def __lt__(self, other: Any) -> bool:
            return False

    return Ordered


@envpickle.builder
def abstract_dock(name: str) -> type:
    """A dock of a foreign metaclass."""
    import abc

    return abc.ABCMeta(name, (), {"label": name})


@envpickle.builder
def shared(tools: list[str], number: int) -> type:
    """One of many classes on one toolset, which it does not keep."""
    count = len(tools)

    class Shared:
        def numbers(self) -> tuple[int, int]:
            return count, number

    return Shared


@envpickle.builder
def replaced(name: str) -> type:
    """A builder that tests take out of this module for a moment."""
    return type("Replaced", (), {})
