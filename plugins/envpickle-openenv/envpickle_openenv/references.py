"""References inside a JSON schema, put in place."""

from collections.abc import Mapping
from typing import Any

from .errors import ToolsetError

__all__ = ["resolve"]

MAX_NODES = 20_000
MAX_DEPTH = 64


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
    walk = _Walk(schema)
    resolved = walk.value({k: v for k, v in schema.items() if k not in ("$defs", "definitions")}, (), 0)
    assert isinstance(resolved, dict)
    return resolved


class _Walk:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.nodes = 0

    def value(self, value: Any, inside: tuple[str, ...], depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ToolsetError(
                f"an input schema nests deeper than {MAX_DEPTH} levels or, with its references in place, holds more "
                f"than {MAX_NODES} values; have the server list a simpler one"
            )
        if isinstance(value, list):
            return [self.value(item, inside, depth + 1) for item in value]
        if not isinstance(value, Mapping):
            return value
        reference = value.get("$ref")
        target = self.find(reference) if isinstance(reference, str) and reference not in inside else None
        if target is not None and isinstance(reference, str):
            beside = {k: v for k, v in value.items() if k != "$ref"}
            return self.value({**target, **beside}, (*inside, reference), depth + 1)
        one = value.get("allOf")
        if isinstance(one, list) and len(one) == 1 and isinstance(one[0], Mapping):
            beside = {k: v for k, v in value.items() if k != "allOf"}
            return self.value({**one[0], **beside}, inside, depth + 1)
        return {key: self.value(item, inside, depth + 1) for key, item in value.items()}

    def find(self, reference: str) -> Mapping[str, Any] | None:
        found: Any = self.root
        if reference != "#" and not reference.startswith("#/"):
            return None
        for step in reference.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or step not in found:
                return None
            found = found[step]
        return found if isinstance(found, Mapping) else None
