"""The metrics of several loops as those of one.

TRL's trainer reduces what it drains by its own rules: pairs of numerator and denominator are summed and then divided, totals
are summed, extremes are kept, everything else is averaged. All of that is right for any number of loops, but for what each
loop measures of itself alone and the reader takes for the whole.
"""

from typing import Any

__all__ = ["as_of_all"]

OF_ONE_LOOP = frozenset({"rollout/generated_tok_s", "rollout/inflight", "rollout/score_queue_size"})


def as_of_all(payload: dict[str, Any], loops: int) -> dict[str, Any]:
    """Return what one loop measured, in such a way that the reduction over all of them gives the whole.

    Args:
        payload: What the loop measured.
        loops: How many loops there are.
    """
    return {key: _scaled(value, loops) if key in OF_ONE_LOOP else value for key, value in payload.items()}


def _scaled(value: Any, loops: int) -> Any:
    if isinstance(value, tuple):
        numerator, denominator = value
        return numerator, denominator / loops  # all loops measure the same seconds, and those are summed
    return value * loops
