"""One pickle or one descriptor looked through, and what it holds written down."""

from __future__ import annotations

import io
import json
from typing import Any

from ..errors import DescriptorError
from ..payload import BY_VALUE, unpack
from ..spec import Spec
from ..trust import names_in
from .findings import DescriptorFound, GlobalFound, PickleFound
from .forms import CALLED_ONLY, PLAIN_NAMES
from .judging import NEVER, OURS, REBUILD, Judge, pieces_of
from .machine import LARGE, Machine
from .reading import Malformed, Source
from .values import Value, as_written, pair

__all__ = ["Collector", "describe_bytes", "describe_pieces", "look_through"]

_MOST = 10_000  # of a kind that are listed
_ALL_DESCRIBED = 1 << 26  # bytes of descriptors that are written down of one pickle


class Collector(Judge):
    """Writes down what a pickle does; as a judge too, where there is an allow-list.

    Args:
        found: Where it is written down.
        allow: The names that are allowed; None to judge nothing.
        outside: Whether persistent ids are expected, as in the pickle of a torch checkpoint.
        within: Whether it is itself the code of a class; the code of classes in it is then not looked through.
    """

    def __init__(self, found: PickleFound, allow: frozenset[str] | None, outside: bool = False, within: bool = False) -> None:
        super().__init__(allow or frozenset())
        self.pickle, self.judges, self.outside, self.within = found, allow is not None, outside, within
        self._globals: dict[str, GlobalFound] = {}
        self._described: dict[tuple[bytes, ...], DescriptorFound] = {}
        self._to_describe = _ALL_DESCRIBED

    def on_global(self, value: Value, at: int, how: str) -> None:
        """Write down a name, or that one is computed."""
        super().on_global(value, at, how)
        name = pair(value)
        if name is None:
            self._unknown(f"at byte {at} a name is computed: what is looked up cannot be told")
        elif name in self._globals:
            self._globals[name].count += 1
        elif len(self._globals) >= _MOST:
            self._unknown(f"more than {_MOST} names, of which the others are not listed")
        else:
            allowed = name in self.allow or name in PLAIN_NAMES or name in OURS or name in CALLED_ONLY
            as_is = how.partition(" ")[2] == name.replace(":", " ", 1)
            written = None if as_is else how.partition(" ")[2]
            self._globals[name] = GlobalFound(name, written, at, allowed=allowed if self.judges else None)
            self.pickle.globals.append(self._globals[name])

    def on_call(self, result: Value, at: int) -> None:
        """Write down what is called, and the descriptors among arguments, whoever is given them."""
        super().on_call(result, at)
        function, arguments, _ = result.said
        name = pair(function)
        if name in self._globals:
            self._globals[name].called = True
        elif name is None and not self._is_class(function):
            self._unknown(f"at byte {at} {as_written(function)} is called: what that does cannot be told")
        pieces = pieces_of(arguments)
        if pieces is not None and pieces[0][:2] == b"EP":
            self._describe(pieces, at)
        elif name == REBUILD and pieces is None:
            self._unknown(f"at byte {at} a class is rebuilt from a descriptor that cannot be told")

    def _describe(self, pieces: list[bytes], at: int) -> None:
        known = self._described.get(tuple(pieces))
        if known is not None:
            known.count += 1
            return
        self._to_describe -= sum(map(len, pieces))
        if self._to_describe < 0:
            self._unknown("more run-time classes than are read")
            return
        found = describe_pieces(pieces, at, self.allow if self.judges else None, self.within)
        self._described[tuple(pieces)] = found
        self.pickle.descriptors.append(found)

    def on_persistent(self, value: Value, at: int) -> None:
        """Count what is asked for outside."""
        self.pickle.persistent += 1
        if not self.outside:
            super().on_persistent(value, at)

    def on_extension(self, code: int, at: int) -> None:
        """Write down that a code is looked up."""
        super().on_extension(code, at)
        self._unknown(f"at byte {at} extension code {code} is looked up: what it means the unpickling process says")

    def on_buffer(self, at: int) -> None:
        """Write down that a buffer is asked for."""
        super().on_buffer(at)
        self._unknown(f"at byte {at} a buffer from outside is asked for")

    def _unknown(self, what: str) -> None:
        if what not in self.pickle.unknown[:200] and len(self.pickle.unknown) < _MOST:
            self.pickle.unknown.append(what)


