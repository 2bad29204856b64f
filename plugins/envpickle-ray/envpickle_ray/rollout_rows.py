"""Which prompt is played next: each once, none left out, wherever it is played and whatever becomes of it there."""

from collections import Counter, deque
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

    Raises:
        RolloutArgumentsRefused: It is to begin later than with the first row, and the dataset has none.
    """

    def __init__(self, dataset: Any, start: int = 0) -> None:
        self._dataset = dataset
        self._start = max(0, start)
        self._next = 0
        self._returned: deque[Row] = deque()
        self._times: Counter[int] = Counter()
        self._rows: Iterator[Any] = iter(dataset)
        if start > 0:
            self._begin_with(start)

    def _begin_with(self, start: int) -> None:
        if not hasattr(self._dataset, "select") or not hasattr(self._dataset, "__len__"):  # such as an IterableDataset
            for _ in range(start):
                self._next_row()
        elif size := len(self._dataset):
            self._rows = iter(self._dataset.select(range(start % size, size)))
        else:
            raise _no_rows()

    def take(self) -> Row:
        """Return the next row: one that was given back, else the dataset's next.

        Raises:
            RolloutArgumentsRefused: The dataset has no rows.
        """
        if self._returned:
            return self._returned.popleft()
        row = self._next_row()
        self._next += 1
        return self._next - 1, row

    def _next_row(self) -> Any:
        for row in self._rows:
            return row
        self._rows = iter(self._dataset)
        for row in self._rows:
            return row
        raise _no_rows()

    def give_back(self, rows: Iterable[Row]) -> None:
        """Hand rows out again, before any other.

        Args:
            rows: The rows.
        """
        rows = list(rows)
        self._times.update(place for place, _ in rows)
        self._returned = deque(sorted([*rows, *self._returned], key=lambda row: row[0]))

    def given_back(self, times: int) -> list[int]:
        """Which rows are here again for that time at least, by their places in the dataset, counted over the epochs.

        Args:
            times: How often they were given back.
        """
        return [self._start + place for place, _ in self._returned if self._times[place] >= times]


def _no_rows() -> RolloutArgumentsRefused:
    return RolloutArgumentsRefused(
        "the dataset has no rows, or gives them only once, so there is nothing to play; give train_dataset at least one row,"
        " and make it a dataset and not an iterator",
        argument="dataset",
    )
