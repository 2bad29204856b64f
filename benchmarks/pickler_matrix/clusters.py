"""The rows of Ray and Dask."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .carriers import SECONDS, Send
from .pieces import look


def look_at_stored(name: str, box: Any) -> Any:
    """In a Ray task: fetch from the object store, look, store what goes back."""
    import ray

    return ray.put(look(name, ray.get(box[0])))


class Watcher:
    """A Ray actor that looks."""

    def look(self, name: str, thing: Any) -> Any:
        """Look at what came as an argument."""
        return look(name, thing)


@contextmanager
def ray(way: str) -> Iterator[Send]:
    """A local Ray, started by the first row and kept until the program ends."""
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    if way == "task":
        task: Any = ray.remote(num_cpus=0)(look)
        yield lambda name, thing: ray.get(task.remote(name, thing), timeout=SECONDS)
    elif way == "actor":
        watcher: Any = ray.remote(num_cpus=0)(Watcher).remote()
        yield lambda name, thing: ray.get(watcher.look.remote(name, thing), timeout=SECONDS)
    else:
        stored: Any = ray.remote(num_cpus=0)(look_at_stored)
        yield lambda name, thing: ray.get(ray.get(stored.remote(name, [ray.put(thing)]), timeout=SECONDS), timeout=SECONDS)


@contextmanager
def dask_processes(_: str) -> Iterator[Send]:
    """Dask's scheduler of processes on one machine."""
    import dask

    def send(name: str, thing: Any) -> Any:
        return dask.compute(dask.delayed(look, pure=False)(name, thing), scheduler="processes", num_workers=1)[0]

    yield send


@contextmanager
def distributed(_: str) -> Iterator[Send]:
    """A LocalCluster with one worker process."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1")
    with cluster, Client(cluster) as client:
        yield lambda name, thing: client.submit(look, name, thing, pure=False).result(timeout=SECONDS)
