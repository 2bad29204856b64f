"""Makers: builders for the classes that libraries' own class makers make, one file a library, each with its recogniser.

A recogniser looks at a class and says which call of its builder would make it, None for a class of another kind, or raises
:class:`~envpickle.errors.RegistrationError` with the reason why one of its kind cannot travel. It need not be right:
``register`` makes the class once more of the arguments as they arrive, and compares.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from ..classes import Record, later
from ..errors import ClassChanged, EnvpickleError, RegistrationError
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


def refuse_other_call(cls: type, record: Record) -> None:
    """Refuse a class whose maker would give another call for it now than when it was registered.

    Asked at every pickling, of makers whose builder says ``asks_again``; their recogniser works on a registered class, too.

    Raises:
        ClassChanged: It would; the message names the arguments that differ.
    """
    try:
        answer = _ask(record.builder.module.rpartition(".")[2], cls)
        now = _encoded(*answer) if answer is not None else None
        why = "" if now is not None else "it is not recognised any more"
    except EnvpickleError as error:
        now, why = None, str(error)
    if now is not None and now.key == record.call.key:
        return
    before = record.call.values
    found = [name for name, a, b in zip(now.keywords, now.values, before, strict=False) if a.data != b.data] if now else [why]
    raise ClassChanged(
        f"{cls.__module__}.{cls.__qualname__} is not what {record.builder!r} made, and the other side would get it without the "
        f"difference: {', '.join(found)}. Make the class as it shall be and register that; or register this one anew "
        f"(envpickle.unregister, then register).",
        changes=tuple(found),
    )


def _encoded(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    building = later("building")
    bound = building.signature_of(builder).bind(*args, **kwargs)
    bound.apply_defaults()
    return building.encode_call(builder, bound)


def recognisers() -> list[Recogniser]:
    """The recognisers of this package; a file is imported when its recogniser is first asked."""
    return [partial(_ask, file) for file in FILES]


def _ask(file: str, cls: type) -> Recognised | None:
    try:
        answer: Recognised | None = import_module(f"{__name__}.{file}").recognise(cls)
    except EnvpickleError:
        raise
    except Exception as error:  # noqa: BLE001 -- code of the class itself, of its metaclass or of its attributes
        raise RegistrationError(f"looking at it for {__name__}.{file} raised {type(error).__name__}: {error}") from None
    return answer


def pack(value: Any) -> Packed | None:
    """The plain data of a value that a library puts into the classes its maker makes; None for anything else."""
    if type(value).__module__ != "msgspec":
        return None
    packed: Packed | None = import_module(f"{__name__}.msgspec").pack(value)
    return packed
