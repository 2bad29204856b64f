"""What a server lists."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ToolsetError
from .methods import describe_method
from .naming import checked_rename, method_names

__all__ = ["Tool", "Toolset"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as its server lists it.

    Attributes:
        name: Its name on the server.
        description: What it does.
        input_schema: The JSON schema of its input.
    """

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_listing(cls, listed: Mapping[str, Any]) -> "Tool":
        """Read one entry of a ``tools/list`` answer.

        Args:
            listed: The entry, with ``name``, ``description`` and ``inputSchema`` or ``input_schema``.

        Returns:
            The tool.

        Raises:
            ToolsetError: If it has no name or its schema is no object.
        """
        entry: object = listed
        if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
            raise ToolsetError(f"the server lists {listed!r:.200}, which is no tool: a tool is an object with a name")
        schema = listed.get("inputSchema", listed.get("input_schema")) or {}
        if not isinstance(schema, Mapping):
            raise ToolsetError(f"the tool {listed['name']!r} has the input schema {schema!r:.200}, which is no object")
        return cls(listed["name"], str(listed.get("description") or listed.get("title") or ""), dict(schema))


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools of one server, checked: at least one, no name twice, and each with a method name of its own.

    Attributes:
        tools: The tools in the order listed.
        rename: Method names asked for, by tool; see `envpickle_openenv.naming` for the names without.

    Raises:
        ToolsetError: If there is no tool, or names are repeated or collide.
    """

    tools: tuple[Tool, ...]
    rename: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.tools:
            raise ToolsetError(
                "the server lists no tools, so there is nothing to make a class of; "
                "check the address, and whether the server lists its tools only after a reset with a task"
            )
        method_names(self.names, self.rename)

    @classmethod
    def from_listing(cls, listed: Iterable[Mapping[str, Any]], rename: Mapping[str, str] | None = None) -> "Toolset":
        """Read the tools of a ``tools/list`` answer.

        Args:
            listed: Its ``tools``.
            rename: Method names to use instead of those the naming rules give, by tool.

        Returns:
            The toolset.

        Raises:
            ToolsetError: If there is no tool, an entry is no tool, or names are repeated or collide.
        """
        return cls(tuple(map(Tool.from_listing, listed)), checked_rename(rename))

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order listed."""
        return tuple(tool.name for tool in self.tools)

    @property
    def methods(self) -> dict[str, str]:
        """Method names by tool."""
        return method_names(self.names, self.rename)

    def plain(self) -> list[dict[str, Any]]:
        """Return what `envpickle_openenv.environment_class` needs to make the methods, as plain data.

        Returns:
            One description of a method per tool.

        Raises:
            ToolsetError: If an input schema is too large.
        """
        methods = self.methods
        return [describe_method(t.name, methods[t.name], t.description, t.input_schema) for t in self.tools]

    def __len__(self) -> int:
        return len(self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __getitem__(self, name: str) -> Tool:
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise KeyError(name)
