"""The errors of this plugin; each survives pickle."""

from envpickle.errors import EnvpickleError

__all__ = [
    "NoActorCall",
    "NoActorClass",
    "NoActors",
    "PoolClosed",
    "RayError",
    "RolloutActorsLate",
    "RolloutActorsLost",
    "RolloutArgumentsRefused",
    "RolloutGroupSplit",
    "RolloutLoopFailed",
    "RolloutLoopSilent",
    "RolloutWorkerStopped",
    "UnsupportedRollouts",
]


class RayError(EnvpickleError):
    """Something of a Ray cluster is not as it has to be."""


class NoActorClass(RayError, TypeError):
    """`actor` or `pool` was given something that no actors can be made of."""


class NoActorCall(RayError, TypeError):
    """The function that a pool's ``map`` was given did not return the reference of a call of its own."""


class NoActors(RayError, ValueError):
    """A pool of no actors was asked for."""


class PoolClosed(RayError, RuntimeError):
    """A pool of actors was used after it was closed, or after Ray was shut down."""


class UnsupportedRollouts(RayError, RuntimeError):
    """TRL is not there, or not built as `RayRolloutWorker` needs it.

    Attributes:
        version: The version of TRL that was found; an empty text if there is none.
    """

    version: str = ""


class RolloutArgumentsRefused(RayError, TypeError):
    """Rollouts cannot be made from these arguments, or something among them cannot be sent to an actor.

    Attributes:
        argument: The argument, by its name; an empty text if it is not one alone.
    """

    argument: str = ""


class RolloutLoopFailed(RayError, RuntimeError):
    """TRL's rollout loop ended with an exception in an actor; its text and traceback are the cause of this one."""


class RolloutLoopSilent(RayError, RuntimeError):
    """An actor lives, and its rollout loop has not been heard of for too long.

    Attributes:
        pid: Its process.
    """

    pid: int = 0


class RolloutActorsLost(RayError, RuntimeError):
    """Actors died again and again, in one place or over one prompt; or Ray itself was shut down.

    Attributes:
        times: How often; 0 if it was Ray.
        prompts: The rows of the dataset that it may be, counted from 0 and over the epochs; empty if it was none.
    """

    times: int = 0
    prompts: tuple[int, ...] = ()


class RolloutActorsLate(RayError, TimeoutError):
    """Actors did not begin to play in time: Ray has no room for them, or making what they play with takes longer.

    Attributes:
        seconds: The time they had.
    """

    seconds: float = 0.0


class RolloutGroupSplit(RayError, RuntimeError):
    """A sample came of a group that had been delivered already: TRL's loop hands groups over in another way than it did."""


class RolloutWorkerStopped(RayError, RuntimeError):
    """Samples or health were asked of a worker that is not running."""
