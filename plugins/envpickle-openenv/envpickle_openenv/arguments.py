"""The arguments of a call, named and checked before anything is sent."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["bound_arguments", "check_json"]


def check_json(values: Mapping[str, Any], what: str) -> None:
    """Refuse values that cannot be sent.

    Args:
        values: Values by name.
        what: Who was given them, for the message.

    Raises:
        TypeError: If JSON cannot hold one of them.
    """
    for name, value in values.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"{what} was given {name}={_shown(value)}, which JSON cannot hold: {error}") from None


def _shown(value: object) -> str:
    try:
        return f"{value!r:.100}"
    except Exception:  # noqa: BLE001  # it is broken, endless, or a number of more digits than Python will write
        return f"<a {type(value).__name__}>"


def bound_arguments(tool: str, order: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Name the positional arguments of a call.

    Args:
        tool: The tool's method, for messages.
        order: Its parameters.
        args: Positional arguments.
        kwargs: Named arguments; names the tool does not have are left for the server to refuse.

    Returns:
        Arguments by name.

    Raises:
        TypeError: If there are too many, or one is given twice.
    """
    if len(args) > len(order):
        raise TypeError(f"{tool}() takes {len(order)} arguments, {len(args)} were given")
    bound = dict(zip(order, args, strict=False))
    twice = bound.keys() & kwargs.keys()
    if twice:
        raise TypeError(f"{tool}() was given {', '.join(sorted(twice))} twice")
    return {**bound, **kwargs}
