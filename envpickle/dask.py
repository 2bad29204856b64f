"""For Dask's workers: closing when a worker is told to end, and not only when its process does.

A nanny kills a worker's process four seconds after it was told to end. A task that goes on is enough for that, and adaptive
scaling does it to idle workers: it closes worker and nanny at once, and for these seconds each waits for the other
(distributed 2026.8). No exit hook runs then, and no plugin's ``teardown``, which comes after that waiting: so this looks at
what the worker says of itself.
"""

import os
import threading
from typing import Any
from weakref import ref

from distributed import WorkerPlugin

from .classes import later

__all__ = ["ClosingPlugin"]

_LOOK_AGAIN = 0.1  # seconds
_PATIENCE = 3.0  # seconds for closing: with the looking, and what a loaded machine takes, less than a nanny's four
_ENDINGS = ("closing", "closed", "failed")


class ClosingPlugin(WorkerPlugin):  # type: ignore[misc]  # distributed ships no types
    """A worker plugin that closes what any owner holds in a worker as soon as the worker is told to end.

    Register it where closing has to run code in the worker, to remove a file or stop a container:
    ``client.register_plugin(ClosingPlugin())``. What ends with a process's connections needs none. Calls of the worker's
    tasks that are in flight then find their instances closed, and owned classes raise
    :class:`~envpickle.errors.OwnerClosed` there.

    A worker that shares its process (``LocalCluster(processes=False)``, ``dask worker --no-nanny``) closes nothing at its own
    end: what it holds is closed with its owner, or with the process.
    """

    name = "envpickle-closing"  # registered twice, it is there once

    def setup(self, worker: Any) -> None:
        """Watch a worker that ends with its process; Dask calls this in the worker."""
        self._over = threading.Event()
        if worker.nanny:
            arguments = ref(worker), self._over, os.getpid()
            threading.Thread(target=_await_end, args=arguments, name="envpickle-dask", daemon=True).start()

    def teardown(self, worker: Any) -> None:
        """Watch no longer, and close if that is because the worker ends; Dask calls this in the worker."""
        self._over.set()


def _await_end(worker: Any, over: threading.Event, pid: int) -> None:
    """Close when the worker ends: a thread, as the worker's loop may be busy, or wait for the nanny."""
    while not _ends(worker()) and not over.wait(_LOOK_AGAIN):
        pass
    if _ends(worker()) and pid == os.getpid():
        later("closing").close_everything(_PATIENCE)


def _ends(worker: Any) -> bool:
    return worker is None or worker.status.name in _ENDINGS
