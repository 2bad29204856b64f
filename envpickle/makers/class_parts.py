"""What of a class stands in its code: from the start, later, or not at all; and the kinds that are not taken apart."""

import re
import typing
import weakref
from abc import ABCMeta, _get_dump  # type: ignore[attr-defined]  # no public name tells the virtual subclasses
from enum import EnumType
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from ..classes import RECORD, RuntimeType, found_by_name
from ..errors import RegistrationError
from ..holders import abstract_classes
from ..reachability import only_here
from ..runtime import MAIN

_METACLASSES = (type, ABCMeta, RuntimeType, EnumType)
_FIRST = ("__module__", "__qualname__", "__doc__", "__slots__", "__orig_bases__")
_NOT_BODY = frozenset((
    *_FIRST, RECORD, "_abc_impl", "__dict__", "__weakref__", "__classcell__", "__slotnames__", "__msgspec_cache__",
))  # fmt: skip


def refuse_kind(cls: type) -> None:
    """Refuse a class that cannot be made again in two steps, skeleton and body.

    Raises:
        RegistrationError: Its metaclass may do anything, or a base would run code once more.
    """
    if type(cls) not in _METACLASSES:
        raise RegistrationError(
            f"{title_of(cls)} has the metaclass {title_of(type(cls))}, which may do anything when a class is made, so its "
            f"classes are not sent by value. Make it in a function marked @envpickle.builder."
        )
    for base in cls.__mro__[1:]:
        if "__init_subclass__" in base.__dict__ and base.__module__ not in ("builtins", "typing", "enum"):
            raise RegistrationError(
                f"the base {title_of(base)} of {title_of(cls)} has an __init_subclass__, which would run once more, without "
                f"the body and the keywords it was given. Make the class in a function marked @envpickle.builder."
            )


def first_and_body(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a class has from the start, with places for what comes later, which keep the order; and what comes later."""
    body = {n: v for n, v in cls.__dict__.items() if n not in _NOT_BODY and not _is_own_slot(cls, v)}
    if not body.get("__annotations__", True):
        del body["__annotations__"]  # it came of having been asked for
    first = {"__qualname__": cls.__qualname__} | {
        n: v if n in _FIRST else None for n, v in cls.__dict__.items() if n in _FIRST or n in body
    }
    if "__slots__" in first:
        first["__slots__"] = _slots(cls)
    if issubclass(type(cls), EnumType):
        _refuse_rich_members(cls)
        members = {name: member.value for name, member in cls.__members__.items()}
        body = {
            n: v for n, v in body.items() if n not in members and n != "__new__" and not re.fullmatch("_[a-z0-9_]*[a-z0-9]_", n)
        }
        first = {n: v for n, v in first.items() if n in _FIRST} | dict.fromkeys(body, property()) | members
    if issubclass(type(cls), ABCMeta):
        body["__abstractmethods__"] = frozenset(getattr(cls, "__abstractmethods__", ()))
    return first, body


def goes_by_name(cls: type) -> bool:
    """Whether a class that another refers to is found by its name on the other side."""
    if cls.__module__ in MAIN:
        return False
    return found_by_name(cls) and not only_here(cls)


def _slots(cls: type) -> Any:
    slots = cls.__dict__["__slots__"]
    if isinstance(slots, str | tuple | list | dict):
        return slots
    own = [name for name, value in cls.__dict__.items() if _is_own_slot(cls, value)]  # an iterator, which was used up
    return [*own, *(name for name in ("__dict__", "__weakref__") if name in cls.__dict__)]


def _is_own_slot(cls: type, value: Any) -> bool:
    return type(value) in (MemberDescriptorType, GetSetDescriptorType) and value.__objclass__ is cls


def _refuse_rich_members(cls: Any) -> None:
    for name, member in cls.__members__.items():
        more = set(vars(member)) - {"_value_", "_name_", "__objclass__", "_sort_order_", "_inverted_"}
        if more:
            raise RegistrationError(
                f"the members of {title_of(cls)} have more than a value ({name}.{min(more)}), which only its own "
                f"constructor gives them. Make it in a function marked @envpickle.builder."
            )


def virtual_subclasses(cls: type) -> list[type]:
    """The classes that were registered with an abstract one."""
    if not isinstance(cls, ABCMeta):
        return []
    return [found for found in (reference() for reference in _get_dump(cls)[0]) if found is not None]


def virtual_bases(cls: type) -> list[type]:
    """The abstract classes that a class was registered with."""
    if not any(getattr(reference.__callback__, "__name__", "") == "_destroy" for reference in weakref.getweakrefs(cls)):
        return []  # that is the name of the callback by which an abstract class knows others
    found = [base for base in abstract_classes() if any(reference() is cls for reference in _get_dump(base)[0])]
    return sorted(found, key=title_of)


def resolve_texts(cls: type) -> dict[str, Any]:
    """Put what they mean in the place of annotations that are text: in the module the class will have, they mean nothing.

    Returns:
        The annotations as they were, if any of them was changed.
    """
    own = vars(cls).get("__annotations__")
    texts = [n for n, v in (own or {}).items() if isinstance(v, str) or "ForwardRef(" in repr(v)]
    try:
        meant = typing.get_type_hints(cls, include_extras=True) if texts else {}
    except Exception:  # noqa: BLE001 -- they mean nothing here either
        return {}
    before = dict(own or {}) if texts else {}
    for name in texts:
        own[name] = meant[name]  # type: ignore[index]  # there is a dict where there are texts
    return before


def title_of(cls: type) -> str:
    """Module and name."""
    return f"{cls.__module__}.{cls.__qualname__}"
