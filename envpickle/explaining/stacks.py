"""How deep pickle can go in this interpreter, tried on lists in lists; no code of a user's runs."""

from __future__ import annotations

import functools
import pickle

_ENOUGH = 1 << 17


@functools.cache
def deepest_pickle() -> int:
    """Levels that pickle manages before it raises RecursionError, to within a few."""
    low, high = 100, 200
    while high < _ENOUGH and _goes(high):
        low, high = high, 2 * high
    while high - low > 16:
        middle = (low + high) // 2
        low, high = (middle, high) if _goes(middle) else (low, middle)
    return low


def _goes(levels: int) -> bool:
    nested: list[object] = []
    for _ in range(levels):
        nested = [nested]
    try:
        pickle.dumps(nested)
    except RecursionError:
        return False
    return True
