"""Whether a class made once more is like the first, down to the code of its functions: what makes ``register`` certain.

Two classes are walked side by side, and with them everything their attributes hold. What cannot be compared counts as a
difference, so a class is never taken for another; what Python or a library fills in by itself is listed, each with its reason.
No code of a user's class runs: values are compared by what they hold, not by their ``__eq__``.
"""

import copyreg
import functools
import struct
import sys
import types
import typing
from collections.abc import Callable, Iterator
from dis import get_instructions
from enum import Enum
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from .changes import EXEMPT
from .classes import RECORD, found_by_name, is_dunder
from .snapshots import contents

NOT_COMPARED = {
    **dict.fromkeys(("__module__", "__qualname__"), "set anew when a class is registered: see addresses"),
    "__firstlineno__": "where the source stood, from Python 3.13 on",
    "__static_attributes__": "what the source assigned to self, from Python 3.13 on",
    **dict.fromkeys(("__weakref__", "__dict__"), "made by Python; whether there is one is compared by the layout"),
    RECORD: "ours",
    "__pydantic_fields__": "compared by the maker of pydantic's models, as pydantic takes fields apart; spelled in many ways",
    **dict.fromkeys([f"__pydantic_{n}__" for n in ("decorators", "core_schema", "validator", "serializer")], "made of these"),
} | {name: why for name, why in EXEMPT.items() if name not in ("__annotations__", "__abstractmethods__", "_member_map_")}
"""Names of a class that may differ between two classes that are alike, each with its reason."""

_LAYOUT = ("__basicsize__", "__itemsize__", "__dictoffset__", "__weakrefoffset__", "__flags__")
_PASSING = (1 << 19) | (1 << 20)  # type flags that come and go: a valid version tag; abstract, which its own attribute says
_MANAGED_WEAKREF, _MANAGED_DICT = 1 << 3, 1 << 4  # type flags: kept before the object, and not counted in its size
_EMPTY, _POINTER = "nothing in a slot or a cell", struct.calcsize("P")
_ATOMS = (int, float, complex, str, bytes, bool, type(None), type(...), type(NotImplemented))
_CONTAINERS = (list, dict, set, frozenset, tuple, bytearray)
_ATOM_IDS, _CONTAINER_IDS = frozenset(map(id, _ATOMS)), frozenset(map(id, _CONTAINERS))  # a metaclass may undo hashing
_ALIASES = tuple(filter(None, [getattr(typing, "TypeAliasType", None)]))  # from Python 3.12 on
_TYPE_VARIABLES = (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple, *_ALIASES)
_FILLED_IN_USE = {"_inverted_": "a flag's complement, kept when it is first asked for"}
_VARIABLE = (
    "__name__", "__bound__", "__constraints__", "__covariant__", "__contravariant__", "__infer_variance__", "__default__",
    "__value__", "__type_params__",
)  # fmt: skip
_CODE = (
    "co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_code", "co_consts", "co_names",
    "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable",
)  # fmt: skip
_KINDS: dict[type, tuple[str, ...]] = {
    staticmethod: ("__func__", "__dict__"),
    classmethod: ("__func__", "__dict__"),
    property: ("fget", "fset", "fdel", "__doc__"),
    types.MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords", "__dict__"),
    functools.cached_property: ("func", "attrname"),  # its lock, on Python 3.11, is its own
    types.UnionType: ("__args__",),
    GetSetDescriptorType: ("__name__",),
    MemberDescriptorType: ("__name__", "__doc__"),
    types.BuiltinFunctionType: ("__name__", "__self__"),
    CodeType: _CODE,
    **dict.fromkeys(_TYPE_VARIABLES, _VARIABLE),
    type(functools.cache(len)): ("__wrapped__", "__dict__"),  # its size is in there
}
_INSIDE = {id(kind): names for kind, names in _KINDS.items()}
_READ_ONLY = ("msgspec.structs.StructConfig",)  # kinds written in C that show all they are and do not pickle
_FUNCTION = ("__code__", "__defaults__", "__kwdefaults__", "__closure__", "__annotations__", "__doc__", "__name__", "__dict__")


def unlike(cls: type, again: type) -> list[str]:
    """What differs between a class and the class that a maker's call made anew.

    Args:
        cls: The class.
        again: What a builder's function returned for the arguments that are to stand for ``cls``; a class of its own, not
            registered and not adopted.

    Returns:
        The differences, a few words each; empty if the two are alike in all that counts, or are one.
    """
    walk = _Walk(cls, again)
    try:
        return list(walk.differences(cls, again)) if cls is not again else []  # a library may keep its classes itself
    except RecursionError:
        return ["what its attributes hold is nested too deep to be compared"]


