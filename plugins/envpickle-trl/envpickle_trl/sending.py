"""What has no name travels by value: cloudpickle, and the few things about it that a trainer's callables need otherwise.

Loaded when such a callable is sent, never by the process that loads one.
"""

import copyreg
import dis
import functools
import io
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import cloudpickle

from envpickle.errors import PickleRefused, ScriptBuilderRefused

from .callables import Portable, find, find_class, innermost, is_importable, title
from .errors import NotPortable

__all__ = ["dumps"]

_CACHED = type(functools.lru_cache(len))
_MAIN = ("__main__", "__mp_main__")


def dumps(made: Portable) -> bytes:
    """Pickle a callable by value.

    Args:
        made: The callable.

    Returns:
        The pickle.

    Raises:
        NotPortable: Something in it cannot leave this process; the error has the path to it.
    """
    try:
        return _dumped(made)
    except NotPortable:
        raise
    except Exception as error:  # noqa: BLE001 -- a reducer may raise anything; the refusal says what it was
        raise _refusal(made, error) from None


def _dumped(value: Any) -> bytes:
    with io.BytesIO() as file, _Sending(file) as pickler:
        pickler.dump(value)
        pickler.refuse_shared_variables()
        if type(value) is Portable:
            pickler.refuse_variables_of_other_parcels(value)
        return file.getvalue()


