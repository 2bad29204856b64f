"""DEAP's ``creator``: classes made of a base and attributes, each an instance of a class or a value of the class itself.

``creator.create`` puts what it makes into ``deap.creator`` and replaces what is there. The maker makes the class in the same
way, puts it there only where nothing of that name is, and so never takes a program's own class from it.
"""

import builtins
import sys
from typing import Any

from ..classes import record_of
from ..runtime import builder
from .checks import Making, cannot, why_no_attribute, why_no_base, why_no_callable, why_no_name, why_too_many
from .generics import Recognised


@builder
def create(name: str, base: type, attributes: dict[str, Any]) -> type:
    """Make a class as ``deap.creator.create`` does.

    Args:
        name: Its name.
        base: The class it derives from.
        attributes: Classes, of which each instance gets an instance, and values, which are the class's.

    Raises:
        DescriptorError: DEAP makes no class of these, or they name something that would run.
    """
    from deap import creator

    with Making("deap.creator.create") as refuse:
        refuse(why_no_name(name, *attributes) or _why_taken(name))
        refuse(why_too_many(len(attributes)))
        refuse(why_no_base(base, "deap", type, creator.MetaCreator) or why_no_callable(base))
        for value in attributes.values():
            refuse(why_no_attribute(value))
        made: type = creator.MetaCreator(name, base, attributes)
        vars(creator).setdefault(name, made)
        made.__module__ = __name__  # it is not to be found by its name, so that its address is
        return made


def _why_taken(name: str) -> str:
    """In DEAP's module a name of a builtin would stand before it, and DEAP's own functions would find it there."""
    return f"{name!r} is the name of a builtin" if hasattr(builtins, name) else ""


def recognise(cls: type) -> Recognised | None:
    """Recognise a class of DEAP's ``creator``.

    Raises:
        RegistrationError: It is one, and a class it needs was made in the same way and is not registered.
    """
    creator = sys.modules.get("deap.creator")
    if creator is None or type(cls) is not creator.MetaCreator:
        return None
    name, base, attributes = cls.__dict__["reduce_args"]
    if name != cls.__name__ or (base,) != cls.__bases__:
        raise cannot(cls, "it is not what DEAP says that it made", "Create it anew.")
    if vars(creator).get(name) is not cls and record_of(cls) is None:
        raise cannot(
            cls, f"creator.{name} is another class by now", "Register that one, or create this one under its own name."
        )
    for part in (base, *attributes.values()):
        if type(part) is creator.MetaCreator and record_of(part) is None:
            raise cannot(cls, f"it needs creator.{part.__name__}, which no other process has", "Register that first.")
    if (
        why := why_no_name(name, *attributes)
        or _why_taken(name)
        or why_no_base(base, "deap", type, type(cls))
        or why_no_callable(base)
    ):
        raise cannot(cls, why, "Create it with another name or base.")
    for key, value in attributes.items():
        if why := why_no_attribute(value):
            raise cannot(cls, f"its {key}: {why}", "Define a class of your own for it, at the top of an importable module.")
    return create, (name, base, dict(attributes)), {}