class _Walk:
    """A walk through two structures side by side, in which one object of the one stands for one object of the other."""

    def __init__(self, cls: type, again: type) -> None:
        self.forth: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.assumed: set[tuple[int, int]] = set()
        self.trail: list[tuple[Any, Any]] = []  # everything assumed; it keeps what bears the ids alive
        self._pair(cls, again)

    def differences(self, a: type, b: type) -> Iterator[str]:
        """The differences between two classes that were paired."""
        if a.__name__ != b.__name__:
            yield f"its name ({a.__name__!r}, and made again {b.__name__!r})"
        if not self.same(type(a), type(b)):
            yield f"its metaclass ({type(a).__qualname__}, and made again {type(b).__qualname__})"
            return
        if not self.same(a.__mro__[1:], b.__mro__[1:]):
            yield f"its bases ({_names(a.__mro__[1:])}, and made again {_names(b.__mro__[1:])})"
        if any((getattr(a, n) ^ getattr(b, n)) & ~_PASSING for n in _LAYOUT):
            yield "the layout of its instances (slots, dict, weak references)"
        for name, kind in _of_metaclass(type(a)):
            if not self.same(_got(kind, a), _got(kind, b)):
                yield name
        yield from self._attributes(_attributes(a), _attributes(b))

    def _attributes(self, mine: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
        for name in mine | theirs:
            if name not in theirs:
                yield f"{name} (made again, it has none)"
            elif name not in mine:
                yield f"{name} (only made again it has one)"
            elif not self.same(mine[name], theirs[name]):
                yield name
        if [n for n in mine if n in theirs and not is_dunder(n)] != [n for n in theirs if n in mine and not is_dunder(n)]:
            yield "the order of its attributes"

    def same(self, a: Any, b: Any) -> bool:
        """Whether two values are the same, or alike all through."""
        if a is b:
            return not _can_change(a) or (id(a), id(a)) in self.assumed or self._pair(a, a)
        if issubclass(type(a), type) and issubclass(type(b), type):
            return self._classes(a, b)
        if id(type(a)) in _ATOM_IDS:
            return type(a) is type(b) and (a == b or a != a != b != b) and repr(a) == repr(b)  # -0.0 is not 0.0; NaN is NaN
        if not self.same(type(a), type(b)) or issubclass(type(a), types.ModuleType):
            return False
        if (id(a), id(b)) in self.assumed:
            return True
        mark = len(self.trail)
        if self._pair(a, b, _can_change(a)) and self._alike(a, b):
            return True
        self._forget(mark)
        return False

    def _pair(self, a: Any, b: Any, changeable: bool = True) -> bool:
        """Let one object stand for the other; False if it is shared where the other is not, which tells when it changes."""
        if changeable and (id(a) in self.forth or id(b) in self.back):
            return False
        self.trail.append((a, b))
        self.assumed.add((id(a), id(b)))
        if changeable:
            self.forth[id(a)], self.back[id(b)] = id(b), id(a)
        return True

    def _forget(self, mark: int) -> None:
        """Take back what was assumed for the sake of a comparison that has failed."""
        for a, b in self.trail[mark:]:
            self.assumed.discard((id(a), id(b)))
            if self.forth.get(id(a)) == id(b):
                del self.forth[id(a)], self.back[id(b)]

    def _classes(self, a: type, b: type) -> bool:
        if (id(a), id(b)) in self.assumed:
            return True
        if found_by_name(a) or found_by_name(b) or not self._pair(a, b):
            return False
        return not any(True for _ in self.differences(a, b))

    def _alike(self, a: Any, b: Any) -> bool:
        kind = type(a)
        if kind is FunctionType:
            return self._members(a, b, _FUNCTION) and self._globals(a, b)
        if kind is types.CellType:
            return self.same(_cell(a), _cell(b))
        if kind is types.MappingProxyType:
            return self.same(dict(a), dict(b))
        if id(kind) in _INSIDE:
            return self._members(a, b, _INSIDE[id(kind)])
        if issubclass(kind, _CONTAINERS):
            return self._items(a, b) and (id(kind) in _CONTAINER_IDS or self._state(a, b))
        if issubclass(kind, tuple(_PLAIN)):
            base = next(base for base in _PLAIN if issubclass(kind, base))
            return isinstance(b, base) and self.same(_PLAIN[base](a), _PLAIN[base](b)) and self._state(a, b)
        if f"{kind.__module__}.{kind.__qualname__}" in _READ_ONLY:
            return self._members(a, b, tuple(name for name, d in kind.__dict__.items() if type(d) is GetSetDescriptorType))
        return self._state(a, b) if _shows_all(kind) else kind is not object and self._reduced(a, b)

    def _members(self, a: Any, b: Any, names: tuple[str, ...]) -> bool:
        return all(self.same(getattr(a, name, None), getattr(b, name, None)) for name in names)

    def _globals(self, a: Any, b: Any) -> bool:
        if a.__globals__ is b.__globals__:
            return True
        looked_up = [(f.__builtins__ | f.__globals__) for f in (a, b)]
        return all(self.same(*(names.get(name) for names in looked_up)) for name in _globals_used(a.__code__))

    def _items(self, a: Any, b: Any) -> bool:
        if issubclass(type(a), set | frozenset):
            base = set if issubclass(type(a), set) else frozenset
            return self._sets(list(base.__iter__(a)), list(base.__iter__(b)))
        mine, theirs = contents(a), contents(b)
        return [*map(len, mine)] == [*map(len, theirs)] and all(map(self.same, sum(mine, ()), sum(theirs, ())))

    def _sets(self, mine: list[Any], theirs: list[Any]) -> bool:
        found = [next((n for n, other in enumerate(theirs) if self.same(item, other)), None) for item in mine]
        return len(mine) == len(theirs) == len(set(found) - {None})

    def _state(self, a: Any, b: Any) -> bool:
        return self.same(_held(a), _held(b))

    def _reduced(self, a: Any, b: Any) -> bool:
        """Compare values of a kind written in C by what they would be pickled as."""
        reduce: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(a))
        own = FunctionType in (type(type(a).__reduce_ex__), type(type(a).__reduce__))
        if reduce is None and own and type(a).__module__.partition(".")[0] not in sys.stdlib_module_names:
            return False
        try:
            mine, theirs = (reduce(v) if reduce is not None else v.__reduce_ex__(4) for v in (a, b))
        except Exception:  # noqa: BLE001 -- what does not pickle is not compared, and so counts as another
            return False
        listed = ([list(part) if isinstance(part, Iterator) else part for part in parts] for parts in (mine, theirs))
        return isinstance(mine, tuple) and self.same(*listed)


