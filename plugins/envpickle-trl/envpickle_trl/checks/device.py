"""The GPU against the attention kernel that AsyncGRPO is built on."""

import os
from collections.abc import Iterator

from .. import devices
from ..report import Finding
from ..setups import NotChecked, Setup
from ..supported import KERNEL, runs_the_kernel

NAME = "device"
FINDINGS = {
    "device.none": "There is no GPU; AsyncGRPO's attention kernel runs on nothing else.",
    "device.kernel": "The GPU's compute capability is none that AsyncGRPO's attention kernel is built for.",
}

_RUN_IT = "A100, A10G, L4, L40S, H100 and H200 run it; RTX PRO 6000 and B200 do not"


def check(setup: Setup) -> Iterator[Finding]:
    """Look at every GPU this process sees."""
    if KERNEL in os.environ.get("LOCAL_KERNELS", ""):
        raise NotChecked(f"LOCAL_KERNELS puts another kernel in the place of {KERNEL}")
    found = devices.cuda_devices()
    if found is None:
        raise NotChecked("torch is not installed here")
    if not found:
        yield Finding(
            "device.none",
            "GPU",
            "error",
            f"No GPU was found, and AsyncGRPO computes attention with {KERNEL}, which is built for compute capability 8.0 "
            "and 9.0a.",
            f"Train on a GPU that runs it ({_RUN_IT}), or use GRPOTrainer; if this machine has one, look at "
            "CUDA_VISIBLE_DEVICES and at the driver.",
        )
    for index, (name, capability) in enumerate(found):
        if not runs_the_kernel(capability):
            yield Finding(
                "device.kernel",
                f"GPU {index}",
                "error",
                f"{name} has compute capability {capability[0]}.{capability[1]}, and {KERNEL}, which AsyncGRPO computes "
                "attention with, is built for 8.0 and 9.0a.",
                f"Train on another GPU ({_RUN_IT}), leaving this one out with CUDA_VISIBLE_DEVICES, or use GRPOTrainer.",
            )
