"""Enumerations made by call: ``enum.Enum``, ``IntEnum``, ``StrEnum``, ``Flag``, ``IntFlag``, and of one's own base."""

import enum as library
from typing import Any

from ..runtime import builder
from . import Recognised, no_call
from .checks import Making, why_no_name

_BUILT_IN = (int, str, float, bytes, complex, tuple)
_OWN = ("__new__", "_new_member_", "__init__", "__init_subclass__", "_generate_next_value_", "__set_name__")
MAX_MEMBERS = 4_096


@builder
def enum(
    base: type, class_name: str, members: list[Any], mixin: type | None = None, boundary: Any = None, doc: str | None = None
) -> type:
    """Make an enumeration as calling ``enum.Enum`` or another enumeration without members does.

    Args:
        base: What is called.
        class_name: Name of the class.
        members: Pairs of a name and a value, aliases among them.
        mixin: The type that was mixed in (``type=``), one of Python's own.
        boundary: The boundary of a flag.
        doc: The docstring.

    Raises:
        DescriptorError: These make no enumeration.
    """
    with Making("enum") as refuse:
        refuse(_why_no_base(base) or _why_no_mixin(mixin) or why_no_name(class_name) or _why_no_members(members))
        refuse("" if boundary is None or isinstance(boundary, library.FlagBoundary) else "its boundary is none")
        said = {"boundary": boundary} if boundary is not None else {}
        named: Any = base
        made: type = named(class_name, [(name, value) for name, value in members], type=mixin, **said)
        refuse("" if list(made.__members__) == [name for name, _ in members] else "some names are no members")  # type: ignore[attr-defined]
        if doc is not None:
            made.__doc__ = str(doc)
        return made


def _why_no_base(base: Any) -> str:
    if type(base) is not library.EnumType or base.__members__:
        return f"{getattr(base, '__qualname__', base)!r} is no enumeration without members"
    for kind in (kind for kind in base.__mro__ if kind.__module__ not in ("enum", "builtins")):
        own = next((name for name in _OWN if name in kind.__dict__ and not _of_library(kind.__dict__[name])), "")
        if own:
            return f"its base {kind.__qualname__} has a {own} of its own, which would run wherever it arrives"
        if type(kind) is not library.EnumType:
            return f"its base {kind.__qualname__} is mixed into an enumeration, and none of Python's own types"
    return ""


def _of_library(method: Any) -> bool:
    """Whether a method is one that the library puts into every enumeration."""
    return getattr(getattr(method, "__func__", method), "__module__", None) in ("enum", None)


def _why_no_mixin(mixin: Any) -> str:
    return "" if mixin is None or mixin in _BUILT_IN else f"{mixin!r} is mixed in, and none of Python's own types"


def _why_no_members(members: Any) -> str:
    pairs = type(members) is list and all(type(pair) is tuple and len(pair) == 2 for pair in members)
    if not pairs or not 0 < len(members) <= MAX_MEMBERS or any(type(name) is not str for name, _ in members):
        return f"its members are no pairs of a name and a value, from 1 to {MAX_MEMBERS} of them"
    for name, value in members:
        if not name or (name[0] == name[-1] == "_"):
            return f"{name[:40]!a} is no name of a member"
        if hasattr(type(value), "__set_name__") or hasattr(type(value), "__get__") or isinstance(value, type):
            return f"a {type(value).__qualname__} is no value of a member"
    return ""


def recognise(cls: Any) -> Recognised | None:
    """Recognise an enumeration that a call could have made.

    Raises:
        RegistrationError: It is an enumeration, and one that no call makes, or of a base whose code would run on arrival.
    """
    if type(cls) is not library.EnumType or not cls.__members__:
        return None
    *mixed, base = cls.__bases__
    named: dict[str, Any] = dict(cls.__members__)
    mixin = mixed[0] if mixed else None
    members: list[Any] = [(name, member._value_) for name, member in named.items()]
    why = "it has several mixed-in types" if len(mixed) > 1 else ""
    why = why or _why_no_base(base) or _why_no_mixin(mixin) or why_no_name(cls.__name__) or _why_no_members(members)
    if why:
        raise no_call(enum, why)
    boundary = getattr(cls, "_boundary_", None) if issubclass(cls, library.Flag) else None
    return enum, (base, cls.__name__, members, mixin, boundary, cls.__dict__.get("__doc__")), {}
