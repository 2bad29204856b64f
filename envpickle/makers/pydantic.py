"""pydantic's ``create_model``: a model made of its name, its fields, its configuration and validators found by their names.

Fields travel as pydantic itself takes them apart (``FieldInfo.asdict``). While it makes a model, pydantic calls some of what it
finds: text in annotations, ``GetPydanticSchema`` and its like beside a type, a generator of aliases or titles. None of that is
taken from a descriptor; what is kept to be called later is looked at too (see :mod:`envpickle.makers.checks`).
"""

import sys
from inspect import get_annotations
from typing import Annotated, Any, get_args

from ..classes import record_of
from ..objects import fields_of
from ..runtime import builder
from .checks import (
    Making,
    cannot,
    why_no_base,
    why_no_callable,
    why_no_name,
    why_no_pair,
    why_no_type,
    why_not_plain,
    why_too_many,
)
from .generics import Recognised, origin_of
from .generics import recognise as recognise_parametrized
from .modelled import CONSTRAINTS, GENERAL, INSTEAD, VALIDATORS, Field, Validator, taken_apart, unlike

_KEPT = ("default", "default_factory", "validation_alias")  # what in a field's attributes may be more than plain values
_TAKES = frozenset((
    "default", "default_factory", "alias", "alias_priority", "validation_alias", "serialization_alias", "title",
    "description", "examples", "exclude", "discriminator", "deprecated", "json_schema_extra", "frozen", "validate_default",
    "repr", "init", "init_var", "kw_only",
))  # fmt: skip
_BESIDE = {  # what may stand beside a type: it constrains, and calls nothing
    "annotated_types": ("Gt", "Ge", "Lt", "Le", "Interval", "MultipleOf", "MinLen", "MaxLen", "Len", "Timezone"),
    "pydantic": ("Strict", "StringConstraints", "AllowInfNan", "FailFast", "AliasPath", "AliasChoices"),
    "pydantic.types": ("PathType", "UuidVersion"),
}
_ALIASES = ("to_camel", "to_pascal", "to_snake")


@builder
def create_model(
    name: str,
    fields: list[Field],
    doc: str | None,
    config: dict[str, Any],
    bases: tuple[type, ...],
    validators: list[Validator],
) -> type:
    """Make a model as ``pydantic.create_model`` does.

    Args:
        name: Its name.
        fields: Name, type, what stands beside the type, and further attributes of each field.
        doc: Its docstring.
        config: What it configures otherwise than its bases.
        bases: The models it derives from.
        validators: Kind, name, function, fields and options of each validator.

    Raises:
        DescriptorError: pydantic makes no model of these, or something in them might run while it does.
    """
    import pydantic

    with Making("pydantic.create_model") as refuse:
        refuse(why_no_name(name, *(field[0] for field in fields), *(validator[1] for validator in validators)))
        for base in bases:
            refuse(why_no_base(base, "pydantic", type(pydantic.BaseModel)))
        refuse(why_too_many(len(fields)) or _why_no_config(config))
        for said in fields:
            refuse(_why_no_field(*said, _validates_defaults(config, bases)))
        for kind, _, fn, targets, options in validators:
            refuse(why_no_callable(fn) or why_not_plain([kind, targets, options]))
        # Keywords of the class are pydantic's way to configure a model that has bases.
        made: type = pydantic.create_model(
            name,
            __base__=bases,
            __doc__=doc,
            __validators__={validator[1]: _validator(*validator) for validator in validators},
            __cls_kwargs__=config,
            **{field: _definition(*rest) for field, *rest in fields},
        )
        return made


def _why_no_config(config: dict[str, Any]) -> str:
    from pydantic import ConfigDict, alias_generators

    if unknown := set(config) - set(get_annotations(ConfigDict)):
        return f"{min(unknown)[:40]!a} is no setting of a model"
    generator = config.get("alias_generator")
    if generator is not None and not any(generator is getattr(alias_generators, name) for name in _ALIASES):
        return "a generator of aliases is called while the model is made, and only pydantic's own may be"
    rest = {key: value for key, value in config.items() if key != "alias_generator"}
    return why_not_plain(rest)


def _why_no_field(_: str, annotation: Any, beside: list[Any], attributes: dict[str, Any], validated: bool = False) -> str:
    if unknown := set(attributes) - _TAKES - GENERAL - {*CONSTRAINTS.values()}:
        return f"{min(unknown)[:40]!a} is no attribute of a field that may travel"
    factory, alias = attributes.get("default_factory"), attributes.get("validation_alias")
    reasons = [why_no_type(annotation, why_not_beside), *map(_why_not_item, beside)]
    reasons += [why_no_callable(factory)] if factory is not None else []
    if attributes.get("validate_default", validated):
        reasons += [why_no_pair(attributes.get("default"), taker) for taker in _takers(annotation, beside)]
    reasons += [why_not_beside(alias), why_not_plain({k: v for k, v in attributes.items() if k not in _KEPT})]
    return next(filter(None, reasons), "")


