"""TRL's rollout worker without a trainer, for tests of what is played and not of how it is trained on."""

import contextlib
from collections.abc import Iterator
from typing import Any

from .trainer import PROMPT

SETTINGS: dict[str, Any] = {
    "num_generations": 4,
    "max_inflight_tasks": 8,
    "queue_maxsize": 16,
    "max_tokens": 128,
    "max_tool_calling_iterations": 4,
}


@contextlib.contextmanager
def working(
    factory: Any,
    *,
    tokenizer: Any,
    model_url: str,
    rows: list[dict[str, Any]] | None = None,
    reward_funcs: list[Any] | None = None,
    **options: Any,
) -> Iterator[Any]:
    """Run a rollout worker for the length of a ``with`` block; ``worker.rollout_buffer`` has its samples.

    It ends with its process as in a wired trainer: `envpickle_trl.rollout_end` is in front of it.

    Args:
        factory: The environment factory, or several by name.
        tokenizer: The tokenizer.
        model_url: The scripted server's address.
        rows: The dataset; one prompt over and over when left out.
        reward_funcs: Reward functions.
        **options: Of the worker, instead of those here.
    """
    from accelerate.state import PartialState
    from datasets import Dataset
    from trl.experimental.async_grpo.async_rollout_worker import AsyncRolloutWorker

    from envpickle_trl.rollout_end import ending_with_its_process

    PartialState(cpu=True)
    worker = ending_with_its_process(
        AsyncRolloutWorker(
            model_name="scripted",
            dataset=Dataset.from_list(rows or [{"prompt": PROMPT, "seed": 1}]),
            reward_funcs=reward_funcs or [],
            processing_class=tokenizer,
            eos_token_ids=[tokenizer.eos_token_id],
            environment_factory=factory,
            vllm_server_url=model_url,
            chat_template_kwargs={"enable_thinking": False},
            **{**SETTINGS, **options},
        )
    )
    try:
        worker.start()
        yield worker
    finally:
        worker.stop()


def samples_of(factory: Any, *, count: int = 4, seconds: float = 60.0, **options: Any) -> list[Any]:
    """Play and return the first samples; see `working`.

    Args:
        factory: The environment factory, or several by name.
        count: How many samples.
        seconds: How long to wait for each at most.
        **options: See `working`.
    """
    with working(factory, **options) as worker:
        return [worker.samples.get(timeout=seconds) for _ in range(count)]
