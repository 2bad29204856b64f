"""A rollout process that died ends the run, and one that is told to stop can.

TRL 1.16's `AsyncRolloutWorker` waits for its process in three ways that never end once that process is gone, or that cannot end
while nobody reads what it still sends:

- ``stop()`` sets a `multiprocessing.Event` that a thread of the process waits for. Setting one waits until every sleeper has
  said that it woke; one that died never will.
- A value or event they share has a lock in shared memory, which a process that is killed while it holds it keeps for ever;
  and a message it was writing stays half written in the queue, where a read waits for the rest.
- A process does not leave before its queues are empty; samples and metrics that the trainer did not read keep it, until TRL
  terminates it after 15 seconds.

And the trainer looks at its process only after five seconds without a sample, then at a heartbeat that may be five minutes old.

TRL has no place for this from outside, so here is a subclass of the worker's own class; an instance of it shares everything
with the worker that the trainer made and takes its place in ``trainer.rollout_worker``. Every method calls TRL's own, and what
it adds can do no harm where TRL does the same one day. It needs names of TRL that are private (`NEEDED`); in a TRL that lacks
one the worker is left as it is, with a warning in the log. To be dropped when the tests of the endings pass without it.
"""

import logging
import queue
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .errors import AlreadyTrained, RolloutProcessDied

__all__ = ["NEEDED", "RolloutEnd", "Samples", "ending_with_its_process"]

NEEDED = ("_process", "_stop_event_mp", "_loop_kwargs")
LAST_WORDS = 2.0  # seconds for what a process that failed still has to say, or for its end
LOOK_AGAIN = 0.05  # seconds

if TYPE_CHECKING:
    _Worker = Any
else:
    _Worker = object

log = logging.getLogger("envpickle")


class Samples(queue.Queue[Any]):
    """What the trainer reads samples from: a thread reads the process's queue in its place.

    A read that never ends does not keep the trainer then, and when the run is over the thread goes on reading, so that the
    process can leave. One sample is held here, the others stay in the queue.

    Args:
        worker: The worker whose samples they are.
    """

    def __init__(self, worker: "RolloutEnd") -> None:
        super().__init__(maxsize=1)
        self._worker = worker
        self._failure: BaseException | None = None
        self._unwanted = threading.Event()
        self._over = threading.Event()

    def begin(self) -> None:
        """Start reading."""
        threading.Thread(target=self._read_on, name="envpickle-samples", daemon=True).start()

    def discard(self) -> None:
        """Go on reading for the process's sake alone."""
        self._unwanted.set()

    def end(self) -> None:
        """Stop reading."""
        self._unwanted.set()
        self._over.set()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Return the next sample, or raise if the process is dead.

        Args:
            block: Whether to wait for one.
            timeout: Seconds to wait at most; None for as long as it takes.

        Raises:
            RolloutProcessDied: The process is dead.
            AlreadyTrained: The run is over: the trainer trains a second time.
            queue.Empty: There was none in time.
        """
        self._worker.raise_if_over()
        if self._failure is not None:
            raise self._failure
        return super().get(block, timeout)

    def qsize(self) -> int:
        """How many samples wait, here and in the process's queue."""
        return super().qsize() + int(self._worker.rollout_buffer.qsize())

    def _read_on(self) -> None:
        try:
            while not self._over.is_set():
                with suppress(queue.Empty):
                    self._hand_over(self._worker.rollout_buffer.get(timeout=LOOK_AGAIN * 4))
                if self._unwanted.is_set():
                    _empty(self._worker.metrics_queue)
        except BaseException as error:  # noqa: BLE001 -- the trainer's own thread raises it
            self._failure = error

    def _hand_over(self, sample: Any) -> None:
        while not self._unwanted.is_set():
            try:
                self.put(sample, timeout=LOOK_AGAIN)
            except queue.Full:
                continue
            return


