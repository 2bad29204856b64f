"""What the training scripts of these checks share: seeing every sample on its way, telling progress, saving what was seen."""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

__all__ = ["Progress", "WatchedQueue", "read_plan", "save"]

TOOLS = re.compile(r"<tools>\n(.*?)\n</tools>", re.DOTALL)
TOOL_NAME = re.compile(r'"function": \{"name": "([^"]+)"')


def read_plan() -> dict[str, Any]:
    """The plan of this run, a JSON file named on the command line."""
    plan: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return plan


class Progress(TrainerCallback):
    """Prints a line for each step."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: dict[str, Any], **_: Any
    ) -> None:
        shown = {"reward": "reward", "tools/call_frequency": "calls", "grad_norm": "gradient", "perf/weight_sync_s": "sync"}
        said = ", ".join(f"{label} {logs[key]:.3g}" for key, label in shown.items() if isinstance(logs.get(key), float))
        if said:
            print(
                f"progress: step {state.global_step}/{state.max_steps}, {time.monotonic() - self.began:.0f} s: {said}",
                flush=True,
            )


class WatchedQueue:
    """The queue AsyncGRPO takes its samples from, remembering what went through it.

    Args:
        queue: The rollout worker's own.
        tokenizer: Reads what the model was shown.
    """

    def __init__(self, queue: Any, tokenizer: Any) -> None:
        self.queue = queue
        self.tokenizer = tokenizer
        self.seen: list[dict[str, Any]] = []

    def get(self, *args: Any, **kwargs: Any) -> Any:
        sample = self.queue.get(*args, **kwargs)
        shown = TOOLS.search(self.tokenizer.decode(sample.input_ids))
        self.seen.append(
            {
                "group": sample.group_id,
                "version": sample.model_version,
                "advantage": sample.advantage,
                "shown": sorted(TOOL_NAME.findall(shown[1])) if shown else [],
                **sample.metrics,
            }
        )
        return sample

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)


def save(plan: dict[str, Any], trainer: Any, **more: Any) -> None:
    """Write what a run has to say where the plan wants it."""
    steps = [entry for entry in trainer.state.log_history if "reward" in entry or "eval_reward" in entry]
    Path(plan["results"]).write_text(json.dumps({"steps": steps, **more}), encoding="utf-8")
