"""``type(name, bases, body)`` and ``types.new_class``, where the body is plain data, or functions and classes found by name."""

import types
import typing  # noqa: F401 -- the classes' module is this one, where texts among their annotations are looked up
from typing import Any

from ..runtime import builder
from . import Recognised, no_call
from .bodies import METACLASSES, body_of, why_no_bases, why_no_body
from .checks import Making, why_no_name
from .collections import is_namedtuple

_OF_OTHERS = ("__dataclass_fields__", "__attrs_attrs__", "_is_protocol")


@builder
def new_class(name: str, bases: tuple[Any, ...], body: dict[str, Any], metaclass: type = type) -> type:
    """Make a class as ``types.new_class`` does.

    Args:
        name: Name of the class.
        bases: Its bases, generic ones with what they are subscripted with.
        body: Its attributes.
        metaclass: Its metaclass: ``type``, ``abc.ABCMeta`` or ``envpickle.RuntimeType``.

    Raises:
        DescriptorError: These make no class, or something of them would run while it is made.
    """
    with Making("new_class") as refuse:
        refuse(why_no_name(name) or why_no_bases(bases) or why_no_body(body))
        refuse("" if metaclass in METACLASSES else f"its metaclass is {metaclass!r}")
        said = {"metaclass": metaclass} if metaclass is not type else {}
        return types.new_class(name, bases, said, lambda namespace: namespace.update(body))


def recognise(cls: type) -> Recognised | None:
    """Recognise a class whose body is plain data, or functions and classes that are found by their names.

    Raises:
        RegistrationError: It holds something else; the message names what.
    """
    if (
        not any(type(cls) is known for known in METACLASSES)
        or is_namedtuple(cls)
        or any(name in cls.__dict__ for name in _OF_OTHERS)
    ):
        return None
    bases, body = cls.__dict__.get("__orig_bases__", cls.__bases__), body_of(cls)
    if why := why_no_name(cls.__name__) or why_no_bases(bases) or why_no_body(body):
        raise no_call(new_class, why)
    return new_class, (cls.__name__, () if cls.__bases__[0] is object else bases, body, type(cls)), {}
