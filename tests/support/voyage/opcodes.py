"""Pickles as readable lines, and how two differ."""

import difflib
import pickletools


def listing(data: bytes) -> list[str]:
    """The opcodes of a pickle, one a line, with their arguments; nothing of it is run."""
    return [
        f"{code.name} {argument!r}" if code.arg is not None else code.name for code, argument, _ in pickletools.genops(data)
    ]


def difference(one: bytes, other: bytes, names: tuple[str, str] = ("one", "other")) -> str:
    """What differs between two pickles, as a diff of their opcodes; empty where nothing does."""
    if one == other:
        return ""
    lines = list(difflib.unified_diff(listing(one), listing(other), *names, lineterm="", n=2))
    return "\n".join(lines) or f"the same opcodes in other bytes: {one!r} and {other!r}"
