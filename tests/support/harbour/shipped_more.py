"""More classes that go by their own code; see `shipped`."""

import enum
import numbers
import typing
from typing import Any

import envpickle
from harbour.shipped import shipped

T = typing.TypeVar("T")


def make_enumeration() -> Any:
    class Color(enum.Enum):
        RED = 1
        BLUE = 2
        AZURE = 2  # noqa: PIE796 -- an alias

        def hi(self) -> str:
            return self.name.lower()

    kind = shipped(Color)
    return {"kind": kind, "next": kind.BLUE, "seen": {kind.RED: 1}}


def check_enumeration(got: Any) -> None:
    kind = got["kind"]
    assert [member.name for member in kind] == ["RED", "BLUE"]
    assert kind.AZURE is kind.BLUE is kind(2) is got["next"]
    assert got["seen"][kind.RED] == 1
    assert kind.RED.hi() == "red"


def make_flag() -> Any:
    class Mark(enum.IntFlag):
        A = 1
        B = 2

    return shipped(Mark)


def check_flag(got: Any) -> None:
    assert (got.A | got.B, got.A & got.B) == (3, 0)


def make_generic() -> Any:
    class Box(typing.Generic[T]):
        def __init__(self, value: T) -> None:
            self.value = value

    return shipped(Box)


def check_generic(got: Any) -> None:
    assert got[int](4).value == 4
    assert got.__parameters__ == (T,)


def make_known_to_an_abstract_class() -> Any:
    @numbers.Number.register
    class Load:
        tons = 3

    return {"bare": shipped(Load), "asked": envpickle.register(_load())}


def _load() -> Any:
    """A class that a maker would know if no abstract class did."""
    kind = type("Load", (), {"tons": 4})
    numbers.Number.register(kind)
    return kind


def check_known_to_an_abstract_class(got: Any) -> None:
    assert [(kind.tons, issubclass(kind, numbers.Number)) for kind in got.values()] == [(3, True), (4, True)]


def make_slotted() -> Any:
    class Slotted:
        __slots__ = ("__hidden", "shown")

        def __init__(self) -> None:
            self.shown, self.__hidden = 1, 2

        def hidden(self) -> int:
            return self.__hidden

    return shipped(Slotted)()


def check_slotted(got: Any) -> None:
    assert (got.shown, got.hidden(), hasattr(got, "__dict__")) == (1, 2, False)


def make_new_type() -> Any:
    ident = typing.NewType("ident", int)

    class Keys:
        def get(self, key: ident) -> ident:
            return key

    return shipped(Keys)


def check_new_type(got: Any) -> None:
    kind = got.get.__annotations__["key"]
    assert (kind.__name__, kind.__supertype__) == ("ident", int)
    assert kind is got.get.__annotations__["return"]


def make_exception() -> Any:
    class ToolError(ValueError):
        def __init__(self, tool: str, code: int) -> None:
            super().__init__(f"{tool}: {code}")
            self.code = code

    return shipped(ToolError)("buy", 404)


def check_exception(got: Any) -> None:
    assert (str(got), got.code, isinstance(got, ValueError)) == ("buy: 404", 404, True)


def make_registered_new_type() -> Any:
    ident = envpickle.register(typing.NewType("Ident", int))  # type: ignore[valid-newtype, unused-ignore]

    class Shop:
        kind = ident

        def get(self, key: Any) -> Any:
            return [ident, key]

        get.__annotations__ = {"key": ident}

    return {"kind": shipped(Shop), "ident": ident, "beside": list[ident]}  # type: ignore[valid-type]


def check_registered_new_type(got: Any) -> None:
    ident = got["ident"]
    assert got["kind"].kind is ident
    assert got["kind"]().get(3) == [ident, 3]
    assert got["kind"].get.__annotations__["key"] is ident
    assert got["beside"].__args__[0] is ident


def home_registered_new_type(sent: Any, back: Any) -> None:
    assert back["ident"] is sent["ident"]
    assert back["kind"] is sent["kind"]
