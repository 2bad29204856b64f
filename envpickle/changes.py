"""What may change on a class after it was built, each with its reason, and what else has changed.

Compared are all names but those below, the code and the defaults of functions, plain containers by value (members of
enumerations and fields of dataclasses are looked into as well), the bases, the metaclass and the names. Until the class is
pickled for the first time, so are the docstrings of functions, which attributes they have, and whether defaults were added:
each time this would take as long as all the rest. Not compared: the insides of other objects, cells of closures (a counter in
a closure is how such a class works), mutable defaults (a call may change them), annotations of functions and the values of
their attributes (they may count calls).
"""

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .classes import RECORD, Record, find, state_of
from .snapshots import alike, unchanged

EXEMPT = {
    "_abc_impl": "the caches of an abstract base class, filled by isinstance",
    "_value2member_map_": "a Flag enters composite members here when they are first used",
    "_unhashable_values_": "an Enum's cache of look-ups",
    "_unhashable_values_map_": "the same, from Python 3.13 on",
    "_hashable_values_": "the same, from Python 3.13 on",
    "__annotations__": "appears, empty, when it is first read; one that was there is compared, as containers are",
    "__annotations_cache__": "the same, from Python 3.14 on",
    "__annotate_func__": "the same, from Python 3.14 on",
    "__slotnames__": "appears when an instance is first copied or pickled",
    "__abstractmethods__": "replaced by abc.update_abstractmethods; the names in it are compared",
    "__attrs_types_resolved__": "set when attrs.resolve_types was asked",
    "__msgspec_cache__": "what msgspec knows of a dataclass or the like, kept there when it first reads or writes one",
    **dict.fromkeys(
        [f"_can_set_{what}_implementation_cached_value" for what in ("attn", "experts")],
        "what transformers found in a model's module, kept there by the first instance",
    ),
    "tearDown_exceptions": "set by unittest after the tests of a class",
    "__signature__": "replaced when pydantic rebuilds a model; of other classes it is compared",
    "__class_vars__": "the same",
    "__private_attributes__": "the same",
}
"""Names that change by themselves, each with its reason. So do all that begin with ``__pydantic_``, on a model's rebuild."""

_OF_PROTOCOLS = "__init__"  # put in by typing, out of a base, when a class that derives from a protocol is first called
_OF_MODELS = ("__signature__", "__class_vars__", "__private_attributes__")
_PUT_IN_USE = {
    "__signature__",  # on the functions of an actor class and of all its bases, by ray.remote
    "_hypothesis_internal_use_generated_seed",  # on a test, when it is run
}
_WRAPPED_IN_USE = {"step": "torch.optim.optimizer"}  # by the first instance of an optimizer, for its hooks; also a base's
_MISSING = object()


def differences(cls: type, record: Record) -> list[str]:
    """What differs between a class and what it was when built, a few words each; empty if nothing that counts."""
    found = _own_differences(cls, record)
    for kin, its_record in record.related:
        found += [f"{kin.__name__}: {text}" for text in _own_differences(kin, its_record)]
    return found


def note(record: Record) -> None:
    """Note of a class's functions, and its kin's, what is compared until it is first pickled; each time would be too much."""
    for one in (record, *(its_record for _, its_record in record.related)):
        one.noted = {function: _noted(function) for function in one.functions}


def noted_differ(record: Record) -> bool:
    """Whether something of that is not what it was."""
    kin = (its_record for _, its_record in record.related)
    return any(_noted(function) != before for one in (record, *kin) for function, before in one.noted.items())


def _noted(function: Any) -> tuple[Any, ...]:
    return function.__doc__, function.__defaults__ is None, function.__kwdefaults__ is None, {*function.__dict__}


