"""Importable kinds of plain data: enumerations, records of four libraries, functions and classes to refer to."""

import collections
import dataclasses
import enum
from typing import Any, NamedTuple

import attrs


class Colour(enum.Enum):
    """Members with values of several types."""

    RED = 1
    GREEN = "green"
    ALSO_RED = RED


class Level(enum.IntEnum):
    """Members that are integers."""

    LOW = 1
    HIGH = 2


class Right(enum.Flag):
    """Members that combine."""

    READ = 1
    WRITE = 2


class Word(enum.StrEnum):
    """Members that are strings."""

    YES = "yes"


@dataclasses.dataclass
class Point:
    """A record."""

    x: int
    y: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Fixed:
    """A frozen, slotted record that must not be validated twice."""

    name: str
    tags: tuple[str, ...] = ()
    inner: "Fixed | None" = None

    def __post_init__(self) -> None:
        POST_INITS.append(self.name)


POST_INITS: list[str] = []


@dataclasses.dataclass
class Partly:
    """A record with a field that `__init__` does not take."""

    x: int
    twice: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.x


@attrs.define
class Attred:
    """A record of attrs."""

    x: int
    _private: str = "p"


@attrs.frozen
class AttredFrozen:
    """A frozen record of attrs."""

    x: int


class Pair(NamedTuple):
    """A named tuple that names find."""

    left: Any
    right: Any


class MyList(list[Any]):
    """An unknown subclass of a plain type."""


class MyDict(dict[Any, Any]):
    """The same."""


class MyInt(int):
    """The same."""


class MyStr(str):
    """The same."""


class MyTuple(tuple[Any, ...]):
    """The same."""


class MyOrdered(collections.OrderedDict[Any, Any]):
    """The same, of one that is known."""


class Opaque:
    """An instance of anything else."""


def named_function(value: Any = None) -> Any:
    """A function that its name finds."""
    return value


class Holder:
    """Functions in a class's namespace."""

    @staticmethod
    def still() -> str:
        return "still"

    @classmethod
    def made(cls) -> Any:
        return cls()

    def method(self) -> None: ...
