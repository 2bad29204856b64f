"""``dataclasses.make_dataclass``, and a dataclass statement that says no more than such a call could."""

import dataclasses
import typing  # noqa: F401 -- the classes' module is this one, and "typing.Any" is the type of a field that was given none
from types import FunctionType
from typing import Any

from ..objects import reference_to
from ..runtime import builder
from . import Recognised, no_call
from .bodies import METACLASSES, body_of, why_no_annotations, why_no_bases, why_no_body, why_no_value, why_text_is_lost
from .checks import Making, why_no_callable, why_no_name, why_too_many
from .collections import annotations_of

_OPTIONS = ("init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot")
_OF_FIELD = ("default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")
_PLAIN_FIELD: dict[str, Any] = {"init": True, "repr": True, "hash": None, "compare": True, "metadata": {}, "kw_only": False}
_GENERATED = ("__dataclass_fields__", "__dataclass_params__", "__annotations__", "__match_args__", "__slots__", "__doc__")
_GENERATED_METHODS = (
    "__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__",
    "__getstate__", "__setstate__", "__replace__",
)  # fmt: skip


@builder
def make_dataclass(
    cls_name: str, fields: list[Any], bases: tuple[Any, ...], namespace: dict[str, Any], options: dict[str, bool]
) -> type:
    """Make a dataclass as ``dataclasses.make_dataclass`` does.

    Args:
        cls_name: Name of the class.
        fields: For each field its name, its type, and what ``dataclasses.field`` was told.
        bases: The bases, generic ones with what they are subscripted with.
        namespace: The other attributes.
        options: What ``dataclasses.dataclass`` was told, where it is not what it takes by itself.

    Raises:
        DescriptorError: These make no dataclass, or something of them would run while it is made.
    """
    with Making("make_dataclass") as refuse:
        refuse(why_no_bases(bases) or why_no_body(namespace) or _why_no_fields(fields))
        refuse(why_no_name(cls_name, *(name for name, _, _ in fields)))
        refuse("" if options.keys() <= set(_OPTIONS) else "it has an option that make_dataclass does not know")
        specs = [(name, type_, dataclasses.field(**said)) for name, type_, said in fields]
        named: Any = dataclasses.make_dataclass
        cls: type = named(cls_name, specs, bases=bases, namespace=dict(namespace), **options)
        return cls


def _why_no_fields(fields: Any) -> str:
    if type(fields) is list and (why := why_too_many(len(fields))):
        return why
    for field in fields if type(fields) is list else [None]:
        if type(field) is not tuple or len(field) != 3 or type(field[2]) is not dict:
            return "its fields are no triples of a name, a type and options"
        _, type_, said = field
        if not said.keys() <= set(_OF_FIELD):
            return "a field has an option that dataclasses.field does not know"
        why = why_no_annotations({"": type_}) or (why_no_value(said["default"]) if "default" in said else "")
        why = why or (why_no_callable(said["default_factory"]) if "default_factory" in said else "")
        if why:
            return why
    return ""


def recognise(cls: Any) -> Recognised | None:
    """Recognise a dataclass that ``make_dataclass`` could have made.

    Raises:
        RegistrationError: It holds what no descriptor may, or a name that leads nowhere else; the message names it.
    """
    if "__dataclass_fields__" not in cls.__dict__ or not any(type(cls) is known for known in METACLASSES) or _is_adorned(cls):
        return None
    annotations = annotations_of(cls)
    if not annotations.keys() <= cls.__dataclass_fields__.keys():
        return None
    fields = [(name, type_, _said_of(cls.__dataclass_fields__[name])) for name, type_ in annotations.items()]
    bases, namespace = cls.__dict__.get("__orig_bases__", cls.__bases__), _namespace_of(cls, annotations)
    why = why_no_name(cls.__name__, *annotations) or why_text_is_lost(cls, annotations.values())
    if why := why or why_no_bases(bases) or why_no_body(namespace) or _why_no_fields(fields):
        raise no_call(make_dataclass, why)
    return make_dataclass, (cls.__name__, fields, () if cls.__bases__[0] is object else bases, namespace, _options_of(cls)), {}


def _is_adorned(cls: Any) -> bool:
    """Whether another library made it a dataclass of its own kind."""
    return any(name.startswith("__pydantic_") for name in cls.__dict__)


def _said_of(field: Any) -> dict[str, Any]:
    said = {name: getattr(field, name) for name in _OF_FIELD}
    said["metadata"] = dict(said["metadata"])
    return {n: v for n, v in said.items() if v is not dataclasses.MISSING and not (n in _PLAIN_FIELD and v == _PLAIN_FIELD[n])}


def _namespace_of(cls: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The attributes that no field and no option made: methods found by their own names, and other values."""
    body = body_of(cls, (*_GENERATED, *fields))
    for name in _GENERATED_METHODS:
        if name in body and not _is_given(body[name]):
            del body[name]
    if cls.__doc__ != _generated_doc(cls) or "{" in cls.__doc__:  # it shows defaults, and equal sets show in any order
        body["__doc__"] = cls.__doc__
    return body


def _is_given(method: Any) -> bool:
    """Whether a method of a name that the library generates is a function of somebody's, found by its own name."""
    return type(method) is FunctionType and method.__module__ != "dataclasses" and reference_to(method) is not None


def _generated_doc(cls: Any) -> str:
    import inspect

    try:
        text = str(inspect.signature(cls)).replace(" -> None", "")
    except (TypeError, ValueError):
        text = ""
    return f"{cls.__name__}{text}"


def _options_of(cls: Any) -> dict[str, bool]:
    """What ``dataclass`` was told, where it is not what it takes by itself; Python 3.11 keeps a part of it only."""
    params, slots = cls.__dataclass_params__, cls.__dict__.get("__slots__")
    said = {name: bool(getattr(params, name)) for name in _OPTIONS if hasattr(params, name)}
    said |= {"match_args": "__match_args__" in cls.__dict__, "slots": slots is not None}
    said["weakref_slot"] = slots is not None and "__weakref__" in slots
    usual = {"init", "repr", "eq", "match_args"}
    return {name: value for name, value in said.items() if value != (name in usual)}
