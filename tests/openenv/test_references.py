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
SHIP = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
BESIDE = [
    (
        {"properties": {"bay": {}}, "required": ["bay"]},
        {"properties": {"name": {"type": "string"}, "bay": {}}, "required": ["name", "bay"]},
    ),
    ({"properties": {}}, SHIP),
    ({"required": ["name"]}, SHIP),
    (
        {"properties": {"name": {"description": "Its name.", "maxLength": 5}}},
        {**SHIP, "properties": {"name": {"type": "string", "description": "Its name.", "maxLength": 5}}},
    ),
    (
        {"properties": {"name": {"enum": ["a"], "type": "integer"}}},
        {**SHIP, "properties": {"name": {"enum": ["a"], "type": "integer", "allOf": [{"type": "string"}]}}},
    ),
    ({"properties": {"name": True}}, {**SHIP, "properties": {"name": {"allOf": [{"type": "string"}, True]}}}),
    ({"required": "all"}, {**SHIP, "required": "all", "allOf": [{"required": ["name"]}]}),
]


@pytest.mark.parametrize(("beside", "meant"), BESIDE)
@pytest.mark.parametrize("referring", [{"$ref": "#/$defs/ship"}, {"allOf": [{"$ref": "#/$defs/ship"}]}], ids=["ref", "all"])
def test_what_stands_beside_a_reference_is_said_as_well(
    referring: dict[str, Any], beside: dict[str, Any], meant: dict[str, Any]
) -> None:
    """It took the other's place: a tool's inherited parameters were lost."""
    resolved = resolve({**referring, **beside, "$defs": {"ship": SHIP}})
    assert resolved == meant
    assert list(resolved.get("properties", {})) == list(meant["properties"])


def test_a_reference_to_a_reference_with_something_beside_each() -> None:
    definitions = {"deep": {"type": "integer", "minimum": 3, "maximum": 9}, "inner": {"$ref": "#/$defs/deep", "minimum": 2}}
    resolved = resolve({"properties": {"x": {"$ref": "#/$defs/inner", "minimum": 1}}, "$defs": definitions})
    expected = {"type": "integer", "maximum": 9, "minimum": 1, "allOf": [{"minimum": 3}, {"minimum": 2}]}
    assert resolved["properties"]["x"] == expected


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
