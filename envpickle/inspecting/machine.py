"""A pickle followed opcode by opcode, with nothing imported, called or made.

Stack, marks and memo are those of CPython's C unpickler, with its checks: where it would find a value, this finds the same
one. What is a matter of interest (a global, a call, a state) is told to a :class:`Watcher`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .forms import CALLED_ONLY, PLAIN_FORMS, told
from .reading import Beyond, Malformed, Source, argument_forms
from .values import Value, pair

__all__ = ["DEEPEST", "LARGE", "MEMORY", "WORK", "Machine", "Watcher"]

MEMORY = 1 << 29
"""Bytes that the values of one pickle may take, as estimated."""
WORK = 1 << 28
"""Steps that hashing keys and members of sets may take in all."""
DEEPEST = 500
"""How many tuples, frozen sets and calls may lie in one another: hashing them recurses in C."""
_SPARSE = 1 << 18  # picklers number the places of a memo one after the other; a large number alone takes memory
_COSTS = {"EMPTY_SET": 350, "EMPTY_DICT": 300, "EMPTY_LIST": 200, "FROZENSET": 220, "MARK": 24, "DICT": 120, "LIST": 200,
          "REDUCE": 300, "NEWOBJ": 300, "NEWOBJ_EX": 300, "OBJ": 300, "INST": 300, "BUILD": 150, "SETITEM": 100,
          "NONE": 8, "POP": 0, "STOP": 0, "PROTO": 0, "FRAME": 0, "EMPTY_TUPLE": 8, "ADDITEMS": 8, "SETITEMS": 8}  # fmt: skip
_COST, _PER_ITEM = 56, 64
_TEXTS = frozenset(["STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"])
LARGE = 1 << 21  # bytes beyond this are not kept here; no descriptor has as many


class Watcher:
    """Is told what a pickle does; does nothing with it here."""

    def on_global(self, value: Value, at: int, how: str) -> None:
        """A name is looked up; ``value.said`` is None where it is computed by the pickle."""

    def on_held(self, value: Value) -> None:
        """A global becomes part of something: an item, an argument, a state, the result."""

    def on_call(self, result: Value, at: int) -> None:
        """Something is called: ``result.said`` is the function, the arguments and the opcode."""

    def on_build(self, target: Value, state: Value, at: int) -> None:
        """A state is set."""

    def on_items(self, target: Value, how: str, at: int) -> None:
        """Items are put into something: ``how`` is ``append``, ``set`` or ``add``."""

    def on_persistent(self, value: Value, at: int) -> None:
        """Something outside of the pickle is asked for."""

    def on_extension(self, code: int, at: int) -> None:
        """A code is looked up in the unpickling process's table of extensions."""

    def on_buffer(self, at: int) -> None:
        """A buffer outside of the pickle is asked for."""


