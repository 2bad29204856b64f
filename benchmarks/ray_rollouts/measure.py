"""One contender in one round: start it, let it run in, count what comes."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "trl" / "support"  # the scripted server and the tiny model are those of the tests
if str(SUPPORT) not in sys.path:
    sys.path.insert(0, str(SUPPORT))

from .slow import quay  # noqa: E402 -- after the path, as everything else of this benchmark

__all__ = ["TRLS", "parts", "rollouts_per_minute"]

TRLS = 0
"""Stands for TRL's own process, where a number of actors is asked for."""
RESET_SECONDS = 0.5
IN_FLIGHT = 32
GENERATIONS = 4


@contextlib.contextmanager
def parts() -> Iterator[tuple[Any, str]]:
    """A tokenizer and the address of a scripted server, with Ray running, for the length of a ``with`` block."""
    from scripted.trainer import quiet_surroundings

    quiet_surroundings()
    paths = os.pathsep.join([str(ROOT), str(SUPPORT)])
    os.environ.update(PYTHONPATH=paths, RAY_AUTH_MODE="disabled", TRANSFORMERS_VERBOSITY="error")
    import ray
    from scripted.models import save_tiny_model
    from scripted.server import calls, plays, says, serving
    from transformers import AutoTokenizer

    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    try:
        with tempfile.TemporaryDirectory() as directory:
            tokenizer = AutoTokenizer.from_pretrained(save_tiny_model(Path(directory) / "model"))
            with serving(tokenizer, plays(calls("lift", bay=3), says())) as server:
                yield tokenizer, server.url
    finally:
        ray.shutdown()


def rollouts_per_minute(actors: int, tokenizer: Any, url: str, seconds: float) -> float:
    """Play for a while.

    Args:
        actors: How many actors, or `TRLS`.
        tokenizer: The tokenizer.
        url: The scripted server.
        seconds: How long to count.
    """
    from scripted.rays import make_worker
    from scripted.worker import working

    factory = quay(RESET_SECONDS)
    options: dict[str, Any] = {"tokenizer": tokenizer, "max_inflight_tasks": IN_FLIGHT, "queue_maxsize": 0}
    if actors == TRLS:
        with working(factory, model_url=url, **options) as theirs:
            return _count(theirs.samples, seconds, GENERATIONS * 2)
    worker = make_worker(factory, url=url, actors=actors, **options)
    try:
        worker.start()
        return _count(worker.rollout_buffer, seconds, GENERATIONS * 2 * actors)
    finally:
        worker.stop()


def _count(samples: Any, seconds: float, running_in: int) -> float:
    for _ in range(running_in):
        samples.get(timeout=120)
    came, last = 0, (began := time.monotonic())
    while last < began + seconds:  # to a sample, not to a moment: they come in groups
        samples.get(timeout=120)
        came, last = came + 1, time.monotonic()
    return came * 60 / (last - began)
