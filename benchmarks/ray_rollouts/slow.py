"""An environment whose reset takes long, made at run time."""

import time

import envpickle

__all__ = ["quay"]


@envpickle.builder
def quay(seconds: float) -> type:
    """A quay that takes its time before a ship may be unloaded.

    Args:
        seconds: How long a reset takes.
    """

    class Quay:
        def reset(self, **row: object) -> None:
            """Begin an episode."""
            time.sleep(seconds)
            self._lifted = 0

        def lift(self, bay: int) -> str:
            """Lift a container.

            Args:
                bay: The bay.
            """
            self._lifted += 1
            return f"lifted from bay {bay}"

        def get_reward(self) -> float:
            """One for a lift."""
            return float(self._lifted > 0)

    return Quay
