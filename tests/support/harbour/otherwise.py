"""The holds of reports in other ways: without envpickle, and with `envpickle.register` in place of builders."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import envpickle
from envpickle import errors


def bare(module: ModuleType) -> dict[str, Any]:
    """The pieces of a hold whose builders are plain functions; each keeps the class of a call, as a user's cache would."""
    return _instead(module, lambda fn, args, kwargs: fn(*args, **kwargs))


def registered(module: ModuleType) -> dict[str, Any]:
    """The pieces of a hold whose classes are registered after they were made."""
    return _instead(module, lambda fn, args, kwargs: registered_class(fn(*args, **kwargs)))


def registered_class(cls: Any) -> Any:
    """Register a class as users do; one over a described class is asked to go by value, as the refusal says."""
    try:
        return envpickle.register(cls)
    except errors.RegistrationError as error:
        if "it derives from" not in str(error):
            raise
    return envpickle.register(cls, by_value=True)


def _instead(module: ModuleType, make: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    for name, value in list(vars(module).items()):
        if isinstance(value, envpickle.Builder):
            setattr(module, name, _once(value.fn, make))
    return {name: value for name, value in vars(module).items() if name.startswith(("make_", "check_", "home_"))}


def _once(fn: Any, make: Callable[[Any, Any, Any], Any]) -> Any:
    made: dict[str, Any] = {}

    def call(*args: Any, **kwargs: Any) -> Any:
        key = repr((args, kwargs))
        if key not in made:
            made[key] = make(fn, args, kwargs)
        return made[key]

    return call
