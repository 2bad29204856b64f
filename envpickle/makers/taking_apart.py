"""A class taken apart, to be sent as its own code: the sending side of :mod:`envpickle.makers.by_value`.

Classes and functions are taken apart here, so that nothing is left out: an attribute that is the base's own object, a cell
that two methods share, the order of the body. What is inside them (code objects, type variables, properties) is left to
cloudpickle or dill. A function of an importable module reads that module's own variables on the other side as well; one of a
script, a notebook or ``exec`` brings those that it reads.
"""

import builtins
import dis
import functools
import io
import os
import re
import sys
import threading
import typing
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ..classes import Record, RuntimeType, found_by_name, is_dunder, record_of
from ..errors import ClassChanged, EnvpickleError, RegistrationError
from ..payload import digest_of
from ..runtime import MAIN, reduce_class
from ..script import own_digest
from ..whereabouts import WEAK, path_to_culprit
from . import by_value as made_of
from .class_parts import first_and_body, goes_by_name, refuse_kind, title_of, virtual_bases, virtual_subclasses
from .new_types import described

_NEVER: tuple[tuple[tuple[type, ...], str], ...] = (
    (WEAK, "a weak reference does not keep what it leads to, so nothing would be at its end"),
    ((type(threading.Lock()), type(threading.RLock())), "a lock belongs to one process"),
    ((io.IOBase,), "an open file belongs to one process"),
)
_NEVER_SENT = tuple(kind for kinds, _ in _NEVER for kind in kinds)
_LEFT_ALONE = (str, bytes, int, float, complex, bool, type(None), list, dict, tuple, set, frozenset)
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
_NAMED_UP_TO = 1 << 16  # bytes of code of a class whose changes are told one by one
_parts: WeakKeyDictionary[type, dict[str, bytes]] = WeakKeyDictionary()
_CACHED = type(functools.lru_cache(lambda: None))


def code_of(
    cls: type, tool: str = "cloudpickle", tag: bytes | None = None, replaced: type | None = None, adopted: bool = False
) -> bytes:
    """Write a class as code.

    Args:
        cls: The class; nothing of it is changed.
        tool: ``"cloudpickle"`` or ``"dill"``.
        tag: What tells this code from that of another class with the very same; 16 random bytes if None.
        replaced: The class it has taken the place of, which variables may hold for a moment longer.
        adopted: Whether a plain class arrives with the metaclass that it will have: its own variables may hold it there.

    Raises:
        RegistrationError: Something of it cannot be sent; the message says what, and where in the class it is.
        PickleRefused: A described class that it refers to cannot be sent.
    """
    if tool not in made_of.TOOLS:
        raise RegistrationError(f"no tool that sends code is called {tool!r}. Give by_value='cloudpickle' or 'dill'.")
    backend = import_module(f"envpickle.backends.{made_of.TOOLS[tool]}")
    modules = backend.shipped_modules()
    try:
        data: bytes = backend.dumps_with(_Taking(cls, modules, replaced, adopted), (tag or os.urandom(16), cls))
    except EnvpickleError:
        raise
    except Exception as error:
        path, value = path_to_culprit(cls, lambda part: backend.dumps_with(_Taking(cls, modules), part), _NEVER_SENT)
        raise RegistrationError(
            f"{title_of(cls)} cannot be sent by value: {path} is {_short(value)}, and {type(error).__name__}: {error}. Make "
            f"it in the class when it is first used, or make the class in a function marked @envpickle.builder.",
            path=path,
        ) from error
    return data


def remember(cls: type, record: Record, tool: str, replaced: type) -> None:
    """Remember what the code of a registered class is, its closures and what it reads included, to notice a change."""
    tag = os.urandom(16)
    code = code_of(cls, tool, tag, replaced)
    record.taken = tool, tag, digest_of(code)
    if len(code) <= _NAMED_UP_TO:
        _parts[cls] = _digests(cls, tool, replaced)


def refuse_stale(cls: type, record: Record) -> None:
    """Refuse a class by value whose code would be another now than when it was registered.

    Raises:
        ClassChanged: What its functions close over or read has changed.
    """
    tool, tag, before = record.taken
    why = ""
    try:
        if digest_of(code_of(cls, tool, tag)) == before:
            return
    except EnvpickleError as error:
        why = f" ({error})"
    then, now = _parts.get(cls, {}), _digests(cls, tool, cls) if cls in _parts else {}
    changed = [name for name in then if then[name] != now.get(name)]
    raise ClassChanged(
        f"{title_of(cls)} goes by value as it was when it was registered, and what {', '.join(changed) or 'its functions'} may "
        f"close over, read from the script or have as a default has changed since{why}. Register it anew "
        f"(envpickle.unregister, then register), keep what changes in an importable module, or give the class a builder.",
        changes=tuple(f"what {name} uses was changed" for name in changed or ["it"]),
    )


