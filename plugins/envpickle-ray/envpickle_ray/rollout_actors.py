"""One actor of `RayRolloutWorker`: TRL's rollout loop in a thread, and the calls by which the trainer's process feeds it."""

import faulthandler
import os
import pickle
import queue
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .rollout_ends import Ends, Row
from .trl_loop import run_loop

__all__ = ["Report", "RolloutActor"]

LAST_SECONDS = 5.0  # for this process to end by itself


@dataclass(frozen=True, slots=True)
class Report:
    """What an actor has to say when it is asked.

    Attributes:
        groups: Complete groups of samples: the place of each in the run, and the samples as pickle's bytes.
        dropped: The places of groups of which no sample comes, since no token of them can be trained on.
        metrics: What the loop measured.
        playing: Whether the loop is made and runs.
        silent: Seconds since the loop gave a sign of life.
        left: How many rows wait to be played.
        failure: Why the loop has ended, with the traceback of its own exception if it ended with one.
    """

    playing: bool
    groups: list[tuple[int, bytes]] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    metrics: list[dict[str, Any]] = field(default_factory=list)
    silent: float = 0.0
    left: int = 0
    failure: str | None = None


class RolloutActor:
    """The actor. Its calls run on the main thread one by one, the loop in a thread of its own."""

    def begin(self, loop: Any, arguments: dict[str, Any], version: int) -> int:
        """Have the loop made and let it run, in a thread; how far that is, `exchange` tells.

        Args:
            loop: TRL's class of it.
            arguments: What it is made with, but the dataset.
            version: The model's version.

        Returns:
            This process.
        """
        self._ends = Ends(version, time.time())
        self._raised: BaseException | None = None
        self._playing = False
        handed = {**arguments, "dataset": self._ends.feed, "dataset_start_index": 0}
        self._thread = threading.Thread(target=self._run, args=(loop, handed), name="envpickle-rollouts", daemon=True)
        self._thread.start()
        return os.getpid()

    def _run(self, loop: Any, arguments: dict[str, Any]) -> None:
        try:
            run_loop(loop, arguments, self._ends)
        except BaseException as error:  # noqa: BLE001 -- told to whoever asks next
            self._raised = error

    def exchange(self, rows: list[Row], version: int, room: int, seconds: float) -> Report:
        """Take what the loop needs, and return what it made.

        Args:
            rows: Further rows.
            version: The model's version.
            room: How many groups are wanted.
            seconds: How long to wait for one.
        """
        ends = self._ends
        ends.version.value = version
        ends.samples.room = room
        ends.feed.add(rows)
        if not self._playing:
            self._playing = ends.ready.wait(seconds)
            ends.heartbeat.value = time.time()  # from here on it is the loop that says so
        elif room and self._thread.is_alive():
            ends.samples.wait(seconds)
        elif self._thread.is_alive():
            time.sleep(seconds)  # nobody wants anything now: do not ask on and on
        groups = [(group[0].group_id, pickle.dumps(group)) for group in ends.samples.take(room)]
        silent = time.time() - ends.heartbeat.value
        dropped, metrics = ends.samples.take_dropped(), _drain(ends.metrics)
        return Report(self._playing, groups, dropped, metrics, silent, ends.feed.left(), self._failure())

    def finish(self, seconds: float) -> None:
        """Stop the loop and end this process, so that what closes at its end is closed.

        To Ray the actor is dead from here on and cannot be killed any more, while Python waits at its end for every thread
        that is not a daemon: for ever, where a tool or a reward function hangs in one. So what does not end is ended.

        Args:
            seconds: How long to wait for the loop.
        """
        import ray

        self._ends.stop.set()
        self._ends.feed.stop()
        self._thread.join(seconds)
        faulthandler.dump_traceback_later(LAST_SECONDS, exit=True, file=2)  # which tells the actor's log where it hangs
        ray.actor.exit_actor()

    def _failure(self) -> str | None:
        if self._thread.is_alive():
            return None
        with suppress(queue.Empty):
            name, text, trace = self._ends.exceptions.get_nowait()
            return f"{name}: {text}\n{trace}"
        if self._raised is None:
            return "it returned, though nobody had told it to stop"
        return f"{type(self._raised).__name__}: {self._raised}\n{''.join(traceback.format_exception(self._raised))}"


def _drain(metrics: "queue.Queue[dict[str, Any]]") -> list[dict[str, Any]]:
    found = []
    with suppress(queue.Empty):
        while True:
            found.append(metrics.get_nowait())
    return found
