"""What an inspection found, as plain values."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["DescriptorFound", "GlobalFound", "Inspection", "PickleFound"]


@dataclass
class GlobalFound:
    """A name that a pickle looks up.

    Attributes:
        name: ``module:qualname`` as the unpickler would look it up.
        written: As it is written, where that differs: older protocols name what Python 2 had.
        at: The byte it first stands at.
        count: How often it is looked up.
        called: Whether something in the pickle calls it (or makes an instance of it).
        allowed: Whether it is on the allow-list, plain data or envpickle's own; None without a list.
    """

    name: str
    written: str | None
    at: int
    count: int = 1
    called: bool = False
    allowed: bool | None = None


@dataclass
class DescriptorFound:
    """A run-time class: the call that makes it, with nothing of it imported.

    Attributes:
        at: The byte of the pickle at which it is complete.
        count: How often the pickle asks for it.
        builder: Name of the builder, ``module:qualname``.
        name: Name of the class.
        key: Key of the call, in hex.
        owner: Key of the owner, in hex, or None.
        script: Digest of the script that the builder lives in, in hex, or None.
        surface: Public names of the class with their parameter names.
        args: The arguments by position, as they are written.
        kwargs: The arguments by name, as they are written.
        names: Every name that making it would look up.
        head: Bytes of the head.
        parts: Bytes of each part.
        inside: The run-time classes among its arguments.
        code: The pickle of a class that travels by value: making it runs what this one does.
        allowed: Whether all of its names are on the allow-list or plain data; None without a list.
        error: Why it is none, where it is none.
    """

    at: int
    count: int = 1
    builder: str = ""
    name: str = ""
    key: str = ""
    owner: str | None = None
    script: str | None = None
    surface: list[str] = field(default_factory=list)
    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    head: int = 0
    parts: list[int] = field(default_factory=list)
    inside: list[DescriptorFound] = field(default_factory=list)
    code: PickleFound | None = None
    allowed: bool | None = None
    error: str | None = None

    @property
    def size(self) -> int:
        """Bytes of head and parts."""
        return self.head + sum(self.parts)


@dataclass
class PickleFound:
    """One pickle.

    Attributes:
        place: Where it stands: the name of a file in an archive, or the number of the pickle.
        at: The byte it begins at.
        size: Its bytes, as far as it was read.
        protocol: The highest protocol that it says it is of; 0 where it says none.
        opcodes: How many there are.
        globals: The names it looks up.
        descriptors: The run-time classes in it.
        unknown: What cannot be told without running it.
        persistent: How often it asks for something outside of itself by a persistent id.
        reasons: What speaks against it by the allow-list; empty without one.
        error: Why it was not read to its end; what was found until then stands here nevertheless.
    """

    place: str
    at: int
    size: int = 0
    protocol: int = 0
    opcodes: int = 0
    globals: list[GlobalFound] = field(default_factory=list)
    descriptors: list[DescriptorFound] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    persistent: int = 0
    reasons: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass
class Inspection:
    """What :func:`envpickle.inspect` found.

    Attributes:
        source: The path, or ``<bytes>``.
        kind: ``pickle``, ``torch checkpoint``, ``torch checkpoint (legacy)``, ``archive``, ``descriptor`` or ``unknown``.
        size: Bytes in all.
        pickles: The pickles in it.
        descriptor: The descriptor, if it is one.
        files: Other files in an archive with the sizes it says they have; they were not looked into.
        rest: Bytes after the pickles that are no pickles (the numbers of a legacy checkpoint).
        allow: The allow-list, or None.
        error: Why it was not read to its end.
    """

    source: str
    kind: str = "unknown"
    size: int = 0
    pickles: list[PickleFound] = field(default_factory=list)
    descriptor: DescriptorFound | None = None
    files: dict[str, int] = field(default_factory=dict)
    rest: int = 0
    allow: list[str] | None = None
    error: str | None = None

    @property
    def complete(self) -> bool:
        """Whether everything was read to its end."""
        broken = self.descriptor is not None and self.descriptor.error is not None
        return self.error is None and not broken and all(pickle.error is None for pickle in self.pickles)

    @property
    def allowed(self) -> bool | None:
        """Whether everything was read and is allowed; None without a list."""
        if self.allow is None:
            return None
        fine = self.descriptor is None or bool(self.descriptor.allowed)
        return self.complete and fine and not any(pickle.reasons for pickle in self.pickles)

    @property
    def names(self) -> list[str]:
        """Every name in it, sorted: those that pickles look up, and those in descriptors."""
        descriptors = [self.descriptor] if self.descriptor is not None else []
        found = set()
        for pickle in self.pickles:
            found |= {item.name for item in pickle.globals}
            descriptors += pickle.descriptors
        return sorted(found.union(*(item.names for item in descriptors)))

    @property
    def unknown(self) -> list[str]:
        """What cannot be told without running it."""
        return [what for pickle in self.pickles for what in pickle.unknown]

    def to_dict(self) -> dict[str, Any]:
        """All of it as a dict of plain values, with the verdict."""
        return {**asdict(self), "complete": self.complete, "allowed": self.allowed, "names": self.names}

    def to_json(self, indent: int | None = None) -> str:
        """All of it as JSON.

        Args:
            indent: Spaces by which a level is indented; None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        from .showing import plain

        return plain(self)