class _Sending(cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle has no types
    """cloudpickle, but for what it would lose: subclasses of built classes, shared variables, open files, annotations."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._registered: list[types.ModuleType] = []
        self._variables: dict[int, tuple[Any, str, list[types.FunctionType]]] = {}

    def __enter__(self) -> "_Sending":
        return self

    def __exit__(self, *_: object) -> None:
        for module in self._registered:
            cloudpickle.unregister_pickle_by_value(module)

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Portable):
            return value.as_it_is(_resolved_hints(value))
        if isinstance(value, type):
            _refuse_unknown(value)
        if isinstance(value, type | types.FunctionType):
            self._send_code_of_what_cannot_be_imported(value.__module__)
        if isinstance(value, types.FunctionType) and not goes_by_name(value):
            self._note_variables(value)
        return _reduced(value) or super().reducer_override(value)

    def _send_code_of_what_cannot_be_imported(self, name: Any) -> None:
        """Have cloudpickle send by value what a module holds that was loaded from a path, or made by hand."""
        module = sys.modules.get(name) if isinstance(name, str) and name not in _MAIN else None
        if module is not None and name not in cloudpickle.list_registry_pickle_by_value() and not is_importable(name):
            cloudpickle.register_pickle_by_value(module)
            self._registered.append(module)

    def _note_variables(self, function: types.FunctionType) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._variables.setdefault(id(cell), (cell, name, []))[2].append(function)

    def refuse_shared_variables(self) -> None:
        """Refuse a variable that two functions share and one of them sets: each would arrive with one of its own.

        Raises:
            NotPortable: There is one.
        """
        for _, name, functions in self._variables.values():
            if len(functions) > 1 and _is_set(name, functions):
                raise _shared(name, functions[0].__name__, [function.__qualname__ for function in functions])

    def refuse_variables_of_other_parcels(self, made: Portable) -> None:
        """Refuse a variable that this callable shares with another one that went by value, if either sets it.

        Raises:
            NotPortable: There is one.
        """
        mine = {key: (name, _is_set(name, functions)) for key, (_, name, functions) in self._variables.items()}
        for other, theirs in list(_parcels.items()):
            for key in mine.keys() & theirs.keys() if other.func is not made.func else ():
                if mine[key][1] or theirs[key][1]:
                    raise _shared(mine[key][0], title(made), [title(other), title(made)])
        _parcels[made] = mine


# The variables of each callable that went by value, by the ids of their cells, which live as long as it does; and whether
# one of its functions sets them.
_parcels: WeakKeyDictionary[Portable, dict[int, tuple[str, bool]]] = WeakKeyDictionary()


def _is_set(name: str, functions: list[types.FunctionType]) -> bool:
    return any(name in _set_by(function.__code__) for function in functions)


def _shared(name: str, title: str, functions: list[str]) -> NotPortable:
    return NotPortable(
        f"the functions {' and '.join(functions)} share the variable {name!r}, and one of them sets it: in another process "
        f"each would have a variable of its own. Keep the value in an object whose methods they are, at the top of a module.",
        path=f"{title}.<closure>.{name}",
    )


def _reduced(value: Any) -> tuple[Any, ...] | None:
    """What an object is pickled as that cloudpickle refuses, or sends as something else; None for all others."""
    if isinstance(value, types.MethodType):
        if getattr(value.__self__, value.__name__, None) == value:
            return getattr, (value.__self__, value.__name__)  # cloudpickle would copy the function
    elif isinstance(value, _CACHED):
        if find(value.__module__, value.__qualname__) is not value:
            return _cached_again, (value.__wrapped__, value.cache_parameters())
    elif type(value) is functools.cached_property:  # before Python 3.12 it holds a lock
        return functools.cached_property, (value.func,), {"attrname": value.attrname}
    elif isinstance(value, io.IOBase) and value not in (sys.stdout, sys.stderr, sys.stdin):
        raise TypeError("an open file belongs to the process that opened it")
    return None


def _set_by(code: types.CodeType) -> set[str]:
    """The variables of an outer function that some code sets or deletes."""
    names = {str(i.argval) for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF")}
    inner = (_set_by(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return names.union(*inner) & {*code.co_freevars}


def _refuse_unknown(cls: type) -> None:
    """Ask the core about a class that no name leads to: it refuses what would arrive as another class."""
    reducer = copyreg.dispatch_table.get(type(cls))
    if reducer is None or find_class(cls) is cls:
        return
    try:
        reducer(cls)
    except ScriptBuilderRefused:
        return  # for plain pickle; cloudpickle sends the builder's function
    except PickleRefused:
        raise
    except Exception:  # noqa: BLE001 -- another library's reducer: cloudpickle says what there is to say
        return


def _cached_again(fn: Any, parameters: dict[str, Any]) -> Any:
    """Cache a function anew: what was cached stays where it was."""
    return functools.lru_cache(**parameters)(fn)


def _resolved_hints(made: Portable) -> dict[str, Any] | None:
    """Annotations of a function that goes by value, where they are text: what the text names would not be there."""
    function = innermost(made.func)
    annotations = getattr(function, "__annotations__", None)
    if not isinstance(function, types.FunctionType) or goes_by_name(function) or not annotations:
        return None
    if not any(isinstance(said, str) or "ForwardRef(" in repr(said) for said in annotations.values()):
        return None
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001 -- a name that is not there at home either: it fails in the same way there
        return None


def goes_by_name(function: types.FunctionType) -> bool:
    """Whether cloudpickle sends a function by its name."""
    if function.__module__ in _MAIN or not is_importable(function.__module__):
        return False
    return find(function.__module__, function.__qualname__) is function


def _refusal(made: Portable, error: Exception) -> NotPortable:
    from .crossing import culprits
    from .culprits import reason_and_remedy

    path, culprit, why = culprits(made.func, title(made), error, fails=_fails, children=_children)[0]
    reason, remedy = reason_and_remedy(culprit, why)
    return NotPortable(f"{path} cannot cross into another process: {reason} {remedy}", path=path)


def _fails(value: Any) -> Exception | None:
    try:
        _dumped(value)
    except Exception as error:  # noqa: BLE001 -- see dumps
        return error
    return None


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """What lies in an object that goes by value, each with the step that leads there."""
    from .crossing import parts_of

    if isinstance(value, Portable):
        yield from _children(value.func)
    elif isinstance(value, types.FunctionType) and not goes_by_name(value):
        yield from _of_a_function(value)
    elif isinstance(value, type):
        yield from _of_a_class(value)
    elif isinstance(value, _CACHED | staticmethod | classmethod):
        yield ".__wrapped__", value.__wrapped__
    else:
        yield from parts_of(value)


def _of_a_class(cls: type) -> Iterator[tuple[str, Any]]:
    refused = isinstance(_fails(cls), PickleRefused)  # the class itself then, and not what is in it
    if not refused and find_class(cls) is not cls:
        own = (types.GetSetDescriptorType, types.MemberDescriptorType)
        yield from ((f".{n}", v) for n, v in vars(cls).items() if n != "_abc_impl" and not isinstance(v, own))


def _of_a_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f".<closure>.{name}", cell.cell_contents
        except ValueError:  # a name that is not bound yet
            continue
    yield from ((f".<globals>.{n}", function.__globals__[n]) for n in _named(function.__code__) if n in function.__globals__)
    yield from ((f".<defaults>[{index}]", item) for index, item in enumerate(function.__defaults__ or ()))
    yield from ((f".<defaults>.{name}", item) for name, item in (function.__kwdefaults__ or {}).items())
    yield from ((f".{name}", item) for name, item in function.__dict__.items())


def _named(code: types.CodeType) -> list[str]:
    inner = [name for item in code.co_consts if isinstance(item, types.CodeType) for name in _named(item)]
    return list(dict.fromkeys([*code.co_names, *inner]))
