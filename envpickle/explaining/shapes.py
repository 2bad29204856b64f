"""What the steps are called that lead from an object to what its reducer names: arguments, state, items.

A reducer's arguments and state are tuples and dicts of its own, no parts of the user's. A *shape* says of each thing inside
one by what step it is reached, and whether it is such a container again (then with a shape of its own).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinMethodType, CellType, FunctionType, MethodType
from typing import Any

from .naming import key_text

Shape = Callable[[Any], "tuple[str, Any]"]  # of a key or an index: the step, and the shape of what is there or None

CLASS, MAKER, NOTHING = " (class)", " (made by)", ""
_CLASS_ARGUMENTS = {0: (" (metaclass)", None), 2: (NOTHING, lambda index: (" (base)", None))}


def plain(value: Any) -> Shape:
    """The shape of a plain container: keys and indices in brackets."""
    return _in_brackets


def _in_brackets(key: Any) -> tuple[str, Any]:
    return f"[{key_text(key)}]", None


def _attribute(name: Any) -> tuple[str, Any]:
    return (f".{name}" if type(name) is str else f" (state {key_text(name)})"), None


def of_arguments(value: Any, skipped: int = 0) -> Shape:
    """The shape of the arguments by which an object is made again.

    Args:
        value: The object.
        skipped: How many arguments come before the first.
    """
    kind = type(value)
    if kind is MethodType or kind is BuiltinMethodType:
        return lambda index: (".__self__", None) if index == 0 else (NOTHING, None)
    if kind is CellType:
        return lambda index: (NOTHING, None)
    if kind is FunctionType:
        return lambda index: (" (code)", None) if index == 0 else (NOTHING, _global if index == 1 else _anything)
    if issubclass(kind, type):
        return lambda index: _CLASS_ARGUMENTS.get(index, (f" (argument {index})", None))
    return lambda key: (f" (argument {key + skipped if type(key) is int else key})", None)


def of_state(value: Any, state: Any) -> Shape | None:
    """The shape of an object's state; None if it is a thing of its own."""
    if type(state) is dict:
        return _attribute
    if type(state) is tuple and len(state) == 2 and all(part is None or type(part) is dict for part in state):
        inside = _function_attribute(value) if type(value) is FunctionType else _attribute
        return lambda index: (NOTHING, inside)
    if issubclass(type(value), functools.partial) and type(state) is tuple and len(state) == 4:
        return lambda index: (NOTHING, _attribute) if index == 3 else ((".func", ".args", ".keywords")[index], None)
    return None


def _function_attribute(function: FunctionType) -> Shape:
    """The state of a function that is copied: what it closes over and the globals it uses by their names."""

    def inside(name: Any) -> tuple[str, Any]:
        if name == "__globals__":
            return NOTHING, _global
        if name == "__closure__":
            return NOTHING, lambda index: (f" (closes over {function.__code__.co_freevars[index]})", None)
        return f".{name}", None

    return inside


def _global(name: Any) -> tuple[str, Any]:
    return f" (uses {name})", None


def _anything(key: Any) -> tuple[str, Any]:
    return NOTHING, None


def hidden(key: Any) -> tuple[str, Any]:
    """The shape of what nobody needs to see: a descriptor's bytes, the object that its state is set on."""
    return NOTHING, None


def is_definition(value: Any) -> bool:
    """Whether it is a function or a class."""
    return type(value) is FunctionType or issubclass(type(value), type)
