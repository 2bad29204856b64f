"""The floor: the same classes, found by name in a module that can be imported.

``Plain64`` is the plain shape with 64 tools, ``Server64`` the class that `envpickle_openenv` makes. Each is built when
it is first looked up, so that a child builds only the one it was sent.
"""

from typing import Any

from .shapes import plain_class, toolset

__all__ = ["class_name"]


def class_name(shape: str, count: int) -> str:
    """Return the name under which a class is found here.

    Args:
        shape: ``"plain"`` or ``"server"``.
        count: How many tools.
    """
    return f"{shape.capitalize()}{count}"


def __getattr__(name: str) -> Any:
    shape = name.rstrip("0123456789")
    digits = name.removeprefix(shape)
    if shape not in MAKERS or not digits:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    built = MAKERS[shape](int(digits), name)
    built.__module__, built.__qualname__ = __name__, name
    globals()[name] = built
    return built


def plain(count: int, name: str) -> type:
    """Make the class of the plain shape."""
    return plain_class(toolset(count), name)


def server(count: int, name: str) -> type:
    """Make the class of `envpickle_openenv`, by its builder's raw function."""
    from .server_shape import raw_server_class  # the plain shape's child must not import it

    return raw_server_class(count, name)


MAKERS = {"Plain": plain, "Server": server}