def _digests(cls: type, tool: str, replaced: type) -> dict[str, bytes]:
    """A digest of each attribute with all that it leads to, but for the class itself."""
    backend = import_module(f"envpickle.backends.{made_of.TOOLS[tool]}")
    found = {}
    for name, value in list(vars(cls).items()):
        if not is_dunder(name) or isinstance(value, FunctionType):
            taking = _Taking(cls, backend.shipped_modules(), replaced, opaque=True)
            with suppress(Exception):  # what cannot be written is not compared one by one
                found[name] = digest_of(backend.dumps_with(taking, value))
    return found


class _Taking:
    """Says how the parts of one class are written; asked by the pickler for all but Python's plain values."""

    def __init__(
        self, root: type, shipped: frozenset[str], replaced: type | None = None, adopted: bool = False, opaque: bool = False
    ) -> None:
        self.root, self.shipped, self.replaced = root, shipped, replaced or root
        self.adopted, self.opaque = adopted, opaque
        self.namespaces: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        self.variables: dict[str, dict[int, str]] = {}
        self.modules = {m for m in (root.__module__,) if self._is_importable(sys.modules.get(m))}

    def __call__(self, item: Any) -> Any:
        kind = type(item)
        if kind in _LEFT_ALONE:
            return NotImplemented
        if issubclass(kind, type):
            return self._class(item)
        if kind is FunctionType:
            return self._function(item)
        if kind is CellType:
            return _cell(item)
        for kinds, why in _NEVER:
            if isinstance(item, kinds):
                raise TypeError(why)
        known = self._variable(item, kind)
        return known if known is not None else _small(item, kind)

    def _class(self, cls: type) -> Any:
        if cls is self.root and self.opaque:
            return made_of.cell, ()
        if record_of(cls) is not None and not self._is_inside(cls):
            return reduce_class(cls)
        if cls is not self.root and (not cls.__flags__ & 1 << 9 or goes_by_name(cls)):  # Py_TPFLAGS_HEAPTYPE
            return NotImplemented
        refuse_kind(cls)
        first, body = first_and_body(cls)
        mark = None if self._is_inside(cls) else made_of.mark_of(cls, os.urandom(16), self.root)
        script = (own_digest(), cls.__qualname__) if mark and cls.__module__ in MAIN and found_by_name(cls) else None
        state = {"body": body, "virtual": virtual_subclasses(cls), "registered_with": virtual_bases(cls)}
        return (
            made_of.skeleton,
            (self._metaclass(cls), cls.__name__, cls.__bases__, first, mark, script),
            state,
            None,
            None,
            made_of.fill_class,
        )

    def _metaclass(self, cls: type) -> type:
        return RuntimeType if self.adopted and type(cls) is type and self._is_inside(cls) else type(cls)

    def _is_inside(self, cls: type) -> bool:
        """Whether it is the registered class or nested in it; both are found through it on the other side."""
        return cls is self.root or cls.__qualname__.startswith(f"{self.root.__qualname__}.")

    def _function(self, fn: FunctionType) -> Any:
        module = str(fn.__globals__.get("__name__"))
        by_name = found_by_name(fn)  # type: ignore[arg-type]  # it has the two names that count
        if by_name and fn.__module__ not in MAIN and fn.__module__ not in self.shipped:
            return NotImplemented
        variables: dict[str, Any] = {}
        namespace: Any = module
        if self._is_importable(sys.modules.get(module)) and vars(sys.modules[module]) is fn.__globals__:
            self.modules.add(module)
        else:
            namespace = {"__name__": module, "__file__": fn.__globals__.get("__file__")}
            namespace = self.namespaces.setdefault(id(fn.__globals__), (namespace, fn.__globals__))[0]
            variables = {name: self._meant(fn.__globals__.get(name, self.replaced)) for name in self._reads(fn)}
        state = {name: getattr(fn, name) for name in _ATTRIBUTES if hasattr(fn, name)}
        state |= {"attributes": dict(fn.__dict__), "variables": variables, "imports": _submodules(fn, variables)}
        reduced = fn.__code__, namespace, fn.__name__, fn.__closure__
        return made_of.function, reduced, state, None, None, made_of.fill_function

    def _reads(self, fn: FunctionType) -> list[str]:
        """The variables a function reads; the class's own name is not there yet where it is being decorated."""
        return [name for name in _names_read(fn) if name in fn.__globals__ or name == self.root.__name__]

    def _meant(self, value: Any) -> Any:
        return self.root if value is self.replaced else value

    def _variable(self, item: Any, kind: type) -> Any:
        """The answer for what a module that functions read keeps as a variable of its own: that variable."""
        home = kind.__module__ if "__reduce__" not in kind.__dict__ else ""  # MISSING and its like
        for module in (home, *self.modules):
            if module in sys.modules and module not in MAIN:
                if module not in self.variables:
                    self.variables[module] = {id(value): name for name, value in vars(sys.modules[module]).items()}
                name = self.variables[module].get(id(item))  # ids are sound here: the module holds what bears them
                if name is not None:
                    return made_of.variable, (module, name)
        return None

    def _is_importable(self, module: ModuleType | None) -> bool:
        if module is None or module.__name__ in MAIN or module.__name__ in self.shipped:
            return False
        spec = getattr(module, "__spec__", None)
        return spec is not None and spec.loader is not None


