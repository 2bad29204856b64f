"""How a run ended: what was left open, and for how long."""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import psutil

LOOK_AGAIN = 0.05


def is_gone(pid: int) -> bool:
    """Whether a process is no more; one that nobody has waited for yet is gone too."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def descendants(pid: int) -> list[int]:
    """The processes below one."""
    return [process.pid for process in psutil.Process(pid).children(recursive=True)]


def wait_until(fulfilled: Callable[[], Any], what: str, seconds: float = 120.0) -> None:
    """Wait for a condition; the deadline is for a loaded machine, and says what it waited for."""
    deadline = time.monotonic() + seconds
    while not fulfilled():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(LOOK_AGAIN)


class Watch:
    """Watches, in a thread, how long sessions and processes outlive the moment that ended a run.

    Args:
        live: Tells how many sessions are live.
    """

    def __init__(self, live: Callable[[], int]) -> None:
        self._live = live
        self._thread: threading.Thread | None = None
        self.sessions_at_first = -1
        self.sessions_gone = -1.0
        self.processes_gone = -1.0

    def begin(self, pids: Iterable[int] | None = None) -> None:
        """Start watching: this is the moment.

        Args:
            pids: The processes; those that multiprocessing started here when left out.
        """
        watched = list(pids) if pids is not None else [child.pid or 0 for child in multiprocessing.active_children()]
        assert watched, "there is no process to watch"
        self.sessions_at_first = self._live()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._look, args=(watched,), daemon=True)
        self._thread.start()

    def _look(self, pids: list[int]) -> None:
        while self.sessions_gone < 0 or self.processes_gone < 0:
            if self.sessions_gone < 0 and self._live() == 0:
                self.sessions_gone = time.monotonic() - self._began
            if self.processes_gone < 0 and all(map(is_gone, pids)):
                self.processes_gone = time.monotonic() - self._began
            time.sleep(LOOK_AGAIN)

    def finish(self, seconds: float = 30.0) -> None:
        """Wait until no session and no process is left; neither may outlast the seconds."""
        assert self._thread is not None, "the run never came to the moment to watch from"
        self._thread.join(seconds)
        assert self.sessions_gone >= 0, f"{self._live()} sessions were still live after {seconds} s"
        assert self.processes_gone >= 0, f"processes were still there after {seconds} s"
