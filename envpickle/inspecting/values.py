"""What stands on the stack of a pickle that is read and not run: what is known of each value, and no more than that."""

from __future__ import annotations

from typing import Any

__all__ = ["BUFFER", "PLAIN", "UNKNOWN", "Value", "as_written", "pair"]


class Value:
    """One value of a pickle, as far as it can be told without making it.

    Attributes:
        kind: ``text``, ``bytes``, ``number``, ``plain``, ``list``, ``dict``, ``set``, ``frozenset``, ``tuple``,
            ``bytearray``, ``global``, ``call``, ``persistent``, ``extension``, ``buffer`` or ``unknown``.
        said: What is known of it: the text, the bytes (None for very many), the names ``(module, qualname)`` of a global, the
            items of a tuple, ``(function, arguments, opcode)`` of a call, the keys of a dict that are special names.
        depth: How many tuples, frozen sets and calls lie in one another, counted down to this one.
        size: How many items it has; of a text or bytes, how long it is.
        weight: Steps that hashing it takes: a tuple hashes its items every time, and in a memo one item may stand for many.
            Of a list or a dict: the steps of hashing all of its items or keys.
        odd: Of a dict: whether it has a key that cannot be told.
    """

    __slots__ = ("depth", "kind", "odd", "said", "size", "weight")

    def __init__(self, kind: str, said: Any = None, depth: int = 0, size: int = 0, weight: int = 1) -> None:
        self.kind, self.said, self.depth, self.size, self.weight, self.odd = kind, said, depth, size, weight, False

    def __repr__(self) -> str:
        return f"<{self.kind} {self.said!r:.60}>"


# What needs no more than its kind is one object each: a pickle of a million numbers costs no million objects here.
PLAIN, BUFFER, UNKNOWN = Value("plain"), Value("buffer"), Value("unknown")


def pair(value: Value) -> str | None:
    """The name ``module:qualname`` of a global; None for anything else, and where the name cannot be told."""
    return f"{value.said[0]}:{value.said[1]}" if value.kind == "global" and value.said is not None else None


def as_written(value: Value) -> str:
    """A few words for a value, for a message."""
    if value.kind == "global":
        return pair(value) or "a global whose name is computed"
    if value.kind == "call":
        return f"the result of {as_written(value.said[0])}" if value.depth < 50 else "the result of a call"
    if value.kind in ("text", "bytes", "number"):
        return f"{value.said!a:.60}"
    return {"plain": "a number or None", "unknown": "something that cannot be told"}.get(value.kind, f"a {value.kind}")
