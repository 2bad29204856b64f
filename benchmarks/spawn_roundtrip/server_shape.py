"""The server shape: the class that `envpickle_openenv` makes of a server's tools.

Light: the floor's child imports it. The tools lie in modules that `benchmarks.spawn_roundtrip.written` wrote.
"""

import functools
import importlib
from typing import Any

from envpickle_openenv import environment_class

__all__ = ["MODULE", "built_server_class", "raw_server_class", "tools"]

MODULE = "spawn_roundtrip_tools_"
SERVER = "http://127.0.0.1:9/dock"
"""Nothing listens there: constructing an environment does not connect."""
OWN = frozenset({"__dict__", "__weakref__"})
"""Entries that a class makes for itself."""


@functools.cache
def tools(count: int) -> list[dict[str, Any]]:
    """Return the tools as the plugin describes them; always the same list, so that many classes can share it."""
    written: list[dict[str, Any]] = importlib.import_module(f"{MODULE}{count}").TOOLS
    return written


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
