"""One run of a real trainer, something that happens to it, and what is left afterwards."""

import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpickle_trl
from benchmarks.portsim.launch import Port

from .callbacks import AfterStep
from .trainer import make_trainer
from .watching import Watch

TRL_WAITS = 15.0  # seconds

COLUMNS = (
    "ending",
    "sessions live at that moment",
    "seconds until 0",
    "processes left",
    "seconds until the run ended",
    "what the user saw",
)


def live_on(port: Port, name: str = "dock") -> int:
    """How many sessions an environment has."""
    return int(port.status()[name]["sessions"]["live"])


class Run:
    """A trainer that is wired, with the environments it plays.

    Args:
        model: The directory of a tiny model.
        url: The scripted server.
        port: The practice server.
        happens: What happens after a step; given this run and the trainer's control. The watch begins with its end.
        at: The step.
        meanwhile: What happens after the first step already, without being watched.
        **options: Of the trainer; see `make_trainer`.
    """

    def __init__(
        self,
        model: Path,
        url: str,
        port: Port,
        happens: Callable[["Run", Any], None] | None = None,
        *,
        at: int = 1,
        meanwhile: Callable[["Run"], None] | None = None,
        **options: Any,
    ) -> None:
        self.port = port
        self.watch = Watch(lambda: live_on(self.port))
        self.env = envpickle_trl.environment(port.dock_url, name="Dock")
        self._happens = happens or (lambda run, control: run.begin())
        callbacks = [AfterStep(at, lambda control: self._happens(self, control))]
        if meanwhile is not None:
            callbacks.append(AfterStep(1, lambda control: meanwhile(self)))
        self.trainer = make_trainer(model, url, self.env.factory, callbacks=callbacks, **options)
        self.child: Any = None
        envpickle_trl.wire(self.trainer, self.env)

    def begin(self) -> None:
        """The moment from which on the ending is watched."""
        (self.child,) = multiprocessing.active_children()
        self.began = time.monotonic()
        self.watch.begin([self.child.pid])

    def train(self) -> BaseException | None:
        """Train, and return what was raised, if anything."""
        raised: BaseException | None = None
        try:
            self.trainer.train()
        except BaseException as error:
            raised = error
        self.seconds = time.monotonic() - self.began
        self.watch.finish()
        return raised

    def left_nothing_unread(self) -> bool:
        """Whether the process could leave by itself: what it had sent was read, though the trainer did not want it.

        On a machine so loaded that its leaving takes more than 15 seconds TRL terminates it all the same.
        """
        left = self.child.exitcode == 0 or self.seconds > TRL_WAITS
        return left and self.trainer.rollout_worker.rollout_buffer.qsize() == 0


class Table:
    """The table of endings, as the documentation shows it."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []

    def add(self, ending: str, watch: Watch, seconds: float, saw: str) -> None:
        """Add one ending."""
        numbers = (str(watch.sessions_at_first), f"{watch.sessions_gone:.1f}", "0", f"{seconds:.1f}")
        self.rows.append((ending, *numbers, saw))

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [COLUMNS, ("---",) * len(COLUMNS), *self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
