"""The pantry: a basket to be filled by a recipe.

The recipe says how many grams of which goods are wanted, in everyday names; the shelves know them
by label, which a search finds. When the basket is full it is handed over, which ends the episode.

The reward is computed from the final state alone: the mean over wanted goods of
``1 - |taken - wanted| / wanted`` (at least 0), less 0.25 for each good nobody asked for, at least
0, times 0.5 while nothing has been handed over. Optimal play, which reaches 1.0: read the recipe,
search each good, take the grams wanted, hand the basket over.
`benchmarks.portsim.players.play_pantry` does so.
"""

import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from .rules import RuleError

__all__ = ["Pantry"]

GOODS = ("rice", "lentils", "flour", "sugar", "oats", "raisins", "almonds", "salt")
KEPT = 0.5
UNASKED = 0.25


class Pantry:
    """The rules of the pantry; every public method in `tools` is served as a tool.

    Attributes:
        name: What the environment is called.
        done: Whether the basket was handed over.
    """

    name = "pantry"

    def __init__(self) -> None:
        """Lay out the pantry of seed 0."""
        self.start()

    def start(self, seed: int = 0, goods: int = 2) -> str:
        """Begin an episode.

        Args:
            seed: Decides labels and recipe; equal seeds give equal episodes.
            goods: How many goods the recipe asks for, 1 to 8.

        Returns:
            What the player is told at the beginning.

        Raises:
            RuleError: If the number of goods is out of range.
        """
        if not 1 <= goods <= len(GOODS):
            raise RuleError(f"a recipe asks for 1 to {len(GOODS)} goods, not {goods}")
        chance = random.Random(f"pantry {seed}")
        numbers = chance.sample(range(100, 1000), len(GOODS))
        self.labels = {f"P{number}": good for number, good in zip(numbers, GOODS, strict=True)}
        chosen = chance.sample(GOODS, goods)
        self.recipe = {good: 50 * chance.randint(1, 10) for good in chosen}
        self.basket: dict[str, int] = {}
        self.done = False
        return "Fill the basket by the recipe, then hand it over."

    @property
    def reward(self) -> float:
        """The reward of the state as it is, 0 to 1."""
        taken = {self.labels[label]: grams for label, grams in self.basket.items()}
        near = (max(0.0, 1 - abs(taken.get(g, 0) - w) / w) for g, w in self.recipe.items())
        unasked = UNASKED * len(taken.keys() - self.recipe.keys())
        score = max(0.0, sum(near) / len(self.recipe) - unasked)
        return score * (1.0 if self.done else KEPT)

    @property
    def tools(self) -> Sequence[Callable[..., Any]]:
        """The bound methods that are served as tools."""
        return (
            self.read_recipe,
            self.search_shelves,
            self.take,
            self.put_back,
            self.weigh_basket,
            self.hand_over,
        )

    def read_recipe(self) -> str:
        """Read which goods are wanted and how many grams of each."""
        return "\n".join(f"{grams} g of {good}" for good, grams in self.recipe.items())

    def search_shelves(
        self,
        words: Annotated[list[str], "Goods to look for, by their everyday names"],
        limit: Annotated[int, "How many finds to return at most"] = 8,
    ) -> str:
        """Find goods on the shelves and the label each stands under."""
        finds = [f"{label}: {good}" for label, good in self.labels.items() if good in words]
        return "\n".join(finds[:limit]) or "nothing found"

    def take(
        self,
        label: Annotated[str, "Label on the shelf, such as P123"],
        grams: Annotated[int, "Grams to take"],
    ) -> str:
        """Put some of a good into the basket."""
        self._check(label)
        if grams < 1:
            raise RuleError(f"cannot take {grams} g: take at least 1 g")
        self.basket[label] = self.basket.get(label, 0) + grams
        return f"{self.basket[label]} g of {self.labels[label]} in the basket"

    def put_back(self, label: Annotated[str, "Label on the shelf, such as P123"]) -> str:
        """Put all of a good back from the basket onto its shelf."""
        self._check(label)
        return f"{self.basket.pop(label, 0)} g of {self.labels[label]} put back"

    def weigh_basket(self, unit: Literal["g", "kg"] = "g") -> str:
        """Weigh the basket."""
        grams = sum(self.basket.values())
        return f"{grams} g" if unit == "g" else f"{grams / 1000:g} kg"

    def hand_over(self, note: Annotated[str | None, "A note to lay on top"] = None) -> str:
        """Hand the basket over, which ends the episode."""
        self.done = True
        return "the basket is handed over" + (f" with the note {note!r}" if note else "")

    def _check(self, label: str) -> None:
        if self.done:
            raise RuleError("the basket is handed over: the episode is over")
        if label not in self.labels:
            raise RuleError(f"no shelf is labelled {label!r}: search the shelves for labels")
