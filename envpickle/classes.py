"""What is known about one class object: its metaclass, its record, its surface, and what it looked like when built.

The lowest module of the way in (``classes``, ``runtime``, ``payload``: all that loading takes); :func:`later` loads the rest.
"""

from __future__ import annotations

import sys
import weakref
from abc import ABCMeta
from collections import deque
from functools import cached_property, singledispatchmethod
from importlib import import_module
from operator import attrgetter, is_
from types import FunctionType, GetSetDescriptorType, MappingProxyType, MemberDescriptorType, MethodType, ModuleType

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

RECORD, STATE = "__envpickle_record__", "__envpickle_state__"
_code_of, _dict_of, _NAMESPACE = attrgetter("__code__"), attrgetter("__dict__"), type(sys.implementation)  # SimpleNamespace
CONTAINERS = (list, dict, set, bytearray, deque, tuple, frozenset, MappingProxyType, _NAMESPACE, singledispatchmethod)
_WATCHED = (STATE, "__pydantic_fields__", "__dataclass_fields__", "__annotations__")  # special containers a user may change
_WRAPPERS = frozenset(map(id, (staticmethod, classmethod, property, MethodType)))  # by id: a metaclass may undo hashing
_INERT = frozenset(map(id, (str, bytes, int, float, bool, list, dict, tuple, set, frozenset, type(None), type)))
_surfaces: dict[Any, tuple[str, Any, Any]] = {}  # of some kinds of class; it keeps their code, whose ids it goes by
GUARDS = (__name__, "envpickle.instances")  # where the reducers come from that a built class is given
_OWN_DESCRIPTORS = frozenset(map(id, (GetSetDescriptorType, MemberDescriptorType)))


def later(module: str) -> ModuleType:
    """Load a module of this package that stands higher in the house, when it is needed: the one door upward."""
    return import_module(f"envpickle.{module}")


class RuntimeType(ABCMeta):
    """The metaclass of run-time classes, an ABCMeta: by it pickle asks for the call that made a class, and not for its name.

    A builder may use it itself (``metaclass=envpickle.RuntimeType``), or it is given to the plain class that one returns.
    """

    __ray_actor_class__ = cached_property(lambda cls: later("refusals").refuse_actor(cls))  # Ray asks before it derives


class Record:
    """What is kept about one class object, in its own ``__dict__``; valid for that very object only.

    A copy of a class's ``__dict__`` carries the record along, so whoever reads one asks ``record.ref() is cls``.
    """

    __slots__ = (
        "builder", "call", "codes", "containers", "defaults", "functions", "head", "held", "mro", "names", "noted",
        "others", "outer", "owner", "parts", "reduced", "ref", "refusal", "related", "surface", "taken", "title", "values",
    )  # fmt: skip

    def __init__(self, cls: type, builder: Any, call: Any, owner: Any = None, outer: Any = None) -> None:
        self.ref, self.builder, self.call, self.owner, self.outer = weakref.ref(cls), builder, call, owner, outer
        self.head: bytes | None = None
        self.parts: tuple[bytes, ...] = ()
        self.held: tuple[Any, ...] = ()  # keeps the shared parts
        self.reduced: tuple[Any, ...] | None = None
        self.refusal: Exception | None = None
        self.noted: dict[Any, Any] = {}  # see changes.note
        self.surface, self.taken = "", ("", b"", b"")  # taken: what the code of a class by value was, where it was registered
        self.related: list[tuple[type, Record]] = []  # classes whose changes would be lost with this one's call

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.ref(), RECORD, None)  # a by-value copy has none; setting this very class's state keeps its own

    def snapshot(self, cls: type) -> None:
        """Remember what the class looks like now: the values themselves, and plain containers by value."""
        self.title, self.mro = (cls.__name__, cls.__qualname__, type(cls)), cls.__mro__
        self.names, self.values = [*cls.__dict__], [*cls.__dict__.values()]
        self.others = [(name, value) for name, value in cls.__dict__.items() if type(value) is not FunctionType]
        wrapped = [inner for _, value in self.others if _may_close_over(type(value)) for inner in _inner(value)]
        self.functions = [value for value in self.values + wrapped if type(value) is FunctionType]
        self.codes = [*map(_code_of, self.functions)]
        with_defaults = (f for f in self.functions if f.__defaults__ or f.__kwdefaults__)
        self.defaults = [(f, f.__defaults__, dict(f.__kwdefaults__ or {})) for f in with_defaults]
        plain = [(n, v) for n, v in self.others if issubclass(type(v), CONTAINERS) and (not is_dunder(n) or n in _WATCHED)]
        self.containers = later("snapshots").frozen(plain) if plain else []
        self.surface = self.surface or surface_of(cls, self)

    def intact(self, cls: type) -> bool:
        """Whether the class and its kin are exactly what they were at the last snapshot (False may also mean: look closer)."""
        return self.unchanged(cls) and (not self.related or all(record.unchanged(kin) for kin, record in self.related))

    def unchanged(self, cls: type) -> bool:
        """The same of the class alone."""
        return (
            [*cls.__dict__] == self.names
            and all(map(is_, cls.__dict__.values(), self.values))
            and all(map(is_, map(_code_of, self.functions), self.codes))
            and all(f.__defaults__ is before and (f.__kwdefaults__ or {}) == named for f, before, named in self.defaults)
            and cls.__mro__ is self.mro
            and (cls.__name__, cls.__qualname__, type(cls)) == self.title
            and (not self.containers or later("snapshots").all_unchanged(self.containers))
        )


