"""Where in an object the part is that a pickler will not take: tried part by part, from the outside in."""

from __future__ import annotations

import dis
import weakref
from collections.abc import Callable, Iterator
from types import CellType, FunctionType, MethodType
from typing import Any

_MOST_TRIES = 2_000  # of a huge object the path may end early, rather than take minutes
WEAK = (weakref.ref, weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.finalize)
"""Kinds that hold without keeping: on the other side there would be nothing at their end."""
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None))


def path_to_culprit(whole: Any, dumps: Callable[[Any], Any], never: tuple[type, ...] = ()) -> tuple[str, Any]:
    """Find the innermost part that cannot be pickled by itself.

    Args:
        whole: What could not be pickled.
        dumps: Pickles one part, or raises.
        never: Kinds that are not sent whatever they hold, so that the path ends there.

    Returns:
        The path to the part, such as ``Env.step.<closure 'client'>.sock``, and the part.
    """
    path, value, tries, seen = _name_of(whole), whole, 0, {id(whole)}
    while not isinstance(value, never):
        for step, part in parts_of(value):
            tries += 1
            if tries > _MOST_TRIES:
                return path, value
            if id(part) not in seen and not isinstance(part, _PLAIN) and not _passes(part, dumps):
                seen.add(id(part))
                path, value = path + step, part
                break
        else:
            break
    return path, value


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object is made of, as far as pickling goes, each with its step of the path. Runs no code of the object."""
    if isinstance(value, type):
        yield from ((f".{name}", part) for name, part in list(value.__dict__.items()) if name not in _OF_PYTHON)
        yield from (("'s base", base) for base in value.__bases__)
    elif isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif isinstance(value, MethodType):
        yield from ((".__self__", value.__self__), ("", value.__func__))
    elif isinstance(value, CellType):
        yield from _cell("", value)
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]" if isinstance(key, _PLAIN) else "[...]", part) for key, part in list(dict.items(value)))
        yield from (("'s key", key) for key in list(dict.keys(value)))
    elif isinstance(value, list | tuple):
        yield from ((f"[{index}]", part) for index, part in enumerate(list(iter_plain(value))))
    elif isinstance(value, set | frozenset):
        yield from ((" holds", part) for part in list(value))
    else:
        yield from _parts_of_wrapper(value)
    if not isinstance(value, type | FunctionType):
        yield from _state_of(value)


def iter_plain(value: Any) -> Iterator[Any]:
    """The items of a list or tuple, by Python's own way: nothing that a derived class defines runs."""
    return list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)


_OF_PYTHON = ("__dict__", "__weakref__", "_abc_impl", "__module__", "__qualname__", "__doc__", "__envpickle_record__")


def _parts_of_function(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=False):
        yield from _cell(f".<closure {name!r}>", cell)
    yield from ((f".<default {index}>", part) for index, part in enumerate(fn.__defaults__ or ()))
    yield from ((f".<default {name!r}>", part) for name, part in (fn.__kwdefaults__ or {}).items())
    yield from ((f".<annotation {name!r}>", part) for name, part in fn.__annotations__.items())
    yield from ((f".{name}", part) for name, part in fn.__dict__.items())
    read = [i.argval for i in dis.get_instructions(fn.__code__) if i.opname == "LOAD_GLOBAL"]
    yield from ((f".<global {name!r}>", fn.__globals__[name]) for name in dict.fromkeys(read) if name in fn.__globals__)


def _cell(step: str, cell: CellType) -> Iterator[tuple[str, Any]]:
    try:
        yield step, cell.cell_contents
    except ValueError:  # it is empty
        return


def _parts_of_wrapper(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, staticmethod | classmethod):
        yield "", value.__func__
    elif isinstance(value, property):
        yield from ((f".{name}", part) for name in ("fget", "fset", "fdel") if (part := getattr(value, name)) is not None)


def _state_of(value: Any) -> Iterator[tuple[str, Any]]:
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        held = None
    if isinstance(held, dict):
        yield from ((f".{name}", part) for name, part in list(held.items()))
    for base in type(value).__mro__:
        for name, slot in base.__dict__.items():
            if type(slot).__name__ == "member_descriptor":
                try:
                    yield f".{name}", slot.__get__(value)
                except AttributeError:  # nothing was put there
                    continue


def _passes(part: Any, dumps: Callable[[Any], Any]) -> bool:
    try:
        dumps(part)
    except Exception:  # noqa: BLE001 -- whatever the pickler, or code of the part, says
        return False
    return True


def _name_of(whole: Any) -> str:
    return str(whole.__qualname__) if isinstance(whole, type | FunctionType) else f"<{type(whole).__qualname__}>"
