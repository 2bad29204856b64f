"""``collections.namedtuple``: made again of its type name, its fields and their defaults."""

import collections
from typing import Any

from ..runtime import builder
from . import Recognised, no_call
from .checks import Making, why_no_name, why_too_many

_MAKE: Any = collections.namedtuple  # a checker wants literal calls of it


@builder
def namedtuple(
    typename: str,
    field_names: list[str],
    defaults: list[Any] | None,
    doc: str | None = None,
    field_docs: dict[str, str] | None = None,
) -> type:
    """Make a named tuple as ``collections.namedtuple`` does.

    Args:
        typename: Name of the class.
        field_names: Names of the fields, as they came out where ``rename=True`` replaced some.
        defaults: The defaults of the last fields; None where ``namedtuple`` was given none.
        doc: The docstring, where it is not the library's own.
        field_docs: Docstrings of fields, likewise.

    Raises:
        DescriptorError: These make no named tuple.
    """
    with Making("namedtuple") as refuse:
        refuse("" if type(field_names) is list else "its fields are no list")
        refuse(why_too_many(len(field_names)) or why_no_name(typename, *field_names))
        renamed = any(name.startswith("_") for name in field_names)
        made = _MAKE(typename, field_names, rename=renamed, defaults=defaults)
        refuse("" if made._fields == tuple(field_names) else "a field has a name that is given to renamed ones")
        put_docs(made, doc, field_docs)
        cls: type = made
        return cls


def put_docs(made: Any, doc: str | None, field_docs: dict[str, str] | None) -> None:
    """Give a named tuple and its fields the docstrings that are not the library's own."""
    if doc is not None:
        made.__doc__ = str(doc)
    for name, text in (field_docs or {}).items():
        if name not in made._fields:
            raise ValueError(f"{str(name)[:40]!a} is no field")
        made.__dict__[name].__doc__ = str(text)


def docs_of(cls: Any) -> tuple[str | None, dict[str, str] | None]:
    """The docstrings of a named tuple and of its fields that are not the library's own."""
    doc = cls.__doc__ if cls.__doc__ != f"{cls.__name__}({', '.join(cls._fields)})" else None
    fields = {name: cls.__dict__[name].__doc__ for name in cls._fields if name in cls.__dict__}
    own = {n: d for i, (n, d) in enumerate(fields.items()) if d != f"Alias for field number {i}" and isinstance(d, str)}
    return doc, own or None


def annotations_of(cls: type) -> dict[str, Any]:
    """A class's own annotations."""
    from inspect import get_annotations  # not where classes arrive: it costs time

    return get_annotations(cls)


def is_namedtuple(cls: type) -> bool:
    """Whether a class derives from tuple alone and has the fields of a named tuple."""
    fields = cls.__dict__.get("_fields")
    named = isinstance(fields, tuple) and all(type(name) is str for name in fields)
    return (
        type(cls) is type
        and cls.__base__ is tuple
        and len(cls.__bases__) == 1
        and named
        and isinstance(cls.__dict__.get("_field_defaults"), dict)
    )


def recognise(cls: Any) -> Recognised | None:
    """Recognise a named tuple without types.

    Raises:
        RegistrationError: It is one, with a name that no descriptor may hold.
    """
    if not is_namedtuple(cls) or annotations_of(cls):
        return None
    if why := why_too_many(len(cls._fields)) or why_no_name(cls.__name__, *cls._fields):
        raise no_call(namedtuple, why)
    doc, field_docs = docs_of(cls)
    defaults = list(cls._field_defaults.values()) if cls.__new__.__defaults__ is not None else None
    return namedtuple, (cls.__name__, list(cls._fields), defaults, doc, field_docs), {}
