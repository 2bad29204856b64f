"""Type forms for the schemas that a basic type does not express; imports `typing`, so it is imported when first needed."""

import typing
from collections.abc import Iterable
from typing import Any

from .signature import BASIC

__all__ = ["form"]


class Uncached(tuple[Any, ...]):
    """Members of a union that `typing` does not look up among those made before.

    ``Literal["a", "b"]`` equals ``Literal["b", "a"]``, so a union with the one would be answered by a union with the other,
    and the values be read back in an order that the server did not list.
    """

    __hash__ = None  # type: ignore[assignment]  # what cannot be hashed is not looked up


def form(schema: dict[str, Any]) -> Any:
    """Make the type form that ``transformers.utils.get_json_schema`` reads back as a schema.

    Args:
        schema: A schema as `envpickle_openenv.schema.express` returns it.

    Returns:
        The form.
    """
    if "nullable" in schema:
        base = {key: value for key, value in schema.items() if key != "nullable"}
        return _union([form(base), None])
    kind = schema.get("type")
    if "enum" in schema:
        return typing.Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return _union(map(form, schema["anyOf"]))
    if isinstance(kind, list):
        return _union(map(_member, kind))
    if kind is None:
        return typing.Any
    return _container(kind, schema) or BASIC[kind]


def _union(members: Iterable[Any]) -> Any:
    return typing.Union[Uncached(members)]  # noqa: UP007  # made of values, not written down


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
