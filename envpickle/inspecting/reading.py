"""The opcodes of a pickle, read as CPython's C unpickler reads them.

The table of opcodes is the standard library's (:data:`pickletools.opcodes`); its own reader is not used, because it decodes
names in another way than the unpickler does, so that a name could be hidden from it.
"""

from __future__ import annotations

import pickletools
from functools import cache
from typing import Any, Protocol

__all__ = ["Beyond", "Malformed", "Readable", "Source", "argument_forms", "integer"]

_COUNTED = {
    pickletools.TAKEN_FROM_ARGUMENT1: (1, False),
    pickletools.TAKEN_FROM_ARGUMENT4: (4, True),
    pickletools.TAKEN_FROM_ARGUMENT4U: (4, False),
    pickletools.TAKEN_FROM_ARGUMENT8U: (8, False),
}


_AT_ONCE = 1 << 20  # bytes


def _split(count: int) -> list[int]:
    return [min(_AT_ONCE, count - begin) for begin in range(0, count, _AT_ONCE)]


class Malformed(Exception):
    """Bytes that are no pickle, or one that would take more than it may; never seen outside of this package."""


class Beyond(Malformed):
    """A limit was reached; the pickle may be well made, and too large for it."""


class Readable(Protocol):
    """A file opened for reading bytes."""

    def read(self, size: int, /) -> bytes:
        """Read so many bytes at most."""
        raise NotImplementedError

    def readline(self, size: int, /) -> bytes:
        """Read a line, of so many bytes at most."""
        raise NotImplementedError


class Source:
    """A file of which no more is read than a pickle says, and not more than a limit; what was read is kept if asked for.

    Args:
        file: The file.
        limit: How many bytes are read at most.
        keep: Whether :attr:`taken` keeps them.
    """

    def __init__(self, file: Readable, limit: int, keep: bool = False) -> None:
        self._read, self._readline = file.read, file.readline
        self.left, self.limit = limit, limit
        self.taken: bytearray | None = bytearray() if keep else None

    @property
    def position(self) -> int:
        """Bytes read so far."""
        return self.limit - self.left

    def code(self) -> bytes:
        """The next opcode; empty at the end of the file."""
        return self._got(self._read(1) if self.left else b"", 0)

    def read(self, count: int) -> bytes:
        """Exactly so many bytes.

        Raises:
            Malformed: There are fewer, or (:class:`Beyond`) more than the limit leaves.
        """
        if not 0 <= count <= self.left:
            raise Beyond(f"is longer than {self.limit} bytes: it says that {count} more follow byte {self.position}")
        if count <= _AT_ONCE:
            return self._got(self._read(count), count)
        pieces = [self._got(self._read(size), size) for size in _split(count)]  # a length alone must not take memory
        return b"".join(pieces)

    def line(self) -> bytes:
        """The bytes up to a new line, which is left out.

        Raises:
            Malformed: There is none.
        """
        found = self._got(self._readline(self.left + 1), 0)
        if found[-1:] != b"\n":
            raise Malformed("ends within a line")
        return found[:-1]

    def argument(self, form: Any) -> bytes:
        """The argument of an opcode as it is written, without its length; the form is as :func:`argument_forms` says."""
        if type(form) is int:
            return self.read(form)
        if form == "line":
            return self.line()
        if form == "lines":
            return self.line() + b"\n" + self.line()
        width, signed = form
        return self.read(int.from_bytes(self.read(width), "little", signed=signed))

    def _got(self, data: bytes, least: int) -> bytes:
        if len(data) < least:
            raise Malformed("ends within an argument")
        self.left -= len(data)
        if self.left < 0:
            raise Beyond(f"is longer than {self.limit} bytes")
        if self.taken is not None:
            self.taken += data
        return data


@cache
def argument_forms() -> dict[bytes, tuple[str, Any]]:
    """For each opcode its name, and how long its argument is: a number, a line, two, or ``(width of the length, signed)``."""
    found: dict[bytes, tuple[str, Any]] = {}
    for opcode in pickletools.opcodes:
        form: Any = opcode.arg.n if opcode.arg is not None else 0
        if form == pickletools.UP_TO_NEWLINE:
            form = "lines" if opcode.name in ("GLOBAL", "INST") else "line"
        found[opcode.code.encode("latin-1")] = opcode.name, _COUNTED.get(form, form)
    return found


def integer(data: bytes) -> int:
    """The number of a memo's place, written in digits.

    Raises:
        Malformed: It is none.
    """
    try:
        return int(data.partition(b"\0")[0])  # CPython takes it for a C string
    except ValueError:
        raise Malformed(f"has {data[:20]!r} where a number belongs") from None
