"""A hold (see `voyage.trip`) of classes that attrs made at run time."""

from typing import Any

import attrs
from attrs import validators

import envpickle


class Base:
    """An ordinary base."""

    def greet(self) -> str:
        return f"I am {self!r}"


def twice(value: int) -> int:
    """A converter."""
    return value * 2


def area(self: Any) -> int:
    """A method."""
    return int(self.x * self.y)


def _fields() -> Any:
    return {
        "x": attrs.field(type=int, validator=validators.and_(validators.instance_of(int), validators.ge(0))),
        "y": attrs.field(type=int, default=2, converter=twice, metadata={"unit": "m"}),
        "_hidden": attrs.field(factory=list, repr=False, eq=False),
    }


def _is_right(kind: Any) -> None:
    made = kind(1, 3)
    assert (made.x, made.y, made._hidden) == (1, 6, [])
    assert kind(1, 3, hidden=[1]) == made
    assert kind(2, 3) != made
    assert "hidden" not in repr(made)
    assert attrs.fields(kind).y.metadata == {"unit": "m"}
    for wrong in (-1, "one"):
        try:
            kind(wrong)
        except (TypeError, ValueError):
            continue
        raise AssertionError(f"{wrong!r} was taken")


def make_plain() -> Any:
    return envpickle.register(attrs.make_class("Plain", _fields()))


def check_plain(got: Any) -> None:
    _is_right(got)


def make_names() -> Any:
    return envpickle.register(attrs.make_class("Names", ["a", "b"]))


def check_names(got: Any) -> None:
    assert (got(1, 2).a, got(1, 2).b) == (1, 2)


def make_frozen() -> Any:
    return envpickle.register(attrs.make_class("Frozen", _fields(), frozen=True, slots=True))


def check_frozen(got: Any) -> None:
    _is_right(got)
    assert not hasattr(got(1), "__dict__")
    assert hash(got(1, 3)) == hash(got(1, 3))
    try:
        got(1).x = 2
    except attrs.exceptions.FrozenInstanceError:
        return
    raise AssertionError("it is not frozen")


def make_ordered() -> Any:
    return envpickle.register(attrs.make_class("Ordered", {"a": attrs.field(type=int)}, order=True, kw_only=True, str=True))


def check_ordered(got: Any) -> None:
    assert got(a=1) < got(a=2)
    assert str(got(a=1)) == repr(got(a=1))


def make_with_body() -> Any:
    body = {"area": area, "unit": "m", "__doc__": "A rectangle."}
    return envpickle.register(attrs.make_class("Body", _fields(), bases=(Base,), class_body=body))


def check_with_body(got: Any) -> None:
    _is_right(got)
    assert got(2, 1).area() == 4
    assert got.unit == "m"
    assert got.__doc__ == "A rectangle."
    assert got(2, 1).greet().endswith("(x=2, y=2)")


def make_instance() -> Any:
    return envpickle.register(attrs.make_class("Instance", _fields(), slots=True))(1, 2, hidden=["kept"])


def check_instance(got: Any) -> None:
    assert (got.x, got.y, got._hidden) == (1, 4, ["kept"])
    _is_right(type(got))


def home_instance(sent: Any, back: Any) -> None:
    assert back == sent
