"""Plain data: the closed set of values a spec may hold, as a tree of msgpack's core types and back.

``None``, ``bool``, ``int``, ``float``, ``str``, ``bytes``, ``list`` and ``dict`` with text keys stand for themselves. Every
other value is a map of one key that begins with ``$`` and names the kind; a user's own dict of that look, or one with other
keys, is written as ``{"$dict": [[key, value], ...]}``. Types are kept exactly: a subclass of a plain type that is not
listed here is refused, never flattened.
"""

import functools
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import BuiltinFunctionType, FunctionType
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from . import objects
from .classes import record_of
from .errors import DescriptorError, NotPlainData, PickleRefused, PluginError
from .payload import MAX_DEPTH, MAX_ITEMS, pack, unpack
from .reducing import descriptor_of
from .refusals import hint_for
from .runtime import MAIN, Reference
from .script import name_in_script
from .secret import Secret

Active = frozenset[int]


class _Refusal(Exception):
    """Travels from the value that is not plain up to the argument it lies in, collecting the path."""

    def __init__(self, value: Any, why: str, steps: tuple[str, ...] = ()) -> None:
        self.value, self.why, self.steps = value, why, steps


def encode(builder: str, argument: str, value: Any) -> bytes:
    """Encode one argument of a builder.

    Args:
        builder: Name of the builder, for the path in the error.
        argument: Name of the argument.
        value: The argument.

    Returns:
        Its msgpack.

    Raises:
        NotPlainData: The argument holds something that is not plain data; the error names the path to it.
    """
    try:
        data = pack(to_tree(value, frozenset()))
        if len(data) > MAX_ITEMS:
            _refuse_excess(value, data)
        return data
    except _Refusal as refusal:
        path = f"{builder}({argument}={''.join(reversed(refusal.steps))})"
        kind = type(refusal.value)
        raise NotPlainData(
            f"{path} is not plain data: {refusal.why} (its type is {kind.__module__}.{kind.__qualname__}). "
            f"{hint_for(refusal.value)}",
            path=path,
            type_name=f"{kind.__module__}.{kind.__qualname__}",
        ) from None


def _refuse_excess(value: Any, data: bytes) -> None:
    try:
        unpack(data)
    except DescriptorError as error:
        raise _Refusal(value, f"it is too large, since {error.why}") from None


def to_tree(value: Any, active: Active) -> Any:
    """Turn a value into the tree that stands for it; ``active`` holds the ids of what it lies in."""
    kind = id(type(value))  # by id: a metaclass may have made classes unhashable
    if kind in _AS_IS:
        return value
    if kind in _LEAVES:
        return _LEAVES[kind](value)
    if id(value) in active:
        raise _Refusal(value, "it holds itself")
    if len(active) >= MAX_DEPTH - 4:
        raise _Refusal(value, f"it lies deeper than {MAX_DEPTH} levels")
    try:
        return _INNER.get(kind, _others)(value, active | {id(value)})
    except (_Refusal, PluginError):
        raise
    except Exception as error:  # noqa: BLE001 -- the value's own code; who uses the class here is not to be disturbed
        raise _Refusal(value, f"looking at it raised {type(error).__name__}: {error}") from None


def _items(values: Iterable[Any], active: Active) -> list[Any]:
    found = []
    for index, item in enumerate(values):
        try:
            found.append(to_tree(item, active))
        except _Refusal as refusal:
            raise _Refusal(refusal.value, refusal.why, (*refusal.steps, f"[{index}]")) from None
    return found


def _entries(mapping: dict[Any, Any], active: Active) -> Iterable[tuple[Any, Any]]:
    for key, value in mapping.items():
        try:
            yield to_tree(key, active), to_tree(value, active)
        except _Refusal as refusal:
            raise _Refusal(refusal.value, refusal.why, (*refusal.steps, f"[{_quoted(key)}]")) from None


def _quoted(key: Any) -> str:
    try:
        return json.dumps(key, ensure_ascii=False) if isinstance(key, str) else repr(key)
    except Exception:  # noqa: BLE001 -- the key's own code
        return f"<{type(key).__qualname__}>"


def _dict(value: dict[Any, Any], active: Active) -> Any:
    looks_tagged = len(value) == 1 and next(iter(value))[:1] == "$" if set(map(type, value)) == {str} else bool(value)
    if looks_tagged:
        return {"$dict": [list(pair) for pair in _entries(value, active)]}
    return dict(_entries(value, active))


def _set(tag: str) -> Callable[[Any, Active], Any]:
    return lambda value, active: {tag: sorted(_items(value, active), key=pack)}  # equal sets give equal bytes


def _int(value: int) -> Any:
    return value if -(1 << 63) <= value < 1 << 64 else {"$int": format(value, "x")}


