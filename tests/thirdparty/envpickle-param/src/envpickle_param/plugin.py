"""The hooks. The entry point names this module; it is loaded when envpickle first asks a hook."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import param

import envpickle
from envpickle.plugin import Packed, hookimpl

from .made import parameter, parameterized_class

KINDS = (param.Boolean, param.Integer, param.List, param.Number, param.String, param.Tuple)


@hookimpl
def envpickle_pack(value: Any) -> Packed | None:
    """A parameter travels as the name of its kind, and what it was told beyond what that kind is anyway."""
    kind = type(value)
    if kind not in KINDS:
        return None
    plain = kind()
    names = {name for base in kind.__mro__ if base is not object for name in signature(base).parameters if hasattr(plain, name)}
    told = {name: getattr(value, name) for name in sorted(names) if getattr(value, name) != getattr(plain, name)}
    return Packed(parameter, (kind.__name__, told))


@hookimpl
def envpickle_spec(cls: type) -> tuple[envpickle.Builder, tuple[Any, ...], dict[str, Any]] | None:
    """A class that has parameters, and else what a class of none has, was made of them."""
    if cls.__bases__ != (param.Parameterized,):
        return None
    own = {name: value for name, value in vars(cls).items() if isinstance(value, param.Parameter) and name != "name"}
    none = vars(param.parameterized_class(cls.__name__, {}))
    if vars(cls).keys() - own.keys() != none.keys() or any(vars(cls)[name] != none[name] for name in ("__doc__", "__module__")):
        return None
    if any(type(value) not in KINDS for value in own.values()):
        return None
    return parameterized_class, (cls.__name__, own), {}


@hookimpl
def envpickle_close(cls: type) -> Callable[[Any], Any] | None:
    """An object that has no method for it is closed by closing what its parameters hold."""
    if not issubclass(cls, param.Parameterized) or hasattr(cls, "close"):
        return None
    return close_what_it_holds


def close_what_it_holds(instance: param.Parameterized) -> None:
    """Close every value of an object's parameters that can be closed."""
    for value in instance.param.values().values():
        if hasattr(value, "close"):
            value.close()


@hookimpl
def envpickle_explain(obj: Any) -> str | None:
    """What to do about a class that the plugin does not know: of an object that is refused, its class is asked about."""
    if isinstance(obj, type) and issubclass(obj, param.Parameterized):
        return "Make it in a function marked @envpickle.builder; the plugin knows classes of plain parameters alone."
    return None
