"""A stand-in for an environment server: an open session is a file, which the instance's `_close` removes.

The file's name holds the process that opened it. What a test starts runs one of the roles below.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import envpickle


@envpickle.builder
def berth(home: str, tools: list[str]) -> type:
    """Environments with one session each; closing takes no lock that a call in flight holds."""

    class Berth:
        def __init__(self) -> None:
            self.lock = threading.Lock()
            self.file = Path(home, f"session_{os.getpid()}_{uuid.uuid4().hex}")
            self.file.write_text("open")

        def reset(self, **task: Any) -> str:
            return "go"

        def work(self, seconds: float) -> None:
            with self.lock:
                time.sleep(seconds)

        def _close(self) -> None:
            self.file.unlink(missing_ok=True)

    for tool in tools:
        setattr(Berth, tool, lambda self, tool=tool: tool)
    return Berth


@envpickle.builder
def stuck(home: str) -> type:
    """Environments whose closing does not end."""

    class Stuck:
        def reset(self, **task: Any) -> None: ...

        def _close(self) -> None:
            told(home, "closing")
            time.sleep(300)

    return Stuck


def told(home: str, word: str, text: object = None) -> None:
    """Leave word for the test: a file that appears whole, with a text or with the id of this process."""
    draft = Path(home, f".{word}.{os.getpid()}")
    draft.write_text(str(os.getpid() if text is None else text))
    draft.rename(Path(home, word))


def wait_for_ever() -> None:
    """Wait to be ended from outside."""
    while True:
        time.sleep(0.05)


def play(cls: Any, home: str, ending: str, queue: Any) -> None:
    """The child: three instances of the class it was sent, then the given ending."""
    pool = [cls() for _ in range(3)]
    for one in pool:
        one.reset(seed=1)
    if ending == "call":
        threading.Thread(target=call_for_long, args=(pool[0],), daemon=True).start()
    if ending == "unread":
        for _ in range(200):
            queue.put("x" * 10_000)
    if ending == "own handler":
        own_handler(home)
    told(home, "ready")
    if ending == "main call":
        call_for_long(pool[1])
    end_by_itself(home, ending)


def end_by_itself(home: str, ending: str) -> None:
    """Return, raise or exit once the parent says go; wait to be ended where that is the ending."""
    if ending == "interrupt":
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the traceback is expected
    if ending not in ("return", "raise", "exit", "stuck return"):
        wait_for_ever()
    while not Path(home, "go").exists():
        time.sleep(0.01)
    if ending == "raise":
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the traceback is expected
        raise RuntimeError("as the test asked")
    if ending == "exit":
        sys.exit(3)


def call_for_long(one: Any) -> None:
    """A call that does not end by itself: of the stand-in, or of a server that was told to take its time."""
    if hasattr(one, "work"):
        one.work(60)
    else:
        one.crane_status()


def own_handler(home: str) -> None:
    """The user's own SIGTERM handler, set after ours could have been; it must be the one that runs."""

    def handler(number: int, frame: Any) -> None:
        told(home, "own handler ran")
        sys.exit(7)

    signal.signal(signal.SIGTERM, handler)


def play_through_a_child(cls: Any, home: str, method: str) -> None:
    """A child that has a session, and a child of its own that has more."""
    HELD.append(cls())
    process = multiprocessing.get_context(method).Process(target=play, args=(cls, home, "parent", None))
    process.start()
    told(home, "grandchild", process.pid)
    wait_for_ever()


def play_in_threads(cls: Any, home: str) -> None:
    """A child whose instances are all made in a thread, as a trainer's event loop does."""
    held: list[Any] = []
    thread = threading.Thread(target=lambda: held.extend(cls() for _ in range(3)))
    thread.start()
    thread.join()
    told(home, "ready")
    wait_for_ever()


HELD: list[Any] = []


def hold(cls: Any) -> int:
    """A pool's task that leaves an instance behind in its worker."""
    HELD.append(cls())
    return os.getpid()
