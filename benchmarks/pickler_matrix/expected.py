"""The table: every row with its carrier and what its cells say. Tests compare it with a fresh run."""

from collections.abc import Callable
from typing import Any, NamedTuple

from . import carriers, clusters
from .pieces import COLUMNS


class Row(NamedTuple):
    """A carrier.

    Attributes:
        group: Rows of one group are tried by one program, one after the other.
        start: Starts the carrier.
        way: What ``start`` is told.
        cells: What each column says.
    """

    group: str
    start: Callable[[str], Any]
    way: str
    cells: dict[str, str]


_SAME = dict.fromkeys(COLUMNS, "same class") | {"home": "same object"}
PICKLE = _SAME | {"closure": "pickle's limit", "subclass": "refused: `UnknownClass`"}
CLOUDPICKLE = _SAME | {"bound": "function by value", "closure": "by value, over the same class", "subclass": "by value"}
METHOD = CLOUDPICKLE | {"bound": "same class"}  # joblib and distributed: as pickle sends methods
WEIGHTS_ONLY = PICKLE | {"bound": "torch's limit", "script": "refused: `ScriptBuilderRefused`"}
METHODS = ("spawn", "forkserver", "fork")

ROWS: dict[str, Row] = {
    **{f"pickle, protocol {n}": Row("pickle", carriers.by_bytes, f"pickle {n}", PICKLE) for n in range(6)},
    **{f"ForkingPickler (`Process`, `Pipe`), {way}": Row("processes", carriers.forking, way, PICKLE) for way in METHODS},
    **{f"`ProcessPoolExecutor`, {way}": Row("processes", carriers.executor, way, PICKLE) for way in METHODS},
    "`multiprocessing.Pool`": Row("processes", carriers.pool, "multiprocessing", PICKLE),
    "`torch.multiprocessing.Pool`": Row("torch", carriers.pool, "torch.multiprocessing", PICKLE),
    "torch `DataLoader` worker, forkserver": Row("loader", carriers.loader, "forkserver", PICKLE),
    "`torch.save`, `torch.load(weights_only=True)`": Row("torch", carriers.weights_only, "", WEIGHTS_ONLY),
    "joblib (loky)": Row("joblib", carriers.loky, "", METHOD),
    "cloudpickle": Row("cloudpickle", carriers.by_bytes, "cloudpickle", CLOUDPICKLE),
    "dill": Row("dill", carriers.by_bytes, "dill", CLOUDPICKLE),
    "multiprocess `Pool`": Row("dill", carriers.pool, "multiprocess", CLOUDPICKLE),
    "Ray task": Row("ray", clusters.ray, "task", CLOUDPICKLE),
    "Ray actor": Row("ray", clusters.ray, "actor", CLOUDPICKLE),
    "Ray object store": Row("ray", clusters.ray, "store", CLOUDPICKLE),
    "Dask, processes": Row("dask", clusters.dask_processes, "", CLOUDPICKLE),
    "Dask, distributed": Row("distributed", clusters.distributed, "", METHOD),
}
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS.values()))
