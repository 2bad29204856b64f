"""What still holds a class that was replaced; looked at closely only where a count says that something may."""

import gc
import weakref
from abc import ABCMeta
from types import CellType, FrameType
from typing import Any

from .classes import held
from .refusals import still_held
from .runtime import Builder


def refuse_holders(old: type, baseline: int | None, new: type) -> None:
    """Refuse a replaced class that something other than its own parts holds.

    Args:
        old: The class that was replaced.
        baseline: How often a class that nothing holds is referred to; None if variables of unknown frames hold it, and only
            containers are to be looked for.
        new: The class that replaces it; variables that functions of others close over are pointed at it.

    Raises:
        AdoptionError: Something holds it.
    """
    gc.collect()  # what the builder dropped in a cycle holds nothing for long
    if baseline is not None:
        if held(old) > baseline + 1:  # this function's own argument is one more
            raise still_held(old)
        return
    holders = gc.get_referrers(old)
    for holder in holders:  # no generator: it would refer to the holder, too
        if not _lets_go(holder, old) and not _are_arguments(holder, old, holders):
            raise still_held(old)
    for cell in [holder for holder in holders if isinstance(holder, CellType)]:
        cell.cell_contents = new


def _lets_go(holder: Any, old: type) -> bool:
    """Whether a referrer is the class's own part, or a variable that its user is about to set anew."""
    if isinstance(holder, FrameType | CellType) or holder is old.__mro__ or getattr(holder, "__objclass__", None) is old:
        return True
    return isinstance(holder, dict) and "__builtins__" in holder and "__name__" in holder


def _are_arguments(holder: Any, old: type, holders: list[Any]) -> bool:
    """Whether a referrer is what the registering call was given, as a partial or a function with ``*args`` hands it on."""
    if type(holder) is not tuple or holder[0] is not old or any(type(item) is not Builder for item in holder[1:2]):
        return False
    return all(isinstance(above, FrameType) or above is holders for above in gc.get_referrers(holder))


def move_weak_references(old: type, new: type) -> None:
    """Enter the new class where an abstract base class has the old one registered; refuse other weak registries.

    An abstract base class also keeps the answers it gave, which nobody misses. Both are told from others by the callback of
    the reference, and from each other by asking again.

    Raises:
        AdoptionError: A WeakSet, a WeakKeyDictionary or a finalizer knows the class.
    """
    references = weakref.getweakrefs(old)  # one without a callback is shared by its bases
    if any(type(reference) in weakref.ProxyTypes for reference in references):
        raise still_held(old)
    callbacks = [reference.__callback__ for reference in references if reference.__callback__ is not None]
    if any(getattr(callback, "__name__", "") != "_destroy" for callback in callbacks):  # the name abc's own has
        raise still_held(old)
    if not callbacks:
        return
    for abstract in abstract_classes():
        if abstract is not old and abstract is not new and _counts(old, abstract) and not _counts(new, abstract):
            abstract.register(new)


def abstract_classes() -> list[Any]:
    """All classes of this process that others may be registered with."""
    found: dict[int, type] = {}
    stack: list[Any] = [object]
    while stack:
        for cls in type.__subclasses__(stack.pop()):
            if id(cls) not in found:
                found[id(cls)] = cls
                stack.append(cls)
    return [cls for cls in found.values() if issubclass(type(cls), ABCMeta) and "_abc_impl" in cls.__dict__]  # else half made


def _counts(cls: type, abstract: Any) -> bool:
    try:
        return issubclass(cls, abstract)
    except Exception:  # noqa: BLE001 -- a hook of the user's that expects other classes
        return False
