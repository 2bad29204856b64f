"""What the state machine knows about each class: the call it stands for, what was done to it, and what follows from that."""

import collections
import datetime
import decimal
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from harbour import cargo

from tides import shipyard
from tides.changes import Change

# name -> a value, and the names it has looked up; several are equal to each other and must not be one call
VALUES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "none": (None, ()),
    "one": (1, ()),
    "true": (True, ()),
    "one float": (1.0, ()),
    "text": ("1", ()),
    "bytes": (b"1", ()),
    "list": ([1, [2]], ()),
    "tuple": ((1, [2]), ()),
    "dict": ({"a": 1, "b": 2}, ()),
    "dict the other way": ({"b": 2, "a": 1}, ()),
    "ordered": (collections.OrderedDict(a=1, b=2), ()),
    "tag": ({"$tuple": [1]}, ()),
    "keys": ({1: "a", (2,): "b"}, ()),
    "set": ({1, 2}, ()),
    "decimal": (decimal.Decimal("1.0"), ()),
    "date": (datetime.date(2026, 11, 30), ()),
    "large": (["x" * 100, 2**70], ()),
    "function": (cargo.named_function, ("harbour.cargo:named_function",)),
    "class": (cargo.Point, ("harbour.cargo:Point",)),
    "member": (cargo.Colour.RED, ("harbour.cargo:Colour",)),
}


class Owned:
    """An owner, its number, and whether it was closed; `away` are numbers of instances that the child holds open."""

    def __init__(self, number: int, owner: Any) -> None:
        self.number, self.owner, self.closed = number, owner, False
        self.away: list[int] = []


class Call(NamedTuple):
    """A call of a builder, as the model has it; `inner` is the call of the class that is its argument."""

    kind: str
    value: str
    inner: "Call | None"
    owner: Owned | None

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal calls."""
        return (self.kind, self.value, self.inner and self.inner.key, self.owner and self.owner.number)

    def __str__(self) -> str:
        return f"{self.kind}({self.inner or self.value}){' of an owner' if self.owners() else ''}"

    @property
    def shape(self) -> str:
        """The kind whose constructor an instance has."""
        return self.inner.shape if self.kind == "derived" and self.inner is not None else self.kind

    @property
    def text(self) -> str:
        """How the argument is shown; the names of classes are fixed by the shipyard."""
        return NAMES[self.inner.kind] if self.inner is not None else shipyard.shown(VALUES[self.value][0])

    def names(self) -> set[str]:
        """What an allow-list must hold."""
        inner = self.inner.names() if self.inner is not None else set(VALUES[self.value][1])
        return {f"{shipyard.__name__}:{self.kind}", *inner}

    def owners(self) -> list[Owned]:
        """The owners that its own instances and those of its bases have."""
        inherited = self.inner.owners() if self.kind == "derived" and self.inner is not None else []
        return [*([self.owner] if self.owner else []), *inherited]


NAMES = {
    "plain": "Plain",
    "nested": "Outer",
    "abstract": "Concrete",
    "data": "Data",
    "slotted": "Slotted",
    "error": "Trouble",
    "choice": "Choice",
    "record": "Row",
    "derived": "Derived",
    "holding": "Holding",
    "moody": "Moody",
}


class Held:
    """One class object: what made it, in which version of the shipyard, and what was changed since."""

    def __init__(self, cls: Any, call: Call, version: int, mood: bool, inner: "Held | None" = None) -> None:
        self.cls, self.call, self.version, self.mood, self.inner = cls, call, version, mood, inner
        self.changes: dict[str, Change] = {}
        self.kept_plain = True  # whether the arguments are plain data
        self.registered = True  # whether the library knows how it is made
        self.base: Held | None = None  # of a subclass made at run time

    def around(self) -> Iterator["Held"]:
        """This and all that it keeps alive."""
        yield self
        for kin in (self.inner, self.base):
            if kin is not None:
                yield from kin.around()

    def changed(self) -> bool:
        """Whether this or its kin differs from what the call makes."""
        return any(kin.changes for kin in self.around())

    def refusal(self, version: int) -> str | None:
        """The error that pickling the class must end in, with the shipyard at that version."""
        if self.base is not None or not self.registered:
            return "UnknownClass"
        if not self.kept_plain:
            return "NotPlainData"
        if self.version != version:
            return "BuilderChanged"
        return "ClassChanged" if self.changed() else None


class Latest(NamedTuple):
    """The class that was last made by a call, weakly."""

    ref: "weakref.ref[type]"
    version: int
    mood: bool


class Sent(NamedTuple):
    """Bytes on their way: what was sent, by which call its class was made, and what the builder's mood was."""

    tool: str
    payload: bytes
    wrap: str
    number: int
    call: Call
    mood: bool
