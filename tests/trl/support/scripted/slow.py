"""Environments whose resets take their time. Nothing heavy is imported, since they are sent to other processes."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

RESET = 0.3  # seconds


class SlowToBegin:
    """An environment that notes when each of its resets began and ended.

    Args:
        notes: The directory to note it in, a file for each process.
    """

    def __init__(self, notes: str) -> None:
        self._notes = Path(notes)

    def reset(self, **row: Any) -> None:
        """Begin."""
        began = time.monotonic()  # one clock for all processes of a machine
        time.sleep(RESET)
        with (self._notes / str(os.getpid())).open("a") as notes:
            notes.write(f"{began} {time.monotonic()}\n")

    def get_reward(self) -> float:
        """The reward."""
        return 1.0


def slow_to_begin(notes: Path) -> Any:
    """Return a factory of them.

    Args:
        notes: An empty directory.
    """
    return partial(SlowToBegin, str(notes))


def most_at_once(notes: Path) -> int:
    """How many resets went on at one moment, at most.

    Args:
        notes: The directory.
    """
    spans = [tuple(map(float, line.split())) for file in notes.iterdir() for line in file.read_text().splitlines()]
    return max(sum(began <= moment < ended for began, ended in spans) for moment, _ in spans)
