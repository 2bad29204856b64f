"""The picklers a class must travel with, each as a pair of functions on bytes."""

import importlib
import io
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
BY_VALUE = ("cloudpickle", "dill", "joblib")  # these also send closures


def _pure(obj: Any, protocol: int) -> bytes:
    buffer = io.BytesIO()
    pickle._Pickler(buffer, protocol).dump(obj)  # type: ignore[attr-defined]  # the only way to the pure-Python one
    return buffer.getvalue()


def dumps(tool: str, obj: Any) -> bytes:
    """Pickle with `pickle:PROTOCOL`, `pure:PROTOCOL`, `forking`, `cloudpickle` or `dill`."""
    name, _, protocol = tool.partition(":")
    if name == "pickle":
        return pickle.dumps(obj, int(protocol or pickle.DEFAULT_PROTOCOL))
    if name == "pure":
        return _pure(obj, int(protocol or pickle.DEFAULT_PROTOCOL))
    if name == "forking":
        return bytes(ForkingPickler.dumps(obj))
    return bytes(importlib.import_module(name).dumps(obj))


def loads(tool: str, payload: bytes) -> Any:
    """Unpickle what `dumps` wrote with the same tool."""
    name = tool.partition(":")[0]
    if name == "pure":
        return pickle._Unpickler(io.BytesIO(payload)).load()  # type: ignore[attr-defined]
    return importlib.import_module(name if name in ("cloudpickle", "dill") else "pickle").loads(payload)


PLAIN_TOOLS = tuple(f"pickle:{p}" for p in PROTOCOLS) + tuple(f"pure:{p}" for p in PROTOCOLS) + ("forking",)
TOOLS = (*PLAIN_TOOLS, "cloudpickle", "dill")
