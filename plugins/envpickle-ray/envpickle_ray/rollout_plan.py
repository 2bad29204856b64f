"""What is played, and how it is shared out over the actors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import RolloutArgumentsRefused

__all__ = ["Plan", "check_options", "make_plan"]

_SCORE_QUEUE = 16  # TRL's own default
_NOT_SAID = frozenset(
    {"concurrency_groups", "get_if_exists", "lifetime", "max_concurrency", "max_restarts", "max_task_retries", "name"}
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the crew goes by.

    Attributes:
        loop: TRL's class of the loop.
        arguments: What each is made with, in Ray's object store.
        actors: How many there are.
        generations: How many rollouts make a group.
        reserve: How many rows an actor has at hand.
        ray_options: Ray's options of each.
        ready_timeout: Seconds within which an actor must play.
    """

    loop: Any
    arguments: Any
    actors: int
    generations: int
    reserve: int
    ray_options: Mapping[str, Any]
    ready_timeout: float


def make_plan(
    loop: Any, arguments: Mapping[str, Any], actors: int, ray_options: Mapping[str, Any], ready_timeout: float
) -> Plan:
    """Share out the work, and put what every actor needs into Ray's object store.

    Args:
        loop: TRL's class of the loop.
        arguments: What TRL's trainer hands to it.
        actors: How many actors.
        ray_options: Ray's options of each.
        ready_timeout: Seconds within which an actor must play.

    Raises:
        RolloutArgumentsRefused: There are fewer rollouts in flight than actors, or something cannot be sent.
    """
    import ray

    in_flight = int(arguments.get("max_inflight_tasks", 128))
    generations = int(arguments.get("num_generations", 8))
    if in_flight < actors:
        raise RolloutArgumentsRefused(
            f"max_inflight_tasks is {in_flight}, fewer than the {actors} actors that are to share it; raise it, or use fewer"
            " actors",
            argument="max_inflight_tasks",
        )
    each = -(-in_flight // actors)
    shared = {
        **{name: value for name, value in arguments.items() if name != "dataset"},  # the rows are sent one by one
        "max_inflight_tasks": each,
        "score_queue_maxsize": max(1, int(arguments.get("score_queue_maxsize", _SCORE_QUEUE)) // actors),
    }
    check_sent(loop, shared)
    reserve = 2 * -(-each // generations) + 1
    return Plan(loop, ray.put(shared), actors, generations, reserve, ray_options, ready_timeout)


def check_options(ray_options: Mapping[str, Any]) -> None:
    """Raise if Ray's options say what the worker itself sees to.

    An actor that Ray restarts has no loop, one that is detached outlives the run, and a second of the same name cannot be made.

    Args:
        ray_options: The options of every actor.

    Raises:
        RolloutArgumentsRefused: They do.
    """
    if said := sorted(_NOT_SAID & ray_options.keys()):
        raise RolloutArgumentsRefused(
            f"ray_options has {', '.join(said)}, and RayRolloutWorker sees to that itself: it replaces actors that are lost,"
            " ends them with the run, and gives them no names; leave it out, and say what an actor needs and where it may run",
            argument="ray_options",
        )


def check_sent(loop: Any, arguments: Mapping[str, Any]) -> None:
    """Raise if something cannot be sent to an actor, with its name.

    Args:
        loop: TRL's class of the loop.
        arguments: What it is made with.

    Raises:
        RolloutArgumentsRefused: Something cannot be sent.
    """
    from ray import cloudpickle

    for name, value in {"the loop's class": loop, **arguments}.items():
        try:
            cloudpickle.dumps(value)
        except Exception as error:  # a reducer may raise anything
            raise RolloutArgumentsRefused(
                f"{name} ({type(value).__name__}) cannot be sent to a Ray actor: {error}; make it of what can be pickled,"
                " or have it made where it is used, by a function that is sent in its place",
                argument=name,
            ) from error
