"""`pool`: actors of one class, to share out work among; one that dies is replaced."""

import operator
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from envpickle.errors import PickleRefused

from .actors import actor
from .errors import NoActors, PoolClosed
from .pool_calls import Work, called, cluster, outcome_of

__all__ = ["Pool", "pool"]

_PATIENCE = 10.0  # seconds for all actors of a pool together


def pool(cls: type, n: int, /, *args: Any, **ray_options: Any) -> "Pool":
    """Start ``n`` actors of a class, as a sequence of handles that shares out work among them.

    ::

        with envpickle_ray.pool(Dock, 4, num_cpus=0.1) as docks:
            rewards = list(docks.map(lambda dock, seed: dock.play.remote(seed), range(100)))

    It has the calls of ``ray.util.ActorPool`` for whole iterables, and replaces actors that die.

    Args:
        cls: The class.
        n: How many actors.
        *args: The arguments that every instance is made with.
        **ray_options: Options of ``ray.remote`` for actors.

    Raises:
        NoActorClass: It is not a class.
        NoActors: ``n`` is not a whole number, or less than 1.
        PickleRefused: The class cannot travel without losing something.
    """
    count = operator.index(n) if hasattr(n, "__index__") else 0
    if count < 1:
        raise NoActors(f"a pool of {n!r} actors cannot be started. Pass how many, 1 or more: envpickle_ray.pool(cls, 4).")
    return Pool(actor(cls, **ray_options), count, args)


_Function = Callable[[Any, Any], Any]
_Numbered = tuple[int, Callable[[], Any]]


