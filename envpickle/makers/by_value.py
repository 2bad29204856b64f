"""By value, the last resort: a class that no call describes travels as its own code, and is put together again from it.

This is the loading side; :mod:`envpickle.makers.taking_apart` writes the code. The functions here are named in that code, which
one minor version of Python writes and reads: their names and arguments stay as they are, new ones get defaults.
"""

from __future__ import annotations

import abc
import sys
from functools import lru_cache
from importlib import import_module
from types import CellType, FunctionType
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from ..classes import find, record_of
from ..errors import RebuildMismatch
from ..runtime import Builder

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from typing import Any

TOOLS = {"cloudpickle": "cloudpickle_backend", "dill": "dill_backend"}
_UNFILLED = "__envpickle_unfilled__"
_known: WeakValueDictionary[bytes, type] = WeakValueDictionary()  # classes that came along with others, by their marks
_marks: WeakKeyDictionary[type, bytes] = WeakKeyDictionary()
_carriers: WeakKeyDictionary[type, WeakSet[type]] = WeakKeyDictionary()  # with which others they came along from here


@Builder
def by_value(code: bytes, python: tuple[int, int], tool: str) -> type:
    """Put a class together from its code; loading runs that code.

    Args:
        code: What :func:`envpickle.makers.taking_apart.code_of` wrote.
        python: Major and minor version of the Python that wrote it.
        tool: Name of the pickler that wrote it, ``"cloudpickle"`` or ``"dill"``.

    Raises:
        RebuildMismatch: This is another Python, or the tool is not to be had.
    """
    if tuple(python) != sys.version_info[:2]:
        written, here = ".".join(map(str, python)), ".".join(map(str, sys.version_info[:2]))
        raise RebuildMismatch(
            f"a class came by value from Python {written}, and this is Python {here}: compiled code does not cross. "
            f"Use one minor version on both sides, or give the class a builder: that crosses.",
            missing=(),
            extra=(),
        )
    try:
        backend = import_module(f"envpickle.backends.{TOOLS[tool]}")
        _, made = backend.loads(code)
    except (KeyError, ImportError) as error:
        raise RebuildMismatch(
            f"a class came by value, written with {tool}, and reading it fails here: {type(error).__name__}: {error}. Install "
            f"{tool} and the modules that the class refers to, or give the class a builder.",
            missing=(),
            extra=(),
        ) from error
    cls: type = made
    return cls


def mark_of(cls: type, new: bytes, carrier: type) -> bytes:
    """The mark under which a class that comes along with another is known on both sides; ``new`` if it has none yet."""
    mark = _marks.setdefault(cls, new)
    _known[mark] = cls
    if record_of(carrier) is not None:
        _carriers.setdefault(cls, WeakSet()).add(carrier)
    return mark


def carriers_of(cls: type) -> list[type]:
    """The registered classes that have this one in their code."""
    if type(cls).__hash__ is not type.__hash__:  # a metaclass of its own, and none that comes along
        return []
    return [carrier for carrier in _carriers.get(cls, ()) if record_of(carrier) is not None]


def forget(cls: type) -> None:
    """Take the mark from a class that is registered itself: it is known by its call from now on."""
    _known.pop(_marks.pop(cls, b""), None)
    _carriers.pop(cls, None)


def skeleton(
    metaclass: Any, name: str, bases: tuple[type, ...], first: dict[str, Any], mark: bytes | None = None, script: Any = None
) -> type:
    """A class without its body, which :func:`fill_class` puts in; the very one where it is here already.

    Args:
        metaclass: Its metaclass.
        name: Its name.
        bases: Its bases.
        first: What has to be there from the start: slots, module, members of an enumeration.
        mark: The mark of a class that comes along with another; None for the class that was registered.
        script: Digest and name of a class of a script, which a process that runs this script has itself.
    """
    found = _of_script(*script) if script is not None else None
    if found is None and mark is not None:
        found = _known.get(mark)
    if found is not None:
        return found
    made: type = metaclass(name, bases, _prepared(metaclass, name, bases, first))
    type.__setattr__(made, _UNFILLED, True)
    if mark is not None:
        _known[mark] = made
        _marks[made] = mark
    return made


