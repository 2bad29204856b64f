"""`pool`: actors of one class, to share out work among; one that dies is replaced."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Self

from .actors import actor
from .errors import NoActors, PoolClosed

__all__ = ["Pool", "pool"]

_PATIENCE = 10.0  # seconds for all actors of a pool together


def pool(cls: type, n: int, /, *args: Any, **ray_options: Any) -> "Pool":
    """Start ``n`` actors of a class, as a sequence of handles that shares out work among them.

    ::

        with envpickle_ray.pool(Dock, 4, num_cpus=0.1) as docks:
            rewards = list(docks.map(lambda dock, seed: dock.play.remote(seed), range(100)))

    It has the calls of ``ray.util.ActorPool`` for whole iterables, and gives a dead actor's place to a new one.

    Args:
        cls: The class.
        n: How many.
        *args: What every instance is made with.
        **ray_options: Options of ``ray.remote`` for actors.

    Raises:
        NoActorClass: It is no class.
        NoActors: ``n`` is less than 1.
        PickleRefused: The class cannot travel without losing something.
    """
    if n < 1:
        raise NoActors(f"a pool of {n!r} actors cannot be started. Pass how many, 1 or more: envpickle_ray.pool(cls, 4).")
    return Pool(actor(cls, **ray_options), n, args)


class Pool:
    """Actors of one class; made by `pool`. A sequence of their handles, and a context manager that closes it."""

    def __init__(self, actor_class: Any, n: int, args: tuple[Any, ...]) -> None:
        self._actor_class, self._args = actor_class, args
        self._actors: list[Any] = [self._new() for _ in range(n)]
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

    def submit(self, fn: Callable[[Any, Any], Any], value: Any) -> Any:
        """Have one actor do something, the next in turn.

        Args:
            fn: Called with a handle and the value; returns the reference of one actor call: ``lambda a, v: a.play.remote(v)``.
            value: The value.

        Returns:
            The reference, for ``ray.get``. An actor that is found dead by it is replaced by `map`, or by `heal`.
        """
        self._refuse_closed()
        self._next = (self._next + 1) % len(self._actors)
        return fn(self._actors[self._next], value)

    def map(self, fn: Callable[[Any, Any], Any], values: Iterable[Any], *, retries: int = 0) -> Iterator[Any]:
        """Have the actors work on values, one each at a time, and yield the results in the order of the values.

        Args:
            fn: Called with a handle and a value; returns the reference of one actor call.
            values: The values; taken as actors become free.
            retries: How often the call for a value is made again on another actor, when the one at work on it died.

        Raises:
            RayError: A call's own (Ray's ``RayTaskError``, or ``RayActorError`` of an actor that died).
            PoolClosed: The pool was closed.
        """
        done: dict[int, Any] = {}
        wanted = 0
        for index, result in self._each(fn, values, retries):
            done[index] = result
            while wanted in done:
                yield done.pop(wanted)()
                wanted += 1

    def map_unordered(self, fn: Callable[[Any, Any], Any], values: Iterable[Any], *, retries: int = 0) -> Iterator[Any]:
        """The same, but yield each result as soon as it is there; arguments and errors as `map`."""
        for _, result in self._each(fn, values, retries):
            yield result()

    def heal(self) -> int:
        """Look for dead actors and replace them; returns how many there were. `map` does it where it meets one."""
        import ray

        self._refuse_closed()
        before = self.replaced
        asked = [(handle, handle.__ray_ready__.remote()) for handle in self]
        for handle, answer in asked:
            try:
                ray.get(answer)
            except ray.exceptions.ActorDiedError:
                self._replace(handle)
        return self.replaced - before

    def close(self, timeout: float = _PATIENCE) -> None:
        """Close the instance of every actor and let the actors end; may be called again.

        When it returns, the instances are closed, but those of actors that were still at work on something after the timeout:
        such an actor closes its instance after that. The processes end by themselves, a moment later.

        Args:
            timeout: Seconds to wait for all of them together.
        """
        import ray

        self._closed = True
        actors, self._actors = self._actors, []
        closing = [handle._close_held.remote() for handle in actors]
        try:
            if closing:
                ray.wait(closing, num_returns=len(closing), timeout=timeout)
        finally:
            for handle in actors:
                handle.__ray_terminate__.remote()

    def _each(self, fn: Callable[[Any, Any], Any], values: Iterable[Any], retries: int) -> Iterator[tuple[int, Any]]:
        """Index and a function that gives the result or raises, in the order they come."""
        import ray

        self._refuse_closed()
        waiting: Iterator[tuple[int, Any, int]] = ((index, value, retries) for index, value in enumerate(values))
        again: deque[tuple[int, Any, int]] = deque()
        free = deque(self._actors)
        running: dict[Any, tuple[Any, tuple[int, Any, int]]] = {}
        while True:
            self._refuse_closed()
            while free and (item := again.popleft() if again else next(waiting, None)) is not None:
                handle = free.popleft()
                running[fn(handle, item[1])] = handle, item
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            handle, (index, value, left) = running.pop(ready[0])
            result, lost, dead = _outcome(ready[0])
            free.append(self._replace(handle) if dead else handle)
            if lost and left > 0:
                again.append((index, value, left - 1))
            else:
                yield index, result

    def _new(self) -> Any:
        return self._actor_class.remote(*self._args)

    def _replace(self, handle: Any) -> Any:
        if handle not in self._actors:  # another iteration has met it too
            return self._actors[self.replaced % len(self._actors)]
        new = self._actors[self._actors.index(handle)] = self._new()
        self.replaced += 1
        return new

    def _refuse_closed(self) -> None:
        if self._closed:
            raise PoolClosed("this pool of actors was closed. Start another: envpickle_ray.pool(cls, n).")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _outcome(reference: Any) -> tuple[Callable[[], Any], bool, bool]:
    """A function that gives a result or raises what the call raised; whether its actor was lost on it, and is dead for good."""
    import ray
    from ray import exceptions

    try:
        value = ray.get(reference)
    except exceptions.RayTaskError as error:  # the method's own, even where it has lost an actor itself
        return _raising(error), False, False
    except exceptions.RayActorError as error:
        return _raising(error), True, isinstance(error, exceptions.ActorDiedError)
    except Exception as error:  # noqa: BLE001 -- raised where the result is asked for
        return _raising(error), False, False
    return lambda: value, False, False


def _raising(error: Exception) -> Callable[[], Any]:
    def raise_it() -> Any:
        raise error

    return raise_it
