"""A hold of plain classes that a builder returns and that are given our metaclass: each must come out right.

`check_NAME` runs at home, on the class as adopted, and in a child, on the class as rebuilt.
"""

import dataclasses
import functools
import types
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import attrs

import envpickle
from harbour.holding import add_makers

T = TypeVar("T")


@envpickle.builder
def supers() -> type:
    class Base:
        def __init__(self) -> None:
            self.path = ["base"]

        @classmethod
        def kind(cls) -> str:
            return "base"

        @property
        def size(self) -> int:
            return 1

    class Leaf(Base):
        def __init__(self) -> None:
            super().__init__()
            self.path.append("leaf")

        @classmethod
        def kind(cls) -> str:
            return super().kind() + "+" + cls.__name__

        @property
        def size(self) -> int:
            return super().size + 1

        @functools.cached_property
        def lazily(self) -> str:
            return super().kind()

        def cell(self) -> Any:
            return __class__  # type: ignore[name-defined]

        def __init_subclass__(cls) -> None:
            super().__init_subclass__()
            cls.told = True

    return Leaf


def check_supers(cls: Any) -> None:
    one = cls()
    assert (one.path, cls.kind(), one.size, one.lazily) == (["base", "leaf"], "base+Leaf", 2, "base")
    assert one.cell() is cls
    assert type("Sub", (cls,), {}).told


@envpickle.builder
def closing_over() -> type:
    class Node:
        def __init__(self, child: Any = None) -> None:
            self.child = child

        def fork(self) -> Any:
            return Node(self)

        def is_node(self, other: Any) -> bool:
            return isinstance(other, Node)

        @staticmethod
        def fresh() -> Any:
            return Node()

        @property
        def twin(self) -> Any:
            return Node()

        def deep(self) -> Any:
            return (lambda: (lambda: Node)())()

    return Node


def check_closing_over(cls: Any) -> None:
    one = cls()
    assert type(one.fork()) is type(cls.fresh()) is type(one.twin) is one.deep() is cls
    assert one.is_node(cls())


@envpickle.builder
def slots() -> type:
    class Slotted:
        __slots__ = ("x", "__weakref__", "_y")  # noqa: RUF023 - the order is the user's, and must stay

        def __init__(self, x: int = 1) -> None:
            self.x, self._y = x, 2

        def __getstate__(self) -> Any:
            return {"x": self.x, "_y": self._y}

        def __setstate__(self, state: Any) -> None:
            self.x, self._y = state["x"], state["_y"]

    return Slotted


def check_slots(cls: Any) -> None:
    one = cls(5)
    assert (one.x, one._y) == (5, 2)
    assert not hasattr(one, "__dict__")
    assert cls.__slots__ == ("x", "__weakref__", "_y")
    assert type(cls.x) is types.MemberDescriptorType
    assert cls.x.__objclass__ is cls


@envpickle.builder
def private_slots() -> type:
    class Hidden:
        __slots__ = ("__secret",)

        def __init__(self) -> None:
            self.__secret = 4

        def told(self) -> int:
            return self.__secret

    return Hidden


def check_private_slots(cls: Any) -> None:
    assert cls().told() == 4
    assert not hasattr(cls(), "__dict__")


@envpickle.builder
def generic() -> type:
    class Box(Generic[T]):
        def __init__(self, value: T) -> None:
            self.value = value

    return Box


def check_generic(cls: Any) -> None:
    assert cls[int](3).value == 3
    assert cls[int] == cls[int]
    assert cls[int].__origin__ is cls
    assert cls.__parameters__ == (T,)
    assert cls.__orig_bases__ == (Generic[T],)
    assert type(cls[int](1)) is cls


@envpickle.builder
def dataclass() -> type:
    @dataclasses.dataclass(order=True)
    class Point:
        x: int
        tags: list[str] = dataclasses.field(default_factory=list)
        kind: ClassVar[str] = "point"

        def moved(self) -> "Point":
            return dataclasses.replace(self, x=self.x + 1)

    return Point


def check_dataclass(cls: Any) -> None:
    assert [field.name for field in dataclasses.fields(cls)] == ["x", "tags"]
    assert cls(1) == cls(1) < cls(2)
    assert type(cls(1).moved()) is cls
    assert dataclasses.asdict(cls(1, ["a"])) == {"x": 1, "tags": ["a"]}
    assert "Point" in repr(cls(1))
    assert "(x=1, tags=[])" in repr(cls(1))


@envpickle.builder
def slotted_dataclass() -> type:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Fixed:
        x: int = 3

        def __post_init__(self) -> None:
            object.__setattr__(self, "x", self.x + 1)

        def kind(self) -> str:
            return type(self).__name__

    return Fixed


def check_slotted_dataclass(cls: Any) -> None:
    assert (cls(x=1).x, cls(x=1) == cls(x=1), hash(cls(x=1)) == hash(cls(x=1))) == (2, True, True)
    assert not hasattr(cls(), "__dict__")
    try:
        cls().x = 1
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("no longer frozen")


@envpickle.builder
def named_tuple() -> type:
    class Row(NamedTuple):
        x: int
        y: str = "y"

        def told(self) -> str:
            return f"{self.x}{self.y}"

    return Row


def check_named_tuple(cls: Any) -> None:
    one = cls(1)
    assert (one, one.told(), one._asdict(), cls._fields) == ((1, "y"), "1y", {"x": 1, "y": "y"}, ("x", "y"))
    assert type(one._replace(x=2)) is cls
    assert cls.__match_args__ == ("x", "y")


@envpickle.builder
def attrs_defined() -> type:
    @attrs.define
    class Defined:
        x: int
        y: int = attrs.field(default=2, validator=attrs.validators.instance_of(int))

        def total(self) -> int:
            return self.x + self.y

    return Defined


def check_attrs_defined(cls: Any) -> None:
    assert [field.name for field in attrs.fields(cls)] == ["x", "y"]
    assert (cls(1).total(), cls(1) == cls(1), attrs.evolve(cls(1), x=5).x) == (3, True, 5)
    assert not hasattr(cls(1), "__dict__")


add_makers(globals())
