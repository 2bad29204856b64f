"""Which prompt is played next: each once, none left out, wherever it is played and whatever becomes of it there."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from .errors import RolloutArgumentsRefused
from .rollout_ends import Row

__all__ = ["Dispenser"]


class Dispenser:
    """Hands out a dataset's rows in their order, over and over, each with its place in the run.

    Args:
        dataset: The dataset, as TRL's trainer takes it.
        start: The row to begin with, counted over the epochs, as TRL's trainer counts.
    """

    def __init__(self, dataset: Any, start: int = 0) -> None:
        self._dataset = dataset
        self._next = 0
        self._returned: deque[Row] = deque()
        first = start % len(dataset) if start > 0 else 0
        self._rows: Iterator[Any] = iter(dataset.select(range(first, len(dataset))) if first else dataset)

    def take(self) -> Row:
        """Return the next row: one that was given back, else the dataset's next.

        Raises:
            RolloutArgumentsRefused: The dataset has no rows.
        """
        if self._returned:
            return self._returned.popleft()
        try:
            row = next(self._rows)
        except StopIteration:
            self._rows = iter(self._dataset)
            try:
                row = next(self._rows)
            except StopIteration:
                raise RolloutArgumentsRefused(
                    "the dataset has no rows, so there is nothing to play; give train_dataset at least one", argument="dataset"
                ) from None
        self._next += 1
        return self._next - 1, row

    def give_back(self, rows: Iterable[Row]) -> None:
        """Hand rows out again, before any other.

        Args:
            rows: The rows.
        """
        self._returned = deque(sorted([*rows, *self._returned], key=lambda row: row[0]))
