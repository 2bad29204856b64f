"""What a preflight finds nothing wrong with: an environment of the plainest kind, and a script."""

from pathlib import Path
from typing import Any

from envpickle_trl.mainscript import read_script

GOOD = read_script(Path(__file__).parents[1] / "prepared" / "good.py")


class Quay:
    """An environment of the plainest kind."""

    def reset(self, **task: Any) -> None: ...

    def get_reward(self) -> float:
        return 1.0

    def moor(self, ship: str) -> str:
        """Moor a ship.

        Args:
            ship: Its name.
        """
        return ship
