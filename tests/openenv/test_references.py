"""References inside a schema, put in place, and what only looks like one."""

from typing import Any

import pytest

from envpickle_openenv.references import resolve

REFERRED = [
    ({"$ref": "#/$defs/A%20bay"}, {"type": "integer"}),
    ({"$ref": "#/$defs/a~1b"}, {"type": "string"}),
    ({"$ref": "#/properties/y/anyOf/1"}, {"type": "boolean"}),
    ({"$ref": "#/$defs/any"}, {}),
    ({"type": "object", "default": {"$ref": "#/$defs/any"}}, {"type": "object", "default": {"$ref": "#/$defs/any"}}),
    ({"enum": [{"allOf": [{"a": 1}]}]}, {"enum": [{"allOf": [{"a": 1}]}]}),
    ({"properties": {"default": {"$ref": "#/$defs/any"}}}, {"properties": {"default": {}}}),
    ({"properties": {"$ref": {"type": "integer"}}}, {"properties": {"$ref": {"type": "integer"}}}),
    ({"$ref": "#/$defs/never"}, {"not": {}}),
    ({"$ref": "#/$defs/tree"}, {"properties": {"kids": {"items": {"$ref": "#/$defs/tree"}}}}),
    ({"$ref": "#/properties/y/anyOf/7"}, {"$ref": "#/properties/y/anyOf/7"}),
]


@pytest.mark.parametrize(("schema", "meant"), REFERRED)
def test_references_are_put_in_place(schema: dict[str, Any], meant: dict[str, Any]) -> None:
    definitions = {
        "A bay": {"type": "integer"},
        "a/b": {"type": "string"},
        "any": True,
        "never": False,
        "tree": {"properties": {"kids": {"items": {"$ref": "#/$defs/tree"}}}, "$defs": {"x": {}}},
    }
    properties = {"x": schema, "y": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}
    assert resolve({"properties": properties, "$defs": definitions})["properties"]["x"] == meant
