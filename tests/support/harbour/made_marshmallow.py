"""A hold (see `voyage.trip`) of schemas that marshmallow made at run time."""

from typing import Any

import marshmallow
from marshmallow import Schema, fields, validate

import envpickle


class Stamped(Schema):
    """A base with a field and a hook of its own."""

    stamp = fields.Int(load_default=7)

    @marshmallow.post_load
    def noted(self, data: Any, **_: Any) -> Any:
        return {**data, "noted": True}


def even(value: int) -> None:
    """A validator."""
    if value % 2:
        raise marshmallow.ValidationError("odd")


def _fields() -> Any:
    return {
        "name": fields.Str(required=True, validate=validate.Length(min=2), metadata={"description": "who"}),
        "count": fields.Int(load_default=4, strict=True, validate=[even, validate.Range(min=2, max=8)]),
        "tags": fields.List(fields.Str(validate=validate.OneOf(["a", "b"]))),
        "user-id": fields.Decimal(2, as_string=True),
        "prices": fields.Dict(keys=fields.Str(), values=fields.Float()),
        "site": fields.Url(),
    }


def _is_right(kind: Any) -> None:
    given = {"name": "Ada", "tags": ["a"], "user-id": "1.234", "prices": {"x": 1}, "site": "http://a.example"}
    loaded = kind().load(given)
    assert loaded["count"] == 4
    assert kind().dump(loaded)["user-id"] == "1.23"
    for wrong in ({"name": "A"}, {"name": "Ada", "count": 3}, {"name": "Ada", "count": 10}, {"name": "Ada", "tags": ["c"]}):
        assert kind().validate(wrong), wrong


def known(name: str) -> bool:
    """Whether marshmallow's registry has a schema of that name."""
    try:
        fields.Nested(name).schema
    except marshmallow.exceptions.RegistryError:
        return False
    return True


def make_schema() -> Any:
    return envpickle.register(Schema.from_dict(_fields(), name="Person"))


def check_schema(got: Any) -> None:
    assert got.__name__ == "Person"
    _is_right(got)
    assert got().fields["name"].metadata == {"description": "who"}


def home_schema(sent: Any, back: Any) -> None:
    _is_right(back)
    assert not known("Person"), "it was entered in a registry"


def make_stamped() -> Any:
    return envpickle.register(Stamped.from_dict({"label": fields.Str()}, name="Label"))


def check_stamped(got: Any) -> None:
    assert got().load({"label": "x"}) == {"label": "x", "stamp": 7, "noted": True}


def make_nested() -> Any:
    inner = envpickle.register(Schema.from_dict({"x": fields.Int()}, name="Inner"))
    return envpickle.register(
        Schema.from_dict({"one": fields.Nested(inner), "all": fields.List(fields.Nested(inner))}, name="Outer")
    )


def check_nested(got: Any) -> None:
    assert got().load({"one": {"x": "1"}, "all": [{"x": 2}]}) == {"one": {"x": 1}, "all": [{"x": 2}]}
    assert got().validate({"one": {"x": "no"}})


def make_instance() -> Any:
    return envpickle.register(Schema.from_dict(_fields(), name="Instance"))(only=["name", "count"], many=True)


def check_instance(got: Any) -> None:
    assert got.load([{"name": "Ada"}]) == [{"name": "Ada", "count": 4}]
    _is_right(type(got))
