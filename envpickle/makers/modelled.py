"""A pydantic model taken apart into the call that makes it, and compared with the model that this call made.

Read by :mod:`envpickle.makers.pydantic` on the sending side; everything is asked of the model itself.
"""

from functools import partial
from inspect import get_annotations
from operator import attrgetter, itemgetter, methodcaller
from types import FunctionType
from typing import Any

from ..objects import reference_to
from .checks import cannot, own_body
from .generics import written_by_pydantic

Field = tuple[str, Any, list[Any], dict[str, Any]]
Validator = tuple[str, str, Any, list[str], dict[str, Any]]
CONSTRAINTS = {
    **{f"annotated_types:{kind}": kind.lower() for kind in ("Gt", "Ge", "Lt", "Le")},
    "annotated_types:MultipleOf": "multiple_of",
    "annotated_types:MinLen": "min_length",
    "annotated_types:MaxLen": "max_length",
    "pydantic.types:Strict": "strict",
    "pydantic.types:AllowInfNan": "allow_inf_nan",
    "pydantic.types:FailFast": "fail_fast",
}  # what stands beside a type, and the argument of Field that puts it there
GENERAL = frozenset((
    "pattern", "max_digits", "decimal_places", "union_mode", "coerce_numbers_to_str",
))  # fmt: skip
VALIDATORS = {"AfterValidator": "after", "BeforeValidator": "before", "PlainValidator": "plain", "WrapValidator": "wrap"}
INSTEAD = "Define the model at the top of an importable module, or make it in a function marked @envpickle.builder."
_OF_PYDANTIC = frozenset((
    "__module__", "__qualname__", "__doc__", "__annotations__", "__weakref__", "__dict__", "__abstractmethods__",
    "_abc_impl", "__signature__", "__class_vars__", "__private_attributes__", "__parameters__", "__firstlineno__",
    "__static_attributes__", "__slotnames__", "__annotate_func__", "__annotations_cache__", "model_config",
))  # fmt: skip
_OTHER_KINDS = ("validators", "root_validators", "field_serializers", "model_serializers", "computed_fields")


def taken_apart(cls: Any) -> dict[str, Any]:
    """The arguments of :func:`envpickle.makers.pydantic.create_model` that make a model like this one.

    Raises:
        RegistrationError: It has something that these arguments cannot say.
    """
    if not cls.__dict__.get("__pydantic_complete__"):
        raise cannot(cls, "it waits for types that are not defined yet", "Call its model_rebuild() first.")
    validators = _validators(cls)
    _refuse_the_rest(cls, {validator[1] for validator in validators})
    inherited: dict[str, Any] = {}
    for base in cls.__bases__:
        inherited |= getattr(base, "model_config", {})
    config = {k: v for k, v in cls.model_config.items() if k not in inherited or not _same(inherited[k], v)}
    own = get_annotations(cls)
    return {
        "name": cls.__name__,
        "fields": [_field(cls, name, field) for name, field in cls.__pydantic_fields__.items() if name in own],
        "doc": cls.__dict__.get("__doc__"),
        "config": config,
        "bases": cls.__bases__,
        "validators": validators,
    }


def _refuse_the_rest(cls: Any, validators: set[str]) -> None:
    rest = sorted(name for name in own_body(cls) if name not in validators and not _made_by_pydantic(cls, name))
    if rest:
        raise cannot(cls, f"{', '.join(rest)} in its body would not come along", INSTEAD)
    bases = [base for base in cls.__bases__ if hasattr(base, "__private_attributes__")]
    private = set(cls.__private_attributes__).difference(*(base.__private_attributes__ for base in bases))
    variables = set(cls.__class_vars__).difference(*(base.__class_vars__ for base in bases))
    if private or variables:
        raise cannot(cls, f"{', '.join(sorted(private | variables))} is no field and would not come along", INSTEAD)
    if cls.__pydantic_generic_metadata__["parameters"]:
        raise cannot(cls, "it is generic itself", "Define the generic model at the top of an importable module.")


def _made_by_pydantic(cls: Any, name: str) -> bool:
    if name in ("model_post_init", "__hash__"):  # where there are private attributes; where it is frozen
        return written_by_pydantic(cls.__dict__[name])
    if name in cls.__pydantic_fields__:  # a field that is deprecated warns when it is read
        return type(cls.__dict__[name]).__module__.startswith("pydantic.")
    return name in _OF_PYDANTIC or name.startswith("__pydantic_")


def _field(cls: Any, name: str, field: Any) -> Field:
    """A field as it was spelled, where that can be told: what stands beside the type there, and the rest in attributes."""
    annotation, beside, attributes = _said(cls, name, field)
    spelled: Any = get_annotations(cls)[name]
    around = [_beside(cls, name, item) for item in getattr(spelled, "__metadata__", ())]
    rest = [item for item in beside if not any(_same(item, other) for other in around)]
    further: dict[str, Any] = {}
    for item in rest:
        argument = CONSTRAINTS.get(f"{type(item).__module__}:{type(item).__qualname__}", "")
        further |= item if type(item) is dict else {argument: getattr(item, argument, None)}
    if any(type(item) is type(field) for item in around) or not set(further) <= {*GENERAL, *CONSTRAINTS.values()}:
        return name, annotation, beside, attributes
    return name, spelled, [], further | attributes


