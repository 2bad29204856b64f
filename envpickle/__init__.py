"""Classes built at run time travel as the call that built them.

A builder is an importable function marked with :func:`envpickle.builder`. The class it returns pickles as that call (the
builder's name and its plain-data arguments), arrives in another process as one class per call, comes home as the same
object, and is closed with its :class:`Owner` wherever it went.

Every public name is loaded when it is first used, so that a process which only unpickles a class imports three small
modules of this package and msgpack.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable as _Callable
    from typing import Any as _Any
    from typing import overload as _overload

    from . import errors as errors
    from .classes import RuntimeType as RuntimeType
    from .describing import describe as describe
    from .explaining import Report as Report
    from .explaining import explain as explain
    from .explaining import explain_call as explain_call
    from .inspecting import Inspection as Inspection
    from .inspecting import inspect as inspect
    from .makers.by_value import by_value as by_value
    from .objects import Unpacker as Unpacker
    from .objects import unpacker as unpacker
    from .owner import Owner as Owner
    from .registering import register as register
    from .registering import unregister as unregister
    from .runtime import Builder as Builder
    from .secret import Secret as Secret
    from .spec import Spec as Spec
    from .switches import disable as disable
    from .switches import enable as enable
    from .trust import rebuild as rebuild
    from .unpickling import Unpickler as Unpickler
    from .unpickling import loads as loads
    from .weights_only import torch_safe_globals as torch_safe_globals

    @_overload
    def builder(fn: _Callable[..., _Any], *, name: str | None = None) -> Builder: ...
    @_overload
    def builder(fn: None = None, *, name: str | None = None) -> _Callable[[_Callable[..., _Any]], Builder]: ...
    def builder(fn: _Any = None, *, name: str | None = None) -> _Any:
        """See :func:`envpickle.runtime.builder`."""


__version__ = "0.1.0"

__all__ = [
    "Builder",
    "Inspection",
    "Owner",
    "Report",
    "RuntimeType",
    "Secret",
    "Spec",
    "Unpacker",
    "Unpickler",
    "builder",
    "by_value",
    "describe",
    "disable",
    "enable",
    "errors",
    "explain",
    "explain_call",
    "inspect",
    "loads",
    "rebuild",
    "register",
    "torch_safe_globals",
    "unpacker",
    "unregister",
]

_HOMES = {
    "Builder": "runtime",
    "Inspection": "inspecting",
    "Owner": "owner",
    "Report": "explaining",
    "RuntimeType": "classes",
    "Secret": "secret",
    "Spec": "spec",
    "Unpacker": "objects",
    "Unpickler": "unpickling",
    "builder": "runtime",
    "by_value": "makers.by_value",
    "describe": "describing",
    "disable": "switches",
    "enable": "switches",
    "explain": "explaining",
    "explain_call": "explaining",
    "inspect": "inspecting",
    "loads": "unpickling",
    "rebuild": "trust",
    "register": "registering",
    "torch_safe_globals": "weights_only",
    "unpacker": "objects",
    "unregister": "registering",
}


if not TYPE_CHECKING:  # a checker goes by the imports above, and finds misspelt names

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is not None:
            value = getattr(_import_module(f"{__name__}.{home}"), name)
        elif name == "errors":
            value = _import_module(f"{__name__}.errors")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
