"""attrs' ``make_class``: a class made of its name, its fields and its options.

attrs writes source text of the names it is given and compiles it, so every name is looked at first.
"""

import operator
import sys
from abc import ABCMeta
from types import MemberDescriptorType
from typing import Any

from ..classes import RuntimeType, is_dunder
from ..objects import fields_of
from ..runtime import builder
from . import no_call
from .checks import (
    Making,
    own_body,
    why_no_attribute,
    why_no_base,
    why_no_callable,
    why_no_name,
    why_no_pair,
    why_no_type,
    why_not_plain,
    why_too_many,
)
from .generics import Recognised

_PLAIN = ("repr", "eq", "order", "hash", "init", "metadata", "kw_only", "alias")
_COMPARE = (operator.lt, operator.le, operator.ge, operator.gt)
_CALLED_LATER = ("validator", "converter")
_OPTIONS = frozenset((
    "frozen", "slots", "kw_only", "force_kw_only", "eq", "order", "unsafe_hash", "init", "repr", "str", "weakref_slot",
    "auto_exc", "cache_hash", "collect_by_mro", "getstate_setstate", "match_args",
))  # fmt: skip
Field = tuple[str, dict[str, Any]]


@builder
def make_class(name: str, fields: list[Field], bases: tuple[type, ...], options: dict[str, Any], body: dict[str, Any]) -> type:
    """Make a class as ``attrs.make_class`` does.

    Args:
        name: Its name.
        fields: Name, and what differs from a plain field's, of each field.
        bases: The classes it derives from.
        options: Its options, by their names in attrs.
        body: Further attributes of the class: its docstring, plain values, and functions found by their names.

    Raises:
        DescriptorError: attrs makes no class of these, or they hold what would run while it does.
    """
    import attr  # attrs' own functions; attrs.make_class is this module's

    with Making("attrs.make_class") as refuse:
        refuse(why_no_name(name, *(field for field, _ in fields), *(set(body) - {"__doc__"})))
        refuse(why_too_many(len(fields)) or ("" if set(options) <= _OPTIONS else "its options are others"))
        refuse(why_not_plain(options))
        for field in fields:
            refuse(_why_no_field(*field))
        refuse(_why_no_class(bases, body))
        made: type = attr.make_class(
            name,
            {field: _made_field(said) for field, said in fields},
            bases=bases,
            class_body=body,
            **options,
        )
        return made


def _why_no_class(bases: tuple[type, ...], body: dict[str, Any]) -> str:
    reasons = [
        *(why_no_base(base, "attr", type, ABCMeta, RuntimeType) for base in bases),
        *map(why_no_attribute, body.values()),
    ]
    return next(filter(None, reasons), "")


def _why_no_field(_: str, said: dict[str, Any]) -> str:
    if unknown := set(said) - {*_PLAIN, *_CALLED_LATER, "type", "default", "factory", "takes_self"}:
        return f"{min(unknown)[:40]!a} is nothing that a field may have"
    reasons = [why_not_plain({key: said[key] for key in _PLAIN if key in said})]
    reasons += [why_no_name(said["alias"]) if "alias" in said else "", why_no_type(said.get("type"))]
    reasons += [why_no_pair(said.get("default"), said["converter"]) if "converter" in said else ""]
    reasons += [_why_not_kept(said[key]) for key in (*_CALLED_LATER, "factory") if key in said]
    return next(filter(None, reasons), "")


def _made_field(said: dict[str, Any]) -> Any:
    import attr

    rest = {key: value for key, value in said.items() if key not in ("factory", "takes_self")}
    if "factory" in said:
        rest["default"] = attr.Factory(said["factory"], takes_self=said.get("takes_self", False))
    return attr.ib(**rest)


