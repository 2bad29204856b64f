"""SIGTERM in a child of multiprocessing that holds instances: answered, wherever the main thread waits.

Python runs a handler between two steps of the main thread. A signal that comes after it last looked and before it blocks, in a
lock or in a read, is not answered until something else wakes it: a pool that is terminated just when its worker goes to wait
for the next task would wait for that worker for ever, and that is when pools are terminated. So a thread is told of the
signal, by the pipe that Python has for this, and sends it to the main thread again until the handler runs.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

TYPE_CHECKING = False  # importing typing would cost a process that makes its first instance 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_AGAIN = 0.05  # seconds for the main thread to answer by itself
_ears: list[_Ear] = []  # one at most
_pending: list[Any] = []  # what C calls must not be freed


class _Ear:
    """What hears the signal, in one process."""

    def __init__(self, handler: Callable[[int, Any], None], answered: Callable[[], bool]) -> None:
        self.handler, self.answered = handler, answered
        self.ear, self.mouth = os.pipe()
        self.inode = os.fstat(self.ear).st_ino
        os.set_blocking(self.mouth, False)

    def has(self, end: int) -> bool:
        """Whether an end is still its own: some programs close all there are, and the number is another's soon."""
        with suppress(OSError):
            return os.fstat(end).st_ino == self.inode
        return False

    def wait(self) -> None:
        """Wait for the signal, and see to it that it is answered: a thread, for as long as the process lives."""
        with suppress(OSError):  # there is no main thread any more
            while self.has(self.ear) and (heard := os.read(self.ear, 64)):
                while signal.SIGTERM in heard and not self.answered() and signal.getsignal(signal.SIGTERM) is self.handler:
                    time.sleep(_AGAIN)
                    if not self.answered():
                        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        if not self.has(self.mouth):
            _on_main(self.deafen)

    def deafen(self) -> None:
        """Have Python write to the pipe no more; on the main thread alone."""
        before = signal.set_wakeup_fd(-1)
        if before != self.mouth:
            with suppress(ValueError, OSError):
                signal.set_wakeup_fd(before)

    def close(self) -> None:
        """Give back what it has."""
        for end in (self.ear, self.mouth):
            if self.has(end):
                os.close(end)


def _on_main(function: Callable[[], None]) -> None:
    """Have the main thread call something soon; a signal would write to the pipe."""
    import ctypes  # only where somebody closed what is not theirs

    def call(_: Any) -> int:
        function()
        return 0

    _pending.append(ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(call))
    ctypes.pythonapi.Py_AddPendingCall(_pending[-1], None)


def see_to_it(handler: Callable[[int, Any], None], answered: Callable[[], bool]) -> None:
    """See to it that a handler answers SIGTERM, if it is the one that is installed; on the main thread alone.

    Args:
        handler: The handler.
        answered: Whether it has been called.
    """
    on_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "pthread_kill")
    if not on_main or signal.getsignal(signal.SIGTERM) is not handler:
        return
    try:
        ear = _Ear(handler, answered)
    except OSError:  # too many open files
        return
    before = signal.set_wakeup_fd(ear.mouth, warn_on_full_buffer=False)
    try:
        if before != -1:
            raise OSError("an event loop has Python's pipe, and wakes by itself")
        threading.Thread(target=ear.wait, name="envpickle-answers", daemon=True).start()
    except (OSError, RuntimeError):  # or the interpreter is shutting down
        signal.set_wakeup_fd(before)
        ear.close()
    else:
        _ears.append(ear)


def _forget() -> None:
    """In a forked child: the pipe is the parent's, and so is the thread."""
    while _ears:
        ear = _ears.pop()
        ear.deafen()
        ear.close()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
