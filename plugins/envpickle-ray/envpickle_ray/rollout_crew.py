"""The actors that play, and the thread in the trainer's process that feeds them, hears them and replaces those that died."""

import logging
import pickle
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .errors import RolloutLoopSilent
from .rollout_actors import Report, RolloutActor
from .rollout_ends import Row
from .rollout_failures import cut_off, died_again, failed, first_line, lost_again, too_late
from .rollout_metrics import as_of_all
from .rollout_places import Place
from .rollout_plan import Plan
from .rollout_rows import Dispenser

__all__ = ["Crew"]

LOOK_AGAIN = 0.1  # seconds
ASKS = 0.2  # seconds an actor waits for something to tell; also how late it hears of a new version of the model
MOST_GROUPS = 16  # in one answer
MOST_DEATHS = 3  # of one place, with nothing delivered in between
MOST_LOSSES = 5  # of one prompt: more than chance would have

log = logging.getLogger("envpickle")


class Crew:
    """Plays rollouts in actors until it is told to stop.

    Args:
        plan: What is played, and by how many.
        rows: Where the rows come from.
        samples: Where the samples go, group by group.
        metrics: Where the metrics go.
        version: Tells the model's version.

    Attributes:
        ready: Is set when every actor plays for the first time, the run failed, or it was told to stop.
        failure: Why the run cannot go on.
    """

    def __init__(
        self,
        plan: Plan,
        rows: Dispenser,
        samples: "queue.Queue[Any]",
        metrics: "queue.Queue[dict[str, Any]]",
        version: Callable[[], int],
    ) -> None:
        self._plan = plan
        self._rows = rows
        self._samples = samples
        self._metrics = metrics
        self._version = version
        self._places = [Place() for _ in range(plan.actors)]
        self._pending: deque[Any] = deque()
        self._left: list[Any] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="envpickle-rollout-crew", daemon=True)
        self.ready = threading.Event()
        self.failure: Exception | None = None

    def begin(self) -> None:
        """Make the actors and start to feed them."""
        self._thread.start()

    @property
    def pids(self) -> list[int]:
        """The processes of the actors that play."""
        return [place.pid for place in self._places if place.playing]

    def check(self, stale_after: float) -> None:
        """Raise if the run cannot go on, or an actor's loop has been silent for too long.

        Args:
            stale_after: Seconds of silence.
        """
        if self.failure is not None:
            raise self.failure
        for place in self._places:
            silent = time.monotonic() - place.heard + place.silent
            if place.playing and silent > stale_after:
                raise RolloutLoopSilent(
                    f"the rollout loop in the actor with pid {place.pid} has been silent for {silent:.0f} s, more than"
                    f" {stale_after:.0f} s: something blocks its event loop, such as an async tool or reward that does"
                    " not await; look at that process's stack",
                    pid=place.pid,
                )

    def stop(self, seconds: float) -> None:
        """Tell every actor to stop, and wait until all have ended, or for so many seconds."""
        import ray

        self._over.set()
        if self._thread.ident is not None:
            self._thread.join(seconds)  # not for ever: a dataset may be iterated there
        if not ray.is_initialized():  # its actors went with it, and asking would start one
            return
        ends = []
        for place in self._places:
            with suppress(Exception):  # it is gone, maybe with the Ray it was of
                if place.playing:
                    ends.append(place.actor.finish.remote(seconds))
                elif place.actor is not None:
                    ray.kill(place.actor)
        if ends:
            self._left = ray.wait(ends, num_returns=len(ends), timeout=seconds + 1)[1]

    def kill(self, seconds: float) -> None:
        """End the actors that have not stopped, once they had so many further seconds."""
        import ray

        if not ray.is_initialized():
            return
        if self._left:
            ray.wait(self._left, num_returns=len(self._left), timeout=seconds)
        for place in self._places:
            if place.actor is not None:
                with suppress(Exception):  # as above
                    ray.kill(place.actor)
                place.actor = None
                place.playing = False

    def _run(self) -> None:
        try:
            for place in self._places:
                self._fill(place)
            while not self._over.is_set():
                self._hand_over()
                self._hear_all()
                if all(place.playing for place in self._places):
                    self.ready.set()
        except Exception as error:  # noqa: BLE001 -- the trainer's own thread raises it
            self.failure = error
        except BaseException:  # noqa: BLE001 -- Ray's SystemExit, where it is shut down while something is awaited of it
            self.failure = cut_off()
        finally:
            self.ready.set()  # also where it was stopped before all played: whoever waits for that is to look

    def _fill(self, place: Place) -> None:
        """Put a new actor into a place."""
        place.actor = _connected().remote(RolloutActor).options(**self._plan.ray_options).remote()
        place.playing, place.pid, place.since, place.silent = False, 0, time.monotonic(), 0.0
        # No rows yet: Ray may have no room for it for a long time, and others can play them.
        place.answer = place.actor.begin.remote(self._plan.loop, self._plan.arguments, self._version())

    def _more(self, place: Place) -> list[Row]:
        """Rows for an actor that will not run out of them before it is heard again."""
        rows = [self._rows.take() for _ in range(self._plan.reserve - place.left)]
        place.given.update(rows)
        place.left += len(rows)
        return rows

    def _hear_all(self) -> None:
        awaited = {place.answer: place for place in self._places}
        answers = list(awaited)
        _connected().wait(answers, num_returns=1, timeout=LOOK_AGAIN)
        for answer in _connected().wait(answers, num_returns=len(answers), timeout=0)[0]:
            self._hear(awaited[answer])
        late = time.monotonic() - self._plan.ready_timeout
        self._see_to([place for place in self._places if not place.playing and place.since < late])

    def _see_to(self, late: list[Place]) -> None:
        """Do something about actors that should play by now."""
        if not late:
            return
        if not self.ready.is_set() or not any(place.playing for place in self._places):
            raise too_late(sum(not place.playing for place in self._places), self._plan)
        for place in late:
            if place.pid:
                self._replace(place, TimeoutError(f"it did not begin to play within {self._plan.ready_timeout:.0f} s"))
            else:
                log.warning("the rollout actor that takes a lost one's place has not answered yet; the others go on")
                place.since = time.monotonic()

    def _hear(self, place: Place) -> None:
        ray = _connected()
        try:
            answer = ray.get(place.answer)
        except ray.exceptions.RayTaskError as error:
            raise failed(place.pid, first_line(error.cause), error.cause) from error.cause
        except ray.exceptions.RayError as error:  # not all by which an actor is lost are RayActorError
            self._replace(place, error)
            return
        if isinstance(answer, Report):
            self._take_in(place, answer)
        else:
            place.pid = answer
        place.heard = time.monotonic()
        place.answer = place.actor.exchange.remote(self._more(place), self._version(), self._room(), ASKS)

    def _take_in(self, place: Place, report: Report) -> None:
        for group, samples in report.groups:
            del place.given[group]
            self._pending.extend(pickle.loads(samples))
            place.deaths = 0
        for group in report.dropped:  # as TRL leaves them out
            del place.given[group]
            place.deaths = 0
        for payload in report.metrics:
            self._measure(as_of_all(payload, self._plan.actors))
        place.playing, place.silent, place.left = report.playing, report.silent, report.left
        if report.failure is not None:
            first = report.failure.partition("\n")[0]
            raise failed(place.pid, first, None) from RuntimeError(report.failure)

    def _room(self) -> int:
        """How many groups the trainer has room for from each actor."""
        if not self._samples.maxsize:
            return MOST_GROUPS
        free = self._samples.maxsize - self._samples.qsize() - len(self._pending)
        return min(MOST_GROUPS, max(0, -(-free // (self._plan.generations * self._plan.actors))))

    def _hand_over(self) -> None:
        with suppress(queue.Full):
            while self._pending:
                self._samples.put_nowait(self._pending[0])
                self._pending.popleft()

    def _replace(self, place: Place, why: Exception) -> None:
        """Put a new actor into the place of one that is lost; what it had and did not deliver is played again."""
        import ray

        place.deaths += 1
        begun = max(0, len(place.given) - place.left)
        if ray.is_initialized():  # else asking would start one
            with suppress(Exception):  # it is dead, or cannot be reached; whatever it plays now, nobody reads
                ray.kill(place.actor)
        self._rows.give_back(place.given.items())
        place.given, place.left = {}, 0
        self._measure({"ray/actors_lost_total": 1.0, "ray/rollouts_lost_total": float(begun * self._plan.generations)})
        if place.deaths > MOST_DEATHS:
            raise died_again(place.deaths, why) from why
        if deadly := self._rows.given_back(MOST_LOSSES):
            raise lost_again(deadly, MOST_LOSSES, why) from why
        log.warning(
            "a rollout actor (pid %s) is lost, %s rollouts are made again: %s",
            place.pid or "unknown",
            begun * self._plan.generations,
            first_line(why),
        )
        self._fill(place)

    def _measure(self, payload: dict[str, Any]) -> None:
        with suppress(queue.Full):  # as TRL does: metrics never hold rollouts up
            self._metrics.put_nowait(payload)


def _connected() -> Any:
    """Return Ray, if it is connected still: else the next question to it would start another."""
    import ray

    if not ray.is_initialized():
        raise cut_off()
    return ray
