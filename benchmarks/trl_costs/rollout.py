"""A trainer's process and its rollout process, as TRL makes them: spawned, a daemon, told by an event to stop.

``python -m benchmarks.trl_costs.rollout CONTENDER URL COUNT ENDING`` opens sessions there, says so, and ends as told.
"""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from typing import Any

__all__ = ["COUNT", "ENDINGS", "main"]

COUNT = 28
ENDINGS = {
    "normal": "the trainer ends, the rollout process is told to stop",
    "exception": "an exception ends the trainer's script",
    "trainer SIGTERM": "the trainer is ended by SIGTERM",
    "trainer SIGKILL": "the trainer is killed (out of memory, a cluster's time limit)",
    "rollout SIGKILL": "the rollout process is killed",
}
TRL_WAITS = 15.0


def play(factory: Callable[[], Any], count: int, ready: Event, stop: Event) -> None:
    """Be the rollout process: begin that many episodes, and go on until told to stop."""
    environments = [factory() for _ in range(count)]
    for seed, environment in enumerate(environments):
        environment.reset(seed=seed)
    ready.set()
    while not stop.wait(0.1):
        pass


def main(contender: str, url: str, count: str, ending: str) -> None:
    """Be the trainer's process."""
    from envpickle_openenv import list_tools, server_settings

    from .contenders import CONTENDERS, OWNERS

    factory = CONTENDERS[contender](list_tools(url).plain(), server_settings(url))
    context = multiprocessing.get_context("spawn")
    ready, stop = context.Event(), context.Event()
    process = context.Process(target=play, args=(factory, int(count), ready, stop), daemon=True)
    process.start()
    if not ready.wait(60):
        raise RuntimeError("the rollout process did not begin its episodes within 60 s")
    print(json.dumps({"trainer": os.getpid(), "rollout": process.pid}), flush=True)
    sys.stdin.readline()  # the word to end
    if ending == "exception":
        raise RuntimeError("a planted exception")
    if ending == "normal":
        stop.set()
        process.join(TRL_WAITS)
        for owner in OWNERS:
            owner.close()
        return
    if ending.startswith("rollout"):
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
    time.sleep(60)  # killed from outside


if __name__ == "__main__":
    main(*sys.argv[1:])
