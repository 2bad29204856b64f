"""Type annotations as plain data: what ``list[int]``, ``int | None``, ``Literal["a"]`` and their kind travel as.

A class inside an annotation travels by its own name or call, and so does a type variable of a module. What is made here calls
nothing that a descriptor names: a class is only subscripted in Python's own two ways (``types.GenericAlias`` and that of
``typing.Generic``), and text that somebody may evaluate later holds names, subscripts and constants, and no call.
"""

import collections.abc
import types
import typing
from collections.abc import Callable, Iterator
from operator import getitem
from typing import Any

from ..errors import DescriptorError
from ..objects import Packed, unpacker
from ..payload import MAX_DEPTH
from .checks import MOST_FIELDS
from .new_types import recipe, remade

_LONGEST_TEXT = 512
_IN_TEXT = frozenset((
    "Expression", "Name", "Attribute", "Subscript", "Tuple", "List", "Load", "Constant", "BinOp", "BitOr", "UnaryOp", "USub",
))  # fmt: skip
_VARIABLES: dict[str, Any] = {"TypeVar": typing.TypeVar, "ParamSpec": typing.ParamSpec, "TypeVarTuple": typing.TypeVarTuple}
_SAID_OF_VARIABLE = ("__constraints__", "__bound__", "__covariant__", "__contravariant__")


@unpacker
def annotation(data: Any) -> Any:
    """Make an annotation of its kind and what stands in it.

    Raises:
        DescriptorError: There is no such kind, or it holds something else.
    """
    kind, *content = data
    if any(len(piece) > MOST_FIELDS for piece in content if isinstance(piece, tuple | list)):
        raise _bad(f"an annotation lists more than {MOST_FIELDS} types")  # a union takes the square of their number
    return _MAKERS[kind](*content)


def pack(value: Any) -> Packed | None:
    """The plain data of an annotation; None for what is none, or is one of a kind that cannot be made again as it is."""
    kind = type(value)
    reader = _READERS.get(id(kind)) or _READERS_BY_NAME.get((kind.__module__, kind.__name__))
    reader = reader or (_from_typing if kind.__module__ == "typing" else None)
    data = reader(value) if reader is not None else None
    if data is not None and any(len(piece) > MOST_FIELDS for piece in data if isinstance(piece, tuple | list)):
        return None
    return Packed(annotation, data) if data is not None else None


