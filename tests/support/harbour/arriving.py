"""An owned class whose instances leave word in a file when they are closed, and that pickle whole."""

from pathlib import Path
from typing import Any

import envpickle

HELD: list[Any] = []


@envpickle.builder
def messenger(home: str) -> type:
    """Writes its number to the file `closed`."""

    class Messenger:
        def __init__(self, number: int) -> None:
            self.number = number

        def _close(self) -> None:
            with Path(home, "closed").open("a") as file:
                file.write(f"{self.number}\n")

    return Messenger


def hold(payload: bytes) -> None:
    """A child's life: it gets an instance, and ends."""
    import pickle

    HELD.append(pickle.loads(payload))
