"""Classes that are alike in their names and in the code of their methods, and not in what users see of them."""

import inspect
from collections.abc import Callable
from typing import Any

import envpickle

PAIRS = {
    "a value in a method's place": ("method", "value", "lift(self,weight)", "lift"),
    "methods in each other's places": ("second", "first", "lift(self,bay,weight)", "lift(self,weight)"),
    "a signature": ("open", "signed", "lift(self,args,kwargs)", "lift(box)"),
    "state of its own": ("public", "state", "lift(self,weight)", ""),
    "a base": ("alone", "derived", "lift(self,weight)", "lift(self,weight)\nlower(self,weight)"),
}
"""Two kinds, and their surfaces."""


def weighing() -> Callable[..., Any]:
    """Return a new function of the same code each time."""

    def method(self: Any, weight: int) -> int:
        return weight

    return method


def choosing() -> Callable[..., Any]:
    """The same with other parameters."""

    def method(self: Any, bay: int, weight: int) -> int:
        return bay + weight

    return method


def taking(signature: str = "") -> Callable[..., Any]:
    """Return a function of the same code each time, that may say what it takes."""

    def method(self: Any, *args: Any, **kwargs: Any) -> None: ...

    if signature:
        parameter = inspect.Parameter(signature, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        method.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    return method


def namespace(kind: str) -> dict[str, Any]:
    """Return what a class of a kind holds."""
    return {
        "method": lambda: {"lift": weighing(), "_other": 5},
        "value": lambda: {"lift": 5, "_other": weighing()},
        "second": lambda: {"_before": weighing(), "lift": choosing(), "_after": 0},
        "first": lambda: {"_before": 0, "lift": weighing(), "_after": choosing()},
        "open": lambda: {"lift": taking()},
        "signed": lambda: {"lift": taking("box")},
        "public": lambda: {"__envpickle_state__": (), "lift": weighing()},
        "state": lambda: {"__envpickle_state__": ("lift",), "lift": weighing()},
        "alone": lambda: {"lift": weighing()},
        "derived": lambda: {"lift": weighing()},
    }[kind]()


@envpickle.builder
def alike(kind: str, number: int) -> type:
    """Make a class of a kind; another one for each number."""
    bases = (type("Base", (), {"__slots__": (), "lower": weighing()}),) if kind == "derived" else ()
    return type("Alike", bases, namespace(kind))
