"""Bytes that pickle's opcodes take, from protocol 4 on; framing is left out, it depends on neighbours."""

from __future__ import annotations

from typing import Any

BATCH = 1_000  # items that go into a list, dict or set with one opcode
_ATOMS = frozenset(map(id, [type(None), bool, int, float, bytes, str]))  # by id: a metaclass of the user's may hash and compare
_CONTAINERS = frozenset(map(id, [list, tuple, dict, set, frozenset, bytearray]))


def is_atom(kind: type) -> bool:
    """Whether pickle writes objects of this very type without asking anything: no container, and nothing inside."""
    return id(kind) in _ATOMS


def is_container(kind: type) -> bool:
    """Whether pickle writes objects of this very type item by item."""
    return id(kind) in _CONTAINERS


def may_be_a_reducers(kind: type) -> bool:
    """Whether it is the type of a container that a reducer makes for its arguments or a state."""
    return kind is tuple or kind is dict or kind is list


def atom_size(value: Any) -> int:
    """Bytes of None, a bool, a number, bytes or text, without the mark by which it is found again."""
    kind = type(value)
    if value is None or kind is bool:
        return 1
    if kind is float:
        return 9
    if kind is int:
        return _int_size(value)
    count = len(value) if kind is bytes else len(value.encode("utf-8", "surrogatepass"))
    return count + (2 if count < 256 else 5 if count < 1 << 32 else 9)


def _int_size(value: int) -> int:
    if 0 <= value < 256:
        return 2
    if 0 <= value < 65_536:
        return 3
    if -(1 << 31) <= value < 1 << 31:
        return 5
    count = (value.bit_length() >> 3) + 1
    if value < 0 and value == -(1 << (8 * count - 9)):  # the sign fits into one byte less
        count -= 1
    return count + (2 if count < 256 else 5)


def get_size(index: int) -> int:
    """Bytes of a reference to what was written before, by its number in the memo."""
    return 2 if index < 256 else 5


def list_size(count: int) -> int:
    """Bytes of the opcodes that put a list's items into it."""
    return count if count < 2 else 2 * -(-count // BATCH)


def items_size(count: int) -> int:
    """The same for items that an iterator gives, of which the last may stand alone."""
    whole, rest = divmod(count, BATCH)
    return 2 * whole + min(rest, 2)


def dict_size(count: int) -> int:
    """The same for a dict's items."""
    return count if count < 2 else 2 * (count // BATCH + 1)


def set_size(count: int) -> int:
    """The same for a set's."""
    return 0 if count == 0 else 2 * (count // BATCH + 1)
