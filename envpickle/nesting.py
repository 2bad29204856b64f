"""Classes nested in a built class: adopted with it, and found through it."""

from typing import Any

from .classes import RECORD, Record, adopt, found_by_name, has_nested, is_dunder, record_of
from .runtime import teach

Nested = tuple[tuple[str, type], ...]


def adopt_nested(outer: type) -> list[type]:
    """Give the plain classes in a class's own attributes the metaclass, in place; others are left as they are.

    Returns:
        The nested classes, as they are afterwards.
    """
    found: list[type] = []
    for name in _nested_names(outer):
        box = [outer.__dict__[name]]
        inside = adopt_nested(box[0]) if has_nested(box[0]) else []
        if type(box[0]) is not type:
            found.append(box[0])
            continue
        type.__setattr__(outer, name, None)  # the attribute must not be what still holds the class
        cls = adopt(box, inside)
        type.__setattr__(outer, name, cls)
        found.append(cls)
    return found


def settle(outer: type, record: Record, nested: Any) -> None:
    """Give nested classes their address below the outer class, and a record that leads through it."""
    for name in _nested_names(outer):
        cls = outer.__dict__[name]
        if not any(cls is known for known in nested):
            continue
        type.__setattr__(cls, "__module__", outer.__module__)
        type.__setattr__(cls, "__qualname__", f"{outer.__qualname__}.{name}")
        if record.owner is not None:
            record.owner.take(cls)
        inner = Record(cls, record.builder, record.call, record.owner, (outer, name))
        type.__setattr__(cls, RECORD, inner)
        deeper = [value for value in cls.__dict__.values() if isinstance(value, type) and not found_by_name(value)]
        settle(cls, inner, deeper)
        inner.snapshot(cls)
        record.bases += ((cls, inner),)  # its changes would be lost with the outer class's call
        teach(type(cls))


def _nested_names(outer: type) -> list[str]:
    return [
        name
        for name, value in outer.__dict__.items()
        if isinstance(value, type) and not is_dunder(name) and record_of(value) is None and not found_by_name(value)
    ]
