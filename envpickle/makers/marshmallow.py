"""marshmallow's ``Schema.from_dict``: a schema made of its name, its fields and the schema it derives from.

What ``from_dict`` makes is not in marshmallow's registry of classes, so making it again elsewhere adds nothing there. A schema
that a class statement made is in it, and is refused.
"""

import sys
from collections import defaultdict
from typing import Any

from ..classes import is_dunder, record_of
from ..objects import reference_to
from ..runtime import builder
from .checks import Making, cannot, why_no_base, why_no_callable, why_no_name, why_not_plain, why_too_many
from .generics import Recognised

_FIELD = (
    "load_default", "dump_default", "data_key", "attribute", "required", "allow_none", "load_only", "dump_only", "metadata",
    "error_messages", "validate",
)  # fmt: skip
_OWN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Raw", "String", "UUID", "Email", "IP", "IPv4", "IPv6"), ()),
    **dict.fromkeys(("DateTime", "Date", "Time"), ("format",)),
    "Integer": ("strict", "as_string"),
    "Float": ("allow_nan", "as_string"),
    "Boolean": ("truthy", "falsy"),
    "TimeDelta": ("precision",),
    "Decimal": ("places", "rounding", "allow_nan", "as_string"),
    "Url": ("relative", "absolute", "schemes", "require_tld"),
    "Constant": ("constant",),
    "List": ("inner",),
    "Dict": ("key_field", "value_field"),
    "Tuple": ("tuple_fields",),
    "Nested": ("nested", "only", "exclude", "many", "unknown"),
}
_PARAMETERS = {"inner": "cls_or_instance", "key_field": "keys", "value_field": "values"}  # of a field's constructor
_INNER = ("cls_or_instance", "keys", "values", "tuple_fields")
_CHECKS: dict[str, tuple[str, ...]] = {
    "Range": ("min", "max", "min_inclusive", "max_inclusive", "error"),
    "Length": ("min", "max", "equal", "error"),
    "Equal": ("comparable", "error"),
    "OneOf": ("choices", "labels", "error"),
    "NoneOf": ("iterable", "error"),
    "ContainsOnly": ("choices", "labels", "error"),
    "ContainsNoneOf": ("iterable", "error"),
    "Regexp": ("regex", "error"),
    "Email": ("error",),
}
_STAGES = ("PRE_DUMP", "POST_DUMP", "PRE_LOAD", "POST_LOAD", "VALIDATES", "VALIDATES_SCHEMA")
_INSTEAD = "Define the schema at the top of an importable module, or make it in a function marked @envpickle.builder."
_MOST_LEVELS = 16


@builder
def from_dict(name: str, fields: dict[str, list[Any]], base: type) -> type:
    """Make a schema as ``marshmallow.Schema.from_dict`` does.

    Args:
        name: Its name.
        fields: Kind and arguments of each field.
        base: The schema it derives from.

    Raises:
        DescriptorError: marshmallow makes no schema of these, or something in them is kept to be called.
    """
    from marshmallow import Schema

    with Making("marshmallow.Schema.from_dict") as refuse:
        refuse(why_no_name(name))
        refuse(why_no_base(base, "marshmallow", type(Schema)) or why_too_many(len(fields)))
        for field in fields:
            refuse("a field has a special name" if len(field) > 256 or is_dunder(field) else "")
        schema: Any = base
        made: Any = schema.from_dict({field: _made_field(said, refuse) for field, said in fields.items()}, name=name)
        _settle(made)
        cls: type = made
        return cls


def _made_field(said: Any, refuse: Any, depth: int = 0) -> Any:
    import marshmallow.fields

    kind, arguments = said
    refuse("" if depth < _MOST_LEVELS and kind in _OWN else f"{str(kind)[:40]!a} is no kind of field that may travel")
    rest = dict(arguments)
    validate, nested = rest.pop("validate", None), rest.pop("nested", None)
    inner = {name: rest.pop(name) for name in _INNER if name in rest}
    refuse(why_not_plain(rest))
    for name, value in inner.items():
        many = name == "tuple_fields"
        rest[name] = [_made_field(v, refuse, depth + 1) for v in value] if many else _made_field(value, refuse, depth + 1)
    refuse("a constant would be handed to a validator" if validate is not None and kind == "Constant" else "")
    if validate is not None:
        rest["validate"] = [_made_check(item, refuse) for item in validate["all"]] if "all" in validate else None
        rest["validate"] = rest["validate"] or _made_check(validate["one"], refuse)
    if nested is not None:
        refuse("" if isinstance(nested, type) and issubclass(nested, marshmallow.Schema) else "what is nested is no schema")
        rest["nested"] = nested
    return getattr(marshmallow.fields, kind)(**rest)


