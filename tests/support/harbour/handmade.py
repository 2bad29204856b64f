"""A builder, and the same class made without it."""

from typing import Any

import envpickle


def make(tools: list[str]) -> Any:
    """The class the builder makes, made outside of it."""
    return type("Handmade", (), {tool: (lambda self, tool=tool: tool) for tool in tools})


@envpickle.builder
def handmade(tools: list[str]) -> Any:
    """Makes that class."""
    return make(tools)


class Named(metaclass=envpickle.RuntimeType):
    """A module-level class that uses the metaclass and has no builder."""