class Pool:
    """Actors of one class; made by `pool`. A sequence of their handles, and a context manager that closes it.

    Threads may share it. To use it in other processes, give them the handles of its actors.
    """

    def __init__(self, actor_class: Any, n: int, args: tuple[Any, ...]) -> None:
        self._actor_class, self._args = actor_class, args
        self._lock = threading.Lock()  # held where a handle is taken out or replaced, and never while Ray is waited for
        self._actors: list[Any] = [self._new() for _ in range(n)]
        self._places = range(n)
        self._cluster = cluster()
        self._next = 0
        self._closed = False
        self.replaced = 0
        """How many actors were found dead and replaced so far."""

    def __len__(self) -> int:
        return len(self._actors)

    def __getitem__(self, index: int) -> Any:
        """The handle in a place; after a replacement there is another in it."""
        return self._actors[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._actors))

    def submit(self, fn: _Function, value: Any) -> Any:
        """Have the next actor in turn do something.

        Args:
            fn: Called with a handle and the value; returns the reference of one actor call: ``lambda a, v: a.play.remote(v)``.
            value: The value.

        Returns:
            What ``fn`` returned, for ``ray.get``. If that shows the actor to be dead, `map` or `heal` replaces it.

        Raises:
            PoolClosed: The pool was closed, or Ray was shut down.
        """
        with self._lock:
            self._next += 1
            place = self._next
        return fn(self._at(place), value)

    def map(self, fn: _Function, values: Iterable[Any], *, retries: int = 0) -> Iterator[Any]:
        """Have the actors work on values, each on one at a time, and yield the results in the order of the values.

        Args:
            fn: Called with a handle and a value; returns the reference of one actor call.
            values: The values; taken as actors become free.
            retries: How often the call for a value is made again on another actor if the one working on it was lost.

        Raises:
            RayError: The error of a call (Ray's ``RayTaskError``, or for example ``ActorDiedError`` if its actor was lost).
            NoActorCall: ``fn`` returned something other than such a reference.
            PoolClosed: The pool was closed, or Ray was shut down.
        """
        return _in_order(self._each(fn, values, retries))

    def map_unordered(self, fn: _Function, values: Iterable[Any], *, retries: int = 0) -> Iterator[Any]:
        """The same, but yield each result as soon as it is there; arguments and errors are those of `map`."""
        return (result() for _, result in self._each(fn, values, retries))

    def heal(self, timeout: float = _PATIENCE) -> int:
        """Look for dead actors and replace them; returns how many there were. `map` does the same when it meets one.

        Args:
            timeout: Seconds to wait for all of them to answer. An actor answers when it has finished what it is working on;
                those that have not answered by then are left alone.

        Raises:
            PoolClosed: The pool was closed, or Ray was shut down.
        """
        import ray

        self._refuse_closed()
        asked = {}
        for place, handle in enumerate(self):
            with suppress(ray.exceptions.PendingCallsLimitExceeded):  # it is at work
                asked[_ready(handle)] = place, handle
        answers = ray.wait(list(asked), num_returns=len(asked), timeout=timeout)[0] if asked else []
        dead = [asked[answer] for answer in answers if outcome_of(answer).is_dead]
        return sum(self._replace(place, handle) for place, handle in dead)

    def close(self, timeout: float = _PATIENCE) -> None:
        """Close the instance of every actor and let the actors end; may be called again.

        When it returns, the instances are closed, except those of actors that were still working after the timeout; such an
        actor closes its instance when it is done. The processes end by themselves, a moment later.

        Args:
            timeout: Seconds to wait for all of them together.
        """
        import ray

        with self._lock:
            self._closed = True
            actors, self._actors = self._actors, []
        if not actors or cluster() != self._cluster:  # they ended with their cluster; asking would start another
            return
        closing = []
        try:
            for handle in actors:
                with suppress(ray.exceptions.PendingCallsLimitExceeded):  # it is at work, and ends without handles after that
                    closing.append(handle._close_held.remote())
            if closing:
                ray.wait(closing, num_returns=len(closing), timeout=timeout)
        finally:
            for handle in actors:
                with suppress(ray.exceptions.PendingCallsLimitExceeded):
                    handle.__ray_terminate__.remote()

    def _each(self, fn: _Function, values: Iterable[Any], retries: int) -> Iterator[_Numbered]:
        """The number of each value and a function that gives its result or raises, in the order they come."""
        self._refuse_closed()  # here, and not when the first result is asked for
        return self._work(fn, (Work(number, value, retries) for number, value in enumerate(values)))

    def _work(self, fn: _Function, waiting: Iterator[Work]) -> Iterator[_Numbered]:
        again: deque[Work] = deque()
        free = deque(self._places)
        running: dict[Any, tuple[int, Any, Work]] = {}
        coming: dict[Any, tuple[int, Any]] = {}  # out of reach: Ray says when they are back, or dead
        while True:
            while free and (work := again.popleft() if again else next(waiting, None)) is not None:
                handle = self._at(free[0])
                running[called(fn, handle, work.value, running)] = free.popleft(), handle, work
            if not running and (free or not coming):
                return
            ended = self._first_of([*running, *coming])
            outcome = outcome_of(ended)
            place, handle, done = running.pop(ended, None) or (*coming.pop(ended), None)
            if outcome.was_lost and not outcome.is_dead:
                coming[_ready(handle)] = place, handle
            else:
                if outcome.is_dead:
                    self._replace(place, handle)
                free.append(place)
            if done is not None and outcome.was_lost and done.left > 0:
                again.append(done._replace(left=done.left - 1))
            elif done is not None:
                yield done.number, outcome.result

    def _first_of(self, running: Iterable[Any]) -> Any:
        """Wait for a call to end; refuse if the pool was closed before or meanwhile."""
        import ray

        self._refuse_closed()
        ready, _ = ray.wait(list(running), num_returns=1)
        self._refuse_closed()
        return ready[0]

    def _new(self) -> Any:
        return self._actor_class.remote(*self._args)

    def _at(self, place: int) -> Any:
        """The handle in a place; past the last, they begin anew."""
        with self._lock:
            self._refuse_closed()
            return self._actors[place % len(self._places)]

    def _replace(self, place: int, handle: Any) -> bool:
        """Give the place of a dead actor to a new one, if nobody has done so yet."""
        with self._lock:
            if self._closed or self._actors[place] != handle:
                return False
            self._actors[place] = self._new()
            self.replaced += 1
            return True

    def _refuse_closed(self) -> None:
        if self._closed:
            raise PoolClosed("this pool of actors was closed. Start another: envpickle_ray.pool(cls, n).")
        if cluster() != self._cluster:
            raise PoolClosed(
                "Ray was shut down since this pool of actors was started, and they ended with it. Start another after "
                "ray.init(): envpickle_ray.pool(cls, n)."
            )

    def __reduce__(self) -> Any:
        raise PickleRefused(
            "a pool of actors stays in the process that started it. Send handles of its actors, which any process can use: "
            "list(pool)."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _in_order(results: Iterator[_Numbered]) -> Iterator[Any]:
    done: dict[int, Callable[[], Any]] = {}
    wanted = 0
    for number, result in results:
        done[number] = result
        while wanted in done:
            yield done.pop(wanted)()
            wanted += 1


def _ready(handle: Any) -> Any:
    """What is there when an actor answers; one that Ray is bringing back, does so when it is back."""
    return handle.__ray_ready__.options(max_task_retries=-1).remote()