def record_of(cls: type) -> Record | None:
    """The record of this very class, or None."""
    record = cls.__dict__.get(RECORD)
    return record if record is not None and record.ref() is cls else None


def is_dunder(name: str) -> bool:
    """Whether a name begins and ends with two underscores."""
    return name[:2] == "__" and name[-2:] == "__"


def state_of(cls: type) -> tuple[str, ...]:
    """The names a class, or a base of it, declares as per-process state."""
    names = next((base.__dict__[STATE] for base in cls.__mro__ if STATE in base.__dict__), ())
    return (names,) if isinstance(names, str) else tuple(names)


def innermost(fn: Any) -> Any:
    """The function inside decorators that say what they wrap."""
    return innermost(fn.__wrapped__) if hasattr(fn, "__wrapped__") else fn


def find(module: str, qualname: str) -> Any:
    """What a dotted name leads to in an imported module, as pickle looks it up; None if nowhere."""
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = None if found is None or name == "<locals>" else getattr(found, name, None)
    return found


def found_by_name(cls: type) -> bool:
    """Whether the class is what its own module and qualified name lead to."""
    return find(cls.__module__, cls.__qualname__) is cls


def surface_of(cls: type, seen: Record) -> str:
    """The public names of a class with their parameter names, one a line, from code objects alone."""
    others = [name for name, _ in seen.others]
    key = (*seen.names, *others, *map(id, seen.codes)) if len(cls.__mro__) == 2 and STATE not in others else None
    said, open_ended = _surfaces.get(key, ("", ()))[:2]
    if said and not any(seen.functions[at].__dict__ for at in open_ended):  # where a signature may stand, see _said
        return said
    bases = [b for b in cls.__mro__[-2:0:-1] if b.__module__[-6:] == "main__" or not found_by_name(b)]  # made in this call, say
    if (state := state_of(cls)) or bases or any(n[:1] != "_" for n in others) or any(map(_dict_of, seen.functions)):
        own = {n: v for c in (*bases, cls) for n, v in c.__dict__.items() if n[:1] != "_" and n not in state}
        return "\n".join(sorted([name + _said(value) for name, value in own.items()]))
    lines, last, taken = [], None, ""
    for name, code in [(n, v.__code__) for n, v in cls.__dict__.items() if type(v) is FunctionType and n[:1] != "_"]:
        if code is not last:  # methods made in a loop share their code
            last, taken = code, _parameters(code)
        lines.append(name + taken)
    said = "\n".join(sorted(lines))
    for old in [*_surfaces][:16] if len(_surfaces) > 64 else ():  # a list, made in one step: other threads are at it too
        _surfaces.pop(old, None)
    _surfaces.update({key: (said, [at for at, code in enumerate(seen.codes) if code.co_flags & 12], seen.codes)} if key else {})
    return said


