"""The endings of a process that Python started, besides SIGTERM: multiprocessing's own exit, and the parent's death.

multiprocessing ends children in ways that skip :mod:`atexit` (fork and forkserver on Python 3.11 and 3.12), and a child whose
parent is killed lives on.
"""

import os
import threading
from collections.abc import Callable
from multiprocessing import util
from multiprocessing.connection import wait
from multiprocessing.process import parent_process

from .classes import later

_watching_in = 0


def at_end_of_child(function: Callable[[int], None], pid: int) -> None:
    """Run a function when multiprocessing ends this child, before it joins queues and children."""
    util.Finalize(None, function, args=(pid,), exitpriority=100)


def watch_parent() -> None:
    """End this child when its parent has died, after closing what it holds.

    The sentinel notices within milliseconds under every start method; getppid and PR_SET_PDEATHSIG look at the fork server.
    """
    global _watching_in
    parent = parent_process()
    if parent is None or _watching_in == os.getpid():
        return
    _watching_in = os.getpid()
    threading.Thread(target=_outlive, args=(parent.sentinel,), name="envpickle-parent", daemon=True).start()


def _outlive(sentinel: int) -> None:
    wait([sentinel])
    later("closing").close_everything()
    os._exit(1)  # no hooks: their locks may be held by threads that will never go on
