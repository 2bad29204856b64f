"""What must not be called while a class is made."""

from typing import Any

RUN: list[Any] = []


def trip(*args: Any, **kwargs: Any) -> Any:
    """Note that it was called."""
    RUN.append((args, kwargs))
    return args[0] if args else None


def one_value(value: Any = None) -> Any:
    """The same, for those who look at what it takes."""
    RUN.append(value)
    return value


class Plain:
    """Takes no types, though its metaclass would."""
