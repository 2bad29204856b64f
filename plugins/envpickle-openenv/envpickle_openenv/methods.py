"""From a tool as a server lists it to a method as a class has it, described by plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from .docstrings import docstring, parameter_text, tool_text, with_lost
from .naming import needs_positional_only, parameter_names
from .references import resolve
from .schema import Schema, express, restrictions

__all__ = ["describe_method"]

SAID = frozenset({"type", "properties", "required", "additionalProperties"})
"""What the signature says of the whole input: an object with these properties and no others."""


def describe_method(name: str, method: str, description: str, input_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the method that calls a tool.

    Args:
        name: The tool's name.
        method: The method's name.
        description: The tool's description.
        input_schema: The JSON schema of the tool's input.

    Returns:
        Plain data, from which `envpickle_openenv.environment_class` makes the method: ``name``; ``method`` if it is
        another; ``doc``; ``parameters`` with their schemas in the order listed; ``required`` in the order listed;
        ``defaults``; ``listed``, the server's names of renamed parameters; ``positional`` if Python needs them so.

    Raises:
        ToolsetError: If the schema is too large.
    """
    schema = resolve(input_schema)
    properties, required = _properties(schema), _required(schema)
    properties |= {parameter: {} for parameter in required if parameter not in properties}
    names = parameter_names(properties)
    parameters: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for listed, parameter in names.items():
        parameters[parameter], texts[parameter] = _parameter(listed, parameter, properties[listed])
    about = tool_text(with_lost(description.strip() or f"Call {name}.", _lost_of_input(schema), "\n\n"))
    optional: dict[str, Any] = {names[p]: s["default"] for p, s in properties.items() if p not in required and "default" in s}
    found: dict[str, Any] = {
        "name": name,
        "doc": docstring(about, texts),
        "parameters": parameters,
        "required": [names[parameter] for parameter in required],
    }
    extra = {
        "method": method if method != name else None,
        "defaults": optional,
        "listed": {parameter: listed for listed, parameter in names.items() if listed != parameter},
        "positional": needs_positional_only(parameters),
    }
    return found | {key: value for key, value in extra.items() if value}


def _properties(schema: Schema) -> dict[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {str(name): _as_object(value) for name, value in properties.items()}


def _as_object(schema: Any) -> Schema:
    """A schema in its long form: ``true`` is ``{}``, ``false`` is ``{"not": {}}``."""
    if isinstance(schema, Mapping):
        return dict(schema)
    return {"not": {}} if schema is False else {}


def _required(schema: Schema) -> list[str]:
    required = schema.get("required")
    return list(dict.fromkeys(map(str, required))) if isinstance(required, Sequence) and not isinstance(required, str) else []


def _lost_of_input(schema: Schema) -> Schema:
    lost = {key: value for key, value in restrictions(schema).items() if key not in SAID}
    if isinstance(schema.get("additionalProperties"), Mapping):
        lost["additionalProperties"] = schema["additionalProperties"]
    return lost


def _parameter(listed: str, name: str, schema: Schema) -> tuple[str | Schema, str]:
    """The schema a parameter's annotation expresses, and the parameter's description."""
    expressed, lost, choices = _express_parameter(schema)
    if schema.get("default") is not None:
        lost = {**lost, "default": schema["default"]}
    texts = (schema.get("description"), schema.get("title"), name)
    text = next(text.strip() for text in texts if isinstance(text, str) and text.strip())
    if listed != name:
        text = f"{text} (the server calls it {listed!r})"
    basic = expressed["type"] if expressed.keys() == {"type"} and expressed["type"] != "array" else expressed
    return basic if isinstance(basic, str) else expressed, parameter_text(with_lost(text, lost), choices)


def _express_parameter(schema: Schema) -> tuple[Schema, Schema, list[Any] | None]:
    """As `express`, but an enumeration that ``Literal`` would retype may go into the docstring instead."""
    expressed, lost = express(schema)
    rest = restrictions(schema)
    values = rest.pop("enum", None)
    if not isinstance(values, list) or not values or expressed == {**rest, "enum": values} or not _are_choices(values):
        return expressed, lost, None
    without, lost_without = express(rest)
    if "enum" in lost or without == rest:
        return without, lost_without, values
    return expressed, lost, None


def _are_choices(values: Sequence[Any]) -> bool:
    """Whether the docstring's notation for choices, which strips them, leaves these values as they are."""
    return all(not isinstance(value, str) or value == value.strip() for value in values)
