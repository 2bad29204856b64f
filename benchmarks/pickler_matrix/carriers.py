"""The rows of one machine: each gives a function ``send(name, thing)`` that carries a thing into another process and back."""

import concurrent.futures
import importlib
import io
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .pieces import look

SECONDS = 60  # for one answer
Send = Callable[[str, Any], tuple[int, str, Any]]


def dumps(tool: str, thing: Any) -> bytes:
    """Pickle with ``pickle N`` or the module of that name."""
    name, _, protocol = tool.partition(" ")
    return pickle.dumps(thing, int(protocol)) if protocol else bytes(importlib.import_module(name).dumps(thing))


def look_at_bytes(tool: str, name: str, payload: bytes) -> bytes:
    """In the other process: load with the tool, look, and pickle what goes back with the tool."""
    return dumps(tool, look(name, importlib.import_module(tool.partition(" ")[0]).loads(payload)))


@contextmanager
def by_bytes(tool: str) -> Iterator[Send]:
    """A pickler: its bytes go to a spawned process."""
    loads = importlib.import_module(tool.partition(" ")[0]).loads
    with executor_of("spawn") as pool:
        yield lambda name, thing: loads(pool.submit(look_at_bytes, tool, name, dumps(tool, thing)).result(SECONDS))


def executor_of(method: str) -> concurrent.futures.ProcessPoolExecutor:
    """An executor of one process."""
    return concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method))


@contextmanager
def executor(method: str) -> Iterator[Send]:
    """ProcessPoolExecutor."""
    with executor_of(method) as pool:
        yield lambda name, thing: pool.submit(look, name, thing).result(SECONDS)


@contextmanager
def forking(method: str) -> Iterator[Send]:
    """A process and its pipe: ForkingPickler."""
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()

    def send(name: str, thing: Any) -> Any:
        ours.send((name, thing))
        if not ours.poll(SECONDS):
            raise TimeoutError(f"no answer about {name}")
        return ours.recv()

    try:
        yield send
    finally:
        ours.send(None)
        process.join(10)
        process.kill()


def _serve(pipe: Any) -> None:
    for name, thing in iter(pipe.recv, None):
        pipe.send(look(name, thing))


@contextmanager
def pool(module: str) -> Iterator[Send]:
    """The Pool of multiprocessing, multiprocess or torch.multiprocessing, with spawn."""
    with importlib.import_module(module).get_context("spawn").Pool(1) as workers:
        yield lambda name, thing: workers.apply_async(look, (name, thing)).get(SECONDS)
        workers.close()
        workers.join()


@contextmanager
def loky(_: str) -> Iterator[Send]:
    """Joblib's loky workers."""
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    with Parallel(n_jobs=2, backend="loky") as parallel:
        yield lambda name, thing: parallel([delayed(look)(name, thing)])[0]
    get_reusable_executor().shutdown(wait=True)


class Pieces:
    """A dataset whose items are looked at where a worker fetches them."""

    def __init__(self, name: str, thing: Any) -> None:
        """Hold what a worker is to look at."""
        self.name, self.thing = name, thing

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        return look(self.name, self.thing)


@contextmanager
def loader(method: str) -> Iterator[Send]:
    """A worker of torch's DataLoader: the dataset holds the thing."""
    from torch.utils.data import DataLoader

    multiprocessing.set_forkserver_preload(["torch"])  # a spawned worker would import it for every thing that is sent

    def send(name: str, thing: Any) -> Any:
        data: Any = Pieces(name, thing)
        return next(iter(DataLoader(data, batch_size=None, num_workers=1, multiprocessing_context=method)))

    yield send


@contextmanager
def weights_only(_: str) -> Iterator[Send]:
    """torch.save, and torch.load with ``weights_only=True``, in both directions."""
    with executor_of("spawn") as pool:

        def send(name: str, thing: Any) -> Any:
            from .builders import dock
            from .pieces import ARGUMENTS

            named = [thing] if isinstance(thing, type) else [dock(*ARGUMENTS)]
            _allow(*named)
            pid, verdict, back = pool.submit(look_at_saved, name, saved(thing)).result(SECONDS)
            return pid, verdict, loaded(back)

        yield send


def saved(thing: Any) -> bytes:
    """A checkpoint, in the protocol that ``weights_only`` reads."""
    import torch

    buffer = io.BytesIO()
    torch.save(thing, buffer, pickle_protocol=2)
    return buffer.getvalue()


def loaded(payload: bytes) -> Any:
    """What is in a checkpoint."""
    import torch

    return torch.load(io.BytesIO(payload), weights_only=True)


def look_at_saved(name: str, payload: bytes) -> tuple[int, str, bytes]:
    """In the other process, which has built the classes before it loads the checkpoint, as ``weights_only`` demands."""
    from .builders import dock
    from .pieces import ARGUMENTS

    cls: Any = dock(*ARGUMENTS)
    _allow(cls, cls.Slot)
    pid, verdict, back = look(name, loaded(payload))
    return pid, verdict, saved(back)


def _allow(*classes: type) -> None:
    import torch

    import envpickle

    torch.serialization.add_safe_globals(list(envpickle.torch_safe_globals(*classes)))
