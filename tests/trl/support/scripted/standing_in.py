"""What stands in for the hardware that a program of the docs asks for: a tiny model, a scripted server, a loss for nothing.

The program keeps every word. What its trainers and configurations are told of models, sizes and steps is replaced by what
this machine can do; all else, from the environment to the end of the run, is TRL's and ours.
"""

import os
from pathlib import Path
from typing import Any

from .trainer import PROMPT, SETTINGS, NoWeights, quiet_surroundings

GRPO: dict[str, Any] = {
    "max_steps": 1,
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "per_device_eval_batch_size": 2,
    "num_generations_eval": 1,
    "max_completion_length": 4,
    "max_tool_calling_iterations": 1,
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "report_to": [],
    "save_strategy": "no",
    "disable_tqdm": True,
}
ROWS = [{"prompt": PROMPT, "seed": 1}]


def rows(given: Any) -> Any:
    """The page's rows; for ``...``, and where a page leaves them to the reader, some."""
    from datasets import Dataset

    return Dataset.from_list(ROWS) if given in (..., None) else given


def stand_in() -> None:
    """Put the stand-ins where a program's imports find them; to be called before, in the process that trains alone."""
    quiet_surroundings()
    import torch
    import trl
    import trl.experimental.async_grpo as async_grpo

    torch.cuda.get_device_name = lambda device=None: "none"  # TRL asks for it, to tell how much of its peak was used
    model, server = os.environ["PAGES_MODEL"], os.environ["PAGES_SERVER"]
    config, grpo_config = async_grpo.AsyncGRPOConfig, trl.GRPOConfig

    class Trainer(async_grpo.AsyncGRPOTrainer):
        def __init__(self, *_: Any, **given: Any) -> None:
            given.pop("peft_config", None)
            args = given.pop("args", None) or async_grpo.AsyncGRPOConfig("out")
            given |= {"model": model, "args": args, "train_dataset": rows(given.get("train_dataset"))}
            self.given = given  # for what a page's test asks
            super().__init__(**given, weight_transfer=NoWeights())

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
            return 0.0 * next(parameter for parameter in model.parameters() if parameter.requires_grad).sum()

    class InProcess(trl.GRPOTrainer):
        def __init__(self, **given: Any) -> None:
            eval_dataset = given["eval_dataset"].select(range(2))
            super().__init__(**{**given, "model": model, "eval_dataset": eval_dataset})

    async_grpo.AsyncGRPOTrainer = Trainer
    async_grpo.AsyncGRPOConfig = lambda output_dir, **said: config(
        output_dir, **{**said, **SETTINGS, "vllm_server_base_url": server}
    )
    trl.GRPOTrainer = InProcess
    trl.GRPOConfig = lambda **said: grpo_config(**{**said, **GRPO})


PATHS = tuple(str(Path(__file__).parents[up] / where) for up, where in ((1, "."), (1, "prepared"), (3, "support"), (4, ".")))
"""What a page's program needs on its path to find this."""
