"""The parent of the lifeline tests: makes an owner, has others hold instances of its class, and closes it or is killed.

Run as `python main.py ROLE METHOD HOME`; it leaves word in HOME as files, and does what words tell it to.
"""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harbour import berths, moored

from voyage.closing import await_word

PROGRAM = """
import sys
from voyage import lifelines

if __name__ == "__main__":
    lifelines.main(*sys.argv[1:])
"""
WORKERS, EACH = 4, 12
IN_GRANDCHILD = 16  # together 64
HELD: list[Any] = []


def main(role: str, method: str, home: str) -> None:
    """The parent's life."""
    import envpickle

    owner = envpickle.Owner()
    cls = owner.build(berths.berth, home, ["lift"])
    ROLES[role](owner, cls, method, home)


def pool(owner: Any, cls: Any, method: str, home: str) -> None:
    """Four workers of a pool and a grandchild hold 64 instances."""
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(WORKERS, mp_context=context) as workers:
        tasks = [workers.submit(moored.hold, cls, home, EACH, WORKERS) for _ in range(WORKERS)]
        pids = [task.result(60) for task in tasks]
        grandchild = workers.submit(moored.hold_through_a_child, cls, home, IN_GRANDCHILD, method).result(60)
        berths.told(home, "family", json.dumps([*pids, grandchild]))
        until_closed(owner, home)
        berths.told(home, "later_" + workers.submit(moored.makes_another, cls).result(60))
        berths.told(home, "done")
        await_word(home, "go")
        os.kill(grandchild, 9)  # the worker that joins it at its end waits for it
    berths.told(home, "over")


def detached(owner: Any, cls: Any, method: str, home: str) -> None:
    """A process forked twice and a program that unpickles hold instances, in sessions of their own."""
    HELD.append(moored.detach_by_subprocess(pickle.dumps(cls), home, 3))
    moored.detach_by_fork(cls, home, 3)
    for word in ("run", "forked"):
        await_word(home, word)
    berths.told(home, "family", json.dumps([int((Path(home) / word).read_text()) for word in ("run", "forked")]))
    until_closed(owner, home)
    berths.told(home, "done")
    await_word(home, "go")


def until_closed(owner: Any, home: str) -> None:
    """Say that all are there, wait to be told to close (or to be killed), and measure until no session is left."""
    berths.told(home, "ready")
    await_word(home, "close", 120)
    owner.close()
    berths.told(home, "seconds", seconds_until_empty(home))


def seconds_until_empty(home: str, patience: float = 20.0) -> float:
    """Seconds from now until no session is left."""
    began = time.monotonic()
    while list(Path(home).glob("session_*")):
        if time.monotonic() > began + patience:
            break
        time.sleep(0.002)
    return time.monotonic() - began


ROLES: dict[str, Callable[..., None]] = {"pool": pool, "detached": detached}
