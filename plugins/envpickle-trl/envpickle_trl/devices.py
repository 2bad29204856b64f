"""The GPUs that this process would train on. The only module that imports torch."""

from importlib.util import find_spec

__all__ = ["cuda_devices"]


def cuda_devices() -> list[tuple[str, tuple[int, int]]] | None:
    """Look for GPUs.

    Returns:
        For each of them its name and compute capability; None if there is no torch to ask.
    """
    if find_spec("torch") is None:
        return None
    import torch

    if not torch.cuda.is_available():
        return []
    return [
        (torch.cuda.get_device_name(index), torch.cuda.get_device_capability(index))
        for index in range(torch.cuda.device_count())
    ]
