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


class _Ear:
    """What hears the signal, in one process."""

    def __init__(self, handler: Callable[[int, Any], None]) -> None:
        self.handler, self.answered = handler, False
        self.ear, self.mouth = os.pipe()
        os.set_blocking(self.mouth, False)

    def answer(self, number: int, frame: Any) -> None:
        """Be the handler."""
        self.answered = True
        self.handler(number, frame)

    def wait(self) -> None:
        """Wait for the signal, and see to it that it is answered: a thread, for as long as the process lives."""
        with suppress(OSError):  # somebody closed what is not theirs, or there is no main thread any more
            while heard := os.read(self.ear, 64):
                while signal.SIGTERM in heard and not self.answered and signal.getsignal(signal.SIGTERM) == self.answer:
                    time.sleep(_AGAIN)
                    if not self.answered:
                        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    def close(self) -> None:
        """Give back what it has."""
        for end in (self.ear, self.mouth):
            with suppress(OSError):
                os.close(end)


def see_to_it(handler: Callable[[int, Any], None]) -> None:
    """See to it that a handler answers SIGTERM, if it is the one that is installed; on the main thread alone.

    Args:
        handler: The handler.
    """
    on_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "pthread_kill")
    if not on_main or signal.getsignal(signal.SIGTERM) is not handler:
        return
    ear = _Ear(handler)
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
        signal.signal(signal.SIGTERM, ear.answer)


def _forget() -> None:
    """In a forked child: the pipe is the parent's, and so is the thread."""
    while _ears:
        ear = _ears.pop()
        before = signal.set_wakeup_fd(-1)
        if before not in (-1, ear.mouth):
            signal.set_wakeup_fd(before)
        ear.close()
        if signal.getsignal(signal.SIGTERM) == ear.answer:
            signal.signal(signal.SIGTERM, ear.handler)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