def _parameters(code: Any) -> str:
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return f"({','.join(code.co_varnames[:count])})"


def _said(value: Any) -> str:
    """The parameter names of one attribute, if it is a function or wraps one."""
    function = getattr(value, "__func__", None) if id(type(value)) in _WRAPPERS else value
    if type(function) is not FunctionType:
        return ""
    code = function.__code__
    if code.co_flags & 12:  # *args (4), **kwargs (8): a wrapper, or a method made from a schema, may say what it takes
        if (said := getattr(function, "__signature__", None)) is not None:
            return f"({','.join(said.parameters)})"
        code = getattr(getattr(function, "__wrapped__", None), "__code__", code)
    return _parameters(code)


def odds(cls: type) -> dict[str, type]:
    """The types of a class's attributes but for functions, by name: they tell whether there is anything to look at."""
    return {name: type(value) for name, value in cls.__dict__.items() if type(value) is not FunctionType}


def adopt(box: list[type], nested: Iterable[type] = (), counted: bool = True, kinds: dict[str, type] | None = None) -> type:
    """Make the class in ``box`` again with the metaclass :class:`RuntimeType`, as a new object that takes its place.

    Only the box may hold it, so that references can be counted; where variables may, ``counted`` is False and containers are
    looked for. ``nested`` are classes inside, adopted before. AdoptionError: something would run twice or still holds it.
    """
    old = box.pop()
    others, me = kinds or odds(old), id(old)  # no comprehension may close over `old`: its cell would be given the new class
    if reason := _why_not_again(old, others.values()):
        raise later("refusals").adoption(old, reason)
    new = _made_again(old, [name for name, kind in others.items() if name == RECORD or id(kind) in _OWN_DESCRIPTORS])
    if not counted or held(old, others) > _baseline():
        for place, name in [(cls, name) for cls in (new, *nested) for name, value in cls.__dict__.items() if id(value) == me]:
            type.__setattr__(place, name, new)
        _move_cells([value for cls in (new, *nested) for value in cls.__dict__.values()], old, new)
        if not counted or held(old, others) > _baseline():
            later("holders").refuse_holders(old, _baseline() if counted else None, new)
    if weakref.getweakrefcount(old) > 1:  # its bases share one
        later("holders").move_weak_references(old, new)
    return new


def held(old: type, kinds: dict[str, type] | None = None) -> int:
    """How often a class is referred to, less by itself."""
    own = [n for n, kind in (kinds or odds(old)).items() if id(kind) in _OWN_DESCRIPTORS or old.__dict__[n] is old]
    return sys.getrefcount(old) - len(own)


def _baseline(known: list[int] = []) -> int:  # noqa: B006 -- the default is the memory
    if not known:
        box = [type("Sample", (), {"method": lambda self: None})]
        old = box.pop()  # one local name, as in adopt()
        known.append(held(old))
    return known[0]


def _why_not_again(old: type, kinds: Iterable[type]) -> str:
    for kind in kinds:
        if hasattr(kind, "__set_name__") and kind.__module__ not in ("builtins", "functools"):  # naming theirs twice is no harm
            return f"one of its attributes has a __set_name__ ({kind.__qualname__}), which would run twice"
    for base in old.__mro__[1:]:
        if "__init_subclass__" in base.__dict__ and base.__module__ not in ("builtins", "typing"):
            return f"its base {base.__qualname__} has an __init_subclass__, which would run twice"
    return ""


