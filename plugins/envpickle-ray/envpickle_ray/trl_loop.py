"""TRL's own rollout loop, run by something else than the process that TRL spawns for it. The only module that imports trl.

TRL 1.16 has a public protocol for a rollout worker and a public worker of its own, but no public way to run that worker's
loop elsewhere. Three of its private names are needed for that (`NEEDED`), each used as TRL itself uses it:

- ``AsyncRolloutWorker._loop_cls``: the class of the loop, which the variants of the worker replace;
- ``AsyncRolloutWorker._loop_kwargs``: what the trainer hands to the loop, and where it writes ``dataset_start_index`` when a
  run is resumed from a checkpoint;
- ``_child_main``: what the spawned process runs. It strips the environment variables of distributed training, makes the loop
  and runs it. Its queues, values and events may be anything that has their methods.

A TRL that lacks one is refused by name. To be dropped when TRL offers a way to run its loop in a process of one's own.

A fourth, the loop's ``_score_group``, is where it is seen that a group has no sample, since no token of it can be trained on.
The loop says so nowhere. Without that name all goes on, but such groups are never forgotten.
"""

from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

from .errors import UnsupportedRollouts

__all__ = ["NEEDED", "handed_to", "loop_of", "run_loop", "start_at", "worker_class"]

HOME = "trl.experimental.async_grpo.async_rollout_worker"
NEEDED = ("AsyncRolloutWorker._loop_cls", "_child_main")
TRIED = "1.16"


def _module() -> Any:
    try:
        home = import_module(HOME)
    except ImportError as error:
        raise UnsupportedRollouts(
            f"RayRolloutWorker runs TRL's rollout loop, and {HOME} cannot be imported ({error}); install trl>={TRIED}"
        ) from error
    for name in NEEDED:
        found: Any = home
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise UnsupportedRollouts(
                f"trl {metadata.version('trl')} has no {name}, as trl {TRIED} has, so its rollout loop cannot be run in actors;"
                f" install trl {TRIED}",
                version=metadata.version("trl"),
            )
    return home


def worker_class() -> Any:
    """Return TRL's own rollout worker.

    Raises:
        UnsupportedRollouts: There is no TRL, or it is built otherwise.
    """
    return _module().AsyncRolloutWorker


def loop_of(worker: Any) -> Any:
    """Return the class of the loop that a worker of TRL's runs.

    Args:
        worker: The worker, or its class.
    """
    return worker._loop_cls


def handed_to(worker: Any) -> dict[str, Any]:
    """Return what a worker of TRL's hands to its loop; the very dict, in which TRL's trainer writes where to begin.

    Args:
        worker: The worker.
    """
    handed: dict[str, Any] = worker._loop_kwargs
    return handed


def start_at(arguments: dict[str, Any]) -> int:
    """Return the prompt a run begins with, as TRL's trainer has written it."""
    return int(arguments.get("dataset_start_index", 0))


def run_loop(loop: Any, arguments: dict[str, Any], ends: Any) -> None:
    """Run TRL's loop to its end, as TRL's spawned process does.

    Args:
        loop: Its class.
        arguments: What it is made with.
        ends: What it is tied to: ``samples``, ``metrics``, ``version``, ``heartbeat``, ``stop``, ``ready``, ``failed`` and
            ``exceptions``, each with the methods of its counterpart in multiprocessing. ``samples.drop`` is told of groups
            of which no sample comes.

    Raises:
        Exception: What it was ended by, or what making it raised.
    """
    _module()._child_main(
        _telling(loop, ends.samples.drop),
        arguments,
        ends.samples,
        ends.version,
        ends.stop,
        ends.ready,
        ends.heartbeat,
        ends.failed,
        ends.exceptions,
        ends.metrics,
    )


def _telling(loop: Any, drop: Callable[[int], None]) -> Any:
    """Return the loop's class, made to tell of the groups of which no sample comes."""
    if not hasattr(loop, "_score_group"):
        return loop

    async def score(self: Any, group: Any) -> Any:
        samples = await loop._score_group(self, group)
        if not samples:
            drop(group.group_id)
        return samples

    return type(loop.__name__, (loop,), {"_score_group": score, "__module__": loop.__module__})
