"""The wrapper everyone writes: a picklable thing that carries an unpicklable one.

Each library is imported where it is used, so that a child imports only its own.
"""

from typing import Any

__all__ = ["CloudpickleWrapper", "DillWrapper"]


class CloudpickleWrapper:
    """Carries a value by cloudpickle."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getstate__(self) -> bytes:
        import cloudpickle

        return bytes(cloudpickle.dumps(self.value))

    def __setstate__(self, state: bytes) -> None:
        import pickle

        self.value = pickle.loads(state)


class DillWrapper:
    """Carries a value by dill."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getstate__(self) -> bytes:
        import dill

        return bytes(dill.dumps(self.value))

    def __setstate__(self, state: bytes) -> None:
        import dill

        self.value = dill.loads(state)
