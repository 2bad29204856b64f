"""Instances of built classes whose pickling is not Python's own: a guard where something would be lost, or never come home.

Python's own way to pickle an instance names its class and takes its state, and that is all it takes. What is inherited may
not: a ``__reduce__`` that names the class it was written in, calls a constructor that has been replaced since, or knows
nothing of the attributes a derived class adds (a ``Counter``, a ``Decimal``); arguments for a ``__new__`` that has been
replaced; a base that records constructor arguments (``EzPickle``) which the derived class did not hand on; exceptions whose
constructor takes other arguments than they hand to ``Exception``. What can be added is added, the rest is refused.
"""

from __future__ import annotations

import sys
from copyreg import _reconstructor  # type: ignore[attr-defined]  # its name stands in every pickle of protocol 1
from enum import Enum
from itertools import pairwise
from types import FunctionType

from .attributes import is_importable, own_slots, refuse_unstated, slot_values, with_attributes
from .classes import GUARDS, innermost, later
from .payload import rebuild_exception

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Reduce = Callable[[Any, Any], Any]


def guard(cls: type) -> None:
    """Put a ``__reduce_ex__`` into a class that inherits one of these kinds; leave every other class alone."""
    if issubclass(cls, BaseException):
        if _is_python(cls.__init__) or _is_python(cls.__new__) or any(own_slots(cls)):
            _put(cls, _exception_way(cls))
    elif issubclass(cls, Enum):
        _put(cls, _member_way(cls))
    elif any(base.__name__ == "EzPickle" for base in cls.__mro__[1:]):
        _put(cls, _recording_way(cls))
    elif cls.__reduce__ is object.__reduce__ and cls.__reduce_ex__ is object.__reduce_ex__:
        if hasattr(cls, "__getnewargs__") and _place(cls, "__new__") < _place(cls, "__getnewargs__"):
            _put(cls, _value_way(cls))
    else:
        _put(cls, _speaking_way(cls))


def _is_python(method: Any) -> bool:
    return type(method) is FunctionType


def _put(cls: Any, reduce: Reduce) -> None:
    def __reduce_ex__(self: Any, protocol: Any) -> Any:  # noqa: N807 -- it becomes this method
        if sys._getframe(1).f_globals.get("__name__") == "copy":
            return super(cls, self).__reduce_ex__(protocol)  # a copy stays here: it may do as the base does
        return reduce(self, protocol)

    type.__setattr__(cls, "__reduce_ex__", __reduce_ex__)


def _exception_way(cls: Any) -> Reduce:
    def reduce(self: Any, protocol: Any) -> Any:
        if _is_python(type(self).__reduce__) and not _outlived(type(self)):
            return _speaking_way(cls)(self, protocol)
        _, args, *state = _builtin_base(type(self)).__reduce__(self)
        if beside := slot_values(self) | _name_in(self):
            state = [{**(state[0] if state else {}), **beside}]
        if isinstance(self, BaseExceptionGroup):
            args = self.message, self.exceptions
        own = None if args == self.args else self.args
        return rebuild_exception, (type(self), args, own), *state

    return reduce


def _name_in(error: BaseException) -> dict[str, Any]:
    """The name that was looked for in vain, which Python's own reducers leave out (of an attribute's, before Python 3.12)."""
    if isinstance(error, AttributeError | NameError) and error.name is not None:
        return {"name": error.name}
    return {}


def _place(kind: type, *names: str) -> int:
    """How far up among the bases one of the names is defined first."""
    return next(n for n, base in enumerate(kind.__mro__) if any(name in base.__dict__ for name in names))


def _outlived(kind: type) -> bool:
    """Whether a constructor came after the ``__reduce__`` that knew how to call the one before."""
    return _place(kind, "__init__", "__new__") < _reducer_place(kind)


def _reducer_place(kind: type) -> int:
    """The same of a reducer; a guard is none."""
    for place, base in enumerate(kind.__mro__):
        found = base.__dict__.get("__reduce_ex__")
        if "__reduce__" in base.__dict__ or (found is not None and getattr(found, "__module__", None) not in GUARDS):
            return place
    raise AssertionError("object has one")


def _builtin_base(kind: type) -> Any:
    return next(base for base in kind.__mro__ if base.__module__ == "builtins")


