"""Conversations the tiny model learns the form of a tool call from, played by the port's own rules.

They are right in form and random in what counts: every bay and every amount is as likely as any other, so that the model
knows how to play and training has something to find. Nothing but the standard library is imported.
"""

import random
from collections.abc import Iterator
from typing import Any

from benchmarks.portsim.dock import Dock
from benchmarks.portsim.pantry import Pantry

__all__ = ["DOCK_TASK", "PANTRY_TASK", "conversations"]

DOCK_TASK = {"seed": 53, "containers": 1}
"""Container C1 is wanted in bay 9. The crane blocks at the first move, and the winch frees it."""

PANTRY_TASK = {"seed": 11, "goods": 1}
"""500 g of lentils are wanted, which stand under the label P735."""

Message = dict[str, Any]


def conversations(environment: str, count: int, seed: int = 0) -> Iterator[list[Message]]:
    """Play an environment again and again.

    Args:
        environment: ``"dock"`` or ``"pantry"``.
        count: How many conversations.
        seed: Decides what is chosen at random.

    Yields:
        The messages of one conversation, as chat templates take them.
    """
    play = {"dock": _dock, "pantry": _pantry}[environment]
    chance = random.Random(seed)
    for _ in range(count):
        yield play(chance)


def _dock(chance: random.Random) -> list[Message]:
    dock = Dock()
    asked = dock.start(**DOCK_TASK)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("move_container", {"container": "C1", "bay": chance.randrange(10)}),
        ("free_crane", {"tool": "winch"}),
        ("move_container", {"container": "C1", "bay": chance.randrange(10)}),
        ("send_ship_off", {}),
    ]
    return _played(dock, asked, calls)


def _pantry(chance: random.Random) -> list[Message]:
    pantry = Pantry()
    asked = pantry.start(**PANTRY_TASK)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("take", {"label": "P735", "grams": 100 * chance.randint(1, 9)}),
        ("hand_over", {}),
    ]
    return _played(pantry, asked, calls)


def _played(rules: Any, asked: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Message]:
    messages: list[Message] = [{"role": "user", "content": asked}]
    for name, arguments in calls:
        call = {"type": "function", "function": {"name": name, "arguments": arguments}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "name": name, "content": getattr(rules, name)(**arguments)})
    return [*messages, {"role": "assistant", "content": "done"}]
