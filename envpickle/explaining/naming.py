"""How functions and classes are called, found, and lost; nothing here runs what pickle would not run."""

from __future__ import annotations

import pickle
import sys
from types import FunctionType
from typing import Any

from ..classes import find
from ..reachability import only_here, why_unreachable
from ..runtime import MAIN
from .sizes import is_atom

_read: dict[str, Any] = {name: type.__dict__[name].__get__ for name in ("__module__", "__qualname__", "__mro__", "__dict__")}


def of_class(cls: type, name: str) -> Any:
    """A class's own ``__module__``, ``__qualname__``, ``__mro__`` or ``__dict__``, whatever its metaclass has to say."""
    return _read[name](cls)


def title(value: Any) -> str:
    """The name of a function or class, or of a value's type, with its module unless that is ``builtins``."""
    if issubclass(type(value), type):
        module, name = of_class(value, "__module__"), of_class(value, "__qualname__")
    elif type(value) is FunctionType:
        module, name = value.__module__, value.__qualname__
    else:
        return title(type(value))
    return str(name) if type(module) is not str or module == "builtins" else f"{module}.{name}"


def key_text(key: Any) -> str:
    """A dict's key, short, without calling a ``__repr__`` of the user's."""
    plain = all(is_atom(type(item)) for item in (key if type(key) is tuple else (key,)))
    text = repr(key) if plain else f"<{title(key)}>"
    return text if len(text) <= 40 else f"{text[:36]}...{text[-1]}"


def by_name(value: Any, name: str | None = None) -> tuple[str, str]:
    """Module and qualified name that pickle writes for a function, class, or object that is known by name.

    Args:
        value: The object.
        name: The name that its reducer gave; its own if None.

    Raises:
        PicklingError: That name does not lead to it; the text says why, in words that go on after the object's name.
    """
    if name is None:
        name = getattr(value, "__qualname__", None)
    if name is None:
        name = value.__name__
    module = _module_of(value, name)
    try:
        __import__(module)
    except (Exception, SystemExit) as error:
        raise pickle.PicklingError(f"says it is from {module}, and importing that fails: {type(error).__name__}") from error
    if "<locals>" in name.split("."):
        outer = name.rpartition(".<locals>.")[0]
        raise pickle.PicklingError(f"is made inside {outer}(), where no other process finds it by name")
    found = find(module, name)
    if found is value:
        return module, name
    there = "nothing" if found is None else f"another {title(type(found))}"
    raise pickle.PicklingError(f"is to be found as {module}.{name}, and {there} is there")


def _module_of(value: Any, name: str) -> str:
    module = getattr(value, "__module__", None)
    if module is not None:
        return str(module)
    for module in list(sys.modules):  # as pickle looks for what does not say where it is from
        if module not in MAIN and find(module, name) is value:
            return module
    return "__main__"


def why_lost(value: Any, module: str, name: str) -> str:
    """Why a process that Python starts would not find a name that pickle writes here; empty if it would, or may."""
    if module in MAIN and sys.modules.get(module) is sys.modules.get("__main__"):
        return why_unreachable(name.partition(".")[0])
    if type(value) is not FunctionType and not issubclass(type(value), type):
        return ""
    if module.partition(".")[0] in sys.stdlib_module_names or not only_here(_Named(module, name)):  # type: ignore[arg-type]
        return ""
    return f"nothing that {module} does when it is imported puts it there"


class _Named:
    """Stands for a class whose metaclass is not to be asked for its names."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self.__qualname__ = module, name
