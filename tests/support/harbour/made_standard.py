"""A hold of classes that the standard library made and `envpickle.register(cls)` recognised, each with an instance."""

import abc
import collections
import dataclasses
import enum
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import envpickle

T = TypeVar("T")
HELD: list[Any] = []


class Scored:
    """A base with a method and no dict."""

    __slots__ = ()

    def score(self) -> int:
        return sum(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]


class Boxed(Generic[T]):
    """A generic base."""

    def open(self) -> str:
        return "open"


class Spoken(enum.Enum):
    """An enumeration without members, for others to call."""

    def say(self) -> str:
        return f"say {self.name}"


def total(self: Any) -> int:
    return int(self.x) + int(self.y)


def kept(cls: Any) -> Any:
    """The class registered by its maker, not by its code, and held until this process ends."""
    HELD.append(envpickle.register(cls, by_value=False))
    return HELD[-1]


class Kind(typing.NamedTuple):
    """How a class is made and used, and what must be true of it wherever it is."""

    make: Callable[[], Any]
    one: Callable[[Any], Any]
    claims: list[Callable[[Any, Any], Any]]


def _stated() -> Any:
    class Row(typing.NamedTuple):
        """A row."""

        x: int
        y: list[str] | None = None

    return Row


def _documented() -> Any:
    point = collections.namedtuple("point", "x y")  # type: ignore[misc]
    point.__doc__ = "A point."
    point.x.__doc__ = "Across."  # type: ignore[attr-defined]
    return point


def _record(**options: Any) -> Any:
    fields: list[Any] = [
        ("x", int),
        ("y", "int", 2),
        ("tags", list[str], dataclasses.field(default_factory=list, compare=False)),
    ]
    return dataclasses.make_dataclass("Row", fields, **options)


def _is_frozen(one: Any) -> bool:
    try:
        one.x = 9
    except dataclasses.FrozenInstanceError:
        return True
    return False


_field: Any = collections.namedtuple
_type_hints = typing.get_type_hints
_elsewhere: dict[str, Any] = {"module": "harbour"} if sys.version_info >= (3, 12) else {}

