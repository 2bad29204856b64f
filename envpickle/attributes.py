"""The attributes that derived classes add to instances whose base says by itself what is pickled: are they in it?"""

from __future__ import annotations

from types import CodeType, FunctionType, MemberDescriptorType

from .classes import found_by_name, later, record_of

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def is_importable(cls: type) -> bool:
    """Whether a class stands in a module's source; the address of a built class leads to it as well."""
    return record_of(cls) is None and found_by_name(cls)


def with_attributes(self: Any, reduced: Any) -> Any:
    """The same answer with the attributes that derived classes added and the base's reducer knows nothing of.

    Raises:
        InstanceRefused: The base sets the state in a way of its own, which has no room for them.
    """
    kind, state = type(self), reduced[2] if len(reduced) > 2 else None
    if _says_itself(kind):
        return reduced
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, {})
    known = {*(attributes if isinstance(attributes, dict) else ()), *(slots or ()), *_stored_by_bases(kind)}
    known |= {*getattr(kind, "__struct_fields__", ())}  # msgspec's structs hand their fields over themselves
    handed = [*(reduced[1] or ()), *(state if type(state) is tuple else ())]
    if any(item is getattr(self, "__dict__", reduced) for item in handed):
        known |= {*vars(self)}  # a partial and a tensor hand them on among other things
    lost = {name: value for name, value in vars(self).items() if name not in known} if hasattr(self, "__dict__") else {}
    lost_slots = {name: value for name, value in slot_values(self).items() if name not in known}
    if not lost and not lost_slots:
        return reduced
    of_error = getattr(kind, "__setstate__", None) is BaseException.__setstate__  # sets whatever it is given
    if (hasattr(kind, "__setstate__") and not of_error) or not (attributes is None or isinstance(attributes, dict)):
        raise _lost(kind, "__reduce__", [*lost, *lost_slots])
    whole = {**(attributes or {}), **lost}, {**(slots or {}), **lost_slots}
    if of_error:
        whole = {**whole[0], **whole[1]}, {}
    return (*reduced[:2], whole if whole[1] else whole[0], *reduced[3:])


def refuse_unstated(self: Any, reduced: Any) -> Any:
    """The same answer, if the state that a base gave, and takes back, has what derived classes' own functions set.

    Raises:
        InstanceRefused: It has not, neither by name nor the value itself; or ``__setstate__`` leaves it out.
    """
    kind = type(self)
    if _says_itself(kind):
        return reduced
    ours = _stored(base for base in kind.__mro__ if not is_importable(base)) - _stored_by_bases(kind)
    said = list(_inside(reduced[2:3]))
    has = {name: value for name, value in getattr(self, "__dict__", {}).items() if name in ours} | slot_values(self)
    lost = [n for n, value in has.items() if not any(item is value or (type(item) is str and item == n) for item in said)]
    if lost:
        raise _lost(kind, "__getstate__", lost)
    picked = _picked(getattr(kind, "__setstate__", None))
    if picked is not None and (lost := [n for n in has if n in (reduced[2] or ()) and n not in picked]):
        raise _lost(kind, "__setstate__", lost)
    return reduced


def _picked(method: Any) -> set[Any] | None:
    """What a ``__setstate__`` takes out of a state, where it goes by names; None where it takes whatever comes."""
    codes = [method.__code__] if type(method) is FunctionType else []
    for code in codes:
        codes += [constant for constant in code.co_consts if type(constant) is CodeType]
    names = {name for code in codes for name in code.co_names}
    if not codes or names & _TAKES_ALL:
        return None
    return names.union(*(code.co_consts for code in codes))


_TAKES_ALL = {"__dict__", "__setattr__", "__setstate__", "items", "setattr", "super", "update", "vars"}


def _inside(value: Any, depth: int = 4) -> Iterator[Any]:
    """What lies in plain containers: keys and values."""
    if depth and type(value) is dict:
        yield from (key for key in value if type(key) is str)
        value = list(value.values())
    if depth and type(value) in (list, tuple):
        for item in value:
            yield from _inside(item, depth - 1)
    else:
        yield value


def _says_itself(kind: type) -> bool:
    """Whether one of those classes of a family that no name leads to says itself what its instances' state is."""
    made_here = [base for base in kind.__mro__ if not is_importable(base)]
    return any(name in base.__dict__ for base in made_here for name in ("__getstate__", "__setstate__"))


def _lost(kind: type, method: str, names: list[str]) -> Exception:
    return later("errors").InstanceRefused(  # type: ignore[no-any-return]
        f"an instance of {kind.__qualname__} pickles through a {method} it inherits, which says nothing of {', '.join(names)}: "
        f"that would be lost. Define __getstate__ and __setstate__ or __reduce__ in the class the builder makes.",
        class_name=kind.__qualname__,
    )


def _stored_by_bases(kind: type) -> set[str]:
    """The attributes that functions of importable bases set: whether to send them is those bases' business."""
    return _stored(base for base in kind.__mro__ if is_importable(base))


def _stored(bases: Iterator[type]) -> set[str]:
    functions = [f for base in bases for f in base.__dict__.values() if type(f) is FunctionType]
    return {name for f in functions for name in f.__code__.co_names}


def own_slots(kind: type) -> Iterator[tuple[str, Any]]:
    """The slots of those classes of a family that no name leads to."""
    for base in kind.__mro__:
        if base is kind or not is_importable(base):  # it has its address before its record
            yield from ((name, slot) for name, slot in base.__dict__.items() if type(slot) is MemberDescriptorType)


def slot_values(self: Any) -> dict[str, Any]:
    """What an instance has in those slots."""
    found = {}
    for name, slot in own_slots(type(self)):
        try:
            found[name] = slot.__get__(self)
        except AttributeError:  # nothing was put there
            continue
    return found
