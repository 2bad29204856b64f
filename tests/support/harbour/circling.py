"""A builder that imports modules which call it at their own import; each is tried from two threads at once."""

import importlib
import pickle
import threading
from typing import Any

import envpickle

ENTERED = threading.Event()  # the builder runs
IMPORTING = threading.Event()  # the other thread is in its import
GATE = threading.Event()  # what the test opens
HAPPENED: list[Any] = []
PAYLOAD: list[bytes] = []


@envpickle.builder
def needing(module: str) -> type:
    """Imports that module once somebody else has begun to."""
    ENTERED.set()
    IMPORTING.wait(20)
    made = importlib.import_module(module) if module else None
    HAPPENED.append("built")
    return type("Needing", (), {"module": module, "value": staticmethod(lambda: getattr(made, "VALUE", None))})


@envpickle.builder
def gated(number: int) -> type:
    """Takes its time without importing anything."""
    ENTERED.set()
    GATE.wait(20)
    return type("Gated", (), {"number": number})


@envpickle.builder
def through(module: str) -> type:
    """Calls the builder that imports."""
    inner = needing(module)
    return type("Through", (), {"inner": staticmethod(lambda: inner)})


def call_at_import(call: Any) -> Any:
    """What a module does at its import: calls a builder, and goes on without the class where that is refused."""
    IMPORTING.set()
    try:
        found = call()
    except envpickle.errors.BuildCycleError as error:
        HAPPENED.append((threading.current_thread().name, "refused", str(error)))
        return None
    HAPPENED.append((threading.current_thread().name, "got it"))
    return found


def loaded() -> Any:
    """The class of the payload that the test left."""
    return pickle.loads(PAYLOAD[0])
