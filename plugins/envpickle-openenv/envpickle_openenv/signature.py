"""Annotations and signatures made from plain data, with no code generated and next to nothing imported.

This runs in every process that loads a class, so `inspect` is not imported: it costs such a process more than all its
classes.
"""

import typing
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

__all__ = ["annotation", "signature_bearer"]

BASIC: dict[str, Any] = {
    "integer": int,
    "number": float,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "object": dict,
}


def annotation(schema: str | dict[str, Any]) -> Any:
    """Make the annotation that ``transformers.utils.get_json_schema`` reads back as a schema.

    Args:
        schema: A schema as `envpickle_openenv.schema.express` returns it, or the name of a basic type alone.

    Returns:
        A type or a type form.
    """
    if isinstance(schema, str):
        return BASIC[schema]
    if "nullable" in schema:
        base = {key: value for key, value in schema.items() if key != "nullable"}
        return typing.Optional[annotation(base)]  # noqa: UP045  # made of values, not written down
    kind = schema.get("type")
    if "enum" in schema:
        return typing.Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return typing.Union[tuple(map(annotation, schema["anyOf"]))]  # noqa: UP007  # likewise
    if isinstance(kind, list):
        return typing.Union[tuple(map(_member, kind))]  # noqa: UP007  # likewise
    if kind is None:
        return typing.Any
    return _container(kind, schema) or BASIC[kind]


def _member(kind: str) -> Any:
    """One of several types; ``None`` alone would be read back as ``nullable``, beside the types."""
    return typing.Literal[None] if kind == "null" else annotation({"type": kind})


def _container(kind: str, schema: dict[str, Any]) -> Any:
    if "items" in schema:
        return list[annotation(schema["items"])]  # type: ignore[misc]
    if "prefixItems" in schema:
        return tuple[tuple(map(annotation, schema["prefixItems"]))]  # type: ignore[misc]
    if "additionalProperties" in schema:
        return dict[str, annotation(schema["additionalProperties"])]  # type: ignore[misc]
    return typing.List if kind == "array" else None  # noqa: UP006  # a bare `list` is read back as an object


def _template(self: Any) -> None:
    """Carries a signature; never called."""


def signature_bearer(
    name: str,
    parameters: Iterable[str],
    annotations: dict[str, Any],
    defaults: tuple[Any, ...],
    positional_only: bool,
) -> Callable[..., Any]:
    """Make a function that has a signature and nothing else, to be another function's ``__wrapped__``.

    Args:
        name: Its name.
        parameters: Its parameters after ``self``, those with defaults last.
        annotations: Annotations by parameter.
        defaults: Values for the last parameters.
        positional_only: Whether the parameters are positional-only, as those named like a Python keyword must be.

    Returns:
        The function.
    """
    names = tuple(parameters)
    receiver = "self"
    while receiver in names:
        receiver = f"_{receiver}"
    count = len(names) + 1
    code = _template.__code__.replace(
        co_argcount=count,
        co_posonlyargcount=count if positional_only else 0,
        co_nlocals=count,
        co_varnames=(receiver, *names),
        co_name=name,
        co_qualname=name,
    )
    bearer = FunctionType(code, {}, name, defaults or None)
    bearer.__annotations__ = annotations
    return bearer
