"""Containers that hold more than plain data, compared with what they were: their shape by value, their leaves by identity."""

from collections import deque
from typing import Any

_MAX_DEPTH = 32
_LISTS = (list, tuple, deque, bytearray)
_SETS = (set, frozenset)


def freeze(value: Any, depth: int = 0) -> Any:
    """A tree of the container's type, keys and leaves; leaves are held, so that their identity stays theirs alone."""
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return type(value), tuple(value), tuple(freeze(item, depth + 1) for item in value.values())
    if isinstance(value, _LISTS):
        return type(value), None, tuple(freeze(item, depth + 1) for item in value)
    if isinstance(value, _SETS):
        return type(value), None, frozenset(value)
    return value


def unchanged(value: Any, frozen: Any, depth: int = 0) -> bool:
    """Whether a container still is what :func:`freeze` saw."""
    if depth > _MAX_DEPTH or not isinstance(value, dict | set | frozenset | list | tuple | deque | bytearray):
        return value is frozen or (type(value) is type(frozen) and isinstance(value, int | float | str) and value == frozen)
    if type(frozen) is not tuple or len(frozen) != 3 or frozen[0] is not type(value):
        return False
    if isinstance(value, dict):
        items, same = tuple(value.values()), tuple(value) == frozen[1]
    elif isinstance(value, _SETS):
        return bool(value == frozen[2])
    else:
        items, same = tuple(value), True
    return same and len(items) == len(frozen[2]) and all(unchanged(a, b, depth + 1) for a, b in zip(items, frozen[2]))
