"""Type forms for the schemas that a basic type does not express; imports `typing`, so it is imported when first needed."""

import typing
from typing import Any

from .signature import BASIC

__all__ = ["form"]


def form(schema: dict[str, Any]) -> Any:
    """Make the type form that ``transformers.utils.get_json_schema`` reads back as a schema.

    Args:
        schema: A schema as `envpickle_openenv.schema.express` returns it.

    Returns:
        The form.
    """
    if "nullable" in schema:
        base = {key: value for key, value in schema.items() if key != "nullable"}
        return typing.Optional[form(base)]  # noqa: UP045  # made of values, not written down
    kind = schema.get("type")
    if "enum" in schema:
        return typing.Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return typing.Union[tuple(map(form, schema["anyOf"]))]  # noqa: UP007  # likewise
    if isinstance(kind, list):
        return typing.Union[tuple(map(_member, kind))]  # noqa: UP007  # likewise
    if kind is None:
        return typing.Any
    return _container(kind, schema) or BASIC[kind]


def _member(kind: str) -> Any:
    """One of several types; ``None`` alone would be read back as ``nullable``, beside the types."""
    return typing.Literal[None] if kind == "null" else form({"type": kind})


def _container(kind: str, schema: dict[str, Any]) -> Any:
    if "items" in schema:
        return list[form(schema["items"])]  # type: ignore[misc]
    if "prefixItems" in schema:
        return tuple[tuple(map(form, schema["prefixItems"]))]  # type: ignore[misc]
    if "additionalProperties" in schema:
        return dict[str, form(schema["additionalProperties"])]  # type: ignore[misc]
    return typing.List if kind == "array" else None  # noqa: UP006  # a bare `list` is read back as an object
