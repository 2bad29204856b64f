"""What a run pays at its start: two pickles in the trainer's process, one loading in the rollout process.

Everything is measured in fresh processes, since a warm one hides imports and caches.
"""

import pickle
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ..spawn_roundtrip.measure import ask_child
from ..spawn_roundtrip.results import Spread
from .contenders import CONTENDERS, listed

__all__ = ["METRICS", "start_costs"]

METRICS = {
    "bytes": "bytes of one pickle",
    "first": "first pickle (TRL's check)",
    "second": "second pickle (starting the process)",
    "load": "loading in the rollout process",
    "make": "the first environment made there",
}


def sender(name: str, count: int, connection: Connection) -> None:
    """Be the trainer's process: make the class, and pickle it twice."""
    given = {"environment_factory": CONTENDERS[name](listed(count))}
    spent = []
    for _ in range(2):
        begun = time.perf_counter()
        payload = pickle.dumps(given)
        spent.append(time.perf_counter() - begun)
    connection.send((payload, *spent))


def receiver(payload: bytes, modules: list[str], connection: Connection) -> None:
    """Be the rollout process: load it, and make an environment. What TRL has imported there is imported before."""
    for module in modules:
        __import__(module)
    begun = time.perf_counter()
    given = pickle.loads(payload)
    loaded = time.perf_counter()
    environment = given["environment_factory"]()
    made = time.perf_counter()
    connection.send((loaded - begun, made - loaded, type(environment).__name__, "cloudpickle" in sys.modules))


def start_costs(sizes: tuple[int, ...], rounds: int, tick: Callable[[], None]) -> list[dict[str, Any]]:
    """Measure what the start of a run costs.

    Args:
        sizes: Numbers of tools.
        rounds: Fresh pairs of processes per size and contender, in turns.
        tick: Called after every pair.

    Returns:
        One row per size and contender: ``tools``, ``contender`` and a `Spread` for each of `METRICS`, in bytes or seconds.
    """
    # What the plugin's environments speak with is imported by whoever unpickles them, in both ways alike.
    modules = ["envpickle_openenv.environment", "inspect", "dataclasses"]
    rows = []
    for count in sizes:
        samples: dict[str, dict[str, list[float]]] = {name: {metric: [] for metric in METRICS} for name in CONTENDERS}
        for _ in range(rounds):
            for name, found in samples.items():
                payload, first, second = ask_child("spawn", sender, name, count)
                load, make, label, _ = ask_child("spawn", receiver, payload, modules)
                if label != "Dock":
                    raise RuntimeError(f"{name}: a {label} arrived, and a Dock was sent")
                for metric, value in zip(METRICS, (float(len(payload)), first, second, load, make), strict=True):
                    found[metric].append(value)
                tick()
        rows += [
            {"tools": count, "contender": name, **{metric: Spread.of(values) for metric, values in found.items()}}
            for name, found in samples.items()
        ]
    return rows
