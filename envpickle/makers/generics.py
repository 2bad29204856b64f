"""Parametrised generics that are real classes: ``Box[int]`` of pydantic, and of any class that keeps what it made.

A library makes such a class when it is first asked for and keeps it, so the maker's call gives the very class that is there:
``Box[int]`` that came from elsewhere is the ``Box[int]`` of this process, whoever asked first.
"""

import os
import sys
from typing import Any

from ..classes import found_by_name, record_of
from ..runtime import Builder, builder
from .checks import Making, cannot, why_no_type

_OF_PYTHON = frozenset((
    "__module__", "__qualname__", "__doc__", "__origin__", "__args__", "__parameters__", "__dict__", "__weakref__",
    "__abstractmethods__", "_abc_impl", "__slots__", "__orig_bases__", "__firstlineno__", "__static_attributes__",
    "__annotations__", "__slotnames__",
))  # fmt: skip
Recognised = tuple[Builder, tuple[Any, ...], dict[str, Any]]


@builder
def parametrized(origin: type, args: tuple[Any, ...]) -> type:
    """Parametrise a generic class whose parametrised forms are classes of their own, as ``Box[int]`` does.

    Args:
        origin: The generic class, found by its name.
        args: Its arguments: types.

    Raises:
        DescriptorError: The arguments are no types, or the class makes no class of them.
    """
    with Making("parametrized") as refuse:
        refuse("" if issubclass(type(origin), type) and _is_generic(origin) else f"{origin!r} takes no types in brackets")
        refuse("" if issubclass(type(args), tuple) and args else "there are no types")
        refuse(next(filter(None, map(why_no_type, args)), ""))
        made: Any = origin[args if len(args) != 1 else args[0]]  # type: ignore[index]
        refuse("" if isinstance(made, type) and origin_of(made)[0] is origin else f"{origin.__qualname__}[...] gives no class")
        if found_by_name(made):  # put into a module when it was asked for there; from now on its address leads to it
            type.__setattr__(made, "__qualname__", f"{made.__qualname__} of a maker")
        cls: type = made
        return cls


def _is_generic(origin: type) -> bool:
    return any("__class_getitem__" in base.__dict__ for base in origin.__mro__)


def origin_of(cls: type) -> tuple[Any, tuple[Any, ...]]:
    """The generic class and the arguments a class says that it was made of; ``(None, ())`` for others."""
    said = cls.__dict__.get("__pydantic_generic_metadata__")
    if isinstance(said, dict):
        return said.get("origin"), said.get("args") or ()
    origin, args = cls.__dict__.get("__origin__"), cls.__dict__.get("__args__")
    return (origin, args) if isinstance(origin, type) and isinstance(args, tuple) else (None, ())


def recognise(cls: type) -> Recognised | None:
    """Recognise a parametrised generic that says what it was made of.

    A library that keeps these classes gives this very one when it is asked again, so nothing can be compared with it. Then it
    may hold nothing of its own but what the library puts into each.

    Raises:
        RegistrationError: It is one, and something was put onto it, or its arguments are not types alone.
    """
    origin, args = origin_of(cls)
    if origin is None or not args or not _is_generic(origin):
        return None
    if why := next(filter(None, map(why_no_type, args)), ""):
        raise cannot(cls, why, "Give the generic class types.")
    if record_of(cls) is not None:
        return parametrized, (origin, args), {}
    again = origin[args if len(args) != 1 else args[0]]
    own = sorted(name for name in cls.__dict__ if name not in _OF_PYTHON and not _of_pydantic(cls, name))
    if again is cls and own:
        raise cannot(
            cls, f"{', '.join(own)} is its own, and {origin.__qualname__}[...] would come without it", "Derive from it."
        )
    return parametrized, (origin, args), {}


def _of_pydantic(cls: Any, name: str) -> bool:
    """Whether a name is one that pydantic gives every model it makes of a generic one, with what it gives."""
    if "pydantic" not in sys.modules or "__pydantic_generic_metadata__" not in cls.__dict__:
        return False
    value, origin = cls.__dict__[name], cls.__pydantic_generic_metadata__["origin"]
    if name == "model_config":
        return bool(value == origin.model_config)
    if name == "model_post_init" and getattr(value, "__wrapped__", origin.model_post_init) is not origin.model_post_init:
        return False
    known = name.startswith("__pydantic_") or name in ("__class_vars__", "__private_attributes__", "__signature__")
    return known or (name in ("model_post_init", "__hash__") and written_by_pydantic(value))


def written_by_pydantic(function: Any) -> bool:
    """Whether a function's code is pydantic's own, whatever module it says that it is from."""
    home = os.path.dirname(str(sys.modules["pydantic"].__file__))
    return os.path.dirname(getattr(getattr(function, "__code__", None), "co_filename", "")).startswith(home)
