"""What spawned processes do in these tests: they load before they build anything of their own."""

import os
import pickle
import sys
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["look", "play", "resolve_header"]


def play(payload: bytes, line: Connection) -> None:
    """Load a class, play an episode with it, say how that went, and hold the session until told to end."""
    cls = pickle.loads(payload)
    from benchmarks.portsim.players import play_dock

    env = cls()
    env.reset(seed=1)
    play_dock(env)
    line.send((env.get_reward(), pickle.dumps(cls), pickle.dumps(env)))
    line.recv()


def look(payload: bytes, line: Connection) -> None:
    """Load a class, and tell which modules that took."""
    before = set(sys.modules)
    pickle.loads(payload)
    line.send(sorted(set(sys.modules) - before))


def resolve_header(payload: bytes, line: Connection) -> None:
    """Reset an environment that needs a secret of this process's environment, and tell what came of it."""
    os.environ["QUAY_TOKEN"] = "swordfish"
    env: Any = pickle.loads(payload)()
    line.send(env.reset())
    env._close()
