"""The plain shape given to envpickle: a builder in an importable module."""

from typing import Any

import envpickle

from .shapes import plain_class

__all__ = ["plain_env"]


@envpickle.builder
def plain_env(tools: list[dict[str, Any]], name: str) -> type:
    """Make a class with one method per tool.

    Args:
        tools: The tools.
        name: Name of the class.

    Returns:
        The class.
    """
    return plain_class(tools, name)
