"""What the crew knows of each of its actors."""

import time
from typing import Any

__all__ = ["Place"]


class Place:
    """One place in the crew, and the actor that has it.

    Attributes:
        actor: Ray's handle.
        answer: What is awaited from it.
        playing: Whether its loop runs.
        given: The rows it has, by their place in the run.
        left: How many of them it has not begun.
        since: When it was made.
        heard: When it last answered.
        silent: For how long its loop had been silent then.
        pid: Its process; 0 until Ray has started it.
        deaths: How many actors died here since one delivered something.
    """

    def __init__(self) -> None:
        self.actor: Any = None
        self.answer: Any = None
        self.playing = False
        self.given: dict[int, Any] = {}
        self.left = 0
        self.since = self.heard = time.monotonic()
        self.silent = 0.0
        self.pid = 0
        self.deaths = 0
