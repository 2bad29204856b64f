"""What a class is pickled as, where the short way of :func:`envpickle.runtime.reduce_class` does not answer.

In this order: a class with a record travels as the call that made it, if it still is what the call made and the builder is
still the builder; a class found by its name travels by name; anything else is refused. A subclass is never answered for with
its base's call.
"""

from collections.abc import Callable
from typing import Any

from . import errors
from .changes import differences, noted_differ
from .classes import Record, RuntimeType, find, found_by_name, later, record_of
from .payload import keep, lay_out, read, rebuild_class, rebuild_with_code


def reduce_class(cls: type, chained: Callable[[type], Any] | None = None) -> Any:
    """Answer a pickler for one class.

    Args:
        cls: The class.
        chained: The reducer that was there for its metaclass before ours.

    Raises:
        PickleRefused: The class cannot travel without losing something.
    """
    record = record_of(cls)
    if record is None:
        return _without_record(cls, chained)
    if record.outer is not None:
        return _nested(cls, record)
    checked(cls)
    if record.reduced is None:
        return _with_tags(record)
    return record.reduced


def _with_tags(record: Record) -> Any:
    """The answer for a class whose call may name functions or classes of a script, which travel beside it, or hold code."""
    beside = later("beside")
    named = beside.named_by(record)
    if named:
        return beside.reduce_class(record, named)
    if record.taken[0]:
        return rebuild_with_code, (record.head, *record.parts)  # looked at again each time
    reduced = rebuild_with_code if beside.holds_code(record.call) else rebuild_class, (record.head, *record.parts)
    if not record.builder.asks_again:
        record.reduced = reduced  # from now on this is known
    return reduced


def checked(cls: type) -> Record:
    """The record of a class, its descriptor laid out, after checking that the class still is what its call makes."""
    record = record_of(cls)
    if record is None or record.outer is not None:
        raise errors.UnknownClass(
            f"{_title(cls)} was not made by a builder itself, so no call describes it. Describe the class it is nested in, or "
            f"give it a builder of its own."
        )
    if record.refusal is not None:
        raise type(record.refusal)(*record.refusal.args, **record.refusal.__dict__)
    if not record.builder.is_current():
        raise errors.BuilderChanged(
            f"{_title(cls)} was made by a {record.builder!r} that is no longer what this name leads to (was its module "
            f"reloaded?), so the other side would get another class. Call the builder that is there now, and send that class."
        )
    refuse_changes(cls, record)
    if record.taken[0]:
        later("makers.taking_apart").refuse_stale(cls, record)
    if record.builder.asks_again:
        later("makers").refuse_other_call(cls, record)
    if record.head is None:
        head, parts = lay_out(record.call, record.title[0], record.surface)
        try:
            read(head, tuple(part.data for part in parts))
        except errors.DescriptorError as error:
            raise errors.NotPlainData(
                f"the arguments of {record.builder!r} that made {_title(cls)} are too much for a descriptor: {error.why}. "
                f"Pass a path or a URL instead of the data.",
                path=record.builder.qualname,
            ) from None
        keep(record, head, parts)
    if record.owner is not None:
        record.owner.listen()
        if record.owner.is_at_home:
            later("carriers").send(record.owner)
    return record


def descriptor_of(cls: type) -> tuple[bytes, tuple[bytes, ...]]:
    """Head and parts of a built class, after the same checks as for pickling it."""
    record = checked(cls)
    assert record.head is not None, "checked() lays the descriptor out"
    return record.head, record.parts


def refuse_changes(cls: type, record: Record) -> None:
    """Refuse a class that is no longer what its builder made.

    Raises:
        ClassChanged: It differs; the message names how.
    """
    if record.intact(cls) and (record.head is not None or not noted_differ(record)):
        return
    found = differences(cls, record)
    if found:
        raise errors.ClassChanged(
            f"{_title(cls)} is not what {record.builder!r} made, and the other side would get it without the difference: "
            f"{'; '.join(found)}. {_instead(record)}",
            changes=tuple(found),
        )
    for item, item_record in ((cls, record), *record.related):
        item_record.snapshot(item)


def _instead(record: Record) -> str:
    """What to do instead of changing a class: a maker is nobody's to write into."""
    if record.builder.module.startswith("envpickle.makers."):
        return (
            "Do it before the class is registered: envpickle.unregister it and register it anew, which tells if it cannot "
            "travel with that. Or have a builder make it."
        )
    return "Do it in the builder, or name per-process state in the class's __envpickle_state__."


def _nested(cls: type, record: Record) -> Any:
    assert record.outer is not None, "asked for nested classes only"
    outer, name = record.outer
    if outer.__dict__.get(name) is not cls:
        raise errors.ClassChanged(f"{_title(cls)} is no longer {outer.__qualname__}.{name}. Put it back, or give it a builder.")
    refuse_changes(cls, record)
    return getattr, (outer, name)


def _without_record(cls: type, chained: Callable[[type], Any] | None) -> Any:
    built = [base for base in cls.__mro__[1:] if record_of(base) is not None]
    if not found_by_name(cls) and (built or type(cls) is RuntimeType):
        raise unknown(cls, built)
    return chained(cls) if chained is not None else cls.__qualname__


def unknown(cls: type, built: list[type]) -> errors.UnknownClass:
    """The refusal of a class no builder made, naming what would be lost."""
    own = sorted(name for name in cls.__dict__ if name not in _MADE_BY_PYTHON)
    there = find(cls.__module__, cls.__qualname__)
    found = "no name leads to it" if there is None else f"its name leads to {there!r}"
    derived = f" It derives from {_title(built[0])}, which travels without it." if built else ""
    return errors.UnknownClass(
        f"the class {_title(cls)} was made at run time by no builder, and {found}.{derived} Pickling it would lose what it "
        f"defines itself: {', '.join(own) or 'nothing but its name'}. Define it at the top of an importable module, make it in "
        f"a function marked @envpickle.builder, or register it: envpickle.register(cls, builder, ...).",
        class_name=cls.__qualname__,
        lost=tuple(own),
    )


_MADE_BY_PYTHON = frozenset(
    [
        "__module__",
        "__doc__",
        "__dict__",
        "__weakref__",
        "__slotnames__",
        "__abstractmethods__",
        "_abc_impl",
        "__firstlineno__",
        "__static_attributes__",
        "__qualname__",
        "__parameters__",
        "__orig_bases__",
        "__annotations__",
    ]
)


def _title(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
