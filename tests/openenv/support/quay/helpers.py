"""Short ways to what most of these tests begin with."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from envpickle_openenv import Toolset, environment_class, list_tools, server_settings

__all__ = ["HANG_SECONDS", "Running", "dock_class", "nowhere", "running", "toolset"]

HANG_SECONDS = 15.0
"""After so long something that should end promptly is taken to hang."""


def toolset(*names: str) -> Toolset:
    """Tools without parameters."""
    return Toolset.from_listing([{"name": name} for name in names])


def nowhere() -> str:
    """An address where nobody listens."""
    return "http://127.0.0.1:9"


def dock_class(url: str, tools: Toolset | None = None, **options: Any) -> type[Any]:
    """The class of a dock, by the builder; options are those of the server and of the builder."""
    play = {name: options.pop(name) for name in ("on_error", "max_result_chars", "rewards") if name in options}
    found = tools or list_tools(url)
    built: type[Any] = environment_class("Dock", found.plain(), server_settings(url, **options), **play)
    return built


class Running:
    """A call in another thread.

    Attributes:
        result: What it returned.
        error: What it raised.
    """

    def __init__(self, fn: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(fn,), daemon=True)
        self._thread.start()

    def _run(self, fn: Callable[[], Any]) -> None:
        try:
            self.result = fn()
        except BaseException as error:
            self.error = error

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Wait for the end, which must come."""
        self._thread.join(HANG_SECONDS)
        assert not self._thread.is_alive(), f"the call still runs after {HANG_SECONDS} s"


@contextmanager
def running(fn: Callable[[], Any]) -> Iterator[Running]:
    """Run a call in another thread; it must have ended when the block is left."""
    call = Running(fn)
    yield call
    call.end()
