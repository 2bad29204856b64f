"""Makers: builders for the classes that libraries' own class makers make, one file a library, each with its recogniser.

A recogniser looks at a class and says which call of its builder would make it, None for a class of another kind, or raises
:class:`~envpickle.errors.RegistrationError` with the reason why one of its kind cannot travel. It need not be right:
``register`` makes the class once more of the arguments as they arrive, and compares.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from ..errors import RegistrationError
from ..objects import Packed
from ..runtime import Builder

Recognised = tuple[Builder, tuple[Any, ...], dict[str, Any]]
Recogniser = Callable[[type], Recognised | None]

FILES = (
    "pydantic", "generics", "msgspec", "marshmallow", "deap", "sqlalchemy", "attrs", "enum", "typing", "collections",
    "dataclasses", "types",
)  # fmt: skip
"""The files that have a ``recognise``, in the order in which they are asked: what knows a class best comes first."""


def no_call(maker: Builder, why: str) -> RegistrationError:
    """Why no call of a maker makes a class that looks like one of its own; others are asked after that."""
    return RegistrationError(f"no call of {maker.module}:{maker.qualname} makes it: {why}.", why=why)


def recognisers() -> list[Recogniser]:
    """The recognisers of this package; a file is imported when its recogniser is first asked."""
    return [partial(_ask, file) for file in FILES]


def _ask(file: str, cls: type) -> Recognised | None:
    answer: Recognised | None = import_module(f"{__name__}.{file}").recognise(cls)
    return answer


def pack(value: Any) -> Packed | None:
    """The plain data of a value that a library puts into the classes its maker makes; None for anything else."""
    if type(value).__module__ != "msgspec":
        return None
    packed: Packed | None = import_module(f"{__name__}.msgspec").pack(value)
    return packed
