"""Processes that die at the worst moment, hang, or give nothing. Nothing heavy is imported, since they are spawned."""

import os
import struct
import time
from typing import Any


def holding_locks(*values: Any) -> None:
    """Die while holding the locks of shared values, as a process does that is killed in the middle of writing one."""
    for value in values:
        value.get_lock().acquire()
    os._exit(1)


def in_the_middle_of_a_message(writer: Any) -> None:
    """Die after the first bytes of a long message."""
    os.write(writer.fileno(), struct.pack("!i", 1_000_000) + b"so far")
    os._exit(1)


async def blocks(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward function that never gives its event loop a chance."""
    time.sleep(600)  # noqa: ASYNC251 -- the fault: it blocks the event loop
    return [0.0] * len(completions)


def hangs(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward function that never returns, in a thread of its own."""
    time.sleep(100_000)
    return [0.0] * len(completions)


def leaving_out(loop: Any, text: str) -> Any:
    """TRL's class of a rollout loop, as a variant of it that trains on nothing of what a prompt with a certain text gave.

    Args:
        loop: The class.
        text: The text.
    """

    async def play(self: Any, prompt: list[dict[str, Any]], *args: Any, **kwargs: Any) -> Any:
        completion, tokens, sequences, *rest = await loop._generate_one(self, prompt, *args, **kwargs)
        return completion, tokens, [] if text in prompt[-1]["content"] else sequences, *rest

    return type("LeavingOut", (loop,), {"_generate_one": play})


class Deadly:
    """An environment that takes its process with it."""

    def __init__(self) -> None:
        os._exit(3)

    def reset(self, **row: Any) -> None:
        """Begin."""

    def get_reward(self) -> float:
        """The reward."""
        return 0.0


class DeadlyAtOneRow:
    """An environment that takes its process with it at one row, and plays the others."""

    ROW = 3

    def reset(self, seed: int, **row: Any) -> None:
        """Begin."""
        if seed == self.ROW:
            os._exit(3)

    def get_reward(self) -> float:
        """The reward."""
        return 0.0