def _made_check(said: Any, refuse: Any) -> Any:
    import marshmallow.validate

    if callable(said):
        refuse(why_no_callable(said))
        return said
    kind, arguments = said
    refuse("" if kind in _CHECKS else f"{str(kind)[:40]!a} is no validator that may travel")
    refuse(why_not_plain(arguments))
    return getattr(marshmallow.validate, kind)(**arguments)


def _settle(cls: Any) -> None:
    """Enter every stage of processing in a schema's table, in one order: looking one up would enter it later."""
    from marshmallow import decorators

    stages = [getattr(decorators, name) for name in _STAGES]
    known = dict(cls._hooks)
    cls._hooks = defaultdict(list, {stage: known.pop(stage, []) for stage in stages} | known)


from_dict.asks_again = True  # a field can be changed in place, and tells nobody


def recognise(cls: type) -> Recognised | None:
    """Recognise a schema that ``from_dict`` made.

    Raises:
        RegistrationError: It is a schema, and something of it would not come along, or it is in marshmallow's registry.
    """
    marshmallow: Any = sys.modules.get("marshmallow")
    if marshmallow is None or type(cls) is not type(marshmallow.Schema):
        return None
    kind: Any = cls
    if not kind.__dict__.get("Meta") or kind.opts.register or len(cls.__bases__) != 1:
        raise cannot(cls, "marshmallow's registry of schemas would hold it twice", f"Make it with Schema.from_dict. {_INSTEAD}")
    (base,) = kind.__bases__
    own = {n: field for n, field in kind._declared_fields.items() if base._declared_fields.get(n) is not field}
    fields = {name: _field(cls, name, field, marshmallow) for name, field in own.items()}
    if why := why_no_name(cls.__name__) or why_no_base(base, "marshmallow", type(cls)):
        raise cannot(cls, why, _INSTEAD)
    if record_of(cls) is None:
        _settle(cls)
    return from_dict, (cls.__name__, fields, base), {}


def _field(cls: type, name: str, field: Any, marshmallow: Any) -> list[Any]:
    kind = type(field).__name__
    if kind not in _OWN or type(field) is not getattr(marshmallow.fields, kind, None):
        raise cannot(cls, f"its field {name} is a {type(field).__qualname__}, which may hold anything", _INSTEAD)
    said: dict[str, Any] = {}
    for attribute in (*_FIELD, *_OWN[kind]):
        value = vars(field).get(attribute, marshmallow.missing)
        if value is marshmallow.missing or (value is None and not attribute.endswith("_default")):
            continue
        if attribute == "places":
            value = -value.as_tuple().exponent  # kept as what numbers are rounded to
        said[_PARAMETERS.get(attribute, attribute)] = value
    if kind == "Url" and field.validators and hasattr(field.validators[0], "schemes"):
        said["schemes"] = set(field.validators[0].schemes)  # kept there alone
    for inner in set(_INNER) & set(said):
        value = said[inner]
        many = inner == "tuple_fields"
        said[inner] = [_field(cls, name, v, marshmallow) for v in value] if many else _field(cls, name, value, marshmallow)
    if "validate" in said:
        said["validate"] = _validators(cls, name, said["validate"], marshmallow)
    if "nested" in said and not (
        isinstance(said["nested"], type) and (record_of(said["nested"]) or reference_to(said["nested"]))
    ):
        raise cannot(cls, f"its field {name} nests what no other process has", "Register the nested schema first.")
    return [kind, said]


def _validators(cls: type, name: str, validate: Any, marshmallow: Any) -> dict[str, Any]:
    if isinstance(validate, list | tuple):
        return {"all": [_validator(cls, name, item, marshmallow) for item in validate]}
    return {"one": _validator(cls, name, validate, marshmallow)}


def _validator(cls: type, name: str, item: Any, marshmallow: Any) -> Any:
    kind = type(item).__name__
    if kind in _CHECKS and type(item) is getattr(marshmallow.validate, kind):
        said = {key: getattr(item, key) for key in _CHECKS[kind] if getattr(item, key) is not None}
        return [kind, said | ({"regex": item.regex.pattern} if kind == "Regexp" else {})]
    if why := why_no_callable(item) or ("" if reference_to(item) else "no name leads to it"):
        raise cannot(cls, f"a validator of its field {name} would not come along: {why}", _INSTEAD)
    return item
