"""The endings of a process that Python started: SIGTERM, its parent's death, and multiprocessing's own exit.

multiprocessing ends children in ways that skip :mod:`atexit` (fork and forkserver on Python 3.11 and 3.12) or every exit hook
(SIGTERM, which is also how daemons end when their parent returns), and a child whose parent is killed lives on.
"""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import util
from multiprocessing.connection import wait
from multiprocessing.process import parent_process
from types import FrameType

from .classes import later

_watching_in = 0
_caught_in = 0
_terminated_in = 0


def catch_terminate() -> None:
    """Close before SIGTERM ends this child: only on the main thread, and only over the default action."""
    global _caught_in
    if _caught_in == os.getpid() or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
        _caught_in = os.getpid()


def _terminate(number: int, frame: FrameType | None) -> None:
    """Close, then die of the same signal: the exit status is as without us.

    It never raises: SystemExit would wait for unread queue data, and is swallowed where the signal arrives in a ``__del__``.
    """
    global _terminated_in
    first = _terminated_in != os.getpid()
    _terminated_in = os.getpid()
    try:
        if first:
            later("closing").close_everything()
    finally:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


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
