"""Write descriptors by hand, from the format's description alone, so that what no honest sender writes can be tried too."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgpack

MAGIC = b"EP\x01"
INLINE = 24


def packed(tree: Any) -> bytes:
    """Msgpack as the format has it."""
    data: bytes = msgpack.packb(tree, unicode_errors="surrogatepass")
    return data


def _digest(data: bytes, size: int = 16) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


def forged(
    module: Any = "harbour.docks",
    qualname: Any = "lighthouse",
    *,
    name: Any = "Lighthouse",
    surface: Any = "value()",
    positional: Any = 0,
    keywords: Any = ("value",),
    values: Sequence[bytes] = (b"\x05",),
    owner: Any = None,
    script: Any = None,
    extra: Any = None,
) -> tuple[bytes, ...]:
    """A descriptor, head and parts, with key and checksum right, whatever is in it.

    Args:
        module: Module of the builder.
        qualname: Its name there.
        name: Name of the class.
        surface: Surface of the class.
        positional: Number of positional arguments.
        keywords: Names of the others.
        values: The arguments, each already msgpack (or not).
        owner: Owner key.
        script: Script digest.
        extra: What stands in the place of the owner's key, where the format leaves room.

    Returns:
        Head and parts.
    """
    parts, slots = _placed(packed([module, qualname, script, positional, list(keywords), surface]), values)
    call = [module, qualname, script, owner, positional, list(keywords), [_digest(value) for value in values]]
    key = _digest(packed(call))
    owned = {} if owner is None else {"o": owner}
    body = packed([name, extra if extra is not None else owned, slots])
    return sealed(key, body, parts)


def _placed(shape: bytes, values: Sequence[bytes]) -> tuple[list[bytes], list[Any]]:
    """The parts, and where each value lies: in the head itself, or in the part of that number."""
    parts: list[bytes] = [shape]
    slots: list[Any] = []
    for value in values:
        if len(value) > INLINE and value not in parts[1:]:
            parts.append(value)
        slots.append(value if len(value) <= INLINE else parts.index(value, 1))
    return parts, slots


def sealed(key: bytes, body: bytes, parts: Sequence[bytes]) -> tuple[bytes, ...]:
    """Head and parts with the checksum they need."""
    checksum = _digest(b"".join([MAGIC, key, body, *map(_digest, parts)]), 8)
    return MAGIC + key + checksum + body, *parts


def one_piece(descriptor: Sequence[bytes]) -> bytes:
    """Head and parts as `Spec.from_bytes` takes them."""
    return packed(list(descriptor))


def value_forged(tree: Any, raw: bytes | None = None) -> tuple[bytes, ...]:
    """A descriptor of `lighthouse(value)` with that tree, or those raw bytes, as its one argument."""
    return forged(values=[packed(tree) if raw is None else raw])
