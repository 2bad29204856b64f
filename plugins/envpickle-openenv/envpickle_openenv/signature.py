"""Annotations and signatures made from plain data, with no code generated and next to nothing imported.

This runs in every process that loads a class, so `inspect` is not imported, nor `typing` where basic types are all there
is: each costs such a process more than all its classes.
"""

from __future__ import annotations

from types import FunctionType

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

__all__ = ["BASIC", "annotation", "signature_bearer"]

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
    from .forms import form

    return form(schema)


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