class RolloutEnd(_Worker):  # type: ignore[misc]  # TRL's class stands behind it
    """What a worker's class is given in front of its own methods; see the module.

    Attributes:
        samples: What the trainer reads from.
        afterwards: What is called once the process has ended, however the run did.
    """

    samples: Samples
    afterwards: list[Callable[[], None]]
    _stop_event_mp: Any
    _was_stopped = False
    _own_exception: BaseException | None = None

    def start(self) -> None:
        """Start the process; see TRL."""
        if self._was_stopped:
            raise _trained_already()
        super().start()
        self.samples.begin()

    def check_health(self, stale_after_s: float) -> None:
        """Raise if the process failed, is dead, or was silent for too long.

        Args:
            stale_after_s: Seconds of silence.

        Raises:
            RolloutProcessDied: It failed or is dead; its own exception, if it left one, is the cause.
            RuntimeError: It was silent for too long.
        """
        process, theirs = self._process, super().check_health
        if process is None:
            theirs(stale_after_s)
            return
        found: Exception | None = None
        deadline = time.monotonic() + LAST_WORDS
        while self._own_exception is None and time.monotonic() < deadline:
            found = _while_alive(process, lambda: theirs(stale_after_s))
            if found is None and process.is_alive():
                return
            self._own_exception = found and found.__cause__
            time.sleep(LOOK_AGAIN)  # what it left may still be on its way
        process.join(LAST_WORDS)
        if self._own_exception is None and found is not None and process.is_alive():
            raise found  # it hangs, and TRL says so
        raise _died(process, self._own_exception) from self._own_exception

    def raise_if_over(self) -> None:
        """Raise if no sample can come any more.

        Raises:
            RolloutProcessDied: The process is dead.
            AlreadyTrained: The worker was stopped.
        """
        if self._was_stopped:
            raise _trained_already()
        if self._process is not None and not self._process.is_alive():
            self.check_health(float("inf"))

    def update_model_version(self, model_version: int) -> None:
        """Tell the process the version of the model; see TRL.

        Args:
            model_version: The version.

        Raises:
            RolloutProcessDied: The process is dead, and holds the lock for ever.
        """
        process, theirs = self._process, super().update_model_version
        if process is None:
            theirs(model_version)
            return
        error = _while_alive(process, lambda: theirs(model_version))
        if error is not None:
            raise error
        self.raise_if_over()

    def stop(self) -> None:
        """Stop the process; returns also if it is dead, and then runs what comes afterwards."""
        self._was_stopped = True
        self.samples.discard()
        event = self._stop_event_mp
        try:
            if self._process is not None:
                _while_alive(self._process, event.set)
                self._stop_event_mp = _SetAlready()
            super().stop()
        finally:
            self._stop_event_mp = event
            self.samples.end()
            for action in self.afterwards:
                action()


class _SetAlready:
    """Stands for the event while TRL stops a process that was told, or cannot be."""

    def set(self) -> None:
        """Nothing is left to do."""


def ending_with_its_process(worker: Any) -> Any:
    """Make a worker that ends with its process.

    Args:
        worker: TRL's, not started yet.

    Returns:
        A worker that shares all its attributes with the given one; that one itself if its TRL is built otherwise.
    """
    missing = [name for name in NEEDED if not hasattr(worker, name)]
    if missing:
        log.warning(
            "%s has no %s, as TRL 1.16's has: a process of it that dies may hang the run", type(worker), ", ".join(missing)
        )
        return worker
    kind = type(worker)
    ending: Any = object.__new__(type(kind.__name__, (RolloutEnd, kind), {"__module__": __name__, "__doc__": kind.__doc__}))
    ending.__dict__ = worker.__dict__
    ending.samples = Samples(ending)
    ending.afterwards = []
    return ending


def _while_alive(process: Any, action: Callable[[], Any]) -> Exception | None:
    """Do what may wait for a process, in a thread that is left behind should the process be dead; return what it raised."""
    raised: list[Exception] = []

    def act() -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001 -- the caller looks at it
            raised.append(error)

    thread = threading.Thread(target=act, name="envpickle-rollout-end", daemon=True)
    thread.start()
    while thread.is_alive() and process.is_alive():
        thread.join(LOOK_AGAIN)
    thread.join(LAST_WORDS / 2)
    return raised[0] if raised else None


def _empty(shared: Any) -> None:
    with suppress(queue.Empty):
        while True:
            shared.get_nowait()


def _died(process: Any, cause: BaseException | None) -> RolloutProcessDied:
    code = process.exitcode
    if code is None:
        how = "failed"
    elif code < 0:
        how = f"was killed by {_signal(-code)}"
    else:
        how = f"ended with exit status {code}"
    why = f": {str(cause).partition(chr(10))[0]}" if cause is not None else ""
    advice = (
        "the cause has its traceback" if cause is not None else "it left no exception; look at its stderr and the system's log"
    )
    return RolloutProcessDied(f"the rollout process (pid {process.pid}) {how}{why}; {advice}", exitcode=code)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _trained_already() -> AlreadyTrained:
    return AlreadyTrained(
        "this AsyncGRPOTrainer has trained already, and TRL cannot start its rollout process a second time; make another one"
    )