def _own_differences(cls: type, record: Record) -> list[str]:
    before = dict(zip(record.names, record.values, strict=True))
    now = dict(cls.__dict__)
    state = state_of(cls)
    found = []
    for name in sorted({*before, *now}):
        if name == RECORD or name in state or _changes_by_itself(cls, name, before.get(name, _MISSING), now.get(name)):
            continue
        if name not in before:
            found.append(f"{name} was added")
        elif name not in now:
            found.append(f"{name} was deleted")
        elif before[name] is not now[name] and not _says_the_same(before[name], now[name]):
            found.append(f"{name} was replaced")
    found += [
        f"{name} was changed in place"
        for name, value, frozen in record.containers
        if (name not in EXEMPT or name == "__annotations__")
        and name not in state
        and now.get(name) is value
        and not unchanged(value, frozen)
    ]
    found += _changed_functions(record, state)
    if (cls.__name__, cls.__qualname__, type(cls)) != record.title or cls.__mro__ is not record.mro:
        found.append("its name, bases or metaclass were set anew")
    return found


def _changes_by_itself(cls: type, name: str, before: Any, now: Any) -> bool:
    if name == "__annotations__":
        return not now if before is _MISSING else alike(_row(before), _row(now))
    if name == "__abstractmethods__":
        return bool(before == now)
    if name == _OF_PROTOCOLS:
        in_bases = any(now is base.__dict__.get("__init__") for base in cls.__mro__[1:])
        return before is _MISSING and in_bases and any("_is_protocol" in base.__dict__ for base in cls.__mro__)
    if name in _WRAPPED_IN_USE and type(now) is FunctionType and now.__globals__.get("__name__") == _WRAPPED_IN_USE[name]:
        own = [base.__dict__[name] for base in cls.__mro__[1:] if name in base.__dict__] if before is _MISSING else [before]
        own += [getattr(function, "__wrapped__", function) for function in own]  # a base's may have been wrapped since
        return any(now.__dict__.get("__wrapped__") is wrapped for wrapped in own)
    if name in _OF_MODELS or name.startswith("__pydantic_"):
        return any(n.startswith("__pydantic_") for base in cls.__mro__ for n in base.__dict__)
    return name in EXEMPT


def _says_the_same(before: Any, now: Any) -> bool:
    """Whether one value stands for another: equal text, or a function made once more (pydantic does so to a dataclass)."""
    if type(before) is type(now) is FunctionType:
        return _made_of(before) == _made_of(now)
    return type(before) is type(now) is str and before == now


def _made_of(function: FunctionType) -> tuple[Any, ...]:
    """What a function is, to be compared: its code by value, the rest by identity."""
    attributes = sorted((name, id(value)) for name, value in function.__dict__.items())
    named = _row(function.__kwdefaults__)
    held = [*(function.__closure__ or ()), *(function.__defaults__ or ()), *named, function.__globals__]
    return function.__code__, function.__doc__, len(named), attributes, [*map(id, held)]


def _row(named: dict[str, Any] | None) -> tuple[Any, ...]:
    return (*named, *named.values()) if named else ()


def _stands_in_a_module(function: Any) -> bool:
    """Whether a function is not the class's own: from Python 3.13 on, attrs writes into its ``evolve`` for each class it makes.

    It writes another name into it, too, so that its code is asked.
    """
    return find(function.__globals__.get("__name__", ""), function.__code__.co_qualname) is function


def _changed_functions(record: Record, state: tuple[str, ...]) -> Iterator[str]:
    before = {function: (defaults or (), _row(named)) for function, defaults, named in record.defaults}
    for function, code in zip(record.functions, record.codes, strict=True):
        changed = []
        if (noted := record.noted.get(function)) is not None:
            anew = _PUT_IN_USE - noted[3]
            changed += [f"attribute {name}" for name in sorted(({*function.__dict__} ^ noted[3]) - anew)]
            changed += [] if function.__doc__ == noted[0] else ["docstring"]
        if changed and _stands_in_a_module(function):
            changed = []
        if function.__code__ != code:  # torch puts an equal copy there
            changed.append("code")
        now = function.__defaults__ or (), _row(function.__kwdefaults__)
        if not all(map(alike, now, before.get(function, ((), ())))):
            changed.append("defaults")
        if changed and function.__name__ not in state:
            yield f"{function.__name__} was changed in place (its {', '.join(changed)})"