def _zone(zone: Any) -> Any:
    if zone is None:
        return None
    if type(zone) is timezone:
        name = zone.tzname(None)
        named = name != timezone(zone.utcoffset(None)).tzname(None)
        if not named and not zone.utcoffset(None):
            return {"$timezone": None}  # UTC, by whatever way it was made
        return {"$timezone": [_delta(zone.utcoffset(None)), name if named else None]}
    if type(zone) is ZoneInfo and zone.key is not None:
        return {"$zoneinfo": zone.key}
    raise _Refusal(zone, "it is a time zone of a kind that has no name")


def _delta(value: timedelta) -> list[int]:
    return [value.days, value.seconds, value.microseconds]


def _datetime(v: datetime) -> Any:
    fields = [v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond, v.fold]
    return {"$datetime": [*fields, _zone(v.tzinfo)]}


def _time(v: time) -> Any:
    return {"$time": [v.hour, v.minute, v.second, v.microsecond, v.fold, _zone(v.tzinfo)]}


def _partial(value: functools.partial[Any], active: Active) -> Any:
    if value.__dict__:
        raise _Refusal(value, "it is a partial with attributes of its own")
    return {"$partial": _items([value.func, list(value.args), value.keywords], active)}


def _named(value: Any) -> Any:
    if objects.module_of(value) in MAIN:
        in_script = name_in_script(value)
        if in_script is not None:
            return {"$script": list(in_script)}
    reference = objects.reference_to(value)
    if reference is None:
        raise _Refusal(value, f"{getattr(value, '__qualname__', value)!r} is not found by its name")
    return {"$ref": reference}


def _class(value: type) -> Any:
    record = record_of(value)
    if record is None:
        return _named(value)
    if record.outer is not None:
        return {"$member": [_class(record.outer[0]), record.outer[1]]}
    try:
        head, parts = descriptor_of(value)
    except PickleRefused as error:
        raise _Refusal(value, f"it cannot travel itself ({error})") from None
    return {"$class": [head, *parts]}


def _others(value: Any, active: Active) -> Any:
    """Values whose exact type is in no table: members, objects with fields, functions, classes, a plugin's."""
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, Reference) or (issubclass(type(value), objects.TYPE_NAMES) and objects.reference_to(value)):
        return _named(value)
    if isinstance(value, Enum):
        name = value.name if value.name in type(value).__members__ else None
        return {"$enum": [_class(type(value)), name, None if name else to_tree(value.value, active)]}
    packed = objects.pack_with_plugins(value)
    if packed is not None:
        return {"$packed": [objects.reference_to(packed.unpacker), to_tree(packed.data, active)]}
    tag, fields = objects.fields_of(value)
    if tag is None:
        known = {*_AS_IS, *_LEAVES, *_INNER}
        flat = next((base for base in type(value).__mro__[1:] if id(base) in known), None)
        why = f"its class derives from {flat.__qualname__}, and " if flat else ""
        raise _Refusal(value, f"{why}a descriptor cannot hold it")
    return {tag: [_class(type(value)), dict(_entries(fields, active))]}


def _by_id(table: dict[Any, Any]) -> dict[int, Any]:
    return {id(kind): encoder for kind, encoder in table.items()}


_AS_IS = frozenset(map(id, (type(None), bool, float, str, bytes)))
_LEAVES = _by_id(
    {
        int: _int,
        complex: lambda v: {"$complex": [v.real, v.imag]},
        Decimal: lambda v: {"$decimal": str(v)},
        Fraction: lambda v: {"$fraction": [_int(v.numerator), _int(v.denominator)]},
        UUID: lambda v: {"$uuid": v.bytes},
        date: lambda v: {"$date": [v.year, v.month, v.day]},
        time: _time,
        datetime: _datetime,
        timedelta: lambda v: {"$timedelta": _delta(v)},
        timezone: _zone,
        ZoneInfo: _zone,
        range: lambda v: {"$range": [_int(v.start), _int(v.stop), _int(v.step)]},
        PurePosixPath: lambda v: {"$path": ["PurePosixPath", str(v)]},
        PureWindowsPath: lambda v: {"$path": ["PureWindowsPath", str(v)]},
        type(Path()): lambda v: {"$path": ["Path", str(v)]},
        FunctionType: _named,
        BuiltinFunctionType: _named,
        Secret: lambda v: {"$secret": v.name},
    }
)
_INNER = _by_id(
    {
        list: _items,
        dict: _dict,
        tuple: lambda v, a: {"$tuple": _items(v, a)},
        set: _set("$set"),
        frozenset: _set("$frozenset"),
        OrderedDict: lambda v, a: {"$odict": [list(pair) for pair in _entries(v, a)]},
        slice: lambda v, a: {"$slice": _items([v.start, v.stop, v.step], a)},
        functools.partial: _partial,
    }
)