class Machine:
    """Follows one pickle to its end.

    Args:
        source: What the pickle is read from.
        watcher: Is told.
        memory: How much the values may take, in bytes, as estimated.
    """

    def __init__(self, source: Source, watcher: Watcher, memory: int = MEMORY) -> None:
        self.source, self.watcher, self.memory, self.work = source, watcher, memory, WORK
        self.stack: list[Value] = []
        self.marks: list[int] = []
        self.memo: dict[int, Value] = {}
        self.fence = self.at = self.count = self.frame_end = 0
        self.protocol = 0  # as the pickle says
        self.result: Value | None = None

    def run(self) -> Value:
        """Follow the pickle.

        Returns:
            What it would make.

        Raises:
            Malformed: It is no pickle, or takes more than it may.
        """
        forms, source, steps = argument_forms(), self.source, _steps()
        while self.result is None:
            self.at = source.position
            code = source.code()
            if not code:
                raise Malformed("ends before its end mark")
            if code not in forms:
                raise Malformed(f"has {code!r}, which is no opcode, at byte {self.at}")
            name, form = forms[code]
            self.spend(_COSTS.get(name, _COST))
            argument = source.argument(form) if form else b""
            if self.at < self.frame_end < source.position:
                raise Malformed(f"goes over the end of a frame at byte {self.at}: what is read there depends on the unpickler")
            if argument:
                self.spend(len(argument) * (4 if name in _TEXTS else len(argument) <= LARGE))
            self.count += 1
            steps[name](self, argument)
        return self.result

    def spend(self, cost: int) -> None:
        """Count memory that values take.

        Raises:
            Malformed: It is too much.
        """
        self.memory -= cost
        if self.memory < 0:
            raise Beyond("would take more memory than it may")

    def hash(self, values: Iterable[Value]) -> None:
        """Count the steps that hashing takes.

        Raises:
            Malformed: It is too much.
        """
        self.work -= sum([value.weight for value in values])
        if self.work < 0:
            raise Malformed(f"would take more than {WORK} steps for its keys: tuples that stand in one another many times")

    def copy(self, value: Value) -> None:
        """Count memory that a copy of a value takes, and the steps of hashing its items: what a call makes of an argument."""
        self.spend(value.size * (4 if value.kind in ("text", "bytes") else _PER_ITEM))
        if value.kind in ("list", "tuple", "dict"):
            self.hash([value])

    def push(self, value: Value) -> None:
        """Put a value on the stack."""
        if value.depth > DEEPEST:
            raise Malformed(f"nests tuples, frozen sets or calls deeper than {DEEPEST}")
        self.stack.append(value)

    def pop(self) -> Value:
        """Take the top value from the stack."""
        if len(self.stack) <= self.fence:
            raise Malformed(f"takes a value from an empty stack at byte {self.at}")
        return self.stack.pop()

    def top(self) -> Value:
        """The top value, left where it is."""
        if len(self.stack) <= self.fence:
            raise Malformed(f"takes a value from an empty stack at byte {self.at}")
        return self.stack[-1]

    def mark(self) -> None:
        """Remember this place of the stack."""
        self.marks.append(len(self.stack))
        self.fence = len(self.stack)

    def unmark(self) -> int:
        """Forget the last mark; where it was."""
        if not self.marks:
            raise Malformed(f"goes back to a mark that is not there at byte {self.at}")
        place = self.marks.pop()
        self.fence = self.marks[-1] if self.marks else 0
        return place

    def popped(self) -> list[Value]:
        """Take everything above the last mark."""
        place = self.unmark()
        items = self.stack[place:]
        del self.stack[place:]
        return items

    def hold(self, values: Iterable[Value]) -> None:
        """Tell of globals that become part of something."""
        for value in values:
            if value.kind == "global":
                self.watcher.on_held(value)

    def combine(self, kind: str, items: list[Value]) -> None:
        """Make a tuple or a frozen set."""
        self.hold(items)
        self.spend(_PER_ITEM * len(items))
        depth = 1 + max([item.depth for item in items], default=0)
        if kind == "tuple":
            self.push(Value(kind, tuple(items), depth, len(items), 1 + sum([item.weight for item in items])))
        else:
            self.hash(items)
            self.push(Value(kind, None, depth, len(items), 1 + len(items)))

    def call(self, function: Value, arguments: Value, how: str) -> None:
        """Note a call; what it gives is known by what was called."""
        if pair(function) in PLAIN_FORMS or pair(function) in CALLED_ONLY:  # others answer for themselves
            for item in arguments.said if arguments.kind == "tuple" else (arguments,):
                self.copy(item)
        result = Value("call", (function, arguments, how), 1 + max(function.depth, arguments.depth), weight=arguments.weight)
        self.watcher.on_call(result, self.at)
        self.push((told(function, arguments) if how == "REDUCE" else None) or result)

    def frame(self, size: int) -> None:
        """Begin a frame. What CPython reads differs by the kind of file where a frame is not met to its end, so it must be."""
        if self.at < self.frame_end:
            raise Malformed(f"begins a frame within another at byte {self.at}")
        if size > self.source.left:
            raise Beyond(f"is longer than {self.source.limit} bytes: it has a frame of {size}")
        self.frame_end = self.source.position + size

    def stop(self) -> None:
        """End: the top value is what the pickle makes."""
        if self.source.position < self.frame_end:
            raise Malformed("ends before its last frame does")
        self.result = self.pop()
        self.hold([self.result])

    def put(self, place: int) -> None:
        """Keep the top value in the memo."""
        if place < 0 or place > len(self.memo) + _SPARSE:
            raise Malformed(f"keeps a value at place {place} of a memo of {len(self.memo)}: that alone would take memory")
        self.memo[place] = self.top()

    def get(self, place: int) -> None:
        """Put a value of the memo on the stack."""
        if place not in self.memo:
            raise Malformed(f"takes place {place} of its memo, where nothing is")
        self.push(self.memo[place])

    def append(self, items: list[Value]) -> None:
        """Put items into the list below them."""
        if not items:
            return
        self.hold(items)
        target = self.top()
        if target.kind == "list":
            target.size += len(items)
            target.weight += sum([item.weight for item in items])
        else:
            self.watcher.on_items(target, "append", self.at)

    def set_items(self, items: list[Value]) -> None:
        """Put keys and values into the dict below them."""
        if not items:
            return
        if len(items) % 2:
            raise Malformed(f"sets an odd number of keys and values at byte {self.at}")
        self.hold(items)
        self.spend(_PER_ITEM * len(items))
        self.hash(items[::2])
        target = self.top()
        if target.kind == "dict":
            note_keys(target, items[::2])
        else:
            self.watcher.on_items(target, "set", self.at)

    def add(self, items: list[Value]) -> None:
        """Put items into the set below them."""
        if not items:
            return
        self.hold(items)
        self.spend(_PER_ITEM * len(items))
        self.hash(items)
        if self.top().kind != "set":
            self.watcher.on_items(self.top(), "add", self.at)


def note_keys(target: Value, keys: Iterable[Value]) -> None:
    """Note the keys of a dict that are special names, and that there are some which cannot be told."""
    for key in keys:
        target.size += 1
        target.weight += key.weight
        if key.kind == "text":
            if key.said[:2] == "__":
                target.said.add(key.said)
        elif key.kind not in ("bytes", "number", "plain", "tuple", "frozenset"):
            target.odd = True


def new_dict() -> Value:
    """A dict without keys."""
    return Value("dict", set())


def _steps() -> dict[str, Callable[[Machine, bytes], Any]]:
    from .opcodes import STEPS

    return STEPS