def _validates_defaults(config: dict[str, Any], bases: tuple[Any, ...]) -> bool:
    return bool(config.get("validate_default", any(getattr(b, "model_config", {}).get("validate_default") for b in bases)))


def _takers(annotation: Any, beside: list[Any]) -> list[Any]:
    """What is handed a default that is validated, at any depth: functions of validators, and classes with their own."""
    found = [item["function"] for item in beside if type(item) is dict and "function" in item]
    stack = [annotation, *beside]
    while stack:
        part = stack.pop()
        stack += [*get_args(part), *(part if type(part) is list else [])]
        found += [part.func] if hasattr(part, "func") else [part] if isinstance(part, type) else []
    return found


def why_not_beside(item: Any) -> str:
    """Why something may not stand beside a type in ``Annotated``, where pydantic may call it; empty if it may."""
    kind = type(item)
    if kind in (str, int, bool, float, type(None)):
        return ""
    if any(kind is getattr(sys.modules.get("pydantic"), name, None) for name in VALIDATORS):
        return why_no_callable(item.func)
    if any(kind is getattr(sys.modules.get(module), name, None) for module, names in _BESIDE.items() for name in names):
        inner = [value for field in fields_of(item)[1].values() for value in (field if type(field) is list else [field])]
        return next(filter(None, (why_not_plain(v) and why_not_beside(v) for v in inner)), "")
    return f"a {kind.__module__}.{kind.__qualname__} stands beside a type, where it may be called while the model is made"


def _why_not_item(item: Any) -> str:
    if type(item) is not dict:
        return why_not_beside(item)
    if set(item) == {"validator", "function"}:
        return why_no_callable(item["function"])
    return why_not_plain(item) if set(item) <= GENERAL else "what stands beside a type is of no known kind"


def _definition(annotation: Any, beside: list[Any], attributes: dict[str, Any]) -> Any:
    import pydantic

    if not beside and set(attributes) <= {"default"}:
        return (annotation, attributes["default"]) if attributes else annotation
    if not beside:
        return annotation, pydantic.Field(**attributes)
    items = [_item(item) for item in beside]
    return Annotated[(annotation, *items, pydantic.Field(**attributes))]


def _item(item: Any) -> Any:
    import pydantic

    if type(item) is not dict:
        return item
    if "validator" in item:
        kinds = {mode: getattr(pydantic, kind) for kind, mode in VALIDATORS.items()}
        return kinds[item["validator"]](item["function"])
    return pydantic.Field(**item)


def _validator(kind: str, _: str, fn: Any, targets: list[str], options: dict[str, Any]) -> Any:
    import pydantic

    takes_class = kind == "field" or options["mode"] != "after"
    marks: Any = pydantic.field_validator(*targets, **options) if kind == "field" else pydantic.model_validator(**options)
    return marks(classmethod(fn) if takes_class else fn)


create_model.asks_again = True  # a FieldInfo can be changed in place, and tells nobody


def recognise(cls: type) -> Recognised | None:
    """Recognise a model that ``create_model`` could have made: fields, configuration, and validators found by their names.

    Raises:
        RegistrationError: It is a model, and something of it would not come along.
    """
    pydantic = sys.modules.get("pydantic")
    if pydantic is None or type(cls) is not type(pydantic.BaseModel) or cls is pydantic.BaseModel:
        return None
    if origin_of(cls)[0] is not None:
        return recognise_parametrized(cls)
    call = taken_apart(cls)
    if record_of(cls) is not None:
        return create_model, (), call  # asked again: what counts is whether the call is still the same
    reasons = [_why_no_config(call["config"]), why_too_many(len(call["fields"]))]
    validated = _validates_defaults(call["config"], call["bases"])
    fields: list[Field] = call["fields"]
    reasons += [_why_no_field(*field, validated) for field in fields]
    reasons += [why_no_callable(validator[2]) for validator in call["validators"]]
    reasons += [why_no_base(base, "pydantic", type(cls)) for base in call["bases"]]
    if why := next(filter(None, reasons), ""):
        raise cannot(cls, why, INSTEAD)
    if found := unlike(cls, create_model.fn(**call)):
        raise cannot(cls, f"made once more of what it is, pydantic makes another ({'; '.join(found)})", INSTEAD)
    return create_model, (), call
