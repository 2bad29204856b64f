"""AsyncGRPO's rollouts, played by Ray actors in the place of one process."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from .errors import RolloutArgumentsRefused, RolloutWorkerStopped
from .rollout_crew import Crew
from .rollout_plan import check_options, make_plan
from .rollout_rows import Dispenser
from .trl_loop import handed_to, loop_of, start_at, worker_class

__all__ = ["RayRolloutWorker"]

LOOK_AGAIN = 0.2  # seconds
GRACE, LAST_GRACE = 15.0, 5.0  # seconds, as TRL waits for its process


class _Samples(queue.Queue[Any]):
    """What the trainer reads from; a read ends with the run's failure as soon as there is one."""

    def __init__(self, worker: "RayRolloutWorker", maxsize: int) -> None:
        super().__init__(maxsize)
        self._worker = worker

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Return the next sample.

        Args:
            block: Whether to wait for one.
            timeout: Seconds to wait at most; None for as long as it takes.

        Raises:
            queue.Empty: There was none in time.
            RayError: None can come any more.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self._worker.raise_if_over()
            left = LOOK_AGAIN if deadline is None else min(LOOK_AGAIN, max(0.0, deadline - time.monotonic()))
            try:
                return super().get(block, left)
            except queue.Empty:
                if not block or (deadline is not None and time.monotonic() >= deadline):
                    raise


