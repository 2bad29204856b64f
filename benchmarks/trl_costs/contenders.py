"""One environment class, in the three ways it can be handed to a trainer."""

from collections.abc import Callable
from typing import Any

from envpickle import Owner
from envpickle_openenv import Toolset, environment_class

from ..spawn_roundtrip.shapes import toolset
from .wrapper import Shipped

__all__ = ["CONTENDERS", "listed", "raw_class"]

SERVER = "http://127.0.0.1:9/dock"
"""Nothing listens there: constructing an environment does not connect."""
OWN = frozenset({"__dict__", "__weakref__"})
OWNERS: list[Owner] = []
"""Kept, so that the classes built under them stay open."""


def listed(count: int) -> list[dict[str, Any]]:
    """Return a toolset as a server's listing gives it.

    Args:
        count: How many tools.
    """
    return Toolset.from_listing(toolset(count)).plain()


def raw_class(tools: list[dict[str, Any]], server: Any = SERVER) -> type:
    """Make the class as one that envpickle has nothing to do with: what a function in a training script would return.

    Args:
        tools: The tools.
        server: The server's address.
    """
    made = environment_class.fn("Dock", tools, server)
    base = made.__bases__[0]
    namespace = {key: value for key, value in vars(made).items() if key not in OWN and not key.startswith("_abc_")}
    cls: type = type(base)("Dock", made.__bases__, namespace)
    return cls


def ours(tools: list[dict[str, Any]], server: Any = SERVER) -> Any:
    """Make it by its builder, under an owner."""
    OWNERS.append(Owner())
    return OWNERS[-1].build(environment_class, "Dock", tools, server)


def wrapped(tools: list[dict[str, Any]], server: Any = SERVER) -> Any:
    """Wrap it."""
    return Shipped(raw_class(tools, server))


CONTENDERS: dict[str, Callable[..., Any]] = {"envpickle": ours, "the wrapper": wrapped}
