"""JSON schemas as Python annotations can say them.

`express` splits a schema in two: what an annotation expresses, in the words in which
``transformers.utils.get_json_schema`` reads it back, and what no annotation expresses. The first part is plain data and
travels with a class; `envpickle_openenv.signature` makes annotations of it. A schema that function can produce comes
through unchanged, with nothing lost.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

__all__ = ["Schema", "express", "restrictions"]

Schema: TypeAlias = dict[str, Any]
Split: TypeAlias = tuple[Schema, Schema]

BASIC = frozenset({"integer", "number", "string", "boolean", "null"})
KINDS = BASIC | {"object", "array"}
SILENT = frozenset({"title", "description", "default", "$schema", "$id", "$comment"})
LITERAL_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}


def express(schema: Any) -> Split:
    """Split a schema into what annotations express and what they do not.

    Args:
        schema: A JSON schema without references, or a boolean.

    Returns:
        The expressible schema, and the keywords whose meaning it lacks, as listed. The second is empty when the first
        means the same as the schema; title, description and default of the schema itself are left to the caller.
    """
    if not isinstance(schema, Mapping):
        return {}, ({} if schema is True else {"not": {}})
    rest = restrictions(schema)
    nullable = rest.pop("nullable", False) is True
    word = next((word for word in ("anyOf", "oneOf") if isinstance(rest.get(word), list)), None)
    if word is not None and len(rest) == 1:
        return _or_null(*_union(rest[word], word), nullable)
    if "const" in rest and "enum" not in rest:
        rest["enum"] = [rest.pop("const")]
    if isinstance(rest.get("enum"), list):
        return _or_null(*_enumeration(rest), nullable)
    if isinstance(rest.get("type"), list):
        return _or_null(*_several_types(rest), nullable)
    return _or_null(*_one_type(rest), nullable)


def restrictions(schema: Mapping[str, Any]) -> Schema:
    """Return the keywords of a schema that restrict values: not titles, descriptions, defaults or extensions.

    Args:
        schema: A JSON schema.

    Returns:
        Those keywords and their values.
    """
    return {key: value for key, value in schema.items() if key not in SILENT and not str(key).startswith("x-")}


def _or_null(expressed: Schema, lost: Schema, nullable: bool) -> Split:
    return ({**expressed, "nullable": True} if nullable else expressed), lost


def _but(rest: Schema, *said: str) -> Schema:
    return {key: value for key, value in rest.items() if key not in said}


def _says_more(schema: Any) -> bool:
    """Whether a nested schema tells the reader something that no annotation carries."""
    return isinstance(schema, Mapping) and ("description" in schema or "default" in schema)


def _express_all(schemas: Sequence[Any]) -> tuple[list[Schema], bool]:
    """Express several schemas, and tell whether each of them came through whole."""
    splits = [express(schema) for schema in schemas]
    whole = not any(lost for _, lost in splits) and not any(map(_says_more, schemas))
    return [expressed for expressed, _ in splits], whole


def _literal(values: Sequence[Any]) -> Schema | None:
    """The schema read back from ``Literal[values]``; None if these are no literals or some are repeated."""
    kinds = [LITERAL_TYPES.get(type(value)) for value in values]
    if not values or None in kinds or len(set(zip(kinds, values, strict=True))) < len(kinds):
        return None
    types = list(dict.fromkeys(kinds))
    return {"type": types[0] if len(types) == 1 else types, "enum": list(values)}


def _enumeration(rest: Schema) -> Split:
    values = rest["enum"]
    literal = _literal(values)
    if literal is None:
        expressed, lost = express(_but(rest, "enum"))
        return expressed, {"enum": values, **lost}
    listed = rest.get("type", literal["type"])
    allowed = listed if isinstance(listed, list) else [listed]
    type_adds_nothing = all(
        LITERAL_TYPES[type(value)] in allowed or (isinstance(value, int) and "number" in allowed) for value in values
    )
    return literal, _but(rest, "enum", "type") if type_adds_nothing else _but(rest, "enum")


def _several_types(rest: Schema) -> Split:
    if not all(isinstance(kind, str) and kind in KINDS for kind in rest["type"]):
        return {}, rest
    kinds = sorted(set(rest["type"]))
    left = _but(rest, "type")
    if len(kinds) == 2 and "null" in kinds and left:  # what is left belongs to the one type that is not null
        return _or_null(*_one_type({**left, "type": next(kind for kind in kinds if kind != "null")}), True)
    if len(kinds) < 2:
        return _one_type({**left, "type": kinds[0]} if kinds else left)
    return {"type": kinds}, left


def _one_type(rest: Schema) -> Split:
    kind = rest.get("type", _implied_kind(rest))
    if kind == "array":
        return _array(rest)
    if kind == "object":
        return _object(rest)
    if kind is None:
        return {}, rest
    known = isinstance(kind, str) and kind in BASIC
    return ({"type": kind}, _but(rest, "type")) if known else ({}, rest)


def _implied_kind(rest: Schema) -> str | None:
    if rest.keys() & {"properties", "additionalProperties"}:
        return "object"
    return "array" if rest.keys() & {"items", "prefixItems"} else None


def _array(rest: Schema) -> Split:
    items = rest.get("items")
    row = rest.get("prefixItems", items)
    if isinstance(row, list):
        parts, whole = _express_all(row)
        if len(parts) < 2 or (row is not items and items is not None):
            return {"type": "array"}, _but(rest, "type")
        return {"type": "array", "prefixItems": parts}, _but(rest, "type", *(("prefixItems", "items") if whole else ()))
    if items is None:
        return {"type": "array"}, _but(rest, "type")
    (part,), whole = _express_all([items])
    return {"type": "array", "items": part}, _but(rest, "type", *(("items",) if whole else ()))


def _object(rest: Schema) -> Split:
    empty = [word for word in ("properties", "required") if not rest.get(word, True)]
    values = rest.get("additionalProperties", True)
    if rest.get("properties") or not isinstance(values, Mapping):
        return {"type": "object"}, _but(rest, "type", *empty, *(["additionalProperties"] if values is True else []))
    (part,), whole = _express_all([values])
    said = ["additionalProperties"] if whole else []
    return {"type": "object", "additionalProperties": part}, _but(rest, "type", *empty, *said)


def _union(members: list[Any], word: str) -> Split:
    others = [member for member in members if not (isinstance(member, Mapping) and restrictions(member) == {"type": "null"})]
    if not others:
        return {"type": "null"}, {}
    parts, whole = _express_all(others)
    expressed, same = _together(parts)
    return _or_null(expressed, {} if whole and same else {word: members}, len(others) < len(members))


def _together(parts: list[Schema]) -> tuple[Schema, bool]:
    """The schema read back from a union of expressible schemas, and whether it means the same as they do."""
    nullable = any("nullable" in part or (_is_types(part) and "null" in part["type"]) for part in parts)
    kinds: list[Schema] = []
    for part in (_but(part, "nullable") for part in parts):
        kinds += [kind for kind in _members(part) if kind not in kinds]
    same = True
    if len(kinds) == 1:
        expressed = kinds[0]
    elif not all(isinstance(kind.get("type"), str) for kind in kinds):
        expressed = {"anyOf": kinds}
    else:  # the reader would keep nothing of these but their types
        merged = _literal([value for kind in kinds for value in kind.get("enum", ())])
        types = sorted({kind["type"] for kind in kinds})
        if merged is not None and all("enum" in kind for kind in kinds):
            expressed = merged
        else:
            expressed = {"type": types if len(types) > 1 else types[0]}
            same = all(kind.keys() == {"type"} for kind in kinds)
    return ({**expressed, "nullable": True} if nullable else expressed), same


def _members(part: Schema) -> list[Schema]:
    """What a union of this and others is flattened to."""
    if "anyOf" in part:
        return list(part["anyOf"])
    if _is_types(part):
        return [{"type": kind} for kind in part["type"] if kind != "null"]
    return [part]


def _is_types(part: Schema) -> bool:
    return isinstance(part.get("type"), list) and "enum" not in part
