"""What a pickle does, held against an allow-list: each thing that is not allowed, and what must hold once names are found.

The rules are those of :class:`envpickle.Unpickler`. A name is allowed by exactly itself; plain data needs no permission, in
the forms that pickling writes; a descriptor is held against the same list, name by name. Refused whatever is listed: what
patches a class or a function, what is computed, extension codes, persistent ids and buffers from outside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import DescriptorError
from ..payload import BY_VALUE
from ..spec import Spec
from ..trust import names_in
from .forms import CALLED_ONLY, PLAIN_FORMS, PLAIN_NAMES, fits
from .machine import Watcher
from .values import Value, as_written, pair

__all__ = ["EXCEPTION", "MEMBER", "NEVER", "REBUILD", "RECONSTRUCT", "Judge", "Requirement", "allowed_names", "pieces_of"]

REBUILD, EXCEPTION, MEMBER = "envpickle.payload:rebuild_class", "envpickle.payload:rebuild_exception", "builtins:getattr"
OURS = frozenset([REBUILD, EXCEPTION])
RECONSTRUCT = "copyreg:_reconstructor"
_WITH_CODE = ("builder_from_main", "rebuild_from_main", "rebuild_with_code", "same_python")
NEVER = frozenset(
    [
        ":".join(BY_VALUE),
        *(f"envpickle.payload:{name}" for name in _WITH_CODE),
        *(f"builtins:{name}" for name in ("compile", "eval", "exec", "setattr", "delattr", "vars", "globals")),
        *CALLED_ONLY,
    ]
)
"""Names that no list can allow: they run code by value, or hand over everything else."""
_STATE_NAMES = frozenset(
    ["__dict__", "__orig_class__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__"]
)
_HARMLESS_STATES = frozenset(["text", "bytes", "number", "plain", "list", "set", "frozenset", "tuple", "bytearray", "global"])
_DICTS = ("collections:Counter", "collections:OrderedDict", "collections:defaultdict")
_MOST_REASONS = 100
_ALL_DESCRIPTORS = 1 << 28  # bytes that are read of the descriptors of one pickle; parts that they share count each time


class Requirement(NamedTuple):
    """What must hold of a class once it is found: that it is one, and perhaps that it is a list or a dict."""

    value: Value
    base: str  # "class", "list" or "dict"
    why: str


def allowed_names(allow: Any) -> frozenset[str]:
    """An allow-list as a set.

    Raises:
        ValueError: An entry is no exact name, or one that no list can allow.
    """
    from ..forms import name_is_sound

    names = frozenset([allow] if isinstance(allow, str) else allow)
    for name in names:
        script = isinstance(name, str) and name.startswith("__main__:")  # the one special name that a module may have
        if not name_is_sound(f"main:{name[9:]}" if script else name):
            raise ValueError(
                f"{name!r} in an allow-list is no exact name such as 'package.module:Class' (no wildcard, no special name). "
                f"List each name that you trust; a whole module is a way to everything that it has imported."
            )
        if name in NEVER:
            raise ValueError(f"{name!r} cannot be allowed: it runs code that comes with a pickle. Take it off the list.")
    return names


class Judge(Watcher):
    """Collects what speaks against a pickle.

    Args:
        allow: The names that are allowed.
    """

    def __init__(self, allow: frozenset[str]) -> None:
        self.allow = allow
        self.reasons: list[str] = []
        self.names: set[str] = set()
        self.requirements: list[Requirement] = []
        self.found: dict[str, set[str]] = {}  # as written in the pickle -> what it means
        self._seen: set[tuple[bytes, ...]] = set()  # a descriptor may stand in a memo and be called for very often
        self._left = _ALL_DESCRIPTORS

    def refuse(self, why: str, name: str = "") -> None:
        """Note a reason, once, and not too many."""
        if name:
            self.names.add(name)
        if why not in self.reasons and len(self.reasons) < _MOST_REASONS:
            self.reasons.append(why)

    def on_global(self, value: Value, at: int, how: str) -> None:
        """A name must be on the list, or be plain data, or ours."""
        name = pair(value)
        if name is None:
            self.refuse(f"at byte {at} it looks up a name that it computes")
            return
        self.found.setdefault(how.partition(" ")[2], set()).add(name)
        if name not in self.allow and name not in PLAIN_NAMES and name not in CALLED_ONLY and name not in OURS:
            self.refuse(f"it names {name}", name)

    def on_held(self, value: Value) -> None:
        """Functions that may only be called, each in its form, are handed to nobody."""
        name = pair(value)
        if name in OURS or name in CALLED_ONLY:
            self.refuse(f"it hands over {name}, which may only be called")

    def on_call(self, result: Value, at: int) -> None:
        """What is called must be a name that may be, or a class that a descriptor describes."""
        function, arguments, how = result.said
        name = pair(function)
        if arguments.kind != "tuple":
            self.refuse(f"at byte {at} it calls {as_written(function)} with arguments that cannot be told")
        if how in ("NEWOBJ", "NEWOBJ_EX"):
            self.requirements.append(Requirement(function, "class", f"at byte {at} an instance of it is made"))
        if name in self.allow:
            return
        if name is not None:
            self._call_of(name, arguments, how, at)
        elif not self._is_class(function):
            self.refuse(f"at byte {at} it calls {as_written(function)}")
        elif how not in ("NEWOBJ", "NEWOBJ_EX"):
            self.requirements.append(Requirement(function, "class", f"at byte {at} it is called"))

    def _call_of(self, name: str, arguments: Value, how: str, at: int) -> None:
        if name == REBUILD:
            self._descriptor(arguments, at)
        elif name == EXCEPTION:
            self._exception(arguments, at)
        elif (name in PLAIN_FORMS or name in CALLED_ONLY) and how != "NEWOBJ_EX":  # which hands keywords on
            self._plain(name, arguments, at)
        elif name not in self.names:  # else it is refused already
            self.refuse(f"it calls {name}", name)

    def _plain(self, name: str, arguments: Value, at: int) -> None:
        if not fits(name, arguments):
            self.refuse(f"at byte {at} it calls {name} with other arguments than pickling writes")
        elif name in (MEMBER, RECONSTRUCT):
            cls = arguments.said[0]
            if not self._is_class(cls):
                self.refuse(f"at byte {at} it calls {name} on {as_written(cls)}, which is no class that is allowed")
            elif name != MEMBER:
                self.requirements.append(Requirement(cls, "class", f"at byte {at} an instance of it is made"))

    def _exception(self, arguments: Value, at: int) -> None:
        items: tuple[Value, ...] = arguments.said if arguments.kind == "tuple" else ()
        if not (2 <= len(items) <= 3 and self._is_class(items[0]) and items[1].kind == "tuple"):
            self.refuse(f"at byte {at} it calls {EXCEPTION} with what is no exception class that is allowed")

    def _is_class(self, value: Value) -> bool:
        """Whether a value may be a class: one that is listed or plain, that a descriptor describes, or nested in such a one."""
        if value.kind == "global":
            return pair(value) in self.allow or pair(value) in PLAIN_NAMES
        return value.kind == "call" and pair(value.said[0]) in (REBUILD, MEMBER) and value.said[2] == "REDUCE"

    def _descriptor(self, arguments: Value, at: int) -> None:
        pieces = pieces_of(arguments)
        if pieces is None:
            self.refuse(f"at byte {at} it rebuilds a class from a descriptor that cannot be told")
            return
        if tuple(pieces) in self._seen:
            return
        self._seen.add(tuple(pieces))
        self._left -= sum(map(len, pieces))
        if self._left < 0:
            self.refuse(f"it holds descriptors of more than {_ALL_DESCRIPTORS} bytes in all")
            return
        head, *parts = pieces
        try:
            names = set(names_in(Spec(head, tuple(parts))))
        except DescriptorError as error:
            self.refuse(f"at byte {at} it holds a descriptor that is none ({error.why or error})")
            return
        for name in sorted(names - self.allow - PLAIN_NAMES | names & NEVER):
            self.refuse(f"it holds a descriptor that names {name}", name)

    def on_build(self, target: Value, state: Value, at: int) -> None:
        """A state may be set on an instance, and must not hold names that change what the instance is."""
        name = pair(target.said[0]) if target.kind == "call" else None
        cls = self._class_of_instance(target)
        if cls is None and name in self.names:
            pass  # an instance of what is refused already
        elif cls is None and name != EXCEPTION:
            self.refuse(f"at byte {at} it sets a state on {as_written(target)}, which is no instance")
        elif pair(cls or target) in PLAIN_NAMES - self.allow - {"uuid:UUID"}:
            self.refuse(f"at byte {at} it sets a state on {as_written(target)}, which has none")
        elif cls is not None:
            self.requirements.append(Requirement(cls, "class", f"at byte {at} a state is set on what it makes"))
        halves = state.said if state.kind == "tuple" and len(state.said) == 2 else (state,)
        for half in halves:
            self._state(half, at)

    def _state(self, state: Value, at: int) -> None:
        if state.kind == "dict":
            special = sorted(state.said - _STATE_NAMES)
            if special or state.odd:
                self.refuse(f"at byte {at} it sets a state that holds {', '.join(special) or 'a name that cannot be told'}")
            return
        name = pair(state.said[0]) if state.kind == "call" else None
        plain = state.kind in _HARMLESS_STATES or (name in PLAIN_FORMS and name not in (*self.allow, *_DICTS))
        if not plain:
            self.refuse(f"at byte {at} it sets a state that is {as_written(state)}")

    def on_items(self, target: Value, how: str, at: int) -> None:
        """Items may be put into lists, dicts and sets, and into instances of listed kinds of the first two."""
        name = pair(target.said[0]) if target.kind == "call" else None
        if name not in self.allow and ((how == "append" and name == "collections:deque") or (how == "set" and name in _DICTS)):
            return
        cls = self._class_of_instance(target)
        if cls is None and name in self.names:
            return  # an instance of what is refused already
        if how == "add" or cls is None:
            self.refuse(f"at byte {at} it puts items into {as_written(target)}")
            return
        base = "list" if how == "append" else "dict"
        self.requirements.append(Requirement(cls, base, f"at byte {at} items are put into what it makes"))

    def _class_of_instance(self, value: Value) -> Value | None:
        """The class that an instance is made of; None for what is no instance, as far as can be told."""
        if value.kind != "call":
            return None
        function, arguments, how = value.said
        if pair(function) == RECONSTRUCT:
            cls: Value | None = arguments.said[0] if fits(RECONSTRUCT, arguments) else None
            return cls
        makes_class = pair(function) in (REBUILD, MEMBER) and how not in ("NEWOBJ", "NEWOBJ_EX")
        return None if makes_class or not self._is_class(function) else function

    def on_persistent(self, value: Value, at: int) -> None:
        """What lies outside of the pickle is nobody's to check."""
        self.refuse(f"at byte {at} it asks for something outside of itself (a persistent id)")

    def on_extension(self, code: int, at: int) -> None:
        """What a code means only the unpickling process knows."""
        self.refuse(f"at byte {at} it looks up extension code {code}, which means what the unpickling process says")

    def on_buffer(self, at: int) -> None:
        """None are given."""
        self.refuse(f"at byte {at} it asks for a buffer outside of itself")


def pieces_of(arguments: Value) -> list[bytes] | None:
    """Head and parts of a descriptor in a call's arguments; None where they cannot be told."""
    items = arguments.said if arguments.kind == "tuple" else ()
    if not items or any(item.kind != "bytes" or item.said is None for item in items):
        return None
    return [item.said for item in items]
