"""An importable builder, enums, dataclasses and functions for tests to hand around."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, Flag
from typing import Any

import envpickle


class Colour(Enum):
    """Members to pass as arguments."""

    RED = "red"
    BLUE = 2


class Right(Flag):
    """Members that combine."""

    READ = 1
    WRITE = 2
    RUN = 4


@dataclass(frozen=True)
class Crate:
    """A dataclass to pass as an argument."""

    label: str
    content: Any


def double(value: int) -> int:
    """A function to pass as an argument."""
    return 2 * value


def _tool(name: str) -> Callable[[Any], str]:
    def tool(self: Any) -> str:
        return name

    tool.__name__ = name
    return tool


@envpickle.builder
def toolbox(name: str, tools: list[str], data: Any = None) -> type:
    """Make a class with one method a tool, each of which answers its own name.

    Args:
        name: Name of the class.
        tools: Names of the methods.
        data: Any plain data; ``instance.data()`` returns it.
    """
    body: dict[str, Any] = {tool: _tool(tool) for tool in tools}
    body["data"] = lambda self: data
    return envpickle.RuntimeType(name, (), body)


@envpickle.builder
def heir(base: Any) -> type:
    """Make a class that derives from another and adds nothing, so that an importable class has an owner.

    Args:
        base: An importable class.
    """
    made: type = type(base)("Heir", (base,), {}) if type(base) is not type else envpickle.RuntimeType("Heir", (base,), {})
    return made
