"""A class's kin: classes nested in it, adopted with it and found through it, and the run-time classes it derives from.

What was changed in one of them after building would be lost with the class's call as well, so they are watched together.
"""

from __future__ import annotations

from .classes import RECORD, Record, adopt, found_by_name, innermost, is_dunder, record_of
from .refusals import runtime_metaclass
from .runtime import Builder, dress, teach

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator


def adopt_nested(outer: type, builder: Builder, around: tuple[type, ...] = ()) -> list[type]:
    """Give the plain classes in a class's own attributes the metaclass, in place; others are left as they are.

    Args:
        outer: The class.
        builder: Whose call made it; what was not made in this call is a value, and nobody's nested class.
        around: The classes it is nested in itself.

    Returns:
        The nested classes of every depth, as they are afterwards.
    """
    found: list[type] = []
    for name in _nested_names(outer, builder, around):
        box = [outer.__dict__[name]]
        inside = adopt_nested(box[0], builder, (*around, outer))
        if type(box[0]) is type:
            aliases = [alias for alias, value in outer.__dict__.items() if value is box[0]]
            for alias in aliases:
                type.__setattr__(outer, alias, None)  # the attribute must not be what still holds the class
            cls = adopt(box, inside)
            for alias in aliases:
                type.__setattr__(outer, alias, cls)
        else:
            cls = box[0]
        found += [cls, *inside]
    return found


def settle(outer: type, record: Record, nested: list[type]) -> None:
    """Give nested classes their address below the outer class and a record that leads through it; find the kin of all."""
    placed = list(_place(outer, record, nested))
    temporary: dict[int, Record] = {}
    for cls, its_record in [(outer, record), *placed]:
        its_record.related = _related(cls, its_record, temporary)


def _place(outer: type, record: Record, nested: list[type]) -> Iterator[tuple[type, Record]]:
    adopted = set(map(id, nested))
    for name, cls in list(outer.__dict__.items()):
        if id(cls) not in adopted or is_dunder(name) or record_of(cls) is not None:
            continue
        if "<locals>" in type(cls).__qualname__:
            raise runtime_metaclass(record.builder, cls)
        dress(cls, record.owner)
        type.__setattr__(cls, "__module__", outer.__module__)
        type.__setattr__(cls, "__qualname__", f"{outer.__qualname__}.{name}")
        inner = Record(cls, record.builder, record.call, record.owner, (outer, name))
        type.__setattr__(cls, RECORD, inner)
        teach(type(cls))
        yield from _place(cls, inner, nested)
        inner.snapshot(cls)
        yield cls, inner


def _related(cls: type, record: Record, temporary: dict[int, Record]) -> list[tuple[type, Record]]:
    """Every run-time class that can be reached through bases and class attributes, each with its record."""
    found: dict[int, tuple[type, Record]] = {id(cls): (cls, record)}
    stack = [cls]
    while stack:
        for kin in _near(stack.pop(), record.builder):
            if id(kin) in found:
                continue
            its_record = record_of(kin) or temporary.get(id(kin))
            if its_record is None:
                its_record = temporary[id(kin)] = Record(kin, record.builder, None)
                its_record.snapshot(kin)
            found[id(kin)] = kin, its_record
            stack.append(kin)
    return list(found.values())[1:]


def _near(cls: type, builder: Builder) -> Iterator[type]:
    nested = _nested_names(cls, builder, ())  # of a base that was made in this call: it has no record, nor have they
    yield from (base for base in cls.__mro__[1:-1] if record_of(base) is not None or not found_by_name(base))
    for name, value in cls.__dict__.items():
        if issubclass(type(value), type) and not is_dunder(name) and (name in nested or record_of(value) is not None):
            yield value


def _nested_names(outer: type, builder: Builder, around: tuple[type, ...]) -> list[str]:
    """The attributes of a class that are nested classes, each class once: made in the same call, and no base or outer class."""
    made_here = f"{innermost(builder.fn).__code__.co_qualname}.<locals>."
    found: dict[int, str] = {}
    for name, value in outer.__dict__.items():
        if not issubclass(type(value), type) or is_dunder(name) or any(value is cls for cls in (*around, *outer.__mro__)):
            continue
        if value.__qualname__.startswith((made_here, f"{outer.__qualname__}.")) and record_of(value) is None:
            found.setdefault(id(value), name)
    return list(found.values())