def _made_again(old: type, without: list[str]) -> type:
    namespace = {n: value for n, value in old.__dict__.items() if n not in without} | {"__qualname__": old.__qualname__}
    if "__slots__" in namespace and not hasattr(namespace["__slots__"], "__len__"):  # an iterator, which was used up
        slots = (n for n, v in old.__dict__.items() if type(v) is MemberDescriptorType or n in ("__dict__", "__weakref__"))
        namespace["__slots__"] = list(slots)
    new = RuntimeType(old.__name__, old.__bases__, namespace)
    if not getattr(old, "__abstractmethods__", None) and new.__abstractmethods__:
        type.__setattr__(new, "__abstractmethods__", frozenset())  # a plain class never was abstract
    return new


def _move_cells(stack: list[Any], old: type, new: type) -> None:
    """Point every cell that holds the old class at the new one: super(), __class__, and closures over the class."""
    seen: set[int] = set()
    while stack:
        kind = type(value := stack.pop())
        if kind is FunctionType:
            for cell in value.__closure__ or ():
                try:
                    inside = cell.cell_contents
                except ValueError:  # an empty cell
                    continue
                if inside is old:
                    cell.cell_contents = new
                elif id(type(inside)) not in _INERT and _may_close_over(type(inside)) and id(inside) not in seen:
                    seen.add(id(inside))
                    stack.append(inside)
        found = [item for item in (_inner(value) if _may_close_over(kind) else ()) if item is not None and id(item) not in seen]
        seen.update(map(id, found))
        stack += found


def _inner(value: Any) -> list[Any]:
    """What is inside a wrapper of Python's own: a static method, a property, a cached function."""
    found = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "fdel", "func", "__wrapped__")]
    return [*found, *value.dispatcher.registry.values()] if type(value) is singledispatchmethod else found


def _may_close_over(kind: type) -> bool:
    return kind is FunctionType or id(kind) in _WRAPPERS or kind.__module__ == "functools"


def is_new(cls: type) -> bool:
    """Whether a class may be a call's: no earlier call made it, no name leads to it; no protocol either."""
    return record_of(cls) is None and not found_by_name(cls) and not cls.__dict__.get("_is_protocol")


def has_kin(cls: type, kinds: dict[str, type] | None = None) -> bool:
    """Whether a class derives from, or holds, classes that no name leads to or that a builder made."""
    inside = [cls.__dict__[n] for n, kind in (kinds or odds(cls)).items() if issubclass(kind, type) and not is_dunder(n)]
    return any(c is not cls and (RECORD in c.__dict__ or not found_by_name(c)) for c in (*cls.__mro__[1:-1], *inside))


def needs_guard(cls: Any) -> bool:
    """Whether pickled instances go by a reducer, or by arguments for ``__new__``, of a base that knows nothing of them."""
    ways = [(b, getattr(b.__dict__.get("__reduce_ex__", needs_guard), "__module__", "")) for b in cls.__mro__[:-1]]
    if said := [b for b, way in ways if "__reduce__" in b.__dict__ or way not in GUARDS or b.__name__ == "EzPickle"]:
        return said[0] is not cls
    asked = {"__getnewargs__": cls.__new__, **{n: getattr(cls, n, None) for n in ("__getstate__", "__setstate__")}}
    inherited = [n for n, f in asked.items() if type(f) is FunctionType and n not in cls.__dict__ and hasattr(cls, n)]
    if inherited and "__getnewargs__" not in inherited and cls.__reduce_ex__ is object.__reduce_ex__:  # else a base has it
        type.__setattr__(cls, "__reduce_ex__", lambda self, protocol: later("instances").stated(cls, self, protocol))
    return "__getnewargs__" in inherited


class DillWatch:
    """Waits on ``sys.meta_path`` for dill, which never asks copyreg for classes; teaches it, and is gone after that."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Find dill as Python would, to be taught once it is loaded; nothing else."""
        return later("backends.dill_backend").found(name, self) if name == "dill" else None
