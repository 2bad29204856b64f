"""Containers of a class compared with what they were when it was built: shape and plain leaves by value, others by identity.

A container met twice is written down once, so a tree with links to its parents, or one with much in common, costs what it has.
"""

from __future__ import annotations

import marshal
from collections import OrderedDict, defaultdict, deque
from functools import singledispatchmethod
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MappingProxyType, SimpleNamespace

from .classes import CONTAINERS

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Shape = list[tuple[type, tuple[Any, ...], tuple[Any, ...]]]
    Frozen = list[tuple[str, Any, Any]]

_CACHED = "cached_property"
# What a field of a dataclass was told.
_said = attrgetter("name", "type", "default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")
_WITH_A_DICT = (MappingProxyType, SimpleNamespace, singledispatchmethod)
_MOST_ITEMS = 1_000_000  # of a larger container only the identity is watched
_BY_VALUE = (int, float, complex, str, bytes, bool, type(None))
_LEAVES = frozenset(map(id, (*_BY_VALUE, type, FunctionType, BuiltinFunctionType)))  # by id: a metaclass may undo hashing


class _Link(int):
    """Stands for a container among the items of another: its number."""


def frozen(attributes: Iterable[tuple[str, Any]]) -> Frozen:
    """Those attributes of a class that can change in place, each with a copy of what it is now."""
    return [(name, value, freeze(value)) for name, value in attributes if can_change(value)]


def all_unchanged(attributes: Frozen) -> bool:
    """Whether containers are what :func:`frozen` saw."""
    return all(unchanged(value, copy) for _, value, copy in attributes)


def can_change(value: Any, depth: int = 16) -> bool:
    """Whether a container can be changed in place: a tuple only through what it holds."""
    if not issubclass(type(value), tuple | frozenset):
        return True
    return depth > 0 and any(issubclass(type(item), CONTAINERS) and can_change(item, depth - 1) for item in value)


def freeze(value: Any) -> Any:
    """A copy of a container to compare with later; None if it is too large to be watched by value."""
    shape = _shape(value)
    return None if shape is None else (_marshalled(value), shape)


def unchanged(value: Any, copy: Any) -> bool:
    """Whether a container still is what :func:`freeze` saw."""
    if copy is None:
        return True
    data, before = copy
    if data is not None and _marshalled(value) == data:
        return True  # the same bytes are the same value; other bytes may only mean other reference counts
    now = _shape(value)
    return now is not None and len(now) == len(before) and all(map(_same, now, before))


def _marshalled(value: Any) -> bytes | None:
    try:
        return marshal.dumps(value)
    except ValueError:
        return None


def _shape(value: Any) -> Shape | None:
    """Every container that can be reached, each once, with its keys and items; containers among the items as links."""
    numbers = {id(value): 0}
    reached, found, items_seen = [value], [], 0
    for container in reached:
        keys, items = contents(container)
        items_seen += len(items)
        if items_seen > _MOST_ITEMS:
            return None
        written = list(items)
        for at, item in enumerate(items):
            if id(type(item)) in _LEAVES or not _holds_items(item):
                continue
            if id(item) not in numbers:
                numbers[id(item)] = len(reached)
                reached.append(item)
            written[at] = _Link(numbers[id(item)])
        found.append((type(container), keys, tuple(written)))
    return found


def _holds_items(value: Any) -> bool:
    """Whether a value is looked into: a container, a member of an enumeration, a field of a dataclass."""
    kind = type(value)
    return issubclass(kind, CONTAINERS) or _is_member(kind) or _is_field(kind)


def _is_member(kind: type) -> bool:
    return "_member_map_" in kind.__dict__


def _is_field(kind: type) -> bool:
    return kind.__name__ == "Field" and kind.__module__ == "dataclasses"  # importing it would cost time


def _own(member: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What a member of an enumeration holds, but for what fills itself in."""
    own, kind = member.__dict__, type(member).__dict__
    names = [n for n in own if n != "_inverted_" and (n not in kind or type(kind[n]).__name__ != _CACHED)]
    return tuple(names), tuple([own[n] for n in names])


def contents(container: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The keys and the items of a container, by the builtin kinds' own methods: no code of a derived class runs."""
    if _is_member(type(container)):
        return _own(container)
    if _is_field(type(container)):
        return (), _said(container)
    if issubclass(type(container), _WITH_A_DICT):
        return contents(_dict_in(container))
    if issubclass(type(container), OrderedDict):
        return tuple(OrderedDict.keys(container)), tuple(OrderedDict.values(container))
    if issubclass(type(container), defaultdict):
        return (container.default_factory, *dict.keys(container)), tuple(dict.values(container))
    if issubclass(type(container), dict):
        return tuple(dict.keys(container)), tuple(dict.values(container))
    if issubclass(type(container), bytearray):
        return (bytes(container),), ()
    if issubclass(type(container), set | frozenset):
        return (frozenset((type(item).__name__, item) for item in container),), ()
    kind = next(kind for kind in (list, tuple, deque) if issubclass(type(container), kind))
    return (), tuple(kind.__iter__(container))


def _dict_in(container: Any) -> dict[Any, Any]:
    if issubclass(type(container), SimpleNamespace):
        return dict(container.__dict__)
    return dict(container.dispatcher.registry if issubclass(type(container), singledispatchmethod) else container)


def _same(now: Any, before: Any) -> bool:
    (kind, keys, items), (kind_before, keys_before, items_before) = now, before
    if kind is not kind_before or len(keys) != len(keys_before):
        return False
    return alike((*keys, *items), (*keys_before, *items_before)) or (_is_field(kind) and _resolved(items, items_before))


def _resolved(now: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether a field differs by its type alone, where no class stood: libraries put there what an annotation says."""
    return not issubclass(type(before[1]), type) and alike(now[:1] + now[2:], before[:1] + before[2:])


def alike(now: Iterable[Any], before: Iterable[Any]) -> bool:
    """Whether two rows hold the same items, plain ones by value."""
    now, before = tuple(now), tuple(before)
    return len(now) == len(before) and all(a is b or _same_leaf(a, b) for a, b in zip(now, before, strict=True))


def _same_leaf(now: Any, before: Any) -> bool:
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    return issubclass(type(now), (*_BY_VALUE, frozenset, tuple)) and (now == before or now != now)  # NaN is not itself
