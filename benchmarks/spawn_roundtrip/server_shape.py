"""The server shape: the class that `envpickle_openenv` makes of a server's tools."""

import functools
from typing import Any

from envpickle_openenv import Toolset, environment_class

from .shapes import toolset

__all__ = ["built_server_class", "raw_server_class"]

SERVER = "http://127.0.0.1:9/dock"
"""Nothing listens there: constructing an environment does not connect."""
OWN = frozenset({"__dict__", "__weakref__"})
"""Entries that a class makes for itself."""


@functools.cache
def tools(count: int) -> list[dict[str, Any]]:
    """Return the tools as the plugin describes them; always the same list, so that many classes can share it."""
    return Toolset.from_listing(toolset(count)).plain()


def built_server_class(count: int, name: str) -> type:
    """Make the class by its builder.

    Args:
        count: How many tools.
        name: Name of the class.
    """
    return environment_class(name, tools(count), SERVER)


def raw_server_class(count: int, name: str) -> type:
    """Make the class as one that envpickle has nothing to do with: of the metaclass that its base has.

    Args:
        count: How many tools.
        name: Name of the class.
    """
    made = environment_class.fn(name, tools(count), SERVER)
    base = made.__bases__[0]
    namespace = {key: value for key, value in vars(made).items() if key not in OWN and not key.startswith("_abc_")}
    cls: type = type(base)(name, made.__bases__, namespace)
    return cls
