"""Send a class through the pools that Python programs use: as argument, in the task, and back as a result."""

import concurrent.futures
import multiprocessing
import os
from collections.abc import Callable
from typing import Any


def step(cls: Any, number: int) -> Any:
    """A task: class in, instance out."""
    return cls(number)


def told(one: Any) -> tuple[int, str]:
    """A task: instance in, words out."""
    return os.getpid(), one.describe()


def same(pair: Any) -> tuple[int, bool]:
    """A task: do class and instance of one message agree, and is it one class from task to task?"""
    cls, one = pair
    SEEN.append(cls)
    return os.getpid(), type(one) is cls and len(set(SEEN)) == 1


SEEN: list[Any] = []


def call(builder: Any, arguments: Any) -> Any:
    """A task that calls the builder it is handed."""
    return builder(*arguments)


Submit = Callable[..., Any]


def journey(cls: Any, builder: Any, arguments: Any, submit: Submit) -> dict[str, Any]:
    """Every trip through one pool; `submit(function, *args)` waits for the result."""
    one = submit(step, cls, 3)
    pid, words = submit(told, one)
    return {
        "instance of ours": type(one) is cls,
        "elsewhere": pid != os.getpid(),
        "words": words,
        "as a dict": submit(dict, env=cls)["env"] is cls,
        "agrees": all(submit(same, (cls, one))[1] for _ in range(5)),
        "built there": submit(call, builder, arguments) is cls,
        "class called there": type(submit(cls, 9)) is cls,
        "bound method": submit(one.describe) if getattr(submit, "plain", True) else words,
    }


def executor(method: str, cls: Any, builder: Any, arguments: Any) -> dict[str, Any]:
    """ProcessPoolExecutor."""
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return journey(cls, builder, arguments, lambda fn, *a, **k: pool.submit(fn, *a, **k).result(30))


def pool(method: str, cls: Any, builder: Any, arguments: Any) -> dict[str, Any]:
    """multiprocessing.Pool."""
    with multiprocessing.get_context(method).Pool(1) as workers:
        found = journey(cls, builder, arguments, lambda fn, *a, **k: workers.apply_async(fn, a, k).get(30))
        workers.close()
        workers.join()
        return found


def joblib(method: str, cls: Any, builder: Any, arguments: Any) -> dict[str, Any]:
    """Joblib's loky workers, which cloudpickle what the quick way cannot."""
    from joblib import Parallel, delayed

    with Parallel(n_jobs=2, backend=method) as parallel:

        def submit(fn: Any, *args: Any, **kwargs: Any) -> Any:
            return parallel([delayed(fn)(*args, **kwargs)])[0]

        submit.plain = False  # type: ignore[attr-defined]
        found = journey(cls, builder, arguments, submit)
        closure = parallel([delayed(lambda: (os.getpid(), cls(4).describe(), cls))()])[0]
        found["closure"] = closure[0] != os.getpid() and closure[2] is cls
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)
    return found


def process(method: str, cls: Any, builder: Any, arguments: Any) -> dict[str, Any]:
    """A Process's own arguments, and its queues and pipes: ForkingPickler."""
    context = multiprocessing.get_context(method)
    tasks, results = context.Queue(), context.SimpleQueue()
    worker = context.Process(target=serve, args=(tasks, results, {"hello": [cls]}), daemon=True)
    worker.start()
    assert results.get() == "Dock"

    def submit(fn: Any, *args: Any, **kwargs: Any) -> Any:
        tasks.put((fn, args, kwargs))
        return results.get()

    try:
        return journey(cls, builder, arguments, submit)
    finally:
        tasks.put(None)
        worker.join(10)
        worker.kill()
        tasks.close()
        tasks.join_thread()


def serve(tasks: Any, results: Any, hello: Any) -> None:
    """The worker of `process`."""
    results.put(hello["hello"][0].__name__)
    for fn, args, kwargs in iter(tasks.get, None):
        results.put(fn(*args, **kwargs))
