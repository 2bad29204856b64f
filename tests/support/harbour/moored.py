"""Tasks of processes that hold instances of somebody else's owner, and say so by files (see `harbour.berths`)."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from envpickle import closers
from harbour.berths import told, wait_for_ever

HELD: list[Any] = []
CLASSES: list[Any] = []


def calm() -> None:
    """Wait until what closing takes is loaded, as it is after a calm moment; not in a forked process, or without a line."""
    if closers._forked or "envpickle-lines" not in threads():
        return
    deadline = time.monotonic() + 5
    while not getattr(sys.modules.get("envpickle.manager"), "managers", None) and time.monotonic() < deadline:
        time.sleep(0.005)


def hold(cls: Any, home: str, count: int, all_of: int) -> int:
    """A pool's task: hold instances, and wait for as many other workers, so that each task is another's."""
    CLASSES.append(cls)
    HELD.extend(cls() for _ in range(count))
    calm()
    told(home, f"worker_{os.getpid()}")
    while len(list(Path(home).glob("worker_*"))) < all_of:
        time.sleep(0.005)
    return os.getpid()


def hold_through_a_child(cls: Any, home: str, count: int, method: str) -> int:
    """A task that has a child of its own hold the instances."""
    process = multiprocessing.get_context(method).Process(  # type: ignore[attr-defined]
        target=hold_for_ever, args=(cls, home, count, "grandchild")
    )
    process.start()
    while not Path(home, "grandchild").exists():
        time.sleep(0.005)
    return process.pid or 0


def hold_for_ever(cls: Any, home: str, count: int, word: str) -> None:
    """A process that holds instances until it is ended from outside."""
    HELD.extend(cls() for _ in range(count))
    calm()
    told(home, word)
    wait_for_ever()


def makes_another(cls: Any) -> str:
    """A task that makes one instance more; what came of it."""
    try:
        HELD.append(cls())
    except Exception as error:
        return type(error).__name__
    return "made"


def detach_by_fork(cls: Any, home: str, count: int) -> None:
    """A process that left its parent: forked twice, in a session of its own."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    try:
        hold_for_ever(cls, home, count, "forked")
    finally:
        os._exit(1)


def _surroundings(**extra: str) -> dict[str, str]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **extra}


DETACHED = """
import pickle, sys
from harbour.moored import hold_for_ever
hold_for_ever(pickle.load(sys.stdin.buffer), sys.argv[1], int(sys.argv[2]), sys.argv[3])
"""


def detach_by_subprocess(
    payload: bytes, home: str, count: int, word: str = "run", **surroundings: str
) -> "subprocess.Popen[bytes]":
    """A program that unpickles the class, in a session of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", DETACHED, home, str(count), word],
        stdin=subprocess.PIPE, start_new_session=True, env=_surroundings(**surroundings),
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()
    return process


def threads() -> list[str]:
    """The names of this process's threads that are ours, each once."""
    return sorted({thread.name for thread in threading.enumerate() if thread.name.startswith("envpickle")})


LATE = """
import pickle, sys
from harbour.moored import makes_another
print(makes_another(pickle.load(sys.stdin.buffer)))
"""


def late_instance(payload: bytes) -> str:
    """What comes of making an instance in a fresh process."""
    return str(_said(LATE, payload).decode().strip())


def _said(program: str, payload: bytes) -> bytes:
    return subprocess.run(
        [sys.executable, "-c", program], env=_surroundings(), input=payload, capture_output=True, check=True, timeout=60
    ).stdout


BARE = """
import json, os, pickle, sys, time
from harbour import moored
cls = pickle.load(sys.stdin.buffer)
held = [cls(), cls()]
moored.calm()
os.closerange(3, 256)
files = [open(os.devnull) for _ in range(20)]   # the numbers are others' now
deadline = time.monotonic() + 20
while "envpickle-lines" in moored.threads() and time.monotonic() < deadline:
    time.sleep(0.01)
time.sleep(0.2)
sessions = sum(one.file.exists() for one in held)
foreign = all(os.fstat(file.fileno()) for file in files)
print(json.dumps(dict(sessions=sessions, threads=moored.threads(), foreign=foreign)))
"""


def after_closing_descriptors(payload: bytes) -> Any:
    """What a holder is left with after it closed every descriptor there is."""
    return json.loads(_said(BARE, payload))


def play_on(cls: Any, home: str, count: int, all_of: int) -> int:
    """A pool's task: open sessions on a server and keep them; each task is another worker's."""
    mine = [cls() for _ in range(count)]
    for one in mine:
        one.reset(seed=1)
    HELD.extend(mine)
    told(home, f"worker_{os.getpid()}")
    while len(list(Path(home).glob("worker_*"))) < all_of:
        time.sleep(0.005)
    return os.getpid()
