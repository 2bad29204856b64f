"""The reward columns: where they come from, and that no two have one name."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ..report import Finding
from ..setups import Setup

NAME = "rewards"
FINDINGS = {
    "rewards.twice": "Two rewards are logged under one name; one column hides the other.",
    "rewards.none": "Nothing gives a reward: neither a reward function nor an environment's `get_reward`.",
}


def check(setup: Setup) -> Iterator[Finding]:
    """Name the columns as the trainer does, and compare."""
    columns = [(f"reward_funcs[{index}]", _column(reward)) for index, reward in enumerate(setup.reward_funcs)]
    seen: list[type] = []
    for played in setup.environments:
        if "get_reward" in played.functions() and played.cls not in seen:
            seen.append(played.cls)  # one class under two names has one column
            columns.append((played.subject, played.cls.__name__))
    if not columns:
        yield Finding(
            "rewards.none",
            "reward_funcs",
            "error",
            "There is no reward function, and no environment has a get_reward, so there is nothing to train on.",
            "Give reward_funcs, or an environment class with get_reward.",
        )
    by_name: dict[str, list[str]] = {}
    for subject, name in columns:
        by_name.setdefault(name, []).append(subject)
    for name, subjects in by_name.items():
        if len(subjects) > 1:
            yield Finding(
                "rewards.twice",
                " and ".join(subjects),
                "error",
                f"Both are logged as rewards/{name}, so one of them is lost in the log.",
                "Give the function another name, or the environment class (AgentEnv(name=...), factories(name=...)).",
            )


def _column(reward: Any) -> str:
    while isinstance(reward, partial):
        reward = reward.func
    if isinstance(reward, str):  # a reward model by name
        return reward.rpartition("/")[2]
    return str(getattr(reward, "__name__", type(reward).__name__))
