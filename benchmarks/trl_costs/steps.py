"""What a step pays: nothing of envpickle stands between a tool call and its function."""

import functools
import timeit
from typing import Any

from envpickle_trl import portable

from ..spawn_roundtrip.builders import plain_env
from ..spawn_roundtrip.results import Spread
from ..spawn_roundtrip.shapes import plain_class, toolset

__all__ = ["step_costs"]

TOOLS = 8


def reward(completions: list[str], scale: float = 1.0, **kwargs: Any) -> list[float]:
    """Score by length."""
    return [scale * len(text) for text in completions]


def step_costs(rounds: int) -> dict[str, Spread]:
    """Measure what is called or made while a run goes on, plain and by envpickle, in seconds.

    Args:
        rounds: How often.

    Returns:
        ``call plain``, ``call built``: one call of a tool that does nothing else; ``make plain``, ``make built``: one
        instance; ``reward plain``, ``reward portable``: one call of a reward function that scores nothing.
    """
    raw, built = plain_class(toolset(TOOLS), "Env"), plain_env(toolset(TOOLS), "Env")
    here, there, score = raw(), built(), functools.partial(reward, scale=2.0)
    carried = portable(score)
    timers = {
        "call plain": timeit.Timer(lambda: here.move_1(container="C1")),
        "call built": timeit.Timer(lambda: there.move_1(container="C1")),
        "make plain": timeit.Timer(raw),
        "make built": timeit.Timer(built),
        "reward plain": timeit.Timer(lambda: score([])),
        "reward portable": timeit.Timer(lambda: carried([])),
    }
    samples: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            samples[name].append(timer.timeit(5_000) / 5_000)
    return {name: Spread.of(values) for name, values in samples.items()}
