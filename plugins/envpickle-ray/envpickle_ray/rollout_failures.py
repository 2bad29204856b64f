"""What is said of a run that cannot go on."""

from collections.abc import Iterable
from typing import Any

from .errors import RolloutActorsLate, RolloutActorsLost, RolloutLoopFailed
from .rollout_plan import Plan

__all__ = ["cut_off", "died_again", "failed", "first_line", "lost_again", "too_late"]


def too_late(number: int, plan: Plan) -> RolloutActorsLate:
    """Actors do not play in time.

    Args:
        number: How many.
        plan: What they were to play.
    """
    import ray

    wanted = ", ".join(f"{name}={value!r}" for name, value in plan.ray_options.items())
    resources = ray.cluster_resources() if ray.is_initialized() else {}
    there = ", ".join(f"{name} {amount:g}" for name, amount in sorted(resources.items()) if ":" not in name) or "nothing"
    return RolloutActorsLate(
        f"{number} of {plan.actors} actors of RayRolloutWorker do not play after {plan.ready_timeout:.0f} s; each was asked of"
        f" Ray with {wanted}, and the cluster has in all: {there}. Use fewer actors, ask for less in ray_options, or give them"
        " more time by child_ready_timeout",
        seconds=plan.ready_timeout,
    )


def cut_off() -> RolloutActorsLost:
    """Ray was shut down."""
    return RolloutActorsLost(
        "Ray was shut down while RayRolloutWorker played in its actors, so that they are gone and no others can be made; call"
        " ray.shutdown() when the training is over"
    )


def died_again(times: int, why: Exception) -> RolloutActorsLost:
    """One actor after another died in one place.

    Args:
        times: How often.
        why: By what, the last time.
    """
    return RolloutActorsLost(
        f"an actor of RayRolloutWorker died {times} times in a row and delivered nothing in between, the last"
        f" time because {first_line(why)}; look at its log, and at the memory and the environment of its node",
        times=times,
    )


def lost_again(prompts: Iterable[int], times: int, why: Exception) -> RolloutActorsLost:
    """An actor died each time that it had a prompt, wherever that was.

    Args:
        prompts: Which it may be, each by its place in the dataset, counted over the epochs.
        times: How often.
        why: By what, the last time.
    """
    which = tuple(prompts)
    names = f"{'row' if len(which) == 1 else 'one of the rows'} {', '.join(map(str, which))}"
    return RolloutActorsLost(
        f"{times} actors of RayRolloutWorker died with the same prompt in hand, {names} of train_dataset (counted from 0,"
        f" over the epochs), the last because {first_line(why)}; play it by itself, look at what it does to the process,"
        " such as the memory it takes, and mend it or leave the row out",
        times=times,
        prompts=which,
    )


def failed(pid: int, text: str, cause: Any) -> RolloutLoopFailed:
    """TRL's loop ended in an actor.

    Args:
        pid: The actor's process; 0 if it is not known.
        text: What it said.
        cause: The exception, where there is one.
    """
    kind = f"{type(cause).__name__}: " if cause is not None else ""
    return RolloutLoopFailed(
        f"TRL's rollout loop failed in an actor (pid {pid or 'unknown'}): {kind}{text}; read the cause for its traceback"
    )


def first_line(why: Exception) -> str:
    """An exception in short."""
    return str(why).strip().partition("\n")[0].rstrip(".") or type(why).__name__