def look_through(
    source: Source, found: PickleFound, allow: frozenset[str] | None, outside: bool = False, within: bool = False
) -> Value | None:
    """Look through one pickle.

    Args:
        source: What it is read from; afterwards it stands behind the pickle.
        found: Where it is written down what there is.
        allow: The names that are allowed, or None.
        outside: Whether persistent ids are expected.
        within: Whether it is the code of a class that goes by value.

    Returns:
        What the pickle would make, as far as it can be told; None where it is broken.
    """
    before, collector = source.position, Collector(found, allow, outside, within)
    machine = Machine(source, collector)
    try:
        return machine.run()
    except Malformed as error:
        found.error = f"it {error}"
        found.unknown.append(f"what an unpickler would do after byte {machine.at}, where reading ended")
        return None
    finally:
        found.size, found.opcodes, found.protocol = source.position - before, machine.count, machine.protocol
        found.reasons = collector.reasons if collector.judges else []


def describe_pieces(pieces: list[bytes], at: int, allow: frozenset[str] | None, within: bool = False) -> DescriptorFound:
    """Write down a descriptor, and the ones in it; ``within`` the code of a class, further code is not looked through."""
    found = DescriptorFound(at, head=len(pieces[0]), parts=[len(piece) for piece in pieces[1:]])
    found.allowed = None if allow is None else False
    try:
        spec = Spec(pieces[0], tuple(pieces[1:]))
        document = json.loads(spec.to_json())
    except DescriptorError as error:
        found.error = error.why or str(error)
        return found
    for name in ("builder", "name", "key", "owner", "script", "surface", "args", "kwargs"):
        setattr(found, name, document[name])
    found.names = sorted(set(names_in(spec)))
    if allow is not None:
        found.allowed = not set(found.names) - allow - PLAIN_NAMES and not set(found.names) & NEVER
    if found.builder == ":".join(BY_VALUE) and spec.trees() and type(spec.trees()[0]) is bytes:
        found.code = PickleFound("code", 0)
        if within:
            found.code.unknown.append("code within code is not looked through")
        else:
            look_through(Source(io.BytesIO(spec.trees()[0]), LARGE), found.code, None, within=True)
    found.inside = [describe_pieces(inner, at, allow, within) for inner in _inner(spec)]
    return found


def _inner(spec: Spec) -> list[list[bytes]]:
    """The descriptors among the arguments of one, one level down."""
    found = []
    stack: list[Any] = spec.trees()
    while stack:
        tree = stack.pop()
        if type(tree) is dict and list(tree) == ["$class"]:
            found.append(tree["$class"])
        elif type(tree) in (list, dict):
            stack.extend(tree if type(tree) is list else tree.values())
    return found


def describe_bytes(data: bytes, allow: frozenset[str] | None) -> DescriptorFound:
    """Write down a descriptor that is one piece, as ``Spec.to_bytes`` gives it, or as JSON."""
    try:
        if data[:1] == b"{":
            head, parts = Spec.from_json(data.decode()).descriptor()
            pieces: Any = [head, *parts]
        else:
            pieces = unpack(data)
    except (DescriptorError, UnicodeDecodeError) as error:
        return DescriptorFound(0, error=getattr(error, "why", "") or str(error), allowed=None if allow is None else False)
    if type(pieces) is not list or len(pieces) < 2 or any(type(piece) is not bytes for piece in pieces):
        return DescriptorFound(0, error="it is no list of a head and its parts", allowed=None if allow is None else False)
    return describe_pieces(pieces, 0, allow)
