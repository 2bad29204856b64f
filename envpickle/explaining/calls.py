"""The call behind a class that travels by spec, told without importing or running anything."""

from __future__ import annotations

from typing import Any

from ..classes import record_of
from ..payload import read, rebuild_class, rebuild_from_main, rebuild_with_code, unpack
from .naming import title
from .parts import Called

_WAYS = (rebuild_class, rebuild_from_main, rebuild_with_code)
_MOST = 72  # characters of the arguments that are shown


def call_of(value: Any, func: Any, args: tuple[Any, ...]) -> Called | None:
    """The call of a class, from what it is pickled as; None if it is pickled as something else.

    Args:
        value: The class.
        func: The function that its reducer names.
        args: The arguments of that.
    """
    if not issubclass(type(value), type) or all(func is not way for way in _WAYS):
        return None
    head, *parts = args if func is not rebuild_from_main else args[1:]
    call = read(head, tuple(parts))[0]
    names = [*map(str, range(call.positional)), *call.keywords]
    said = ", ".join(f"{name}={_short(unpack(part.data))}" for name, part in zip(names, call.values, strict=True))
    owner = call.owner.hex() if call.owner else None
    shown = said if len(said) <= _MOST else f"{said[: _MOST - 3]}..."
    return Called(f"{call.module}:{call.qualname}", shown, owner, len(head), sum(map(len, parts)))


def _short(tree: Any) -> str:
    text = repr(tree)  # of msgpack's core types only
    return text if len(text) <= 32 else f"{text[:28]}...{text[-1]}"


def nested_in(value: Any) -> str:
    """The class that a nested class travels inside, or empty."""
    record = record_of(value) if issubclass(type(value), type) else None
    return title(record.outer[0]) if record is not None and record.outer is not None else ""
