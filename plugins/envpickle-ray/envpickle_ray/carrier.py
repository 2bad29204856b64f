"""What the entry point names: the carrier that takes the end of an owner to other nodes of a Ray cluster.

Every process that pickles an owner's class loads this, whether it has to do with Ray or not: nothing of Ray is imported here,
and nothing that costs time before Ray is initialised in this process. The work is done in :mod:`envpickle_ray.signals`.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from envpickle.plugin import hookimpl

MOST = 10_000  # keys of closed owners that are remembered
closed: dict[bytes, None] = {}
"""Keys of closed owners of this process, oldest first."""
_cut_off = False  # in a child that was forked from a process of a cluster: Ray does not work there


def session() -> tuple[str, str] | None:
    """This process's node and job in a Ray cluster; None where Ray is not initialised, or is not to be used."""
    ray: Any = sys.modules.get("ray")
    if _cut_off or ray is None or not getattr(ray, "is_initialized", bool)() or ray.util.client.ray.is_connected():
        return None
    try:
        context = ray.get_runtime_context()
        return context.get_node_id(), context.get_job_id()
    except Exception:  # noqa: BLE001 -- another thread is shutting Ray down
        return None


class RayCarrier:
    """Carries the ends of owners through named actors, one for each process that made owners (:mod:`envpickle_ray.beacons`)."""

    def send(self, key: bytes, /) -> None:
        """See to it that this process has a beacon in its cluster, if it is in one."""
        here = session()
        if here is not None:
            from . import signals

            signals.home().light(here, key)

    def end(self, key: bytes, /) -> None:
        """Have the beacon tell that an owner is closed."""
        if key in closed:
            return
        closed[key] = None
        for old in list(closed)[:-MOST]:
            closed.pop(old, None)
        if session() is not None:
            from . import signals

            signals.home().tell(key)

    def hold(self, key: bytes, ended: Callable[[], None], /) -> Callable[[], None] | None:
        """Follow the beacon of the owner's process, if this one is in a cluster."""
        if session() is None:
            return None
        from . import signals

        return signals.holder().hold(key, ended)


_carrier = RayCarrier()


@hookimpl
def envpickle_carriers() -> list[RayCarrier]:
    """The one carrier of this plugin."""
    return [_carrier]


def _cut() -> None:
    """In a forked child: what Ray has here belongs to the parent."""
    global _cut_off
    ray: Any = sys.modules.get("ray")
    _cut_off = _cut_off or (ray is not None and getattr(ray, "is_initialized", bool)())
    closed.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_cut)
