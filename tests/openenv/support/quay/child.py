"""What spawned processes do in these tests: they load before they build anything of their own."""

import os
import pickle
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["play", "resolve_header"]


def play(payload: bytes, line: Connection) -> None:
    """Load a class, play an episode with it, say how that went, and hold the session until told to end."""
    cls = pickle.loads(payload)
    from benchmarks.portsim.players import play_dock

    env = cls()
    env.reset(seed=1)
    play_dock(env)
    line.send((env.get_reward(), pickle.dumps(cls), pickle.dumps(env)))
    line.recv()


def resolve_header(payload: bytes, line: Connection) -> None:
    """Reset an environment that needs a secret of this process's environment, and tell what came of it."""
    os.environ["QUAY_TOKEN"] = "swordfish"
    env: Any = pickle.loads(payload)()
    line.send(env.reset())
    env._close()