def exception_of(cls: Any, args: Any, own: Any) -> BaseException:
    """Make an exception without calling its constructor; see :func:`envpickle.payload.rebuild_exception`.

    Raises:
        DescriptorError: These are no exception class and no tuple of arguments.
    """
    if not (isinstance(cls, type) and issubclass(cls, BaseException) and isinstance(args, tuple)):
        raise later("errors").DescriptorError(
            f"{cls!r} and {type(args).__name__} are no exception class and its arguments. Send it again."
        )
    base = _builtin_base(cls)
    try:
        made: BaseException = base.__new__(cls, *args)
        base.__init__(made, *args)  # the builtin one: it fills errno, code and their like
        if own is not None:
            made.args = own
    except TypeError as error:
        raise later("errors").DescriptorError(
            f"{cls.__qualname__} takes other arguments here ({error}). Use the sender's version."
        ) from None
    return made


def _speaks_of(kind: type, reduced: tuple[Any, ...]) -> bool:
    func, args = reduced[0], reduced[1] or ()
    named = [func, getattr(func, "__self__", None), *args]
    return any(item is kind or type(item) is kind for item in named)


def _member_way(cls: Any) -> Reduce:
    def reduce(self: Any, protocol: Any) -> Any:
        if type(self).__members__.get(self.name) is self:
            return getattr, (type(self), self.name)  # by its name: the value may be of a class that no name leads to
        return super(cls, self).__reduce_ex__(protocol)

    return reduce


def _speaking_way(cls: Any) -> Reduce:
    def reduce(self: Any, protocol: Any) -> Any:
        reduced = super(cls, self).__reduce_ex__(protocol)
        if isinstance(reduced, str) or not _speaks_of(type(self), reduced):
            raise later("errors").InstanceRefused(
                f"an instance of {type(self).__qualname__} pickles through a __reduce__ it inherits, which answers "
                f"{_short(reduced)} and so names another class: it would come back as that. Let __reduce__ say "
                f"type(self), or define __reduce__ in the class the builder makes.",
                class_name=type(self).__qualname__,
            )
        if reduced[0] is type(self) and _outlived(type(self)) and not _are_fields(self, reduced[1]):
            _refuse_other_constructor(type(self), _reducer_place(type(self)), len(reduced[1]))
        return with_attributes(self, reduced)

    return reduce


def _are_fields(instance: Any, args: tuple[Any, ...]) -> bool:
    """Whether arguments are the fields of a dataclass, all and in order, as a base may collect them (``ModelOutput`` does)."""
    fields = type(instance).__dict__.get("__dataclass_fields__", {})
    taken = [name for _, name, _ in _parameters(type(instance).__init__) or ()]
    if taken != [*fields] or len(args) != len(taken) or any(field.kw_only for field in fields.values()):
        return False
    return all(getattr(instance, name, args) is given for name, given in zip(taken, args, strict=True))


def stated(cls: Any, instance: Any, protocol: Any) -> Any:
    """What ``__reduce_ex__`` answers in a class that inherits a ``__getstate__``; see :func:`envpickle.classes.needs_guard`.

    Args:
        cls: The class.
        instance: An instance of it.
        protocol: The pickle protocol.

    Raises:
        InstanceRefused: The state that the base gave has not all that derived classes set.
    """
    reduced = super(cls, instance).__reduce_ex__(protocol)
    if sys._getframe(2).f_globals.get("__name__") == "copy":
        return reduced
    return refuse_unstated(instance, reduced)


def _value_way(cls: Any) -> Reduce:
    """Of a number, a text or a tuple whose ``__new__`` was replaced: the value itself, as protocol 1 has it."""

    def reduce(self: Any, protocol: Any) -> Any:
        kind = type(self)
        builtin: Any = next((base for base in kind.__mro__ if base in _VALUES), None)
        if builtin is None:
            _refuse_other_constructor(kind, _place(kind, "__getnewargs__"), len(self.__getnewargs__()))
            return super(cls, self).__reduce_ex__(protocol)
        return _reconstructor, (kind, builtin, builtin(*builtin.__getnewargs__(self))), self.__getstate__()

    return reduce


_VALUES = (int, float, complex, str, bytes, tuple)


