"""TRL's trainer that plays in its own process takes portable callables for what they are."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from envpickle_trl import portable


def rewards(bonus: float, calls: list[int]) -> list[Any]:
    """A coroutine function, a partial and an instance, all of which hold something of this call."""

    async def judged(completions: list[Any], **kwargs: Any) -> list[float]:
        return [bonus for _ in completions]

    def counted(more: float, completions: list[Any], **kwargs: Any) -> list[float]:
        calls.append(len(completions))
        return [bonus + more for _ in completions]

    class Judge:
        def __call__(self, completions: list[Any], **kwargs: Any) -> list[float]:
            return [bonus + 2 for _ in completions]

    return [judged, partial(counted, 1.0), Judge()]


def tool(weights: dict[str, int]) -> Any:
    def weigh(container: str) -> int:
        """Weigh a container.

        Args:
            container: Its name.
        """
        return weights[container]

    return weigh


@pytest.mark.timeout(240)
def test_grpo_scores_with_portable_rewards(tiny_model: Path, tmp_path: Path) -> None:
    """Each in a column of its own name; the coroutine is awaited, and the chat template takes the tool."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    calls: list[int] = []
    settings: dict[str, Any] = {"use_cpu": True, "bf16": False, "report_to": [], "save_strategy": "no", "disable_tqdm": True}
    lengths = {"max_completion_length": 4, "max_tool_calling_iterations": 1, "num_generations": 4, "max_steps": 1}
    settings |= {**lengths, "per_device_train_batch_size": 4, "logging_steps": 1, "gradient_checkpointing": False}
    trainer = GRPOTrainer(
        model=str(tiny_model),
        reward_funcs=[portable(fn) for fn in rewards(2.0, calls)],
        tools=[portable(tool({"C1": 30}))],
        args=GRPOConfig(output_dir=str(tmp_path), **settings),
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": "Go."}]}]),
    )
    assert trainer.reward_func_names == ["judged", "counted", "Judge"]
    trainer.train()
    logged = trainer.state.log_history[0]
    assert [logged[f"rewards/{name}/mean"] for name in trainer.reward_func_names] == [2.0, 3.0, 4.0]
    assert calls == [4]
