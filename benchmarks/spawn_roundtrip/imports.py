"""What a fresh child pays to load a class: time beyond the builder's own module, and modules."""

import pickle
from collections.abc import Callable
from typing import Any

from . import child
from .contenders import built_class
from .measure import ask_child

__all__ = ["FORBIDDEN", "import_costs"]

TOOLS = 64
FORBIDDEN = ("pluggy", "importlib.metadata", "cloudpickle", "dill", "inspect", "dataclasses", "hashlib")
"""What a child must not import on our account."""


def import_costs(shape: str, rounds: int, tick: Callable[[], None]) -> dict[str, Any]:
    """Measure what fresh children import and how long that takes.

    Two kinds of children take turns: one loads the class; the other has imported what envpickle and msgpack bring, and
    imports the builder's module. The difference of the minima is spent on our account: imports, checks, and the
    building itself.

    Args:
        shape: The shape.
        rounds: How many children of each kind.
        tick: Called after every round.

    Returns:
        ``load_ms`` and ``own_ms`` (minima on the clock), ``beyond_ms`` (their difference), ``beyond_cpu_ms`` (the same
        on the processor, which other processes disturb less), ``ours`` (envpickle's modules), ``brought`` (all modules
        on our account) and ``forbidden`` (those of them that must not be).
    """
    cls = built_class(shape, TOOLS, "Env")
    payload, module = pickle.dumps(cls), cls.__module__
    *_, everything = ask_child("spawn", child.load_cost, payload)
    first = [name for name in everything if is_ours(name) or name.partition(".")[0] == "msgpack"]
    loads, own = [], []
    for _ in range(rounds):
        loads.append(ask_child("spawn", child.load_cost, payload))
        own.append(ask_child("spawn", child.import_cost, first, module))
        tick()
    brought = sorted(set(everything) - set(own[-1][2]))
    load_ms, load_cpu_ms = (min(cost[which] for cost in loads) for which in (0, 1))
    own_ms, own_cpu_ms = (min(cost[which] for cost in own) for which in (0, 1))
    return {
        "rounds": rounds,
        "load_ms": load_ms,
        "own_ms": own_ms,
        "beyond_ms": load_ms - own_ms,
        "beyond_cpu_ms": load_cpu_ms - own_cpu_ms,
        "ours": [name for name in brought if is_ours(name)],
        "brought": brought,
        "forbidden": [name for name in brought if name in FORBIDDEN],
    }


def is_ours(name: str) -> bool:
    """Tell whether a module is the core's."""
    return name.partition(".")[0] == "envpickle"
