"""A notebook's cell, run by -c: what it defines is in no file that a spawned process could read."""

import envpickle


@envpickle.builder
def dock_env(tools: list[str]) -> type:
    class Dock:
        def names(self) -> list[str]:
            return tools

    return Dock


class Policy:
    temperature = 0.7


def reward(completions: list[str]) -> list[float]:
    return [1.0 for _ in completions]


print(envpickle.explain({"env": dock_env(["lift"]), "policy": Policy(), "rewards": [reward]}, name="trainer"))
