"""What is changed inside a registered class afterwards would be lost with its call, so it is refused; use changes nothing."""

import dataclasses
import enum
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

import envpickle
from envpickle import errors


def record() -> Any:
    fields: list[Any] = ["a", ("b", int, 1), ("c", list, dataclasses.field(default_factory=list, metadata={"unit": ["m"]}))]
    return dataclasses.make_dataclass("Changed", fields)


def words() -> Any:
    return enum.Enum("Changed", {"A": [1], "B": 2})


def flags() -> Any:
    return enum.Flag("Changed", "A B C")


def named() -> Any:
    return typing.NamedTuple("Changed", [("x", int)])  # type: ignore[misc]


def typed() -> Any:
    return typing.TypedDict("Changed", {"x": int})  # type: ignore[misc]


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], str]] = {
    "a member's value in place": (words, lambda cls: cls.A.value.append(2), "_member_map_"),
    "a member's value": (words, lambda cls: setattr(cls.B, "_value_", 5), "_member_map_"),
    "something put onto a member": (words, lambda cls: setattr(cls.B, "extra", 5), "_member_map_"),
    "something put onto a flag": (flags, lambda cls: setattr(cls.B, "extra", 5), "_member_map_"),
    "a field's default": (record, lambda cls: setattr(cls.__dataclass_fields__["b"], "default", 9), "__dataclass_fields__"),
    "a field's metadata": (
        record,
        lambda cls: cls.__dataclass_fields__["c"].metadata["unit"].append(2),
        "__dataclass_fields__",
    ),
    "a field's type": (record, lambda cls: cls.__annotations__.update(b=str), "__annotations__"),
    "a type of a named tuple": (named, lambda cls: cls.__annotations__.update(x=str), "__annotations__"),
    "a type of a typed dict": (typed, lambda cls: cls.__annotations__.pop("x"), "__annotations__"),
    "a default of a class": (record, lambda cls: setattr(cls, "b", 9), "b was replaced"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_inside_is_refused(what: str) -> None:
    """Also after the class has been pickled once; the message names where."""
    make, change, named_as = CHANGES[what]
    cls = envpickle.register(make())
    pickle.dumps(cls)
    change(cls)

    with pytest.raises(errors.ClassChanged, match=named_as):
        pickle.dumps(cls)
    with pytest.raises(errors.ClassChanged, match=named_as):
        envpickle.register(make())  # it is not given instead of one that is whole
    envpickle.unregister(cls)
    assert envpickle.register(make()) is not cls


def use_flags(cls: Any) -> None:
    assert cls(3) == cls.A | cls.B
    assert ~cls.A == cls.B | cls.C
    assert not cls(0)
    assert [repr(member) for member in (cls.A | cls.C)]


def use_record(cls: Any) -> None:
    one = cls(1)
    assert dataclasses.replace(one, a=2).a == 2
    assert dataclasses.asdict(one)["c"] == []
    assert typing.get_type_hints(cls)["b"] is int
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(("make", "use"), [(flags, use_flags), (record, use_record)])
def test_use_changes_nothing(make: Callable[[], Any], use: Callable[[Any], None]) -> None:
    """What Python fills in while a class is used is not taken for a change."""
    cls = envpickle.register(make())
    before = pickle.dumps(cls)
    use(cls)

    assert pickle.dumps(cls) == before


def _default_in_place(model: Any) -> None:
    model.model_fields["b"].default.append(2)


def _required(schema: Any) -> None:
    schema._declared_fields["a"].required = False


def test_what_a_library_hides_is_asked_for_again() -> None:
    """Where a library lets its classes be changed out of sight, its maker is asked at every pickling, of instances too."""
    import marshmallow
    import pydantic

    model: Any = pydantic.create_model("Hidden", a=(int, 1), b=(list[int], [1]))
    schema: Any = marshmallow.Schema.from_dict({"a": marshmallow.fields.Int(required=True)}, name="Hidden")
    for made, change in ((model, _default_in_place), (schema, _required)):
        cls = envpickle.register(made)
        assert pickle.dumps(cls) == pickle.dumps(cls)
        assert pickle.loads(pickle.dumps(cls)) is cls
        change(cls)
        with pytest.raises(errors.ClassChanged, match="fields"):
            pickle.dumps(cls)
        with pytest.raises(errors.ClassChanged, match="fields"):
            pickle.dumps(cls())
