"""The good script: a dock on a real server, an adapter, the known-good context length."""

import os

import envpickle_trl  # noqa: F401
from envpickle_openenv import AgentEnv


class Adapter:
    """What of a LoRA config is looked at; importing peft takes as long as all the rest."""

    r = 8
    rank_pattern: dict[str, int] = {}


def speed(completions, **columns):
    return [1.0 for _ in completions]


def kwargs(**changed):
    env = AgentEnv(os.environ["DOCK_URL"], name="Dock", max_result_chars=2000)
    args = {"max_completion_length": 2048, "max_tool_calling_iterations": 8, "max_inflight_tasks": 8, "temperature": 0.8}
    given = {
        "model": "Qwen/Qwen3-4B",
        "environment_factory": env.factory,
        "reward_funcs": [speed],
        "peft_config": Adapter(),
        "args": args,
        "train_dataset": [{"prompt": [{"role": "user", "content": "Move the container to bay 9."}]}],
    }
    return given | changed


def main():
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    trainer = AsyncGRPOTrainer(**kwargs())
    trainer.train()


if __name__ == "__main__":
    main()