def why_no_text(text: Any) -> str:
    """Why a text may not stand for a type; empty if it may.

    Whoever asks for the types of a class has such texts evaluated. One with a call in it, or anything but names, subscripts,
    ``|`` and constants, is no annotation.
    """
    if type(text) is not str or len(text) > _LONGEST_TEXT:
        return f"it is no text of at most {_LONGEST_TEXT} characters"
    import ast  # seldom needed, and it costs time

    try:
        nodes = list(ast.walk(ast.parse(text.lstrip(" \t"), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{text[:80]!a} is no expression"
    foreign = next((node for node in nodes if type(node).__name__ not in _IN_TEXT), None)
    named = [getattr(node, "attr", getattr(node, "id", "")) for node in nodes]
    if foreign is not None or any(name.startswith("__") for name in named):
        return f"{text[:80]!a} is more than names, subscripts and constants"
    return ""


def texts_in(annotation: Any, depth: int = 0) -> Iterator[str]:
    """The texts in an annotation that stand for types, at any depth; what ``Literal`` lists or ``Annotated`` adds is none."""
    if isinstance(annotation, str):
        yield annotation
    elif isinstance(annotation, typing.ForwardRef):
        yield annotation.__forward_arg__
    elif typing.get_origin(annotation) is not typing.Literal and depth <= MAX_DEPTH:
        args = [annotation.type] if hasattr(annotation, "type") else annotation if type(annotation) is list else ()
        args = args or typing.get_args(annotation)[: 1 if typing.get_origin(annotation) is typing.Annotated else None]
        for arg in args:
            yield from texts_in(arg, depth + 1)


def _from_typing(value: Any) -> list[Any] | None:
    """What typing itself says a form or an alias is pickled as: its name, or what is subscripted with what."""
    try:
        reduced = value.__reduce__()
    except TypeError:  # a kind that does not pickle (``P.args``)
        return None
    if isinstance(reduced, str):
        return ["form", reduced] if _forms().get(reduced) is value else None
    if reduced[0] is not getitem:
        return None
    origin, parameters = reduced[1]
    annotated: Any = typing.Annotated  # a class on Python 3.11 and 3.12
    if isinstance(origin, type) and origin is not annotated:
        return ["generic", origin, parameters]
    name = next((name for name, form in _forms().items() if form is origin), None)
    return ["typing", name, parameters] if name is not None else None


def _forms() -> dict[str, Any]:
    """The public names of typing that can stand in an annotation, alone or subscripted, and are no classes."""
    known = {name: getattr(typing, name) for name in typing.__all__}
    alone = {n: v for n, v in known.items() if type(v).__module__ == "typing" and not isinstance(v, type)}
    return {n: v for n, v in alone.items() if type(v).__name__ not in _VARIABLES} | {
        "Annotated": typing.Annotated,
        "Union": typing.Union,
    }


def _variable(value: Any) -> list[Any] | None:
    made = [type(value).__name__, value.__name__]
    if type(value) is typing.TypeVar:
        made += [getattr(value, name) for name in _SAID_OF_VARIABLE]
    plain = getattr(value, "has_default", bool)() is False and not getattr(value, "__infer_variance__", False)
    return made if plain else None


def _forward(value: typing.ForwardRef) -> list[Any] | None:
    text = value.__forward_arg__
    whole = value == typing.ForwardRef(text) and not value.__forward_is_class__
    return ["forward", text] if whole and not why_no_text(text) else None


def _alias(value: Any) -> list[Any] | None:
    return None if getattr(value, "__unpacked__", False) else ["alias", value.__origin__, value.__args__]


_KINDS: dict[Any, Callable[[Any], list[Any] | None]] = {
    types.GenericAlias: _alias,
    type(collections.abc.Callable[[], None]): lambda value: ["callable", *value.__reduce__()[1][1]],
    types.UnionType: lambda value: ["union", value.__args__],
    type(...): lambda value: ["ellipsis"],
    typing.ForwardRef: _forward,
    typing.TypeVar: _variable,
    typing.ParamSpec: _variable,
    typing.TypeVarTuple: _variable,
    typing.NewType: lambda value: list(recipe(value)),
}


_READERS = {id(kind): reader for kind, reader in _KINDS.items()}  # by id: a metaclass may undo hashing
_READERS_BY_NAME: dict[Any, Callable[[Any], list[Any] | None]] = {  # of modules that cost a loading process time
    ("dataclasses", "InitVar"): lambda value: ["initvar", value.type],
}


def _bad(what: str) -> DescriptorError:
    return DescriptorError(f"{what}. It was not written by this library: do not load it.")


def _make_alias(origin: Any, args: Any) -> Any:
    if not isinstance(origin, type) or type(args) is not tuple:
        raise _bad(f"an annotation subscripts {str(origin)[:80]!a}, which is no class")
    return types.GenericAlias(origin, args)


def _make_from_typing(name: Any, parameters: Any) -> Any:
    form = _forms().get(name)
    if form is None:
        raise _bad(f"an annotation names typing.{str(name)[:80]!a}, which is none of its public forms")
    return form[parameters]


def _make_generic(origin: Any, parameters: Any) -> Any:
    if not isinstance(origin, type) or typing.Generic not in origin.__mro__:
        raise _bad(f"an annotation subscripts {str(origin)[:80]!a}, which is no generic class")
    return vars(typing.Generic)["__class_getitem__"].__get__(None, origin)(parameters)  # whatever the class itself makes of it


def _make_form(name: Any) -> Any:
    form = _forms().get(name)
    if form is None:
        raise _bad(f"an annotation is typing.{str(name)[:80]!a}, which is none of its public forms")
    return form


def _make_union(args: Any) -> Any:
    """Put a union together by the operator of Python's own kinds of types; a metaclass of somebody else is not asked."""
    union, *others = args
    for other in others:
        kinds = (kind for kind in (type, types.GenericAlias, types.UnionType) if isinstance(union, kind))
        union = next(kinds).__or__(union, other)
    if not isinstance(union, types.UnionType):
        raise _bad("an annotation is a union of something else than types")
    return union


def _make_forward(text: Any) -> Any:
    if why := why_no_text(text):
        raise _bad(f"an annotation is a text, and {why}")
    return typing.ForwardRef(text)


def _make_variable(kind: str) -> Callable[..., Any]:
    def make(name: Any, constraints: Any = (), bound: Any = None, covariant: Any = False, contravariant: Any = False) -> Any:
        said = {"bound": bound, "covariant": covariant, "contravariant": contravariant} if kind == "TypeVar" else {}
        return _VARIABLES[kind](name, *constraints, **said)

    return make


def _make_initvar(of: Any) -> Any:
    from dataclasses import InitVar

    return InitVar(of)


_MAKERS: dict[str, Callable[..., Any]] = {
    "alias": _make_alias,
    "callable": lambda parameters, result: collections.abc.Callable[parameters, result],
    "typing": _make_from_typing,
    "generic": _make_generic,
    "form": _make_form,
    "union": _make_union,
    "ellipsis": lambda: ...,
    "forward": _make_forward,
    "newtype": remade,
    "initvar": _make_initvar,
    **{kind: _make_variable(kind) for kind in _VARIABLES},
}
