"""Classes that no builder makes: written inside plain functions, registered by their own code, one hold for the trips.

Each `make_NAME` returns what is sent, `check_NAME` looks at what arrived. TOOL says who writes the code.
"""

import abc
import dataclasses
import functools
import os
import threading
import typing
from typing import Any

import envpickle
from harbour.reports_first import held

TOOL: Any = os.environ.get("SHIPPED_BY", "cloudpickle")
T = typing.TypeVar("T")
CALLS: list[str] = []
GUARD = threading.Lock()
MISSING = object()


def shipped(cls: Any) -> Any:
    return held(envpickle.register(cls, by_value=TOOL))


def make_plain() -> Any:
    class Plain:
        """What it is."""

        label: str = "x"

        def add(self, item: int = 3, *more: int, scale: int = 2) -> int:
            return (item + sum(more)) * scale

        class Inner:
            def hi(self) -> str:
                return "hi"

    return shipped(Plain)


def check_plain(got: Any) -> None:
    assert (got.__doc__, got.label, got().add(), got().add(1, 2, scale=1)) == ("What it is.", "x", 6, 3)
    assert got.Inner().hi() == "hi"
    assert list(typing.get_type_hints(got.add)) == ["item", "more", "scale", "return"]


def make_module_variables() -> Any:
    class Reads:
        def note(self, word: str, mark: Any = MISSING) -> tuple[int, bool]:
            with GUARD:
                CALLS.append(word)
            return len(CALLS), mark is MISSING

    return shipped(Reads)


def check_module_variables(got: Any) -> None:
    """The module's own list, lock and mark are read, none of them a copy."""
    before = len(CALLS)
    assert got().note("one") == (before + 1, True)
    assert CALLS[-1] == "one"


def make_shared_cell() -> Any:
    count = 0

    class Counter:
        def up(self) -> None:
            nonlocal count
            count += 1

        def seen(self) -> int:
            return count

        def me(self) -> Any:
            return __class__  # type: ignore[name-defined]

    return shipped(Counter)


def check_shared_cell(got: Any) -> None:
    """Two methods that shared a variable share it still, and the class is in its own cell."""
    one = got()
    before = one.seen()
    one.up()
    assert (one.seen(), one.me()) == (before + 1, got)


def make_recursive() -> Any:
    def factorial(n: int) -> int:
        return 1 if n < 2 else n * factorial(n - 1)

    class Recursive:
        compute = staticmethod(factorial)

        def again(self) -> Any:
            return Recursive

    return shipped(Recursive)


def check_recursive(got: Any) -> None:
    assert got.compute(5) == 120
    assert got().again() is got


class Limits:
    """An importable base."""

    timeout: Any = (30, 60)


def make_same_value() -> Any:
    class Pinned(Limits):
        timeout = Limits.timeout

    return shipped(Pinned)


def check_same_value(got: Any) -> None:
    """An attribute that is the base's own object is the subclass's all the same."""
    assert vars(got)["timeout"] == (30, 60)
    assert got.__mro__[1] is Limits


def make_local_base() -> Any:
    class Base:
        def word(self) -> str:
            return "base"

    class One(Base):
        def word(self) -> str:
            return f"one of {super().word()}"

    class Two(Base):
        pass

    return [shipped(One), shipped(Two)]


def check_local_base(got: Any) -> None:
    """Two registered classes with one local base have one base on the other side too."""
    one, two = got
    assert (one().word(), two().word()) == ("one of base", "base")
    assert one.__mro__[1] is two.__mro__[1]


def make_abstract() -> Any:
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self) -> int: ...

    class Square(Shape):
        side = 3

        def area(self) -> int:
            return self.side**2

    Shape.register(int)
    return shipped(Square)


def check_abstract(got: Any) -> None:
    shape = got.__mro__[1]
    assert (got().area(), got.__abstractmethods__, shape.__abstractmethods__) == (9, frozenset(), {"area"})
    assert issubclass(int, shape)


def make_dataclass_row() -> Any:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Row:
        x: int
        rest: list[int] = dataclasses.field(default_factory=list)
        unit: str = dataclasses.field(default="m", metadata={"shown": True})

    return shipped(Row)(4)


def check_dataclass_row(got: Any) -> None:
    kind = type(got)
    first, *_, last = dataclasses.fields(kind)
    assert (got.x, got.rest, got.unit) == (4, [], "m")
    assert first.default is dataclasses.MISSING
    assert last.metadata["shown"]
    assert dataclasses.replace(got, x=5) == kind(5)
    assert not hasattr(got, "__dict__")
    try:
        got.x = 9
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("it is no longer frozen")


def make_wrapped() -> Any:
    class Wrapped:
        @functools.cached_property
        def once(self) -> list[int]:
            return [1]

        @functools.lru_cache(maxsize=3)  # noqa: B019 -- users do
        def kept(self, n: int) -> int:
            return n + 1

        @classmethod
        def named(cls) -> str:
            return cls.__name__

        @property
        def size(self) -> int:
            """How large."""
            return 7

    return shipped(Wrapped)


def check_wrapped(got: Any) -> None:
    one = got()
    assert one.once is one.once
    assert (one.kept(2), got.kept.cache_parameters()["maxsize"], got.named(), one.size) == (3, 3, "Wrapped", 7)
    assert got.size.__doc__ == "How large."


@envpickle.builder
def dock(tools: list[str]) -> type:
    return type("Dock", (), {tool: (lambda self, tool=tool: tool) for tool in tools})


def make_over_a_described_base() -> Any:
    base = held(dock(["lift", "drop"]))

    class Crane(base):  # type: ignore[misc, valid-type]
        def lift(self) -> str:
            return f"crane {super().lift()}"

    return shipped(Crane)


def check_over_a_described_base(got: Any) -> None:
    """Only the subclass's body is code; the base is the one that its builder makes."""
    assert (got().lift(), got().drop()) == ("crane lift", "drop")
    assert got.__mro__[1] is dock(["lift", "drop"])


def make_registered_parts() -> Any:
    class Part:
        size = 2

    part = shipped(Part)

    class Whole:
        kind = part

        def make(self) -> Any:
            return part()

    return shipped(Whole)


def check_registered_parts(got: Any) -> None:
    assert type(got().make()) is got.kind
    assert got.kind.size == 2
