"""copyreg: the pickle module and everything built on it (multiprocessing, joblib, Ray, Dask) ask it for run-time classes."""

import pickle
from typing import Any

from ..runtime import teach as teach

name = "copyreg"


def dumps(obj: Any) -> bytes:
    """Pickle an object, its run-time classes as the calls that made them."""
    return pickle.dumps(obj)


def loads(data: bytes) -> Any:
    """Load what :func:`dumps` made."""
    return pickle.loads(data)