def _prepared(metaclass: Any, name: str, bases: tuple[type, ...], first: dict[str, Any]) -> Any:
    namespace = metaclass.__prepare__(name, bases)
    for key, value in first.items():
        namespace[key] = value
    return namespace


def _of_script(digest: bytes, name: str) -> type | None:
    from ..script import own_digest

    found = find("__main__", name) if digest == own_digest() else None
    return found if isinstance(found, type) else None


def fill_class(cls: type, state: dict[str, Any]) -> None:
    """Put the body into a class that :func:`skeleton` made; one that was here already is compared with it and left alone.

    Raises:
        RebuildMismatch: The class that is here already has another body.
    """
    body, virtual = state["body"], state["virtual"]
    if _UNFILLED not in cls.__dict__:
        if other := [name for name, value in body.items() if not _alike(cls.__dict__.get(name), value)]:
            raise RebuildMismatch(
                f"{cls.__module__}.{cls.__qualname__} came along with a class by value, and the one that is here already "
                f"differs from it: {', '.join(other)}. Change classes before they are registered, or restart the worker.",
                missing=tuple(other),
                extra=(),
            )
        return
    type.__delattr__(cls, _UNFILLED)
    for name, value in body.items():
        type.__setattr__(cls, name, value)
    for other_class in virtual:
        abc.ABCMeta.register(cls, other_class)  # type: ignore[arg-type]  # only classes of ABCMeta have any
    for abstract in state.get("registered_with", ()):
        abstract.register(cls)


def _alike(here: Any, came: Any) -> bool:
    if type(here) is not type(came):
        return False
    for name in ("__func__", "fget", "__wrapped__"):
        if hasattr(came, name):
            return _alike(getattr(here, name, None), getattr(came, name))
    if type(came) is FunctionType:
        return bool(here.__code__ == came.__code__)
    if isinstance(came, list | tuple):
        return len(here) == len(came) and all(map(_alike, here, came))
    if isinstance(came, dict):
        return list(here) == list(came) and all(map(_alike, here.values(), came.values()))
    return type(came) not in (str, bytes, int, float, bool) or bool(here == came)


def function(code: Any, namespace: dict[str, Any] | str, name: str, closure: tuple[CellType, ...] | None) -> FunctionType:
    """A function over the variables of an importable module, named by ``namespace``, or over a namespace that came along."""
    variables = vars(import_module(namespace)) if type(namespace) is str else namespace
    return FunctionType(code, variables, name, None, closure)  # type: ignore[arg-type]  # not a str there


def fill_function(fn: FunctionType, state: dict[str, Any]) -> None:
    """Give a function what its code does not hold."""
    fn.__dict__.update(state.pop("attributes"))
    for module in state.pop("imports"):
        import_module(module)
    for name, value in state.pop("variables").items():
        fn.__globals__.setdefault(name, value)
    for name, value in state.items():
        setattr(fn, name, value)


def cell() -> CellType:
    """An empty cell: several functions may share it, and what it holds may lead back to them."""
    return CellType()


def fill_cell(empty: CellType, contents: tuple[Any]) -> None:
    """Fill it."""
    empty.cell_contents = contents[0]


def wrapped(kind: Any, fn: Any) -> Any:
    """A static method or a class method."""
    return kind(fn)


def fill_wrapped(method: Any, attributes: dict[str, Any]) -> None:
    """Give it its own attributes, which it took from the function as that was then."""
    method.__dict__.clear()
    method.__dict__.update(attributes)


def cached(fn: Any, maxsize: int | None, typed: bool) -> Any:
    """A function with a cache of results, which is empty here."""
    return lru_cache(maxsize=maxsize, typed=typed)(fn)


def type_variable(name: str, constraints: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """A type variable of the newer kinds."""
    from typing import TypeVar

    return TypeVar(name, *constraints, **settings)


def variable(module: str, name: str) -> Any:
    """A variable of an importable module: the very object that is there."""
    return vars(import_module(module))[name]
