"""What a rollout worker is that plays somewhere else than in the process TRL spawns; `wire` goes by this alone."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

__all__ = ["ElsewhereWorker"]


@runtime_checkable
class ElsewhereWorker(Protocol):
    """A worker that `envpickle_trl.wire` puts into a trainer. Besides these it has all of TRL's ``RolloutWorkerProtocol``.

    It checks by itself that what it is to play gets to where it plays, and raises from ``rollout_buffer.get`` and
    ``check_health`` when no more samples can come.

    Attributes:
        rollout_buffer: The queue of samples, once it has taken over.
        afterwards: What its ``stop()`` calls last, however the run ended; `wire` appends the closing of the owners.
    """

    rollout_buffer: Any
    afterwards: list[Callable[[], None]]

    def take_over(self, worker: Any) -> None:
        """Play what another worker was to play.

        Args:
            worker: The one that the trainer made, not started.
        """