_ATTRIBUTES = ("__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__", "__type_params__")


def _cell(item: CellType) -> Any:
    try:
        return made_of.cell, (), (item.cell_contents,), None, None, made_of.fill_cell
    except ValueError:  # it is empty
        return made_of.cell, ()


def _small(item: Any, kind: type) -> Any:
    """What neither tool carries whole: caches, which are per process, and types with a name of their own."""
    if kind in (staticmethod, classmethod):
        return made_of.wrapped, (kind, item.__func__), dict(vars(item)), None, None, made_of.fill_wrapped
    if kind is functools.cached_property:
        return kind, (item.func,), {name: value for name, value in vars(item).items() if name != "lock"}
    if kind is _CACHED and not _is_found_anywhere(item):
        settings = item.cache_parameters()
        return made_of.cached, (item.__wrapped__, settings["maxsize"], settings["typed"])
    if kind is typing.TypeVar and (getattr(item, "__infer_variance__", False) or getattr(item, "has_default", bool)()):
        return made_of.type_variable, (item.__name__, item.__constraints__, _settings(item))
    if kind is typing.NewType and not _is_found_anywhere(item):
        return described(item) or (kind, (item.__name__, item.__supertype__), vars(item))
    return NotImplemented


def _is_found_anywhere(item: Any) -> bool:
    """Whether its name leads to it in other processes too, whatever script they run."""
    return item.__module__ not in MAIN and found_by_name(item)


def _settings(variable: Any) -> dict[str, Any]:
    """What a type variable was made with, of what not every Python knows and not every tool carries."""
    said = {"bound": variable.__bound__, "covariant": variable.__covariant__, "contravariant": variable.__contravariant__}
    if getattr(variable, "__infer_variance__", False):
        said["infer_variance"] = True
    if getattr(variable, "has_default", bool)():
        said["default"] = variable.__default__
    return said


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names_read(fn: FunctionType) -> list[str]:
    """The variables of its module that a function reads, by its code and by its annotations that are text."""
    found = [i.argval for code in _codes(fn.__code__) for i in dis.get_instructions(code) if i.opname in _READS]
    for annotation in fn.__annotations__.values():
        found += re.findall(r"[^\W\d]\w*", annotation) if isinstance(annotation, str) else []
    return [name for name in dict.fromkeys(found) if name != "__builtins__" and not hasattr(builtins, name)] + [
        name for name in dict.fromkeys(found) if hasattr(builtins, name) and name in fn.__globals__
    ]


def _submodules(fn: FunctionType, variables: dict[str, Any]) -> list[str]:
    """Modules inside those a function reads, which it reaches through them and which somebody has to import."""
    words = {name for code in _codes(fn.__code__) for name in code.co_names}
    tops = [value.__name__ for value in variables.values() if isinstance(value, ModuleType)]
    inside = [(name, top) for name in list(sys.modules) for top in tops if name.startswith(f"{top}.")]
    return [name for name, top in inside if words.issuperset(name[len(top) + 1 :].split("."))]


def _short(value: Any) -> str:
    text = object.__repr__(value)
    return text if len(text) <= 80 else text[:77] + "..."
