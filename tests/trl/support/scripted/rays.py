"""Rollouts in Ray actors, with a scripted server in the model's place and without a trainer."""

import contextlib
import os
import queue
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .worker import SETTINGS

ROWS = [{"prompt": [{"role": "user", "content": f"Row {number}."}], "seed": number} for number in range(7)]
RAY = {
    "address": "local",
    "num_cpus": 2,
    "include_dashboard": False,
    "log_to_driver": False,
    "object_store_memory": 100_000_000,
}


@contextlib.contextmanager
def a_small_ray() -> Iterator[None]:
    """Ray on this machine for the length of a ``with`` block, told to nobody else."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        ray.init(**RAY)
    try:
        yield
    finally:
        ray.shutdown()


def make_worker(
    factory: Any,
    *,
    tokenizer: Any,
    url: str,
    actors: int = 2,
    rows: list[dict[str, Any]] | None = None,
    reward_funcs: list[Any] | None = None,
    **options: Any,
) -> Any:
    """Make a worker.

    Args:
        factory: The environment factory, or several by name.
        tokenizer: The tokenizer.
        url: The scripted server's address.
        actors: How many.
        rows: The dataset; `ROWS` when left out.
        reward_funcs: Reward functions.
        **options: Of the worker, instead of those of `SETTINGS`.
    """
    from datasets import Dataset

    from envpickle_ray import RayRolloutWorker

    return RayRolloutWorker(
        actors,
        model_name="scripted",
        dataset=Dataset.from_list(rows or ROWS),
        reward_funcs=reward_funcs or [],
        processing_class=tokenizer,
        eos_token_ids=[tokenizer.eos_token_id],
        environment_factory=factory,
        vllm_server_url=url,
        chat_template_kwargs={"enable_thinking": False},
        **{**SETTINGS, **options},
    )


class Reader:
    """Reads samples as a trainer does, and keeps them by the place of their prompt in the run.

    Args:
        worker: The worker.
    """

    def __init__(self, worker: Any) -> None:
        self.worker = worker
        self.groups: dict[int, list[Any]] = defaultdict(list)

    def read(self, samples: int = 1, seconds: float = 120.0) -> Any:
        """Read so many samples, and return the last."""
        for _ in range(samples):
            sample = self.worker.rollout_buffer.get(timeout=seconds)
            self.groups[sample.group_id].append(sample)
        return sample

    def read_through(self, groups: int, most: int = 400) -> None:
        """Read until the first so many prompts have come, whole; a bounded number of samples, so that a lost one is told."""
        size = SETTINGS["num_generations"]
        for _ in range(most):
            if all(len(self.groups[place]) >= size for place in range(groups)):
                return
            self.read()
        raise AssertionError(
            f"of the first {groups} prompts came {[len(self.groups[place]) for place in range(groups)]} samples"
        )

    def counts(self) -> set[int]:
        """How many samples each group that has come has, the last one read left out: it may be coming still."""
        last = max(self.groups, key=lambda place: self.groups[place][-1].enqueued_at)
        return {len(samples) for place, samples in self.groups.items() if samples and place != last}


def metrics_of(worker: Any) -> dict[str, list[Any]]:
    """What was measured since it was last asked."""
    found: dict[str, list[Any]] = defaultdict(list)
    with contextlib.suppress(queue.Empty):
        while True:
            for key, value in worker.metrics_queue.get_nowait().items():
                found[key].append(value)
    return found
