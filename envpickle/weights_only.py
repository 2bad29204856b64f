"""What torch may be told so that ``torch.load(..., weights_only=True)`` loads run-time classes and their instances.

torch looks names up in a list that it is given, and calls what stands there. It is given a function of ours under the name
that pickles have, which hands out the classes that were named here and no other: no builder runs. A class nested in another
stands in pickles as ``getattr`` of that one: under this name torch is given a function that knows the named classes alone.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from .classes import record_of
from .errors import NotAllowed, ScriptBuilderRefused
from .payload import rebuild_class, rebuild_exception
from .runtime import reduce_class

__all__ = ["torch_safe_globals"]

_named: WeakValueDictionary[bytes, type] = WeakValueDictionary()
_nested: WeakValueDictionary[int, type] = WeakValueDictionary()  # by id: a metaclass may have made its classes unhashable


def torch_safe_globals(*classes: type) -> list[Callable[..., Any] | tuple[Callable[..., Any], str]]:
    """Return what to hand to ``torch.serialization.add_safe_globals`` (or ``safe_globals``), torch 2.6 or newer.

    With it, ``torch.load(..., weights_only=True)`` loads these classes and instances of them. A checkpoint that holds another
    run-time class is refused: the list only hands out the classes named here, and runs no builder.

    Args:
        *classes: Classes that exist in this process: run-time classes, built before the checkpoint is loaded, and importable
            ones, which are passed on unchanged. A nested class brings along the classes it is nested in, but not their
            instances: these are refused unless the classes are named as well.

    Returns:
        The list.

    Raises:
        TypeError: One of them is not a class.
        ScriptBuilderRefused: Code travels beside one of them, because its builder lives in a script or it goes by value.
        PickleRefused: One of them cannot travel.
    """
    given: list[Callable[..., Any] | tuple[Callable[..., Any], str]] = [(_rebuild_named, "envpickle.payload.rebuild_class")]
    for cls in classes:
        if not isinstance(cls, type):
            raise TypeError(f"torch_safe_globals takes classes, not {cls!r}; for an instance, name its class")
        if record_of(cls) is not None and _name(cls):
            given.append((_nested_named, "builtins.getattr"))
        given.append(cls)
    if any(issubclass(cls, BaseException) for cls in classes):
        given.append(rebuild_exception)
    return given


def _name(cls: type) -> bool:
    """Have a class handed out, or refuse it; whether it is one that is nested in another."""
    function, parts = reduce_class(cls)
    if function is getattr:  # of the class it is nested in
        _name(parts[0])
        _nested[id(cls)] = cls
        return True
    if function is not rebuild_class:
        raise ScriptBuilderRefused(
            f"{cls.__module__}.{cls.__qualname__} travels with code beside it, and weights_only=True keeps code out. "
            f"Make it by a builder at the top level of a module that can be imported.",
            builder=cls.__qualname__,
        )
    _named[parts[0][3:19]] = cls
    return False


def _rebuild_named(head: Any, *parts: Any) -> type:
    """Stands in for ``rebuild_class``: one of the classes that were named, never a new one."""
    cls = _named.get(head[3:19]) if type(head) is bytes else None
    if cls is None:
        raise NotAllowed(
            "the checkpoint holds a run-time class that torch was not told of; no builder was run. Build the class first and "
            "add envpickle.torch_safe_globals(cls); envpickle inspect shows which builder and arguments it names.",
            names=(),
        )
    return rebuild_class(head, *parts)


def _nested_named(outer: Any, name: Any, *_: Any) -> type:
    """Stands in for ``getattr``: one of the nested classes that were named, found in the class it is nested in."""
    record = record_of(outer) if issubclass(type(outer), type) else None
    found = _nested.get(id(outer.__dict__.get(name))) if record is not None and type(name) is str else None
    if found is None or outer.__dict__[name] is not found:
        raise NotAllowed(
            "the checkpoint asks for an attribute. torch is told of these for nested classes alone, and this is none named. "
            "Add envpickle.torch_safe_globals(Outer.Nested). In place of a method, save the instance and the method's name.",
            names=(),
        )
    return found
