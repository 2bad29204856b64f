"""By which of Ray's errors a call's actor, or what it had answered, was lost."""

__all__ = ["lost"]


def lost() -> tuple[type[Exception], ...]:
    """Ray's errors that say: the actor that was called is gone or out of reach, or its answer is; the call may be made again.

    They have no base in common. An actor that is dead because its node had no memory left is no ``RayActorError``, and one
    whose answer went with its node is an ``ObjectLostError``.

    Ask for ``RayTaskError`` first. What a method raised comes as one, and is an instance of the method's own error as well:
    of one of these, where the method had lost an actor itself. A call that was cancelled, or waited for in vain, is not lost.
    """
    from ray import exceptions

    return (
        exceptions.RayActorError,  # ActorDiedError, and ActorUnavailableError of one that may come back
        exceptions.OutOfMemoryError,
        exceptions.NodeDiedError,
        exceptions.WorkerCrashedError,
        exceptions.ObjectLostError,  # OwnerDiedError, ObjectReconstructionFailedError, ObjectFetchTimedOutError, ...
    )
