"""Containers compared with what they were: by value, and where they hold more than plain data, by their leaves' identity."""

import marshal
from collections import deque
from collections.abc import Iterable
from typing import Any

_MAX_DEPTH = 32
_LISTS = (list, tuple, deque, bytearray)
_SETS = (set, frozenset)
Frozen = list[tuple[str, Any, Any]]


def frozen(attributes: Iterable[tuple[str, Any]]) -> Frozen:
    """Those attributes of a class that can change in place, each with a copy of what it is now."""
    return [(name, value, freeze(value)) for name, value in attributes if can_change(value)]


def all_unchanged(attributes: Frozen) -> bool:
    """Whether containers are what :func:`frozen` saw."""
    return all(unchanged(value, copy) for _, value, copy in attributes)


def can_change(value: Any) -> bool:
    """Whether a container can be changed in place: a tuple only through what it holds."""
    if isinstance(value, tuple | frozenset):
        return any(isinstance(item, dict | deque | bytearray | list | set | tuple) and can_change(item) for item in value)
    return True


def freeze(value: Any) -> Any:
    """A copy of a container to compare with later: bytes where all in it is plain, else a tree that holds the leaves."""
    try:
        return marshal.dumps(value, 2)  # version 2 has no back references: equal content gives equal bytes
    except ValueError:
        return _tree(value, 0)


def unchanged(value: Any, copy: Any) -> bool:
    """Whether a container still is what :func:`freeze` saw."""
    if type(copy) is not bytes:
        return _same(value, copy, 0)
    try:
        return marshal.dumps(value, 2) == copy
    except ValueError:
        return False


def _tree(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return type(value), tuple(value), tuple(_tree(item, depth + 1) for item in value.values())
    if isinstance(value, _LISTS):
        return type(value), None, tuple(_tree(item, depth + 1) for item in value)
    if isinstance(value, _SETS):
        return type(value), None, frozenset(value)
    return value


def _same(value: Any, copy: Any, depth: int) -> bool:
    if depth > _MAX_DEPTH or not isinstance(value, dict | set | frozenset | list | tuple | deque | bytearray):
        return value is copy or (type(value) is type(copy) and isinstance(value, int | float | str | bytes) and value == copy)
    if type(copy) is not tuple or len(copy) != 3 or copy[0] is not type(value):
        return False
    if isinstance(value, _SETS):
        return bool(value == copy[2])
    items = tuple(value.values()) if isinstance(value, dict) else tuple(value)
    if isinstance(value, dict) and tuple(value) != copy[1]:
        return False
    return len(items) == len(copy[2]) and all(_same(a, b, depth + 1) for a, b in zip(items, copy[2], strict=True))
