"""The stand-ins for a missing GPU: all of them, and nothing else in these checks is one.

AsyncGRPO packs its samples into a tree and runs FlashAttention 3 over it, a kernel that is fetched from a hub and built for
GPUs. The kernels library itself takes another one by ``LOCAL_KERNELS``: `lay_out` writes one that comes back here, to plain
PyTorch. And TRL asks for the GPU's name, to tell how much of its peak was used.
"""

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["flash_attn_varlen_func", "lay_out", "stand_in"]

KERNEL = "kernels-community/flash-attn3"


def lay_out(directory: Path) -> dict[str, str]:
    """Write the stand-in for the kernel.

    Args:
        directory: Where to; made if need be.

    Returns:
        The environment variables that make the kernels library take it.
    """
    variant = directory / "torch-cpu"
    variant.mkdir(parents=True, exist_ok=True)
    about = {"name": "flash-attn3", "id": "flash_attn3_stand_in", "version": 1, "license": "Apache-2.0", "python-depends": []}
    (variant / "metadata.json").write_text(json.dumps({**about, "backend": {"type": "cpu"}}), encoding="utf-8")
    (variant / "__init__.py").write_text(
        "from no_gpu import flash_attn_varlen_func as flash_attn_varlen_func\n", encoding="utf-8"
    )
    return {"LOCAL_KERNELS": f"{KERNEL}={directory}"}


def stand_in() -> None:
    """Stand in for the one question to CUDA; a training script calls this under its main guard."""
    import torch

    if not torch.cuda.is_available():
        torch.cuda.get_device_name = lambda device=None: f"none ({os.cpu_count()} CPU cores)"


def flash_attn_varlen_func(
    query: Any,
    key: Any,
    value: Any,
    query_starts: Any,
    key_starts: Any,
    max_query: Any,
    max_key: Any,
    *,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
) -> Any:
    """Causal attention over packed segments, the queries of each at the end of its keys.

    Args:
        query: (tokens, heads, size).
        key: (key tokens, key heads, size).
        value: As `key`.
        query_starts: Where each segment's queries begin, and the end of the last.
        key_starts: The same for keys.
        max_query: The longest segment of queries; not used.
        max_key: The longest segment of keys; not used.
        softmax_scale: Factor of the scores; one over the root of the size when left out.
        causal: Must be true.
        window_size: Must be unlimited.

    Returns:
        (tokens, heads, size).
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attention

    if not causal or window_size != (-1, -1):
        raise NotImplementedError("the stand-in knows causal attention without a window only")
    pieces = []
    bounds = zip(query_starts.tolist(), query_starts[1:].tolist(), key_starts.tolist(), key_starts[1:].tolist(), strict=False)
    for first, last, key_first, key_last in bounds:
        q, k, v = query[first:last], key[key_first:key_last], value[key_first:key_last]
        mask = torch.ones(len(q), len(k), dtype=torch.bool).tril(len(k) - len(q))
        q, k, v = (part.transpose(0, 1).unsqueeze(0) for part in (q, k, v))
        out = attention(q, k, v, attn_mask=mask, scale=softmax_scale, enable_gqa=q.shape[1] != k.shape[1])
        pieces.append(out[0].transpose(0, 1))
    return torch.cat(pieces)
