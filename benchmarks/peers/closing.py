"""Whether closing an owner here closes an instance there."""

import multiprocessing
import threading
from multiprocessing.connection import Connection
from typing import Any

import envpickle
from benchmarks.spawn_roundtrip.measure import ANSWER_SECONDS, finish, receive

from .ways import Way, installed

__all__ = ["closable", "closed_elsewhere"]


@envpickle.builder
def closable() -> type:
    """Make a class whose instances say when they are closed."""

    class Closable:
        def __init__(self) -> None:
            self.closed = threading.Event()

        def _close(self) -> None:
            self.closed.set()

    return Closable


def closed_elsewhere(way: Way, patience: float = 10.0) -> bool:
    """Close an owner while another process holds an instance of its class, and return whether that was closed there.

    Args:
        way: How the class gets there.
        patience: Seconds to wait for it.
    """
    here, there = multiprocessing.get_context("spawn").Pipe()
    with envpickle.Owner() as owner:
        data = way.dumps(owner.build(closable))
        process: Any = multiprocessing.get_context("spawn").Process(target=hold, args=(way.name, data, patience, there))
        process.start()
        there.close()
        receive(here, "spawn")
    if not here.poll(ANSWER_SECONDS):
        raise RuntimeError(f"{way.name}: the process that holds an instance does not answer")
    answer = bool(here.recv())
    finish(process, here)
    return answer


def hold(name: str, data: bytes, patience: float, connection: Connection) -> None:
    """Make an instance, say so, and answer whether it was closed meanwhile (runs in a child)."""
    instance = next(way for way in installed() if way.name == name).loads(data)()
    connection.send(True)
    connection.send(instance.closed.wait(patience))