KINDS: dict[str, Kind] = {
    "namedtuple": Kind(
        lambda: collections.namedtuple("obs_t", "x y reward", defaults=(0, [1])),  # type: ignore[misc]
        lambda cls: cls(1, 2),
        [
            lambda cls, one: (one.x, one.y, one.reward, one._asdict()["x"], type(one._replace(x=3))) == (1, 2, [1], 1, cls),
            lambda cls, one: cls.__name__ == "obs_t" and cls._make([1, 2, 3]) == (1, 2, 3) and repr(one).startswith("obs_t("),
        ],
    ),
    "namedtuple_renamed": Kind(
        lambda: collections.namedtuple("Odd", "x def y x", rename=True, module="elsewhere"),  # type: ignore[misc]
        lambda cls: cls(1, 2, 3, 4),
        [lambda cls, one: cls._fields == ("x", "_1", "y", "_3") and one._3 == 4],
    ),
    "namedtuple_documented": Kind(
        _documented,
        lambda cls: cls(1, 2),
        [lambda cls, one: (cls.__doc__, cls.x.__doc__, cls.y.__doc__) == ("A point.", "Across.", "Alias for field number 1")],
    ),
    "named_tuple": Kind(
        lambda: typing.NamedTuple("Row", [("x", int), ("y", typing.Optional[list["int"]])]),  # type: ignore[misc]  # noqa: UP045
        lambda cls: cls(1, [2]),
        [lambda cls, one: _type_hints(cls) == {"x": int, "y": list[int] | None} and one == (1, [2]) and one.y == [2]],
    ),
    "named_tuple_stated": Kind(
        _stated,
        lambda cls: cls(1),
        [lambda cls, one: one == (1, None) and cls.__doc__ == "A row." and _type_hints(cls)["y"] == list[str] | None],
    ),
    "typed_dict": Kind(
        lambda: typing.TypedDict(  # type: ignore[misc]
            "Row", {"x": int, "in": typing.Required[str], "a b": typing.NotRequired[list[int]]}, total=False
        ),
        lambda cls: cls(x=1),
        [
            lambda cls, one: cls.__required_keys__ == {"in"} and cls.__optional_keys__ == {"x", "a b"} and not cls.__total__,
            lambda cls, one: typing.is_typeddict(cls) and _type_hints(cls)["a b"] == list[int] and one == {"x": 1},
        ],
    ),
    "dataclass": Kind(
        lambda: _record(namespace={"total": total, "unit": {"m": (1, 2)}}),
        lambda cls: cls(1, tags=["a"]),
        [
            lambda cls, one: [field.name for field in dataclasses.fields(cls)] == ["x", "y", "tags"] and one.total() == 3,
            lambda cls, one: one == cls(1, 2, ["b"]) and cls(1).tags == [] and dataclasses.asdict(one)["tags"] == ["a"],
            lambda cls, one: _type_hints(cls) == {"x": int, "y": int, "tags": list[str]} and cls.unit == {"m": (1, 2)},
        ],
    ),
    "dataclass_frozen": Kind(
        lambda: dataclasses.make_dataclass("Row", [("x", int, 0), ("y", int, 0)], bases=(Scored,), frozen=True, slots=True),
        lambda cls: cls(3, 4),
        [
            lambda cls, one: one.score() == 7 and dataclasses.replace(one, x=1).x == 1 and hash(one) == hash(cls(3, 4)),
            lambda cls, one: not hasattr(one, "__dict__") and _is_frozen(one),
        ],
    ),
    "dataclass_options": Kind(
        lambda: _record(kw_only=True, order=True, unsafe_hash=False, match_args=False, repr=False, **_elsewhere),
        lambda cls: cls(x=1, y=3),
        [
            lambda cls, one: one > cls(x=1) and not hasattr(cls, "__match_args__") and "object at" in repr(one),
            lambda cls, one: all(field.kw_only for field in dataclasses.fields(cls)),
        ],
    ),
    "dataclass_pseudo_fields": Kind(
        lambda: dataclasses.make_dataclass(
            "Row", ["a", ("K", typing.ClassVar[int], 1), ("seed", dataclasses.InitVar[int], 5), ("b", int, 0)]
        ),
        lambda cls: cls(1),
        [lambda cls, one: [field.name for field in dataclasses.fields(cls)] == ["a", "b"] and (cls.K, one.b) == (1, 0)],
    ),
    "enum": Kind(
        lambda: enum.Enum("Action", ["left", "right", "stop"], start=3),
        lambda cls: cls.right,
        [
            lambda cls, one: one is cls.right is cls["right"] is cls(4) and [m.value for m in cls] == [3, 4, 5],
            lambda cls, one: repr(one) == "<Action.right: 4>" and isinstance(one, cls),
        ],
    ),
    "enum_aliases": Kind(
        lambda: enum.Enum("Level", {"low": (1, 2), "lowest": (1, 2), "high": None}),
        lambda cls: cls.lowest,
        [lambda cls, one: one is cls.low and list(cls.__members__) == ["low", "lowest", "high"] and len(cls) == 2],
    ),
    "enum_of_text": Kind(
        lambda: enum.Enum("Word", {"yes": "y", "no": "n"}, type=str),
        lambda cls: cls.yes,
        [lambda cls, one: one == "y" and one is cls("y") and one.upper() == "Y"],
    ),
    "int_enum": Kind(lambda: enum.IntEnum("N", "a b"), lambda cls: cls.b, [lambda cls, one: one is cls.b and one + 1 == 3]),
    "str_enum": Kind(lambda: enum.StrEnum("S", "Ab Cd"), lambda cls: cls.Cd, [lambda cls, one: one is cls.Cd and one == "cd"]),
    "flag": Kind(
        lambda: enum.Flag("Right", "read write run", boundary=enum.KEEP),
        lambda cls: cls.read | cls.run,
        [lambda cls, one: cls.read in one and cls.write not in one and one is cls(5) and cls(8).value == 8],
    ),
    "int_flag": Kind(
        lambda: enum.IntFlag("Bits", {"a": 1, "b": 2, "ab": 3}),
        lambda cls: cls.ab,
        [lambda cls, one: one is cls.a | cls.b and one == 3],
    ),
    "enum_of_own_base": Kind(lambda: Spoken("Told", "a b"), lambda cls: cls.b, [lambda cls, one: one.say() == "say b"]),
    "new_class": Kind(
        lambda: types.new_class("Env", (Boxed[int],), {}, lambda body: body.update(x=1, y=2, total=total, kinds=[int, str])),
        lambda cls: cls(),
        [
            lambda cls, one: one.total() == 3 and one.open() == "open" and cls.kinds == [int, str],
            lambda cls, one: cls.__orig_bases__ == (Boxed[int],) and cls.__name__ == "Env",
        ],
    ),
    "type": Kind(
        lambda: type("Port", (int,), {"__slots__": (), "low": 1024, "__doc__": "A port.", "__annotations__": {"low": int}}),
        lambda cls: cls(8080),
        [lambda cls, one: one == 8080 and one.low == 1024 and cls.__doc__ == "A port." and _type_hints(cls) == {"low": int}],
    ),
    "exception": Kind(
        lambda: type("ToolError", (ConnectionError,), {"code": 404}),
        lambda cls: cls("gone"),
        [lambda cls, one: one.args == ("gone",) and one.code == 404 and isinstance(one, OSError)],
    ),
    "abstract": Kind(
        lambda: abc.ABCMeta("Plan", (), {"x": 1, "y": 2, "total": total}),
        lambda cls: cls(),
        [lambda cls, one: one.total() == 3],
    ),
}


def _check(kind: Kind, got: Any) -> None:
    cls, one, inner = got
    assert inner["one"] is one
    assert isinstance(one, dict) or type(one) is cls
    for number, claim in enumerate(kind.claims):
        assert claim(cls, one), f"claim {number} does not hold of {cls!r} and {one!r}"


def _home(kind: Kind, sent: Any, back: Any) -> None:
    assert back[0] is sent[0]
    assert back[1] is sent[1] if isinstance(sent[1], enum.Enum) else type(back[1]) is type(sent[1])
    _check(kind, back)


def _stow(name: str, kind: Kind) -> None:
    def make() -> Any:
        cls = kept(kind.make())
        one = kind.one(cls)
        _check(kind, (cls, one, {"one": one}))
        return cls, one, {"one": one}

    globals()[f"make_{name}"] = make
    globals()[f"check_{name}"] = lambda got: _check(kind, got)
    globals()[f"home_{name}"] = lambda sent, back: _home(kind, sent, back)


for _name, _kind in KINDS.items():
    _stow(_name, _kind)


def make_new_type() -> Any:
    order_id = kept(typing.NewType("OrderId", int))  # type: ignore[misc]
    return order_id, list[order_id], kept(typing.NewType("Orders", list[order_id]))  # type: ignore[misc]


def check_new_type(got: Any) -> None:
    order_id, many, orders = got
    assert (order_id.__name__, order_id.__supertype__, order_id(5)) == ("OrderId", int, 5)
    assert typing.get_args(many) == (order_id,)
    assert orders.__supertype__ == list[order_id]


def home_new_type(sent: Any, back: Any) -> None:
    assert back[0] is sent[0]
    assert back[2] is sent[2]
    assert back[1] == sent[1]
