"""How the AsyncGRPO scripts of these checks train; each setting that is not obvious with its reason."""

from typing import Any

from peft import LoraConfig
from trl.experimental.async_grpo import AsyncGRPOConfig

__all__ = ["adapter", "settings"]


def settings(plan: dict[str, Any], **changes: Any) -> AsyncGRPOConfig:
    """The trainer's configuration for a plan."""
    values: dict[str, Any] = {
        "output_dir": "run",
        "vllm_server_base_url": plan["server"],
        "max_steps": plan["steps"],
        "seed": plan["seed"],
        "per_device_train_batch_size": 16,
        "num_generations": 16,
        "token_budget": 0,  # a step is 16 samples, however short they are
        "max_inflight_tasks": 32,
        "queue_maxsize": 16,  # what waits in the queue was sampled by an older policy
        "max_staleness": 4,
        "max_completion_length": 24,  # a turn, not a conversation
        "max_tool_calling_iterations": 4,
        "chat_template_kwargs": {"enable_thinking": False},
        "temperature": 1.0,
        "min_p": 0.05,
        "learning_rate": 1.5e-3,
        "max_grad_norm": 0.03,  # little above the usual: one odd rollout must not unlearn what a tool call looks like
        "adam_beta2": 0.95,
        "use_cpu": True,
        "bf16": False,
        "dtype": "float32",
        "gradient_checkpointing": False,
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
    }
    return AsyncGRPOConfig(**values | changes)


def adapter() -> LoraConfig:
    """A LoRA adapter: it reaches the server as files, where full weights would take NCCL and so a GPU."""
    return LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
