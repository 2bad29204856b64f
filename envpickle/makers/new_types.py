"""``typing.NewType`` made at run time: no class, so no builder makes it; it travels as its name and what it is based on.

Python pickles a new type by its name, which leads nowhere where it was made inside a function. One that was registered, or that
came from another process, is kept weakly in a table, so that it comes home as itself and a process has one of each.
"""

import copyreg
import os
import typing
from collections.abc import Callable
from threading import RLock
from typing import Any
from weakref import WeakSet

from ..classes import find
from ..errors import DescriptorError, RegistrationError
from ..objects import reference_to
from ..payload import MAX_NAME
from ..runtime import MAIN
from .checks import why_no_name, why_no_type

NewType: Any = typing.NewType  # a checker wants the name of a new type to be written where it is made
_known: WeakSet[typing.NewType] = WeakSet()
_chained: list[Callable[[typing.NewType], Any] | None] = []
_locks = [RLock()]


def register(new_type: typing.NewType) -> typing.NewType:
    """Let a new type that no name leads to be pickled.

    Args:
        new_type: What ``typing.NewType`` returned.

    Returns:
        The new type to use from now on, which is this one, or the equal one that was registered before (of the same module,
        with the same name and the same supertype).

    Raises:
        RegistrationError: Its name is no plain name, or what it is based on is no type.
    """
    if _is_importable(new_type):
        return new_type  # it travels already
    if why := why_no_name(new_type.__name__) or why_no_type(new_type.__supertype__):
        raise RegistrationError(f"{new_type!r} cannot be registered: {why}. Base it on a type, under a plain name.")
    return _entered(new_type)


def recipe(new_type: typing.NewType) -> tuple[str, str, Any, str]:
    """What a new type is made of: the kind of annotation it is, its name, what it is based on, and the name of its module."""
    module = "__main__" if new_type.__module__ in MAIN else new_type.__module__
    return "newtype", new_type.__name__, new_type.__supertype__, module


def _is_importable(new_type: typing.NewType) -> bool:
    return new_type.__module__ not in MAIN and reference_to(new_type) is not None


def remade(name: Any, supertype: Any, module: Any) -> typing.NewType:
    """The new type of this process that has a name, a supertype and a module, made if there is none.

    Raises:
        DescriptorError: These are no name and no type.
    """
    why = why_no_name(name) or why_no_type(supertype)
    if why or type(module) is not str or len(module) > MAX_NAME:
        raise DescriptorError(f"no new type can be made: {why or 'its module is no name'}. Register it anew where it was made.")
    there = find(module, name)  # a spawned child ran the script as well, and has its own
    if type(there) is NewType and recipe(there) == ("newtype", name, supertype, module):
        return _entered(there)
    made = NewType(name, supertype)
    made.__module__ = module
    return _entered(made)


def _entered(new_type: typing.NewType) -> typing.NewType:
    if not _chained:
        _chained.append(copyreg.dispatch_table.get(NewType))
        copyreg.pickle(NewType, _reduce)
    with _locks[0]:
        same = (known for known in list(_known) if recipe(known) == recipe(new_type))
        found = next(same, new_type)
        _known.add(found)
    return found


def described(new_type: typing.NewType) -> tuple[Any, ...] | None:
    """The call that makes a new type which was registered, or came, and which no module leads to; None of any other."""
    if new_type not in _known or _is_importable(new_type):
        return None
    from .annotations import annotation

    return annotation, (recipe(new_type),)


def _reduce(new_type: typing.NewType) -> Any:
    """What a new type is pickled as: its recipe where it is known and no module leads to it, else what Python says."""
    if (said := described(new_type)) is not None:
        return said
    return _chained[0](new_type) if _chained[0] is not None else new_type.__reduce__()


def _renew_after_fork() -> None:
    """Only the thread that forked lives on in the child, and another may have held the lock."""
    _locks[0] = RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_after_fork)
