"""A real AsyncGRPOTrainer without a GPU: everything is TRL's but the loss, which costs nothing and moves no weight.

What is tested here is how runs begin and end; training itself is checked elsewhere, on a real model.
"""

import os
from pathlib import Path
from typing import Any

PROMPT = [{"role": "user", "content": "Go."}]
SETTINGS: dict[str, Any] = {
    "max_steps": 2,
    "per_device_train_batch_size": 4,
    "num_generations": 4,
    "max_inflight_tasks": 8,
    "queue_maxsize": 16,
    "token_budget": 0,
    "max_completion_length": 128,
    "max_tool_calling_iterations": 4,
    "chat_template_kwargs": {"enable_thinking": False},
    "use_cpu": True,
    "bf16": False,
    "dtype": "float32",
    "gradient_checkpointing": False,
    "report_to": [],
    "save_strategy": "no",
    "logging_steps": 1,
    "disable_tqdm": True,
}


def quiet_surroundings() -> None:
    """One thread, no progress bars, no network: to be called before TRL is imported."""
    os.environ.update(
        OMP_NUM_THREADS="1",
        HF_HUB_OFFLINE="1",
        HF_HUB_DISABLE_PROGRESS_BARS="1",
        TRL_EXPERIMENTAL_SILENCE="1",
        TOKENIZERS_PARALLELISM="false",
        CUDA_VISIBLE_DEVICES="",
    )


class NoWeights:
    """A weight transfer that moves nothing."""

    def init_weight_transfer(self) -> None: ...
    def pause(self) -> None: ...
    def send_weights(self, iterator: Any) -> None:
        for _ in iterator:
            pass

    def resume(self) -> None: ...
    def destroy(self) -> None: ...


def make_trainer(
    model: Path,
    url: str,
    factory: Any,
    *,
    rows: list[dict[str, Any]] | None = None,
    reward_funcs: Any = None,
    tools: Any = None,
    callbacks: Any = None,
    **options: Any,
) -> Any:
    """Make a trainer whose completions come from a scripted server.

    Args:
        model: The directory of a tiny model.
        url: The scripted server's address.
        factory: The environment factory, or several by name.
        rows: The dataset; one prompt over and over when left out.
        reward_funcs: As the trainer takes them.
        tools: As the trainer takes them.
        callbacks: As the trainer takes them.
        **options: Of AsyncGRPOConfig, instead of those here.
    """
    import torch
    from datasets import Dataset
    from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer

    torch.cuda.get_device_name = lambda device=None: "none"  # TRL asks for it, to tell how much of its peak was used

    class Trainer(AsyncGRPOTrainer):
        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
            return 0.0 * next(parameter for parameter in model.parameters() if parameter.requires_grad).sum()

    return Trainer(
        model=str(model),
        args=AsyncGRPOConfig(**{"output_dir": str(model / "out"), "vllm_server_base_url": url, **SETTINGS, **options}),
        train_dataset=Dataset.from_list(rows or [{"prompt": PROMPT, "seed": 1}]),
        environment_factory=factory,
        reward_funcs=reward_funcs,
        tools=tools,
        callbacks=callbacks,
        weight_transfer=NoWeights(),
    )
