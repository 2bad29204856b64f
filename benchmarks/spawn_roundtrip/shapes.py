"""The plain shape: a class whose methods close over their tool and which keeps nothing else.

Light, and free of envpickle: every contender's child may import it.
"""

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["plain_class", "toolset"]


@functools.cache
def toolset(count: int) -> list[dict[str, Any]]:
    """Make a toolset as a server lists it; always the same list, so that many classes can share it.

    Args:
        count: How many tools.

    Returns:
        The tools: name, description and input schema.
    """
    return [
        {
            "name": f"move_{number}",
            "description": f"Put a container into bay {number} with the crane.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "container": {"type": "string", "description": "Name of the container"},
                    "careful": {"type": "boolean", "default": True},
                },
                "required": ["container"],
            },
        }
        for number in range(count)
    ]


def plain_class(tools: list[dict[str, Any]], name: str) -> type:
    """Make a class with one method per tool.

    Args:
        tools: The tools.
        name: Name of the class.

    Returns:
        A new class, not to be found by name.
    """

    class Env:
        """An environment made from a list of tools."""

        def reset(self, **task: Any) -> None:
            """Begin an episode."""

    for tool in tools:
        setattr(Env, tool["name"], tool_method(tool))
    Env.__name__ = name
    return Env


def tool_method(tool: dict[str, Any]) -> Callable[..., str]:
    """Make the method of one tool."""

    def call(self: Any, **arguments: Any) -> str:
        return f"{tool['name']}({', '.join(arguments)})"

    call.__name__ = tool["name"]
    call.__doc__ = tool["description"]
    return call