def _why_not_kept(value: Any, depth: int = 0) -> str:
    """Why attrs shall not keep something to call it later; its own validators are looked into."""
    if depth > 16:
        return "validators are nested too deep"
    if type(value).__module__ not in ("attr.validators", "attr._make"):
        return why_no_callable(value)
    for name, inner in fields_of(value)[1].items():
        for part in inner if type(inner) is tuple else (inner,):
            compares = name == "compare_func" and part in (operator.lt, operator.le, operator.ge, operator.gt)
            if (
                callable(part)
                and name not in ("type", "exc_types")
                and not compares
                and (why := _why_not_kept(part, depth + 1))
            ):
                return why
    return ""


def recognise(cls: type) -> Recognised | None:
    """Recognise a class that ``make_class`` could have made: fields and options, and what is found by its name.

    Raises:
        RegistrationError: It is a class of attrs, and something of it would not come along.
    """
    if "__attrs_attrs__" not in cls.__dict__:
        return None
    attr, kind = sys.modules["attr"], cls
    props = cls.__dict__.get("__attrs_props__")
    if props is None:
        raise no_call(make_class, "this attrs does not say what it made (25.4 does)")
    if props.on_setattr_hook is not None or props.field_transformer is not None:
        raise no_call(
            make_class, "it has an on_setattr hook (attrs.define gives one) or a field_transformer, which are functions"
        )
    own = [field for field in attr.fields(kind) if not field.inherited]
    said = [_field(cls, field) for field in own]
    body = {name: value for name, value in own_body(cls).items() if _is_body(name, value)}
    reasons = [why_no_name(cls.__name__, *(set(body) - {"__doc__"}), *(name for name, _ in said))]
    reasons += [_why_no_field(*field) for field in said]
    reasons += [_why_no_class(cls.__bases__, body)]
    if why := next(filter(None, reasons), ""):
        raise no_call(make_class, why)
    return make_class, (cls.__name__, said, cls.__bases__, _options(props), body), {}


def _is_body(name: str, value: Any) -> bool:
    own = not is_dunder(name) and type(value) is not MemberDescriptorType and name != "_abc_impl"
    return own or (name == "__doc__" and value is not None)


def _options(props: Any) -> dict[str, Any]:
    kinds = type(props).Hashability
    hashes = {kinds.HASHABLE: True, kinds.HASHABLE_CACHED: True, kinds.UNHASHABLE: None, kinds.LEAVE_ALONE: False}
    return {
        "frozen": props.is_frozen,
        "slots": props.is_slotted,
        "weakref_slot": props.has_weakref_slot,
        "kw_only": props.kw_only is not type(props).KeywordOnly.NO,
        "force_kw_only": props.kw_only is not type(props).KeywordOnly.YES,
        "eq": props.added_eq,
        "order": props.added_ordering,
        "unsafe_hash": hashes[props.hashability],
        "cache_hash": props.hashability is kinds.HASHABLE_CACHED,
        "init": props.added_init,
        "repr": props.added_repr,
        "str": props.added_str,
        "auto_exc": props.is_exception,
        "collect_by_mro": props.collected_fields_by_mro,
        "getstate_setstate": props.added_pickling,
        "match_args": props.added_match_args,
    }


def _field(cls: type, field: Any) -> Field:
    if field.eq_key or field.order_key or field.on_setattr:
        raise no_call(make_class, f"its field {field.name} has functions for comparing or setting")
    plain = {"repr": True, "eq": True, "order": field.eq, "hash": None, "init": True, "kw_only": False, "type": None}
    plain |= {"alias": field.name.lstrip("_"), "validator": None, "converter": None}
    said = {key: getattr(field, key) for key, usual in plain.items() if getattr(field, key) is not usual != getattr(field, key)}
    if field.metadata:
        said["metadata"] = dict(field.metadata)
    default = field.default
    if type(default).__name__ == "Factory" and type(default).__module__.startswith("attr."):
        return field.name, said | {"factory": default.factory, "takes_self": default.takes_self}
    return field.name, said if type(default).__name__ == "_Nothing" else said | {"default": default}
