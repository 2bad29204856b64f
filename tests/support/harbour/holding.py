"""Make a hold (see `voyage.trip`) of a module's builders that take no argument."""

import functools
from typing import Any

import envpickle

KEPT: dict[str, Any] = {}


def kept(name: str, builder: Any) -> Any:
    """The builder's class, held for the length of the program as a user's module would hold it."""
    return KEPT.setdefault(name, builder())


def add_makers(namespace: dict[str, Any]) -> None:
    """Add `make_NAME` for each builder NAME of a module."""
    for name, value in list(namespace.items()):
        if isinstance(value, envpickle.Builder):
            namespace[f"make_{name}"] = functools.partial(kept, name, value)
