"""Who is measured: the four ways to get a class into another process."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import floor, shapes
from .wrappers import CloudpickleWrapper, DillWrapper

__all__ = ["CONTENDERS", "SHAPES", "Contender", "first_method", "for_shape"]

SHAPES = ("plain", "server")
"""The plain shape, and the class that `envpickle_openenv.environment_class` makes."""


@dataclass(frozen=True)
class Contender:
    """One way to carry a class.

    Attributes:
        name: What it is called in tables.
        make: Makes the class from a shape, a number of tools and a name.
        carry: Makes of a class (or a list of them) what is handed to pickle.
        carried: Takes it out again.
        forget: Makes the process lose a class that is kept by name; a no-op elsewhere.
    """

    name: str
    make: Callable[[str, int, str], type]
    carry: Callable[[Any], Any]
    carried: Callable[[Any], Any]
    forget: Callable[[str], object] = lambda name: None

    def dumps(self, value: Any) -> bytes:
        """Pickle a class or a list of classes."""
        return pickle.dumps(self.carry(value))

    def loads(self, payload: bytes) -> Any:
        """Load what `dumps` made."""
        return self.carried(pickle.loads(payload))


def same(value: Any) -> Any:
    """Return the value itself."""
    return value


def unwrapped(wrapper: Any) -> Any:
    """Return what a wrapper carries."""
    return wrapper.value


def raw_class(shape: str, count: int, name: str) -> type:
    """Make a class that is not to be found by name and that envpickle knows nothing of."""
    if shape == "plain":
        return shapes.plain_class(shapes.toolset(count), name)
    from .server_shape import raw_server_class

    return raw_server_class(count, name)


def built_class(shape: str, count: int, name: str) -> type:
    """Make a class by an envpickle builder."""
    if shape == "plain":
        from .builders import plain_env

        return plain_env(shapes.toolset(count), name)
    from .server_shape import built_server_class

    return built_server_class(count, name)


def found_class(shape: str, count: int, name: str) -> type:
    """Return the class that is found by name; its own name is decided there."""
    cls: type = getattr(floor, floor.class_name(shape, count))
    return cls


CONTENDERS = (
    Contender("importable", found_class, same, same, lambda name: vars(floor).pop(name, None)),
    Contender("envpickle", built_class, same, same),
    Contender("cloudpickle", raw_class, CloudpickleWrapper, unwrapped),
    Contender("dill", raw_class, DillWrapper, unwrapped),
)


def for_shape(shape: str, count: int) -> list[tuple[Contender, type]]:
    """Make every contender's class of one shape, and check that it arrives and works.

    Args:
        shape: One of `SHAPES`.
        count: How many tools.

    Returns:
        Contenders and their classes.

    Raises:
        RuntimeError: If what a contender loads does not answer as the class does.
    """
    made = [(contender, contender.make(shape, count, "Env")) for contender in CONTENDERS]
    method = first_method(shape)
    for contender, cls in made:
        arrived = contender.loads(contender.dumps(cls))
        if getattr(arrived(), method)() != getattr(cls(), method)():
            raise RuntimeError(f"{contender.name} lost {cls!r}: it answers otherwise after the trip")
    return made


def first_method(shape: str) -> str:
    """Return the name of the method a child calls; it answers without a server."""
    return "move_0" if shape == "plain" else "get_reward"
