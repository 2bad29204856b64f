"""What the spawned child does: it gets classes it has never seen, plays, and tells what it scored."""

import os
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.portsim.players import play_dock, play_pantry

__all__ = ["EPISODES", "play"]

EPISODES = (
    ("dock", 0, True),
    ("dock", 1, True),
    ("dock", 5, False),
    ("pantry", 0, True),
)
"""Environment, seed, and whether the player is careful."""
PLAYERS = {"dock": play_dock, "pantry": play_pantry}


def play(classes: dict[str, type], connection: Connection) -> None:
    """Play the episodes, one environment object per class, and keep the sessions until told to end.

    Args:
        classes: The environment classes by name.
        connection: Where scores are sent, as tuples; then the classes themselves, to be compared; then one message is
            awaited before returning, without closing anything: that is envpickle's to do.
    """
    environments: dict[str, Any] = {name: cls() for name, cls in classes.items()}
    for name, seed, careful in EPISODES:
        env = environments[name]
        env.reset(seed=seed)
        PLAYERS[name](env, careful=careful)
        connection.send((name, seed, careful, env.get_reward()))
    connection.send((os.getpid(), repr(classes["dock"]), {name: type(env) for name, env in environments.items()}))
    connection.recv()
