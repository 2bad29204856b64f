"""An environment whose public close the model would be offered."""

import good


class Yard:
    def reset(self, **task):
        return None

    def lift(self, weight: int) -> str:
        """Lift a container.

        Args:
            weight: Its weight in tonnes.
        """
        return "lifted"

    def close(self):
        """Lock the gate."""


def kwargs():
    return good.kwargs(environment_factory=Yard)
