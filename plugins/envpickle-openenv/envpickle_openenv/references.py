"""References inside a JSON schema, put in place."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from .errors import ToolsetError
from .schema import restrictions

__all__ = ["resolve"]

MAX_NODES = 20_000
MAX_DEPTH = 64
DEFINITIONS = frozenset({"$defs", "definitions"})
BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas"})
"""Keywords that hold schemas by name, where a name may be that of a keyword."""
JOINED = frozenset({"required", "allOf"})
"""Keywords whose items all hold, so that two lists of them are one."""
VALUES = frozenset({"default", "const", "enum", "examples", "example"})
"""Keywords that hold values, where what looks like a reference is none."""


def resolve(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without local references and without one-element ``allOf``.

    A reference to itself (a tree's node) is left as ``{"$ref": ...}`` where it would begin again, and so is one that
    leads elsewhere or nowhere.

    Args:
        schema: A JSON schema, which references are relative to.

    Returns:
        The schema, newly made, without its definitions.

    Raises:
        ToolsetError: If it nests deeper than 64 levels or grows beyond 20,000 values.
    """
    resolved = _Walk(schema).schema(schema, (), 0)
    assert isinstance(resolved, dict)
    return resolved


class _Walk:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.nodes = 0

    def count(self, depth: int) -> None:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ToolsetError(
                f"an input schema nests deeper than {MAX_DEPTH} levels or, with its references in place, holds more "
                f"than {MAX_NODES} values; have the server list a simpler one"
            )

    def schema(self, value: Any, inside: tuple[str, ...], depth: int) -> Any:
        self.count(depth)
        if isinstance(value, list):
            return [self.schema(item, inside, depth + 1) for item in value]
        if not isinstance(value, Mapping):
            return value
        reference = value.get("$ref")
        target = self.find(reference) if isinstance(reference, str) and reference not in inside else None
        if target is not None and isinstance(reference, str):
            beside = {k: v for k, v in value.items() if k != "$ref"}
            if isinstance(target, bool):
                return self.schema(beside if target else {"not": {}, **beside}, inside, depth + 1)
            return self.together(target, beside, (*inside, reference), depth + 1)
        one = value.get("allOf")
        if isinstance(one, list) and len(one) == 1 and isinstance(one[0], Mapping):
            beside = {k: v for k, v in value.items() if k != "allOf"}
            return self.together(one[0], beside, inside, depth + 1)
        kept = {key: item for key, item in value.items() if key not in DEFINITIONS}
        return {key: self.keyword(key, item, inside, depth + 1) for key, item in kept.items()}

    def together(self, one: Mapping[str, Any], beside: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> Any:
        """What both say: two keywords that cannot be written as one stay apart, the first one's in an ``allOf``."""
        both, apart = _both(one, beside)
        said = self.schema(both, inside, depth)
        return {**said, "allOf": [*said.get("allOf", []), self.schema(apart, inside, depth + 1)]} if apart else said

    def keyword(self, key: str, value: Any, inside: tuple[str, ...], depth: int) -> Any:
        if key in VALUES:
            return self.plain(value, depth)
        if key not in BY_NAME or not isinstance(value, Mapping):
            return self.schema(value, inside, depth)
        self.count(depth)
        return {name: self.schema(item, inside, depth + 1) for name, item in value.items()}

    def plain(self, value: Any, depth: int) -> Any:
        self.count(depth)
        if isinstance(value, list):
            return [self.plain(item, depth + 1) for item in value]
        return {key: self.plain(item, depth + 1) for key, item in value.items()} if isinstance(value, Mapping) else value

    def find(self, reference: str) -> Mapping[str, Any] | bool | None:
        if reference != "#" and not reference.startswith("#/"):
            return None
        found: Any = self.root
        for step in unquote(reference).split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            elif isinstance(found, Mapping) and step in found:
                found = found[step]
            else:
                return None
        return found if isinstance(found, Mapping | bool) else None


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two schemas as one, and those keywords of the first that the second says otherwise."""
    both, apart = {**one, **other}, {}
    for key, mine in restrictions(one).items():
        others = other.get(key, mine)
        if mine == others or key in DEFINITIONS:
            continue
        if key in BY_NAME and isinstance(mine, Mapping) and isinstance(others, Mapping):
            twice = [name for name in mine if mine[name] != others.get(name, mine[name])]
            both[key] = {**mine, **others, **{name: _all_of(mine[name], others[name]) for name in twice}}
        elif key in JOINED and isinstance(mine, list) and isinstance(others, list):
            both[key] = [*mine, *(item for item in others if item not in mine)]
        else:
            apart[key] = mine
    return both, apart


def _all_of(one: Any, other: Any) -> dict[str, Any]:
    if isinstance(other, Mapping) and "allOf" not in other:
        return {**other, "allOf": [one]}
    return {"allOf": [one, other]}
