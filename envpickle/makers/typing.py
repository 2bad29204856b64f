"""``typing.NamedTuple`` and ``typing.TypedDict`` by call, and by a class statement that says no more than a call could."""

import sys
import types
import typing
from typing import Any

from ..runtime import Builder, builder
from . import Recognised, no_call
from .annotations import texts_in
from .bodies import why_no_annotations, why_text_is_lost
from .checks import Making, why_no_name, why_too_many
from .collections import annotations_of, docs_of, is_namedtuple, put_docs

_NAMED: Any = typing.NamedTuple  # a checker wants literal calls of both
_DICT: Any = typing.TypedDict


@builder
def named_tuple(
    typename: str,
    fields: dict[str, Any],
    defaults: dict[str, Any],
    doc: str | None = None,
    field_docs: dict[str, str] | None = None,
    by_statement: bool = False,
) -> type:
    """Make a named tuple with types as ``typing.NamedTuple`` does.

    Args:
        typename: Name of the class.
        fields: The types by field.
        defaults: The defaults by field.
        doc: The docstring, where it is not the library's own.
        field_docs: Docstrings of fields, likewise.
        by_statement: Whether it is made as a class statement makes it; with defaults it always is.

    Raises:
        DescriptorError: These make no named tuple.
    """
    with Making("named_tuple") as refuse:
        refuse(why_too_many(len(fields)) or why_no_name(typename, *fields, *defaults) or why_no_annotations(fields))
        refuse("" if defaults.keys() <= fields.keys() else "a default is of no field")
        if by_statement or defaults:
            made = _stated(typename, _NAMED, {}, {"__annotations__": dict(fields), **defaults})
        else:
            made = _NAMED(typename, list(fields.items()))
        put_docs(made, doc, field_docs)
        cls: type = made
        return cls


@builder
def typed_dict(typename: str, fields: dict[str, Any], total: bool, doc: str | None = None, by_statement: bool = False) -> type:
    """Make a typed dict as ``typing.TypedDict`` does.

    Args:
        typename: Name of the class.
        fields: The types by key, ``Required`` and ``NotRequired`` where they were said.
        total: Whether keys are required where nothing is said.
        doc: The docstring.
        by_statement: Whether it is made as a class statement makes it.

    Raises:
        DescriptorError: These make no typed dict.
    """
    with Making("typed_dict") as refuse:
        refuse(why_too_many(len(fields)) or why_no_name(typename) or why_no_annotations(fields))
        if by_statement:
            cls = _stated(typename, _DICT, {"total": bool(total)}, {"__annotations__": dict(fields)})
        else:
            cls = _DICT(typename, dict(fields), total=bool(total))
        if doc is not None:
            cls.__doc__ = str(doc)
        return cls  # type: ignore[no-any-return]


def _stated(name: str, base: Any, said: dict[str, Any], body: dict[str, Any]) -> Any:
    """Make a class as a class statement does."""
    return types.new_class(name, (base,), said, lambda namespace: namespace.update({"__module__": __name__} | body))


def recognise(cls: Any) -> Recognised | None:
    """Recognise a named tuple with types, or a typed dict.

    Raises:
        RegistrationError: It is one, with a name or a type that no descriptor may hold.
    """
    annotations = annotations_of(cls)
    by_statement = sys.version_info < (3, 12) and "__orig_bases__" in cls.__dict__  # from then on nothing tells them apart
    if typing.is_typeddict(cls):
        text = next((text for type_ in annotations.values() for text in texts_in(type_)), "")
        _refuse(
            typed_dict,
            why_no_name(cls.__name__) or (f"the type {text!r} is a text, which it looks up in its module" if text else ""),
        )
        return typed_dict, (cls.__name__, annotations, cls.__total__, cls.__dict__.get("__doc__"), by_statement), {}
    if not is_namedtuple(cls) or not annotations or tuple(annotations) != cls._fields:
        return None
    _refuse(named_tuple, why_no_name(cls.__name__, *cls._fields) or why_text_is_lost(cls, annotations.values()))
    doc, field_docs = docs_of(cls)
    return named_tuple, (cls.__name__, annotations, dict(cls._field_defaults), doc, field_docs, by_statement), {}


def _refuse(maker: Builder, why: str) -> None:
    if why:
        raise no_call(maker, why)
