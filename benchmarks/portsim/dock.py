"""The dock: containers, bays, and a crane that jams.

A ship waits with a few containers, each wanted in one bay of the quay. The manifest names the
containers, only an inspection tells the wanted bay. The crane jams at times that depend on the
seed; its status says what is stuck, and only the tool that fits frees it. When all is placed, the
ship is sent off, which ends the episode.

The reward is computed from the final state alone: the mean over containers of
``1 - |bay - wanted| / 9`` (0 for a container left on board), times 0.75 while the ship has not
sailed. Optimal play, which reaches 1.0: list the containers; inspect each and move it to its bay;
whenever the crane turns out to be blocked, ask for its status, free it with the tool named there,
and move again; send the ship off. `benchmarks.portsim.players.play_dock` does so.
"""

import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from .rules import RuleError

__all__ = ["Dock"]

BAYS = 10
UNSAILED = 0.75
STUCK = {"hook": "winch", "drive": "restart"}


class Dock:
    """The rules of the dock; every public method in `tools` is served as a tool.

    Attributes:
        name: What the environment is called.
        done: Whether the ship has sailed.
    """

    name = "dock"

    def __init__(self) -> None:
        """Lay out the dock of seed 0."""
        self.start()

    def start(self, seed: int = 0, containers: int = 3) -> str:
        """Begin an episode.

        Args:
            seed: Decides wanted bays and jams; equal seeds give equal episodes.
            containers: How many containers are on board, 1 to 8.

        Returns:
            What the player is told at the beginning.

        Raises:
            RuleError: If the number of containers is out of range.
        """
        if not 1 <= containers <= 8:
            raise RuleError(f"a ship carries 1 to 8 containers, not {containers}")
        chance = random.Random(f"dock {seed}")
        bays = chance.sample(range(BAYS), containers)
        self.wanted = {f"C{number}": bay for number, bay in enumerate(bays, 1)}
        self.placed: dict[str, int] = {}
        self.jams = set(chance.sample(range(containers), max(1, containers // 2)))
        self.stuck: str | None = None
        self.attempts = 0
        self.parts = chance.choices(sorted(STUCK), k=containers)
        self.done = False
        return (
            f"A ship with {containers} containers is at the quay, which has bays 0 to {BAYS - 1}. "
            "Place every container in the bay it is wanted in, then send the ship off."
        )

    @property
    def reward(self) -> float:
        """The reward of the state as it is, 0 to 1."""
        near = (1 - abs(bay - self.wanted[name]) / (BAYS - 1) for name, bay in self.placed.items())
        return sum(near) / len(self.wanted) * (1.0 if self.done else UNSAILED)

    @property
    def tools(self) -> Sequence[Callable[..., Any]]:
        """The bound methods that are served as tools."""
        return (
            self.list_containers,
            self.inspect_container,
            self.crane_status,
            self.free_crane,
            self.move_container,
            self.send_ship_off,
        )

    def list_containers(self, where: Literal["all", "ship", "quay"] = "all") -> str:
        """List the containers and where each of them is.

        Args:
            where: Only those on the ship, only those on the quay, or all.
        """
        places = {name: self.placed.get(name) for name in self.wanted}
        chosen = {name: bay for name, bay in places.items() if where == "all" or (bay is None) == (where == "ship")}
        lines = [f"{n}: on board" if b is None else f"{n}: bay {b}" for n, b in chosen.items()]
        return "\n".join(lines) or "none"

    def inspect_container(self, container: Annotated[str, "Name of the container, such as C1"]) -> str:
        """Read the label of a container, which says the bay it is wanted in."""
        self._check(container)
        return f"{container} is wanted in bay {self.wanted[container]}"

    def crane_status(self) -> str:
        """Tell whether the crane works, and if not, what is stuck and what frees it."""
        if self.stuck is None:
            return "the crane is ready"
        return f"the crane is blocked: its {self.stuck} is stuck, use '{STUCK[self.stuck]}'"

    def free_crane(self, tool: Annotated[Literal["winch", "restart"], "What to free the crane with"]) -> str:
        """Free a blocked crane."""
        if self.stuck is None:
            return "the crane was not blocked"
        if STUCK[self.stuck] != tool:
            return f"the {tool} does not help: the crane is still blocked"
        self.stuck = None
        return "the crane is free"

    def move_container(
        self,
        container: Annotated[str, "Name of the container, such as C1"],
        bay: Annotated[int, "Number of the bay, 0 to 9"],
    ) -> str:
        """Put a container into a bay with the crane, from the ship or from another bay."""
        self._check(container)
        if not 0 <= bay < BAYS:
            raise RuleError(f"there is no bay {bay}: the quay has bays 0 to {BAYS - 1}")
        if self.stuck is not None:
            return "the crane is blocked: nothing was moved"
        taken = {b: name for name, b in self.placed.items() if name != container}
        if bay in taken:
            return f"bay {bay} holds {taken[bay]}: nothing was moved"
        if self.attempts in self.jams:
            self.jams.discard(self.attempts)
            self.stuck = self.parts[self.attempts]
            return "the crane is blocked: nothing was moved"
        self.attempts += 1
        self.placed[container] = bay
        return f"{container} is in bay {bay}"

    def send_ship_off(self) -> str:
        """Send the ship off; containers still on board are lost, and the episode ends."""
        self.done = True
        left = len(self.wanted) - len(self.placed)
        return f"the ship has sailed with {left} containers on board"

    def _check(self, container: str) -> None:
        if self.done:
            raise RuleError("the ship has sailed: the episode is over")
        if container not in self.wanted:
            raise RuleError(f"no container {container!r}: there are {', '.join(self.wanted)}")
