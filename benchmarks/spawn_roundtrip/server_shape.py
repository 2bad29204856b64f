"""The server shape: the class that `envpickle_openenv` makes of a server's tools."""

from envpickle_openenv import Tool, Toolset, environment_class

from .shapes import toolset

__all__ = ["built_server_class", "raw_server_class"]

SERVER = "http://127.0.0.1:9/dock"
"""Nothing listens there: constructing an environment does not connect."""


def tools(count: int) -> Toolset:
    """Make the toolset as the plugin holds it."""
    return Toolset(tuple(Tool(tool["name"], tool["description"], tool["inputSchema"]) for tool in toolset(count)))


def built_server_class(count: int, name: str) -> type:
    """Make the class by its builder.

    Args:
        count: How many tools.
        name: Name of the class.
    """
    return environment_class(name, tools(count), SERVER)


def raw_server_class(count: int, name: str) -> type:
    """Make the class by the builder's raw function, so that envpickle knows nothing of it.

    Args:
        count: How many tools.
        name: Name of the class.
    """
    cls: type = environment_class.fn(name, tools(count), SERVER)
    return cls
