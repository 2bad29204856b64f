"""marshmallow: schemas of `Schema.from_dict` travel as their fields; what is in marshmallow's registry is refused."""

import functools
import os
import pickle
from typing import Any

import dill
import marshmallow
import pytest
from harbour import made_marshmallow, tripped
from marshmallow import Schema, fields, validate
from voyage.made import legs, load, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import marshmallow as maker

HOLD = "harbour.made_marshmallow"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_schema_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child gets the schema it would have made itself, and it comes home as the object that left."""
    assert verdicts(HOLD, tool)[piece] == "ok"


FIELDS: dict[str, Any] = {
    "text": lambda: fields.Str(required=True, validate=validate.Length(min=3), metadata={"a": 1}),
    "a whole number": lambda: fields.Int(load_default=3, strict=True),
    "a default that is nothing": lambda: fields.Raw(load_default=None),
    "a list": lambda: fields.List(fields.Int(validate=[validate.Range(min=3), validate.OneOf([4, 5])])),
    "a mapping": lambda: fields.Dict(keys=fields.Str(), values=fields.Float(allow_nan=True)),
    "a moment": lambda: fields.DateTime(format="iso"),
    "an address": lambda: fields.Url(relative=True, schemes={"https"}),
    "mail": lambda: fields.Email(validate=validate.Regexp("a+")),
    "a truth": lambda: fields.Bool(truthy={"y"}),
    "a tuple": lambda: fields.Tuple((fields.Str(), fields.Int())),
    "a decimal": lambda: fields.Decimal(2, as_string=True),
    "a span": lambda: fields.TimeDelta("minutes"),
    "a constant": lambda: fields.Constant(4),
    "messages": lambda: fields.Str(error_messages={"required": "say it"}, data_key="name", attribute="title"),
    "a schema": lambda: fields.Nested(made_marshmallow.Stamped, only=("stamp",), many=True),
    "a function": lambda: fields.Int(validate=made_marshmallow.even),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_every_kind_of_field_comes_along(kind: str) -> None:
    """Registering compares with the schema made once more, so an argument that was lost would refuse it."""
    made = Schema.from_dict({"f": FIELDS[kind](), "user-name": fields.Str()}, name="Fields")
    cls: Any = envpickle.register(made)

    assert cls is made, "it has a metaclass of its own, so it is registered in place"
    assert envpickle.describe(cls).builder == "envpickle.makers.marshmallow:from_dict"
    cls().validate({})
    cls(many=True).dump([])
    assert pickle.loads(pickle.dumps(cls)) is cls, "using it changed it"


def test_a_schema_that_was_used_before() -> None:
    """Using a schema enters stages into its table, which is no difference."""
    cls: Any = Schema.from_dict({"x": fields.Int()}, name="UsedBefore")
    cls().load({"x": 1})

    assert pickle.loads(pickle.dumps(envpickle.register(cls))) is cls


def test_a_patched_schema_is_refused() -> None:
    """What was changed after registering would be lost, so it is named."""
    cls: Any = envpickle.register(Schema.from_dict({"x": fields.Int()}, name="Patched"))
    pickle.dumps(cls)
    cls._declared_fields["y"] = fields.Int()

    with pytest.raises(errors.ClassChanged, match="_declared_fields"):
        pickle.dumps(cls)


def _stated() -> Any:
    class Stated(Schema):
        x = fields.Int()

    return Stated


def _extended() -> Any:
    cls: Any = Schema.from_dict({"x": fields.Int()}, name="Extended")
    cls.total = lambda self: 1
    return cls


def _of(field: Any) -> Any:
    return Schema.from_dict({"x": field}, name="Refused")


class _Odd(fields.Field):  # type: ignore[type-arg]
    """A kind of its own."""


REFUSED: dict[str, tuple[Any, str]] = {
    "a class statement": (_stated, "registry"),
    "a method": (_extended, "total"),
    "a field that calls": (lambda: _of(fields.Function(lambda obj: 1)), "Function"),
    "a field of a kind of its own": (lambda: _of(_Odd()), "_Odd"),
    "a validator that no name leads to": (lambda: _of(fields.Int(validate=lambda value: None)), "validator"),
    "a schema that no other process has": (lambda: _of(fields.Nested(_of(fields.Int()))), "Register the nested schema"),
    "a schema by its name": (lambda: _of(fields.Nested("Stamped")), "nests"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_not_come_along_is_refused(what: str) -> None:
    """The refusal names it."""
    make, named = REFUSED[what]
    with pytest.raises(errors.RegistrationError, match=named):
        envpickle.register(make())


ORDINARY: dict[str, Any] = {"name": "Forged", "fields": {}, "base": Schema}
BOUND = functools.partial(tripped.trip, 1)
HOSTILE: dict[str, dict[str, Any]] = {
    "a name with code": {"name": "A(trip())"},
    "a special field": {"fields": {"__init_subclass__": ["Raw", {}]}},
    "a kind that calls": {"fields": {"x": ["Function", {"serialize": tripped.trip}]}},
    "a kind that is none": {"fields": {"x": ["__class__", {}]}},
    "a module for a kind": {"fields": {"x": ["typing", {}]}},
    "a function for an argument": {"fields": {"x": ["Raw", {"load_default": tripped.trip}]}},
    "a function that prepares": {"fields": {"x": ["Raw", {"pre_load": [tripped.trip]}]}},
    "a validator that holds arguments": {"fields": {"x": ["Raw", {"validate": {"one": BOUND}}]}},
    "a validator of the standard library": {"fields": {"x": ["Raw", {"validate": {"all": [os.system]}}]}},
    "another kind of validator": {"fields": {"x": ["Raw", {"validate": {"one": ["Predicate", {"method": "system"}]}}]}},
    "a function within a list": {"fields": {"x": ["List", {"cls_or_instance": ["Raw", {"load_default": tripped.trip}]}]}},
    "a function for a schema": {"fields": {"x": ["Nested", {"nested": tripped.trip}]}},
    "a name for a schema": {"fields": {"x": ["Nested", {"nested": "Stamped"}]}},
    "a loader and what it loads": {"fields": {"x": ["Constant", {"constant": b"1", "validate": {"one": dill.loads}}]}},
    "too many fields": {"fields": {f"x{number}": ["Raw", {}] for number in range(2_000)}},
    "a base that is none": {"base": int},
    "a function for a base": {"base": tripped.trip},
    "fields of another form": {"fields": {"x": 5}},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """It names the maker, which looks at everything before marshmallow does."""
    with pytest.raises(errors.RebuildError):
        load(maker.from_dict, **ORDINARY | HOSTILE[what])

    assert tripped.RUN == []


def test_nested_deep() -> None:
    """Lists of lists without end are refused."""
    said: Any = ["Raw", {}]
    for _ in range(20):
        said = ["List", {"cls_or_instance": said}]
    with pytest.raises(errors.DescriptorError, match="no kind of field"):
        maker.from_dict.fn("Deep", {"x": said}, marshmallow.Schema)
