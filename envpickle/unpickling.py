"""Unpickling what came from elsewhere, against an allow-list.

A pickle is first followed without running any of it (:mod:`envpickle.inspecting`), and refused as a whole if one thing in it
is not allowed: nothing has been imported by then. Only after that is it handed to :class:`pickle.Unpickler`, which may find
no other names than the ones that were seen.
"""

from __future__ import annotations

import io
import pickle
from collections import deque
from collections.abc import Iterable
from enum import EnumType
from importlib import import_module
from types import ModuleType
from typing import Any

from . import payload
from .classes import record_of
from .errors import EnvpickleError, UnsafePickle
from .inspecting.judging import MEMBER, NEVER, REBUILD, Judge, Requirement, allowed_names
from .inspecting.machine import MEMORY, Machine
from .inspecting.reading import Beyond, Malformed, Readable, Source
from .inspecting.values import Value, pair

__all__ = ["MAX_BYTES", "Unpickler", "loads"]

MAX_BYTES = 1 << 26
"""Bytes that a pickle may have, unless said otherwise."""
_BASES: dict[str, tuple[type, ...]] = {"list": (list, deque), "dict": (dict,)}


class Unpickler:
    """Unpickles what an allow-list allows, and nothing else.

    Allowed are plain data, the names on the list, and run-time classes all of whose names are on the list (the builder, and
    every function, class and unpacker that its arguments refer to). Nothing is imported before the whole pickle is allowed.

    Args:
        file: A file opened for reading bytes. Nothing is read beyond the end of a pickle.
        allow: Exact names of functions and classes, ``module:qualname``; no wildcards.
        max_bytes: The most bytes that one pickle may have.
        max_memory: The most bytes that the values of one pickle may take, estimated before any is made.

    Raises:
        ValueError: An entry of the list is not an exact name, or is one that runs code which comes with a pickle.
    """

    def __init__(self, file: Readable, *, allow: Iterable[str], max_bytes: int = MAX_BYTES, max_memory: int = MEMORY) -> None:
        self._file, self._allow = file, allowed_names(allow)
        self._max_bytes, self._max_memory = max_bytes, max_memory

    def load(self) -> Any:
        """Read one pickle and make its object.

        Returns:
            The object.

        Raises:
            UnsafePickle: The pickle does something that is not allowed, or is not a pickle; ``reasons`` lists what was found.
            EOFError: There is nothing left to read.
            RebuildError: A class in it cannot be made here.
        """
        source, judge = Source(self._file, self._max_bytes, keep=True), Judge(self._allow)
        try:
            Machine(source, judge, self._max_memory).run()
        except Malformed as error:
            if not source.position:
                raise EOFError("there is no pickle to read: the file is at its end") from None
            too_large = isinstance(error, Beyond)
            raise _refused([*judge.reasons, f"it {error}"], judge.names, too_large) from None
        if judge.reasons:
            raise _refused(judge.reasons, judge.names)
        return _Loader(bytes(source.taken or b""), judge).made()


def loads(data: bytes, *, allow: Iterable[str], max_bytes: int = MAX_BYTES, max_memory: int = MEMORY) -> Any:
    """Unpickle what an allow-list allows, and nothing else; see :class:`envpickle.Unpickler`.

    Args:
        data: The pickle. As with :func:`pickle.loads`, bytes after its end are ignored.
        allow: Exact names of functions and classes, ``module:qualname``; no wildcards.
        max_bytes: The most bytes that the pickle may have.
        max_memory: The most bytes that its values may take, estimated before any is made.

    Returns:
        The object.

    Raises:
        ValueError: An entry of the list is not an exact name, or is one that runs code which comes with a pickle.
        UnsafePickle: The pickle does something that is not allowed, or is not a pickle.
        RebuildError: A class in it cannot be made here.
    """
    try:
        return Unpickler(io.BytesIO(data), allow=allow, max_bytes=max_bytes, max_memory=max_memory).load()
    except EOFError:
        raise _refused(["it is empty"], set()) from None


class _Loader(pickle.Unpickler):
    """Python's unpickler, which finds what the judge saw, and no other name."""

    def __init__(self, data: bytes, judge: Judge) -> None:
        super().__init__(io.BytesIO(data))
        self._judge = judge
        self._kept: list[Any] = []  # classes that were looked at: they are to be the ones that are used

    def made(self) -> Any:
        """The object, after what must hold of the classes in it was looked at."""
        try:
            for requirement in self._judge.requirements:
                self._check(requirement)
            return self.load()
        except EnvpickleError:
            raise
        except Exception as error:
            raise _refused([f"it cannot be made: {type(error).__name__}: {error}"], set()) from error

    def find_class(self, module: str, name: str) -> Any:
        """What a name leads to, if it was seen and allowed before."""
        meant = self._judge.found.get(f"{module} {name}", set())
        if len(meant) != 1:
            raise _refused([f"it looks up {module}:{name}, which was not seen before"], {f"{module}:{name}"})
        (allowed,) = meant
        return _member if allowed == MEMBER else _found(allowed)

    def _check(self, requirement: Requirement) -> None:
        cls = self._class(requirement.value)
        self._kept.append(cls)
        fits = isinstance(cls, type) and not issubclass(cls, type)
        if not fits or not issubclass(cls, _BASES.get(requirement.base, (object,))):
            raise _refused([f"{requirement.why}, and {cls!r} is no {requirement.base}"], set())

    def _class(self, value: Value) -> Any:
        name = pair(value)
        if name is not None:
            return _found(name)
        function, arguments, _ = value.said
        items = arguments.said
        if pair(function) == REBUILD:
            return payload.rebuild_class(*(item.said for item in items))
        return _member(self._class(items[0]), items[1].said)


def _found(name: str) -> Any:
    module, _, qualname = name.partition(":")
    found: Any = import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    if isinstance(found, ModuleType):
        raise _refused([f"{name} is a module, and a pickle holds none"], {name})
    return found


def _member(cls: Any, name: Any) -> Any:
    """Stands in for ``getattr``: a member of an enumeration, or a class nested in a built one; nothing else."""
    if name == "_unpickle" and isinstance(cls, type) and (cls.__module__, cls.__name__) == ("zoneinfo", "ZoneInfo"):
        return cls._unpickle  # type: ignore[attr-defined]  # the way zones have in pickles
    if isinstance(cls, EnumType) and name in cls.__members__:
        return cls.__members__[name]
    nested = cls.__dict__.get(name) if isinstance(cls, type) else None
    record = record_of(nested) if isinstance(nested, type) else None
    if record is None or record.outer is None or record.outer[0] is not cls:
        raise _refused([f"it takes {name!r} of {cls!r}, which is no class nested in it and no member"], set())
    return nested


def _refused(reasons: list[str], names: set[str], too_large: bool = False) -> UnsafePickle:
    shown = "; ".join(reasons[:5]) + (f"; and {len(reasons) - 5} more" if len(reasons) > 5 else "")
    never = sorted(names & NEVER)
    advice = "If you trust the names, add exactly these to allow=[...]" if names else "No allow-list lets it through"
    if too_large:
        advice = "If it is meant to be that large, raise max_bytes or max_memory"
    if never:
        advice = (
            f"No allow-list lets {', '.join(never)} through: code in a pickle runs for whoever trusts its sender with pickle"
        )
    return UnsafePickle(
        f"the pickle was refused: {shown}. {advice}; envpickle inspect shows all that is in it.",
        reasons=tuple(reasons),
        names=tuple(sorted(names)),
    )
