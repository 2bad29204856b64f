"""The endings of a process that Python started, besides SIGTERM: multiprocessing's own exit, and the parent's death.

multiprocessing ends children in ways that skip :mod:`atexit` (fork and forkserver on Python 3.11 and 3.12), and a child whose
parent is killed lives on.
"""

import os
import threading
import time
from collections.abc import Callable
from multiprocessing import util
from multiprocessing.connection import wait
from multiprocessing.process import parent_process

from .classes import later

_LOOK_AGAIN = 0.5  # seconds
_watching_in = 0


def watch(close: Callable[[int], None], inherited: object) -> None:
    """See to it that this child closes what it holds when multiprocessing ends it, and that it ends when its parent has died.

    The sentinel notices within milliseconds under every start method; getppid and PR_SET_PDEATHSIG look at the fork server.

    Args:
        close: Closes; given the id of this process, so that a forked child of this one is told apart.
        inherited: The parent of the process that forked this one, which may outlive that: a daemon, say.
    """
    global _watching_in
    parent = parent_process()
    if parent is None or _watching_in == os.getpid():
        return
    _watching_in = os.getpid()
    util.Finalize(None, close, args=(_watching_in,), exitpriority=100)  # before queues and children are joined
    if parent is not inherited:
        threading.Thread(target=_outlive, args=(parent.sentinel, parent.pid), name="envpickle-parent", daemon=True).start()


def _outlive(sentinel: int | None, pid: int | None) -> None:
    if sentinel is not None:
        wait([sentinel])
    while sentinel is None and os.getppid() == pid:  # loky's processes have no sentinel
        time.sleep(_LOOK_AGAIN)
    later("closing").close_everything()
    os._exit(1)  # no hooks: their locks may be held by threads that will never go on