_PLAIN: dict[type, Callable[[Any], Any]] = {
    int: int.__index__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
    bytes: bytes.__bytes__,
}


def _attributes(cls: type) -> dict[str, Any]:
    found = {name: value for name, value in cls.__dict__.items() if name not in NOT_COMPARED}
    if not found.get("__annotations__", True) or "__pydantic_fields__" in cls.__dict__:
        found.pop("__annotations__", None)  # an empty one comes of having been asked for; a model's is in its fields
    written = getattr(getattr(found.get("__hash__"), "__code__", None), "co_filename", "")
    if written.startswith("<attrs generated") and "__attrs_attrs__" in found:
        del found["__hash__"]  # with a number that attrs draws for each class; what is hashed is in the fields
    return found


def _of_metaclass(meta: type) -> Iterator[tuple[str, Any]]:
    """What a metaclass written in C keeps outside the class's dict."""
    for kind in meta.__mro__:
        if kind is not type and kind is not object:
            names = ((n, d) for n, d in kind.__dict__.items() if type(d) in (GetSetDescriptorType, MemberDescriptorType))
            yield from ((n, d) for n, d in names if n not in NOT_COMPARED)


def _got(descriptor: Any, value: Any) -> Any:
    try:
        return descriptor.__get__(value)
    except AttributeError:  # an empty slot
        return _EMPTY


def _held(value: Any) -> dict[str, Any]:
    """The attributes of an instance: its dict, and the slots of every base."""
    found = dict(getattr(value, "__dict__", {}))
    found |= {f"{base.__name__}.{name}": _got(slot, value) for base, name, slot in _slots(type(value))}
    return {n: v for n, v in found.items() if not (isinstance(value, Enum) and n in _FILLED_IN_USE)}


def _slots(kind: type) -> list[tuple[type, str, Any]]:
    found = ((base, name, value) for base in kind.__mro__ for name, value in base.__dict__.items())
    return [(base, name, value) for base, name, value in found if type(value) is MemberDescriptorType]


def _shows_all(kind: type) -> bool:
    """Whether an instance is what its dict and its slots hold: its size has no room for anything else."""
    room = kind.__basicsize__ - object.__basicsize__ - _POINTER * len(_slots(kind))
    room -= _POINTER * (bool(kind.__dictoffset__) and not kind.__flags__ & _MANAGED_DICT)
    room -= _POINTER * (bool(kind.__weakrefoffset__) and not kind.__flags__ & _MANAGED_WEAKREF)
    return kind is not object and room <= 0 and not kind.__itemsize__


def _can_change(value: Any) -> bool:
    kind = type(value)
    if issubclass(kind, (list, dict, set, bytearray, *_TYPE_VARIABLES)):
        return True
    return _shows_all(kind) and not issubclass(kind, _CONTAINERS) and (kind.__module__ != "typing" or kind is typing.NewType)


def _cell(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _globals_used(code: CodeType) -> set[str]:
    names = {i.argval for i in get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL")}
    return names.union(*(_globals_used(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def _names(classes: tuple[type, ...]) -> str:
    return ", ".join(kind.__qualname__ for kind in classes[:-1]) or "none"
