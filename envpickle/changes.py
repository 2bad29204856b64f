"""What may change on a class after it was built, each with its reason, and what else has changed.

Compared are all names but those below, the code and the defaults of functions, plain containers by value (members of
enumerations and fields of dataclasses are looked into as well), the bases, the metaclass and the names. Not compared: the
insides of other objects, cells of closures (a counter in a closure is how such a class works), mutable defaults (a call may
change them), docstrings and annotations of functions.
"""

from .classes import RECORD, Record, defaults_of, state_of
from .snapshots import unchanged

EXEMPT = {
    "_abc_impl": "the caches of an abstract base class, filled by isinstance",
    "_value2member_map_": "a Flag enters composite members here when they are first used",
    "_unhashable_values_": "an Enum's cache of look-ups",
    "_unhashable_values_map_": "the same, from Python 3.13 on",
    "_hashable_values_": "the same, from Python 3.13 on",
    "__annotations__": "appears when it is first read; one that was there is compared, as containers are",
    "__annotations_cache__": "the same, from Python 3.14 on",
    "__annotate_func__": "the same, from Python 3.14 on",
    "__slotnames__": "appears when an instance is first copied or pickled",
    "__abstractmethods__": "replaced by abc.update_abstractmethods",
    "__attrs_types_resolved__": "set when attrs.resolve_types was asked",
    "__signature__": "replaced when pydantic rebuilds a model",
    "__class_vars__": "the same",
    "__private_attributes__": "the same",
}
"""Names that change by themselves, each with its reason. So do all that begin with ``__pydantic_``, on a model's rebuild."""


def differences(cls: type, record: Record) -> list[str]:
    """What differs between a class and what it was when built, a few words each; empty if nothing that counts."""
    found = _own_differences(cls, record)
    for kin, its_record in record.related:
        found += [f"{kin.__name__}: {text}" for text in _own_differences(kin, its_record)]
    return found


def _own_differences(cls: type, record: Record) -> list[str]:
    before = dict(zip(record.names, record.values, strict=True))
    now = dict(cls.__dict__)
    state = state_of(cls)
    found = []
    for name in sorted({*before, *now}):
        if name == RECORD or name in EXEMPT or name in state or name.startswith("__pydantic_"):
            continue
        if name not in before:
            found.append(f"{name} was added")
        elif name not in now:
            found.append(f"{name} was deleted")
        elif before[name] is not now[name] and not _same_text(before[name], now[name]):
            found.append(f"{name} was replaced")
    found += [
        f"{name} was changed in place"
        for name, value, frozen in record.containers
        if (name not in EXEMPT or name == "__annotations__")
        and name not in state
        and now.get(name) is value
        and not unchanged(value, frozen)
    ]
    found += _changed_functions(record)
    if (cls.__name__, cls.__qualname__, type(cls)) != record.title or cls.__mro__ is not record.mro:
        found.append("its name, bases or metaclass were set anew")
    return found


def _same_text(before: object, now: object) -> bool:
    return type(before) is type(now) is str and before == now


def _changed_functions(record: Record) -> list[str]:
    changed = [f for f, code in zip(record.functions, record.codes, strict=True) if f.__code__ is not code]
    changed += [f for f, *before in record.defaults if defaults_of(f) != tuple(before) and f not in changed]
    return [f"{function.__name__} was changed in place" for function in changed]