def _said(cls: Any, name: str, field: Any) -> tuple[Any, list[Any], dict[str, Any]]:
    """The type of a field, what stands beside it, and what else differs from a plain field, as pydantic sees it."""
    if not hasattr(field, "asdict"):
        raise cannot(cls, "this pydantic cannot take a field apart", "Install pydantic 2.12 or later.")
    said, blank = field.asdict(), type(field)().asdict()["attributes"]
    attributes = {key: value for key, value in said["attributes"].items() if not _same(value, blank[key])}
    return said["annotation"], [_beside(cls, name, item) for item in said["metadata"]], attributes


def _beside(cls: Any, name: str, item: Any) -> Any:
    """What stands beside a type, as plain data where pydantic has no class for it that a name leads to."""
    kind = type(item)
    if kind.__qualname__ in VALIDATORS and kind.__module__ == "pydantic.functional_validators":
        if not _is_undefined(getattr(item, "json_schema_input_type", None)):
            raise cannot(cls, f"a validator of its field {name} says what its JSON schema takes", INSTEAD)
        return {"validator": VALIDATORS[kind.__qualname__], "function": item.func}
    if "<locals>" in kind.__qualname__ and kind.__module__.startswith("pydantic.") and set(vars(item)) <= GENERAL:
        return dict(vars(item))
    return item


def _validators(cls: Any) -> list[Validator]:
    known = cls.__pydantic_decorators__
    if other := [name for kind in _OTHER_KINDS for name in getattr(known, kind, {}) if name in cls.__dict__]:
        raise cannot(cls, f"its serializers and computed fields ({', '.join(other)}) would not come along", INSTEAD)
    found = [("field", name, item) for name, item in known.field_validators.items() if name in cls.__dict__]
    found += [("model", name, item) for name, item in known.model_validators.items() if name in cls.__dict__]
    return [_validator(cls, *item) for item in found]


def _validator(cls: Any, kind: str, name: str, item: Any) -> Validator:
    wrapped = cls.__dict__[name]
    fn = getattr(wrapped, "__func__", wrapped)
    if type(fn) is not FunctionType or type(wrapped) is staticmethod or reference_to(fn) is None:
        raise cannot(
            cls,
            f"no name leads to the function of its validator {name}, which therefore would not come along",
            "Define the function at the top of an importable module, or make the model in a builder.",
        )
    info = item.info
    if kind == "model":
        return kind, name, fn, [], {"mode": info.mode}
    if not _is_undefined(info.json_schema_input_type):
        raise cannot(cls, f"its validator {name} says what its JSON schema takes", INSTEAD)
    return kind, name, fn, list(info.fields), {"mode": info.mode, "check_fields": info.check_fields}


def _is_undefined(value: Any) -> bool:
    return value is None or type(value).__name__ == "PydanticUndefinedType"


def unlike(cls: Any, again: Any) -> list[str]:
    """What differs between a model and the one that was made of its parts, in pydantic's own words; empty if nothing."""
    mine, theirs = taken_apart(cls), taken_apart(again)
    found = [f"its {part}" for part in mine if part != "fields" and not _same(mine[part], theirs[part])]
    fields = {name: rest for name, *rest in theirs["fields"]}
    found += [f"its field {name}" for name, *rest in mine["fields"] if not _same(rest, fields.get(name))]
    seen = [{n: _said(m, n, field) for n, field in m.__pydantic_fields__.items()} for m in (cls, again)]
    found += [f"its field {n}" for n in seen[0] if not found and not _same(seen[0][n], seen[1].get(n))]
    if list(seen[0]) != list(seen[1]):
        found.append("the order of its fields")
    if not found and not _same_schema(cls.__pydantic_core_schema__, again.__pydantic_core_schema__, cls, again):
        found.append("what it validates")
    return found


def _same(mine: Any, theirs: Any) -> bool:
    return mine is theirs or bool(type(mine) is type(theirs) and mine == theirs and repr(mine) == repr(theirs))


def _same_schema(mine: Any, theirs: Any, cls: Any, again: Any) -> bool:
    """Whether two core schemas say the same, each of its own model; functions made on the way are compared by their code."""
    if mine is cls:
        return theirs is again
    if type(mine) is not type(theirs):
        return False
    if type(mine) is dict:
        return list(mine) == list(theirs) and all(_same_schema(mine[key], theirs[key], cls, again) for key in mine)
    if type(mine) in (list, tuple):
        return len(mine) == len(theirs) and all(_same_schema(a, b, cls, again) for a, b in zip(mine, theirs, strict=True))
    if type(mine) is str:  # in a reference to the model itself its id stands behind its names
        return mine == theirs or (mine.endswith(f":{id(cls)}") and theirs.endswith(f":{id(again)}"))
    if type(mine) is partial:
        return _same_schema([mine.func, mine.args, mine.keywords], [theirs.func, theirs.args, theirs.keywords], cls, again)
    if type(mine) in (attrgetter, itemgetter, methodcaller):
        return bool(mine.__reduce__() == theirs.__reduce__())
    if getattr(mine, "__code__", None) is not None:
        return bool(mine.__code__ is getattr(theirs, "__code__", None))
    return _same(mine, theirs)