def _refuse_other_constructor(kind: Any, place: int, given: int) -> None:
    """Refuse an instance whose base hands arguments to a constructor that a derived class has replaced by another.

    Raises:
        InstanceRefused: The new constructor takes other arguments, or cannot be compared with the one before.
    """
    for name in ("__init__", "__new__"):
        if _place(kind, name) >= place or is_importable(kind.__mro__[_place(kind, name)]):
            continue  # an importable class's constructor was there when that base, or a class over it, wrote its reducer
        now, before = _parameters(getattr(kind, name)), _parameters(getattr(kind.__mro__[place], name))
        taken = [p for p, _, default in now or () if not default and p not in ("*", "**")]
        if now is None or (now != before and [sign for sign, _, _ in now[:1]] != ["*"] and (given or taken)):
            raise later("errors").InstanceRefused(
                f"an instance of {kind.__qualname__} pickles through what its base {kind.__mro__[place].__qualname__} says of "
                f"its constructor, and {name} takes other arguments now: it would come back wrong or not at all. Define "
                f"__reduce__ in the class the builder makes, or take *args and hand them on.",
                class_name=kind.__qualname__,
            )


def _parameters(constructor: Any) -> list[tuple[str, str, bool]] | None:
    """Of each parameter but the first: its name (``*`` and ``**`` for the rest), the same, and whether it has a default."""
    import inspect

    try:
        found = list(inspect.signature(constructor).parameters.values())[1:]
    except (TypeError, ValueError):  # it is written in C and does not say
        return None
    signs: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [(signs.get(p.kind, p.name), p.name, p.default is not p.empty or p.kind is p.KEYWORD_ONLY) for p in found]


def _recording_way(cls: Any) -> Reduce:
    def reduce(self: Any, protocol: Any) -> Any:
        kind = type(self)
        if "__getstate__" not in kind.__dict__:
            why = _not_recorded(kind, getattr(self, "_ezpickle_args", ()), getattr(self, "_ezpickle_kwargs", {}))
            if why:
                arguments = ", ".join(["self", *_taken(kind)])
                raise later("errors").InstanceRefused(
                    f"an instance of {kind.__qualname__} is pickled by EzPickle as its constructor's arguments, and {why}. "
                    f"Hand them all on, after super().__init__: EzPickle.__init__({arguments}). Or define __getstate__.",
                    class_name=kind.__qualname__,
                )
        return super(cls, self).__reduce_ex__(protocol)

    return reduce


def _taken(kind: Any, but_for: tuple[str, ...] = ()) -> list[str]:
    return [name for name, _, _ in _parameters(kind.__init__) or () if name not in ("*", "**", *but_for)]


def _not_recorded(kind: Any, given: tuple[Any, ...], by_name: dict[str, Any]) -> str:
    """What is wrong with the arguments that a base recorded for a constructor; nothing if they are its own, and all."""
    import inspect

    try:
        bound = inspect.signature(kind.__init__).bind_partial(None, *given, **by_name).arguments
    except TypeError as error:
        return f"those that were recorded do not fit ({error}): it would not come back"
    if missing := _taken(kind, tuple(bound)):
        return f"{', '.join(missing)} was not recorded: it would come back with the default"
    recorder = _recorder(kind)
    theirs, ours = (_parameters(constructor) or [] for constructor in (recorder, kind.__init__))
    if any(one[0] != "*" != other[0] and one[0] != other[0] for one, other in zip(theirs, ours[: len(given)], strict=False)):
        return f"{recorder.__qualname__} recorded its own, which are others: it would come back with those"
    return ""


def _recorder(kind: Any) -> Any:
    """The constructor that called EzPickle's last: by its name, or else by what ``super()`` comes to in the end."""
    import dis

    last = kind.__init__
    for base in kind.__mro__:
        constructor = base.__dict__.get("__init__")
        if not _is_python(constructor) or all(above.__name__ != "EzPickle" for above in base.__mro__[1:]):
            continue
        names = ["", *(step.argval for step in dis.get_instructions(innermost(constructor)))]
        whose = [owner for owner, name in pairwise(names) if name == "__init__"]
        if whose[-1:] == ["EzPickle"]:
            return constructor
        last = constructor if whose else last
    return last


def _short(reduced: Any) -> str:
    text = repr(reduced)
    return text if len(text) <= 80 else text[:77] + "..."
