"""Scripted players: they play an episode through an environment's tool methods, by what these return.

They take any object whose methods are named like the tools and return the tool's text. The careful
players follow the optimal policies written in `benchmarks.portsim.dock` and
`benchmarks.portsim.pantry` and score 1.0; the careless ones look at nothing and score less.
"""

import re
from typing import Any

__all__ = ["play_dock", "play_pantry"]

CARELESS_GRAMS = 100


def play_dock(env: Any, *, careful: bool = True) -> None:
    """Play a dock episode that has been reset, to its end.

    Args:
        env: The environment.
        careful: Inspect every container and free the crane; else put containers anywhere.
    """
    names = re.findall(r"^(\w+):", env.list_containers(), re.MULTILINE)
    for bay, name in enumerate(names):
        wanted = int(env.inspect_container(container=name).split()[-1]) if careful else bay
        blocked = "blocked" in env.move_container(container=name, bay=wanted)
        if blocked and careful:
            stuck = re.search(r"use '(\w+)'", env.crane_status())
            if stuck is None:
                raise ValueError("the crane was blocked, but its status says nothing of a cure")
            env.free_crane(tool=stuck[1])
            env.move_container(container=name, bay=wanted)
    env.send_ship_off()


def play_pantry(env: Any, *, careful: bool = True) -> None:
    """Play a pantry episode that has been reset, to its end.

    Args:
        env: The environment.
        careful: Take the grams the recipe wants; else the same of every good.
    """
    recipe = re.findall(r"(\d+) g of (\w+)", env.read_recipe())
    wanted = {good: int(grams) for grams, good in recipe}
    finds = re.findall(r"(\w+): (\w+)", env.search_shelves(words=list(wanted)))
    for label, good in finds:
        env.take(label=label, grams=wanted[good] if careful else CARELESS_GRAMS)
    env.hand_over()
