"""What can be done to a class after it was built: changes that would be lost, and what is no change."""

import copyreg
import functools
import inspect
import operator
import typing
from collections.abc import Callable
from typing import Any


def _register(cls: Any) -> None:
    if hasattr(cls, "register"):
        cls.register(int)
        assert issubclass(int, cls)


HARMLESS: dict[str, Callable[[Any], Any]] = {
    "isinstance": lambda cls: (isinstance(1, cls), issubclass(dict, cls)),
    "annotations": lambda cls: getattr(cls, "__annotations__", None),
    "state": lambda cls: cls.cache.append(1) if hasattr(cls, "cache") else None,
    "register": _register,
    "dir": dir,
    "hash": hash,
    "signature": lambda cls: inspect.signature(cls),
    "hints": lambda cls: typing.get_type_hints(cls),
    "alias": lambda cls: list[cls],
    "slotnames": lambda cls: copyreg._slotnames(cls),  # type: ignore[attr-defined]
    "same again": lambda cls: setattr(cls, "__doc__", cls.__dict__.get("__doc__")) if "__doc__" in cls.__dict__ else None,
}


class Change:
    """One change of a class that would be lost, made at once; `undo` takes it back."""

    def __init__(self, cls: Any, how: str) -> None:
        self.undo: Callable[[], Any] | None = CHANGES[how](cls)

    def take_back(self) -> None:
        """Have the class as it was before."""
        assert self.undo is not None
        self.undo()


def _replaced(name: str, value: Any) -> Callable[[Any], Callable[[], Any] | None]:
    def change(cls: Any) -> Callable[[], Any] | None:
        if name not in cls.__dict__:
            return None
        before = cls.__dict__[name]
        setattr(cls, name, value(before) if callable(value) else value)
        return lambda: type.__setattr__(cls, name, before)

    return change


def _added(name: str, value: Any) -> Callable[[Any], Callable[[], Any] | None]:
    def change(cls: Any) -> Callable[[], Any] | None:
        if name in cls.__dict__:
            return None
        setattr(cls, name, value)
        return lambda: type.__delattr__(cls, name)

    return change


def _deleted(name: str) -> Callable[[Any], Callable[[], Any] | None]:
    def change(cls: Any) -> Callable[[], Any] | None:
        if name not in cls.__dict__ or type(cls).__name__ == "EnumType":
            return None
        before = cls.__dict__[name]
        type.__delattr__(cls, name)
        return lambda: type.__setattr__(cls, name, before)

    return change


def _inside(name: str, change: Callable[[Any], Any], undo: Callable[[Any], Any], *path: Any) -> Callable[[Any], Any]:
    """Change a container in place, that one or one deeper in it."""

    def apply(cls: Any) -> Callable[[], Any] | None:
        if name not in cls.__dict__:
            return None
        inner = functools.reduce(operator.getitem, path, cls.__dict__[name])
        change(inner)
        return lambda: undo(inner)

    return apply


def _in_function(attribute: str, value: Any) -> Callable[[Any], Callable[[], Any] | None]:
    def change(cls: Any) -> Callable[[], Any] | None:
        function = cls.__dict__.get("told", _other)
        if function is _other:
            return None
        before = getattr(function, attribute)
        given = value(function) if callable(value) else value
        if given == before:
            return None
        setattr(function, attribute, given)
        return lambda: setattr(function, attribute, before)

    return change


def _in_nested(cls: Any) -> Callable[[], Any] | None:
    if "Slot" not in cls.__dict__:
        return None
    label = cls.Slot.Label
    label.text = "other"
    return lambda: type.__setattr__(label, "text", "label")


def _other(self: Any, *args: Any, **kwargs: Any) -> str:
    return "other"


def _rename(cls: Any) -> Callable[[], Any]:
    before = cls.__name__
    cls.__name__ = "Other"
    return lambda: type.__setattr__(cls, "__name__", before)


CHANGES: dict[str, Callable[[Any], Callable[[], Any] | None]] = {
    "extra": _added("extra", 1),
    "method": _added("more", _other),
    "length": _added("__len__", lambda self: 7),
    "number": _replaced("number", 2),
    "equal, of another type": _replaced("number", True),
    "equal float": _replaced("ratio", 1),
    "equal container": _replaced("listed", lambda before: list(before)),
    "told": _replaced("told", lambda before: _other),
    "no told": _deleted("told"),
    "no marks": _deleted("marks"),
    "no label": _deleted("label"),
    "appended": _inside("listed", lambda v: v.append(3), lambda v: v.pop()),
    "marked": _inside("marks", lambda v: v.__setitem__(*_first(v)), lambda v: v.__setitem__(*_first(v, back=True))),
    "deep": _inside("listed", lambda v: v.append(3), lambda v: v.pop(), 1),
    "in the map": _inside("mapped", lambda v: v.append(3), lambda v: v.pop(), "a", "b"),
    "in the tuple": _inside("mapped", lambda v: v.append(3), lambda v: v.pop(), 1, 1),
    "in the set": _inside("chosen", lambda v: v.add(3), lambda v: v.discard(3)),
    "tags": _inside("tags", lambda v: v.add("b"), lambda v: v.discard("b")),
    "equal item": _inside("listed", lambda v: v.__setitem__(0, True), lambda v: v.__setitem__(0, 1)),
    "hints": _inside("hints", lambda v: v.clear(), lambda v: v.append("look")),
    "code": _in_function("__code__", lambda function: _code_of(function)),
    "keyword defaults": _in_function("__kwdefaults__", lambda function: {"loud": True} if function.__kwdefaults__ else None),
    "defaults": _in_function("__defaults__", lambda function: ("!",) if function.__defaults__ else None),
    "nested": _in_nested,
    "name": _rename,
}


def _first(value: Any, back: bool = False) -> tuple[Any, Any]:
    key = 0 if isinstance(value, list) else "a"
    now: Any = (1 if isinstance(value, list) else [1]) if back else 2
    return key, now


def _code_of(function: Any) -> Any:
    return function.__code__.replace(co_name="told_otherwise")
