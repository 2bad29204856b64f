"""Short ways to write a tool as a server lists it, and what a trainer reads back of it."""

import json
from dataclasses import dataclass
from typing import Any

__all__ = ["Case", "becomes", "called", "describes", "explains", "loses", "parameter", "same", "tool"]

Schema = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One tool.

    Attributes:
        id: What it shows.
        tool: The tool as listed.
        read: What is read back of it, where that differs; None where it is the very listing.
    """

    id: str
    tool: dict[str, Any]
    read: dict[str, Any] | None = None

    @property
    def wanted(self) -> dict[str, Any]:
        """What has to be read back."""
        listed = {
            "name": self.tool["name"],
            "description": self.tool["description"],
            "parameters": self.tool["inputSchema"],
        }
        return listed if self.read is None else {**listed, **self.read}


def tool(properties: Schema, required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    return {"name": "move", "description": "Move a container.", "inputSchema": schema, **more}


def one(schema: Schema, description: str = "What it is.") -> dict[str, Any]:
    return tool({"x": {**schema, "description": description}}, ["x"])


def same(name: str, schema: Schema) -> Case:
    """A schema for one parameter that is read back as listed."""
    return Case(name, one(schema))


def becomes(name: str, schema: Schema, read: Schema, said: str | None = None) -> Case:
    """A schema for one parameter that is read back as another, with what was lost behind its description."""
    description = f"What it is. {said}" if said else "What it is."
    return Case(name, one(schema), {"parameters": tool({"x": {**read, "description": description}}, ["x"])["inputSchema"]})


def loses(name: str, schema: Schema, read: Schema) -> Case:
    """A schema for one parameter of which only a part is read back; the keywords that are not are said."""
    lost = {word: value for word, value in schema.items() if word not in read}
    return becomes(name, schema, read, json.dumps(lost))


def describes(name: str, listed: str, read: str | None = None) -> Case:
    """A tool description."""
    return Case(name, tool({}, description=listed), None if read is None else {"description": read})


def explains(name: str, listed: str, read: str | None = None) -> Case:
    """A parameter description, between two other parameters."""
    around: Schema = {"a": {"type": "string", "description": "First."}}
    after: Schema = {"z": {"type": "string", "description": "Last."}}

    def schema(text: str) -> Schema:
        return {**around, "x": {"type": "integer", "description": text}, **after}

    back = None if read is None else {"parameters": tool(schema(read), ["x"])["inputSchema"]}
    return Case(name, tool(schema(listed), ["x"]), back)


def called(name: str, read: str | None = None) -> Case:
    """A tool's name."""
    listed = {**one({"type": "integer"}), "name": name}
    return Case(f"tool {name!r}", listed, None if read is None else {"name": read})


def parameter(name: str, read: str | None = None) -> Case:
    """A parameter's name, after an optional one."""
    listed = tool(
        {"first": {"type": "integer", "description": "First."}, name: {"type": "string", "description": "It."}}, [name]
    )
    if read is None:
        return Case(f"parameter {name!r}", listed)
    text = f"It. (the server calls it {name!r})"
    properties = {"first": {"type": "integer", "description": "First."}, read: {"type": "string", "description": text}}
    return Case(f"parameter {name!r}", listed, {"parameters": tool(properties, [read])["inputSchema"]})
