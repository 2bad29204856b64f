"""What may stand in the body and among the bases of a class that a descriptor describes, and what of a class is its body.

A maker makes a class of what it is given, and Python lets some of that run while a class is made: a ``__set_name__`` of a
value, an ``__init_subclass__`` of a base, a metaclass. None of it may come from a descriptor. What the program calls later are
functions and classes found by their names, and of the standard library's only those that make values.
"""

import builtins
import sys
import typing
from abc import ABCMeta
from collections import OrderedDict
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from ..classes import RuntimeType, is_dunder
from ..payload import MAX_DEPTH
from .annotations import texts_in, why_no_text
from .checks import why_no_callable

METACLASSES = (type, ABCMeta, RuntimeType)
_SAID_IN_BODY = frozenset((
    "__doc__", "__annotations__", "__slots__", "__match_args__", "__init__", "__post_init__", "__call__", "__repr__", "__str__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__", "__len__", "__iter__", "__next__",
    "__contains__", "__getitem__", "__enter__", "__exit__", "__envpickle_state__", "__envpickle_close__",
))  # fmt: skip
_CONTAINERS = (list, tuple, set, frozenset, dict, OrderedDict)
_MADE_BY_PYTHON = frozenset((
    "__module__", "__qualname__", "__dict__", "__weakref__", "__abstractmethods__", "_abc_impl", "__parameters__",
    "__orig_bases__", "__static_attributes__", "__firstlineno__", "__slotnames__",
))  # fmt: skip


def body_of(cls: type, but: Iterable[str] = ()) -> dict[str, Any]:
    """What the body of a class said, less what Python put there itself and the names ``but``."""
    left_out = {*_MADE_BY_PYTHON, *but}
    body = {n: v for n, v in cls.__dict__.items() if n not in left_out}
    body = {n: v for n, v in body.items() if not issubclass(type(v), GetSetDescriptorType | MemberDescriptorType)}
    if body.get("__doc__", "") is None:
        del body["__doc__"]
    if "__eq__" in body and body.get("__hash__", "") is None:
        del body["__hash__"]
    return body


def why_no_body(body: Any) -> str:
    """Why something is no body of a class; empty if it is one."""
    if type(body) is not dict or any(type(name) is not str for name in body):
        return "its body is no dict of names"
    for name, value in body.items():
        if is_dunder(name) and name not in _SAID_IN_BODY:
            return f"{name[:40]!a} in a body would change how classes and their instances are made"
        why = why_no_annotations(value) if name == "__annotations__" else why_no_value(value)
        if why:
            return f"{name[:40]!a} in its body: {why}"
    return ""


def why_no_value(value: Any, depth: int = 0) -> str:
    """Why something may not be an attribute of a class or a default, or in a container that is one; empty if it may."""
    kind = type(value)
    if depth > MAX_DEPTH:
        return "a value is nested too deep"
    if any(kind is container for container in _CONTAINERS):  # a metaclass may have its own idea of equality
        items = [item for pair in value.items() for item in pair] if issubclass(kind, dict) else value
        return next(filter(None, (why_no_value(item, depth + 1) for item in items)), "")
    if issubclass(kind, FunctionType | BuiltinFunctionType):
        return why_no_callable(value)
    if isinstance(value, type):
        return "" if issubclass(value, BaseException) else why_no_callable(value)
    if hasattr(kind, "__set_name__") or hasattr(kind, "__get__"):
        return f"a {kind.__qualname__} takes part in making the class, or in reading the attribute"
    return f"a {kind.__qualname__} can be called" if callable(value) else ""


def why_no_annotations(annotations: Any) -> str:
    """Why something is no dict of names to types; empty if it is one."""
    if type(annotations) is not dict or any(type(name) is not str for name in annotations):
        return "they are no dict of names to types"
    return next(filter(None, (why_no_text(text) for type_ in annotations.values() for text in texts_in(type_))), "")


def why_no_bases(bases: Any) -> str:
    """Why these are no bases of a class that a descriptor may describe; empty if they are."""
    if type(bases) is not tuple:
        return "its bases are no tuple"
    for base in bases:
        origin: Any = typing.get_origin(base)
        kind = base if origin is None else origin
        if not isinstance(kind, type):
            return f"the base {str(base)[:80]!a} is no class"
        if not any(type(kind) is known for known in METACLASSES) and kind.__module__ != "typing":
            return f"its base {kind.__qualname__} has a metaclass of its own, {type(kind).__qualname__}"
        for ancestor in kind.__mro__:
            if "__init_subclass__" in ancestor.__dict__ and ancestor.__module__ not in ("builtins", "typing"):
                return f"its base {ancestor.__qualname__} has an __init_subclass__, which would run wherever it arrives"
    return ""


def why_text_is_lost(cls: type, annotations: Iterable[Any]) -> str:
    """Why texts among a class's annotations would no longer say the same; empty if they do.

    A text is looked up in the module of the class, and that is the maker's from the registration on.
    """
    there = getattr(sys.modules.get(cls.__module__), "__dict__", {})  # what is not in there yet may be later: its own name
    for text in (text for annotation in annotations for text in texts_in(annotation)):
        if why := why_no_text(text):
            return f"an annotation is a text, and {why}"
        for name in names_in(text):
            meant = typing if name == "typing" else getattr(builtins, name, None)
            if meant is None or there.get(name, meant) is not meant:
                return f"the annotation {text!r} is a text that is looked up in {cls.__module__!r}"
    return ""


def names_in(text: str) -> list[str]:
    """The names that a text is looked up with."""
    import ast  # not where classes arrive: it costs time

    return [node.id for node in ast.walk(ast.parse(text.lstrip(" \t"), mode="eval")) if isinstance(node, ast.Name)]
