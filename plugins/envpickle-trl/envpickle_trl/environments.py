"""From servers to what a trainer takes as ``environment_factory``: one class, or several by name."""

import re
from typing import TYPE_CHECKING, Any

from envpickle_openenv import AgentEnv

from .errors import EnvironmentsError
from .renaming import renamed

if TYPE_CHECKING:
    from envpickle import Secret

__all__ = ["environment", "factories"]

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def environment(url: "str | Secret", **options: Any) -> AgentEnv:
    """Ask a server for its tools and make an environment class from them, for a ``with`` block around the training.

    Args:
        url: The server's base address, such as ``http://localhost:8000``, or a `envpickle.Secret` for it.
        **options: What `envpickle_openenv.AgentEnv` takes: ``name`` (which also names the reward column), ``tasks``,
            ``on_error``, timeouts and so on.

    Returns:
        The `AgentEnv`: its ``factory`` is the ``environment_factory``. It is an owner: closing it, or leaving its ``with``
        block, ends every session of its classes in this process.

    Raises:
        ServerSettingsError: If the address or an option cannot be used.
        ListingError: If the server could not be asked.
        ToolsetError: If what it lists cannot be made into a class.
    """
    return AgentEnv(url, **options)


def factories(*environments: "AgentEnv | type", **named: "AgentEnv | type") -> dict[str, type]:
    """Combine several environments in the way a trainer takes them for a dataset with an ``environment`` column.

    The name of each in that column is also the name of its reward column, ``rewards/<name>``. If an environment is given
    under another name than its own, it gets a class of that name which is the same in everything else. So one environment
    may be given under several names, and has a reward column for each.

    Args:
        *environments: `AgentEnv` objects or classes, under their own names.
        **named: The same, under the names given here.

    Returns:
        The classes by name, in the order given.

    Raises:
        EnvironmentsError: If there is none, two have the same name, a name is not a class name, or something is not an
            environment.
        OwnerClosed: If one of them is closed.
    """
    found: dict[str, type] = {}
    for given in environments:
        name = given.name if isinstance(given, AgentEnv) else _class_of(given, "an environment").__name__
        if name in found:
            raise EnvironmentsError(f"two environments are called {name!r}; give one by another name: factories(other=...)")
        found[name] = _named(name, given)
    for name, given in named.items():
        if name in found:
            raise EnvironmentsError(f"{name!r} is the name of an environment given without one; give this one another name")
        found[name] = _named(name, given)
    if not found:
        raise EnvironmentsError("there is no environment among these; give AgentEnvs or classes")
    return found


def _named(name: str, given: Any) -> type:
    cls = _class_of(given, repr(name))
    if not NAME.fullmatch(name):
        raise EnvironmentsError(f"{name!r} cannot be a class's name, which the reward column has; give another one")
    if cls.__name__ == name:
        return cls
    if isinstance(given, AgentEnv):
        return given.build(renamed, name, cls)  # so that it closes with it
    built: type = renamed(name, cls)
    return built


def _class_of(given: Any, what: str) -> type:
    cls = given.factory if isinstance(given, AgentEnv) else given
    if isinstance(given, list | tuple | dict):
        stars = "**" if isinstance(given, dict) else "*"
        raise EnvironmentsError(
            f"{what} is a {type(given).__name__}; give them one by one, as in factories({stars}environments)"
        )
    if not isinstance(cls, type):
        raise EnvironmentsError(
            f"{what} is {given!r:.120}, neither an AgentEnv nor a class; what a function returns is not known before it is "
            "called, so put the function into the dict yourself, and give the class that it returns the same name"
        )
    return cls
