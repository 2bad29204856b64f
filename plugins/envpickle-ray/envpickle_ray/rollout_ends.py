"""What TRL's rollout loop is tied to in an actor, in place of the shared queues and values of its own process."""

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from .errors import RolloutGroupSplit

__all__ = ["Cell", "Ends", "Feed", "Outbox", "Row"]

Row = tuple[int, Any]
"""A row of the dataset with its place in the run: 0 for the first prompt of all, counted on over the epochs."""


class Cell:
    """A value that is shared between threads.

    Args:
        value: What it begins with.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


class Feed:
    """The loop's dataset: rows as they arrive, for ever. The loop waits here while there is none.

    TRL's loop counts the rows it takes and names the group of samples made from one by that count.
    """

    def __init__(self) -> None:
        self._rows: deque[Row] = deque()
        self._arrived = threading.Condition()
        self._places: dict[int, int] = {}
        self._taken = 0
        self._over = False
        self._last: Any = None

    def add(self, rows: list[Row]) -> None:
        """Append rows."""
        with self._arrived:
            self._rows.extend(rows)
            self._arrived.notify_all()

    def stop(self) -> None:
        """Wait no more: whoever asks from now on gets the last row again, and is stopped before its samples are scored."""
        with self._arrived:
            self._over = True
            self._arrived.notify_all()

    def left(self) -> int:
        """How many rows were not taken yet."""
        return len(self._rows)

    def place_of(self, group: int) -> int | None:
        """Return the place in the run of a group that is not delivered yet.

        Args:
            group: The loop's own number of it.
        """
        return self._places.get(group)

    def delivered(self, group: int) -> None:
        """Forget a group."""
        del self._places[group]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        with self._arrived:
            self._arrived.wait_for(lambda: self._rows or self._over)
            if self._rows:
                self._places[self._taken], self._last = self._rows.popleft()
            self._taken += 1
            return self._last


class Outbox:
    """The loop's queue of samples: whole groups.

    The loop hands the samples of a group over one after another without letting anything else run in between, as long as it
    is not refused one. So only the first of a group is ever refused, and a callback that the event loop runs next comes after
    the last.

    Args:
        feed: Where the rows come from.
        heartbeat: When the loop was last heard of. While it is refused it does not say so itself, but asks again and again.
    """

    def __init__(self, feed: Feed, heartbeat: Cell) -> None:
        self._feed = feed
        self._heartbeat = heartbeat
        self._open: tuple[int, list[Any]] | None = None
        self._groups: deque[list[Any]] = deque()
        self._dropped: deque[int] = deque()
        self.room = 1
        self.changed = threading.Condition()

    def put_nowait(self, sample: Any) -> None:
        """Take a sample.

        Args:
            sample: The sample.

        Raises:
            queue.Full: It is the first of a group, and as many groups wait here as may.
            RolloutGroupSplit: Its group is complete already.
        """
        group = sample.group_id
        self._heartbeat.value = time.time()
        if self._open is None or self._open[0] != group:
            if self._open is not None:
                self._complete(self._open[0])
            if self._feed.place_of(group) is None:
                raise RolloutGroupSplit(
                    f"TRL's rollout loop handed over a sample of group {group}, which was taken for complete; "
                    "install the release of TRL that this plugin was tested with"
                )
            if len(self._groups) >= max(1, self.room):
                raise queue.Full
            self._open = (group, [])
            asyncio.get_running_loop().call_soon(self._complete, group)
        self._open[1].append(sample)

    def qsize(self) -> int:
        """How many samples wait."""
        with self.changed:
            return sum(map(len, self._groups))

    def drop(self, group: int) -> None:
        """Forget a group that has no samples.

        Args:
            group: The loop's own number of it.
        """
        place = self._feed.place_of(group)
        if place is not None:
            self._feed.delivered(group)
            self._dropped.append(place)

    def take_dropped(self) -> list[int]:
        """Return the places in the run of the groups that had no samples, and forget them."""
        return [self._dropped.popleft() for _ in range(len(self._dropped))]

    def wait(self, seconds: float) -> None:
        """Wait until there is a group, or for so many seconds."""
        with self.changed:
            self.changed.wait_for(lambda: self._groups, seconds)

    def take(self, groups: int) -> list[list[Any]]:
        """Return complete groups, and forget them.

        Args:
            groups: How many at most.
        """
        with self.changed:
            return [self._groups.popleft() for _ in range(min(groups, len(self._groups)))]

    def _complete(self, group: int) -> None:
        if self._open is None or self._open[0] != group:
            return
        samples, self._open = self._open[1], None
        place = self._feed.place_of(group)
        for sample in samples:
            sample.group_id = place
        self._feed.delivered(group)
        with self.changed:
            self._groups.append(samples)
            self.changed.notify_all()


class Ends:
    """All that the loop is tied to.

    Args:
        version: Of the model.
        now: The time of the first heartbeat.

    Attributes:
        feed: Its dataset.
        samples: Where its samples go.
        metrics: Where its metrics go.
        version: The model's version.
        heartbeat: When it was last heard of.
        stop: Is set when it is to end.
        ready: Is set when it is made.
        failed: Is set when it failed.
        exceptions: Where it leaves what it failed with.
    """

    def __init__(self, version: int, now: float) -> None:
        self.feed = Feed()
        self.metrics: queue.Queue[dict[str, Any]] = queue.Queue(maxsize=4096)
        self.version = Cell(version)
        self.heartbeat = Cell(now)
        self.samples = Outbox(self.feed, self.heartbeat)
        self.stop = threading.Event()
        self.ready = threading.Event()
        self.failed = threading.Event()
        self.exceptions: queue.Queue[Any] = queue.Queue(maxsize=1)
