"""Reward functions and tools that cross into a spawned process: closures, lambdas, partials and callable objects too.

A function found by its name travels by its name, and whatever plain pickle sends travels as that: a partial over data, an
instance of an importable class, a method of an environment. Only what has no name travels by value, and says which Python
its code was made for. A process that is sent a callable imports this module, and nothing more of the plugin.
"""

import copyreg
import functools
import io
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

from envpickle.errors import PickleRefused, RebuildMismatch, ScriptBuilderRefused

from .errors import NotPortable

__all__ = ["Portable", "arriving", "by_value", "fill", "portable"]

_MAIN = ("__main__", "__mp_main__")

Fn = TypeVar("Fn", bound=Callable[..., Any])


def portable(fn: Fn) -> Fn:
    """Make a reward function or a tool cross into the rollout process; also a decorator.

    Trainers see what they saw before: its name, signature, annotations and docstring, and whether it is asynchronous.
    What can be found by name travels by name, what plain pickle can send travels as data, and the rest by value.

    Args:
        fn: A function, lambda, partial, bound method or callable object. It is not changed.

    Returns:
        A callable that does the same and can be pickled.

    Raises:
        NotPortable: It holds something that belongs to this process (a lock, a socket, a client); the message has the path
            to it. A function that is decorated at the top level of a module is checked only when it is pickled.
    """
    if type(fn) is Portable:
        return fn
    if not callable(fn):
        raise NotPortable(
            f"envpickle_trl.portable takes a callable, not {fn!r}. Hand over the reward function or tool itself; a name of a "
            f"reward model needs no portable(), TRL loads it.",
        )
    made = Portable(fn)
    if not _is_being_decorated(fn) and not _in_a_child():
        made.__reduce_ex__(pickle.DEFAULT_PROTOCOL)
    return made  # type: ignore[return-value]  # it is called with the same arguments and returns the same