class RayRolloutWorker:
    """Plays AsyncGRPO's rollouts in Ray actors, each of which runs TRL's own rollout loop.

    Pass it to `envpickle_trl.wire`, where it takes over from the worker that the trainer has made for itself::

        envpickle_trl.wire(trainer, port, worker=RayRolloutWorker(actors=4))

    Each actor gets its share of ``max_inflight_tasks``, and plays whole groups. Every row of the dataset goes to one actor.
    The rows of an actor that dies are played again by the others and by the one that takes its place, so that no row is
    trained on twice or left out. `start` connects to Ray, or starts it on this machine, unless that has been done already.

    An instance is also an instance of TRL's ``AsyncRolloutWorker``, and TRL treats it as one when a run is saved and resumed.

    Args:
        actors: How many actors.
        ray_options: Ray's options for every actor, such as ``{"num_cpus": 1}``. Actors are spread over the nodes unless these
            say otherwise. Restarts, names and lifetimes are controlled by the worker.
        queue_maxsize: How many samples may wait for the trainer; 0 for any number. The default is what the trainer's own
            worker was made with.
        child_ready_timeout: Seconds within which an actor must begin to play.
        **loop_kwargs: What TRL's loop is made with, if there is no worker to take over from.

    Attributes:
        rollout_buffer: The samples that wait for the trainer.
        metrics_queue: The metrics that wait for the trainer.
        afterwards: What is called once the actors have been told to end, however the run ended.

    Raises:
        RolloutArgumentsRefused: There would be no actor, or `ray_options` has an option that the worker controls itself.
        UnsupportedRollouts: TRL is missing, or is not built as expected.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "RayRolloutWorker":
        """Make one that is an instance of TRL's class too, which is imported only now."""
        theirs = worker_class()
        if not issubclass(cls, theirs):
            members = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
            cls = type(cls.__name__, (cls, theirs), members)
        return object.__new__(cls)

    def __init__(
        self,
        actors: int = 2,
        *,
        ray_options: Mapping[str, Any] | None = None,
        queue_maxsize: int | None = None,
        child_ready_timeout: float = 300.0,
        **loop_kwargs: Any,
    ) -> None:
        # TRL's own __init__ is not called: it makes what is shared with a process that there is not.
        if actors < 1:
            raise RolloutArgumentsRefused(f"actors is {actors}, and somebody has to play; give at least 1", argument="actors")
        check_options(ray_options or {})
        self.actors = actors
        self.ray_options = {"scheduling_strategy": "SPREAD", **(ray_options or {})}
        self.afterwards: list[Callable[[], None]] = []
        self.metrics_queue: queue.Queue[dict[str, Any]] = queue.Queue(maxsize=4096)
        self._loop = loop_of(self)
        self._given = bool(loop_kwargs)
        self._queue_maxsize = queue_maxsize
        self._loop_kwargs = {**loop_kwargs, "queue_maxsize": queue_maxsize or 0}
        self._loop_kwargs.setdefault("dataset_start_index", 0)
        self._ready_timeout = child_ready_timeout
        self.rollout_buffer: queue.Queue[Any] = _Samples(self, queue_maxsize or 0)
        self._version = 0
        self._crew: Crew | None = None
        self._started_ray = False
        self._stopping = threading.RLock()

    def take_over(self, worker: Any) -> None:
        """Play what another worker was to play.

        Args:
            worker: TRL's, not started.

        Raises:
            RolloutArgumentsRefused: This one has been told what to play already.
        """
        if self._given:
            raise RolloutArgumentsRefused(
                "this RayRolloutWorker was given the loop's arguments already; make it with actors and ray_options alone, or"
                " hand it to the trainer as its rollout_worker"
            )
        self._given = True
        self._loop, self._loop_kwargs = loop_of(worker), handed_to(worker)
        if self._queue_maxsize is None:
            self.rollout_buffer = _Samples(self, int(self._loop_kwargs.get("queue_maxsize", 0)))

    @property
    def model_version(self) -> int:
        """The model's version, of which every actor hears when it is next asked: some tenths of a second later."""
        return self._version

    @model_version.setter
    def model_version(self, value: int) -> None:
        self._version = int(value)

    def update_model_version(self, model_version: int) -> None:
        """Tell the actors the version of the model.

        Args:
            model_version: The version.
        """
        self.model_version = model_version

    @property
    def pids(self) -> list[int]:
        """The processes of the actors that play; empty while the worker is not running."""
        return self._crew.pids if self._crew is not None else []

    def start(self) -> None:
        """Start the actors, and return once all of them play. Does nothing if they do already.

        Raises:
            RolloutArgumentsRefused: There is nothing to play, or something cannot be sent to the actors.
            RolloutLoopFailed: TRL's loop cannot be made from its arguments.
            RolloutActorsLost: The actors die.
            RolloutActorsLate: They do not play within ``child_ready_timeout``.
            RolloutWorkerStopped: It was stopped meanwhile, by another thread.
        """
        if self._crew is not None:
            return
        if not self._given:
            raise RolloutArgumentsRefused(
                "this RayRolloutWorker was not told what to play; hand it to envpickle_trl.wire as worker, or give it the"
                " arguments of TRL's AsyncRolloutWorker"
            )
        try:
            self._connect()
            _empty(self.rollout_buffer)  # of what an earlier run left
            rows = Dispenser(self._loop_kwargs["dataset"], start_at(self._loop_kwargs))
            plan = make_plan(self._loop, self._loop_kwargs, self.actors, self.ray_options, self._ready_timeout)
            self._crew = crew = Crew(plan, rows, self.rollout_buffer, self.metrics_queue, lambda: self._version)
            crew.begin()
            crew.ready.wait()
            self.raise_if_over()
        except BaseException:
            self.stop()
            raise

    def check_health(self, stale_after_s: float) -> None:
        """Raise if no more samples can come, or an actor has been silent for too long.

        Args:
            stale_after_s: Seconds of silence.

        Raises:
            RolloutLoopFailed: TRL's loop failed in an actor.
            RolloutActorsLost: Actors die again and again, or Ray was shut down.
            RolloutActorsLate: None plays any more, and those that are to take their places do not begin to.
            RolloutLoopSilent: An actor has been silent for too long.
            RolloutWorkerStopped: The worker is not running.
        """
        self._running().check(stale_after_s)

    def raise_if_over(self) -> None:
        """Raise if no more samples can come; as `check_health`, without regard to silence."""
        self._running().check(float("inf"))

    def stop(self) -> None:
        """End the actors, then run what comes afterwards. May be called at any time, and again."""
        with self._stopping, ExitStack() as ends:  # what is put in last comes first; each comes, whatever another raises
            crew, self._crew = self._crew, None
            ends.callback(self._disconnect)
            if crew is not None:
                ends.callback(crew.kill, LAST_GRACE)
            for action in reversed(self.afterwards):
                ends.callback(action)
            if crew is not None:
                crew.stop(GRACE)

    def _running(self) -> Crew:
        if self._crew is None:
            raise RolloutWorkerStopped(
                "this RayRolloutWorker is not running: it was stopped, or never started; an AsyncGRPOTrainer trains once, so"
                " make another one to train again"
            )
        return self._crew

    def _connect(self) -> None:
        import ray

        if not ray.is_initialized():
            self._started_ray = True  # now, since starting it takes seconds in which Ctrl-C may come
            ray.init(include_dashboard=False)

    def _disconnect(self) -> None:
        import ray

        if self._started_ray:
            self._started_ray = False
            ray.shutdown()


def _empty(samples: "queue.Queue[Any]") -> None:
    with samples.mutex:
        samples.queue.clear()
