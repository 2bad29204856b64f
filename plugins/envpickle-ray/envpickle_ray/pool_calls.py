"""The calls that a pool makes: what its user's function gives for them, and how they end."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import NoActorCall
from .losses import lost

__all__ = ["Outcome", "Work", "called", "cluster", "outcome_of"]

_SHOWN = 60  # characters of a value in a message


class Work(NamedTuple):
    """What is to be done: a value, its number among the others, and how often the call may be made again."""

    number: int
    value: Any
    left: int


class Outcome(NamedTuple):
    """How a call ended: what gives the result or raises; whether actor or result was lost, and the actor for good."""

    result: Callable[[], Any]
    was_lost: bool
    is_dead: bool


def cluster() -> tuple[str, str] | None:
    """Which job on which cluster this process is connected as; None if it is to none."""
    import ray

    if not ray.is_initialized():
        return None
    context = ray.get_runtime_context()
    return context.get_job_id(), context.get_node_id()


def called(fn: Callable[[Any, Any], Any], handle: Any, value: Any, running: dict[Any, Any]) -> Any:
    """Have the user's function make its call."""
    import ray

    reference = fn(handle, value)
    if not isinstance(reference, ray.ObjectRef):
        raise NoActorCall(
            f"a pool's map was given {fn!r}, and for the value {_shown(value)} it returned {_shown(reference)}. It has to "
            f"return the one reference of a call of the actor it was given: lambda actor, value: actor.play.remote(value)."
        )
    if reference in running:
        raise NoActorCall(
            f"a pool's map was given {fn!r}, and for the value {_shown(value)} it returned the reference that it had returned "
            f"for another one. It has to make a call for each: lambda actor, value: actor.play.remote(value)."
        )
    return reference


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"a {type(value).__qualname__}"


def outcome_of(reference: Any) -> Outcome:
    """Ask Ray for the result of a call that has ended."""
    import ray
    from ray import exceptions

    try:
        value = ray.get(reference)
    except exceptions.RayTaskError as error:  # the method's own, even where it has lost an actor itself
        return Outcome(_raising(error), False, False)
    except lost() as error:
        return Outcome(_raising(error), True, not isinstance(error, exceptions.ActorUnavailableError))
    except Exception as error:  # noqa: BLE001 -- raised where the result is asked for
        return Outcome(_raising(error), False, False)
    return Outcome(lambda: value, False, False)


def _raising(error: Exception) -> Callable[[], Any]:
    def raise_it() -> Any:
        raise error

    return raise_it