class Portable(functools.partial[Any]):
    """What `portable` returns: a partial over nothing, which passes for an instance of the very type of its callable.

    Trainers look through partials at the callable itself; chat templates take nothing but functions and methods for tools,
    and ask by ``isinstance``.
    """

    @property
    def __class__(self) -> Any:
        return type(self.func)

    @__class__.setter
    def __class__(self, kind: Any) -> None:
        raise TypeError(f"the class of {self!r} is its callable's, and stays so")

    def __new__(cls, fn: Callable[..., Any]) -> "Portable":  # noqa: D102 -- see the class
        return fill(arriving(), (fn, None))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        bind = getattr(type(self.func), "__get__", None)
        return self if instance is None or bind is None else bind(self.func, instance, owner)

    def __repr__(self) -> str:
        return f"portable({self.func!r})"

    def __copy__(self) -> "Portable":
        return Portable(self.func)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Portable":
        from copy import deepcopy

        return Portable(deepcopy(self.func, memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        name = self.own_name()
        if name is not None and not _sends_scripts_by_value(self):
            return name
        refusal = why_not_plain(self.func)
        if refusal is None:
            return self.as_it_is()
        if isinstance(refusal, PickleRefused) and not isinstance(refusal, ScriptBuilderRefused):
            raise _not_portable(self, refusal)
        from . import sending

        data = sending.dumps(self)
        return by_value, (sys.version_info[:2], title(self), data)

    def own_name(self) -> str | None:
        """The name by which another process finds this very object: that of a decorated function; None if there is none."""
        name = getattr(self.func, "__qualname__", None)
        module = getattr(self.func, "__module__", None)
        if type(self.func) is not types.FunctionType or find(module, name) is not self:
            return None
        return None if why_not_there(self.func) else name

    def as_it_is(self, hints: dict[str, Any] | None = None) -> tuple[Any, ...]:
        """What this is pickled as around its callable, which the pickler then sends in its own way.

        Args:
            hints: The callable's annotations, where another process could not resolve their text.
        """
        return arriving, (), (self.func, hints), None, None, fill


def arriving() -> Portable:
    """Make a portable callable that `fill` has yet to fill: what it holds may hold it in turn."""
    return functools.partial.__new__(Portable, _nothing)


def _nothing() -> None: ...


def fill(made: Portable, state: tuple[Callable[..., Any], dict[str, Any] | None]) -> Portable:
    """Put a callable into what `arriving` made.

    Args:
        made: What it made.
        state: The callable, and its annotations if they were resolved before it was sent.

    Returns:
        The same object.
    """
    fn, hints = state
    shown = {"__wrapped__": fn, "__doc__": getattr(fn, "__doc__", None), "__module__": getattr(fn, "__module__", None)}
    made.__setstate__((fn, (), {}, shown))  # not by the constructor, which would look into a partial
    if hints is not None:
        innermost(fn).__annotations__ = hints
    return made


def by_value(python: tuple[int, int], name: str, data: bytes) -> Any:
    """Load a callable that came by value.

    Args:
        python: Major and minor version of the Python that sent it.
        name: What the callable is called, for the message.
        data: The callable, as cloudpickle wrote it.

    Raises:
        RebuildMismatch: It came from another minor version of Python, whose code does not run here.
    """
    if tuple(python) != sys.version_info[:2]:
        there, here = (".".join(map(str, version)) for version in (python, sys.version_info[:2]))
        raise RebuildMismatch(
            f"the callable {name!r} came by value from Python {there}, and this is Python {here}: its code does not run here. "
            f"Use one Python on both sides, or move the callable to the top of an importable module.",
            missing=(),
            extra=(),
        )
    return pickle.loads(data)


class _Plain(pickle.Pickler):
    """Pickles as any pickler would, but for names that a spawned process would not find: those raise."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Portable):
            return value.own_name() or value.as_it_is()
        if isinstance(value, types.FunctionType | type) and value.__module__ != "builtins":
            reducer = copyreg.dispatch_table.get(type(value)) if isinstance(value, type) else None
            if reducer is not None and not isinstance(reducer(value), str):
                return NotImplemented  # a built class goes by the call that made it
            why = why_not_there(value)
            if why:
                raise pickle.PicklingError(f"{value.__qualname__}: {why}")
        return NotImplemented


def why_not_plain(value: Any) -> Exception | None:
    """What keeps plain pickle from sending a value to a spawned process; None if nothing does."""
    try:
        _Plain(io.BytesIO(), pickle.DEFAULT_PROTOCOL).dump(value)
    except Exception as error:  # noqa: BLE001 -- a reducer may raise anything, and it is no reason to give up yet
        return error
    return None


def why_not_there(value: Any) -> str:
    """Why a spawned process would not find the module of a function or class, or its name in the script; empty if it would."""
    module = value.__module__
    if module in _MAIN:
        from .mainscript import read_main

        return read_main().why_not_found(value.__qualname__)
    return "" if is_importable(module) else f"the module {module!r} is one that no other process could import"


def is_importable(module: Any) -> bool:
    """Whether a fresh process would find the package of a module; one loaded from a path, or made by hand, it would not."""
    if not isinstance(module, str):
        return False
    root = module.partition(".")[0]
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        if find_spec is not None and find_spec(root, None) is not None:
            return True
    return False


def find(module: Any, qualname: Any) -> Any:
    """What a dotted name leads to in an imported module, as pickle looks it up; None if nowhere."""
    found: Any = sys.modules.get(module) if isinstance(module, str) and isinstance(qualname, str) else None
    for name in qualname.split(".") if found is not None else ():
        found = getattr(found, name, None)
    return found


def find_class(cls: type) -> Any:
    """What the name of a class leads to."""
    return find(cls.__module__, cls.__qualname__)


def innermost(fn: Any) -> Any:
    """The function inside partials, methods and decorators that say what they wrap; the object itself if it is none."""
    while isinstance(fn, functools.partial | types.MethodType):
        fn = fn.__func__ if isinstance(fn, types.MethodType) else fn.func
    return fn


def title(made: Portable) -> str:
    """What to call a callable in a message and in a path: its name, or its class's."""
    inner = innermost(made.func)
    return str(getattr(inner, "__name__", type(inner).__name__))


def _is_being_decorated(fn: Any) -> bool:
    """Whether a function's name is one at the top of a module that does not lead to it yet."""
    if not isinstance(fn, types.FunctionType) or "<" in fn.__qualname__:
        return False
    return find(fn.__module__, fn.__qualname__) is not fn


def _in_a_child() -> bool:
    """Whether this is a process that multiprocessing started: there a module's callables are made again, not sent."""
    import multiprocessing

    return multiprocessing.parent_process() is not None


def _sends_scripts_by_value(made: Portable) -> bool:
    """Whether the pickler that asks is cloudpickle, whose workers do not have the script that was run."""
    if made.__module__ not in _MAIN:
        return False
    return "cloudpickle" in str(sys._getframe(2).f_globals.get("__name__"))


def _not_portable(made: Portable, why: Exception) -> NotPortable:
    """The refusal of a callable that holds something which says itself why it does not travel."""
    return NotPortable(f"{title(made)} cannot cross into another process: {why}", path=title(made))
