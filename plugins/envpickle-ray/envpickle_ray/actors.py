"""`actor`: a run-time class as a Ray actor class.

``ray.remote`` makes a subclass of what it is given. Of a run-time class that is another class: it travels by value, instances
come home as it, and Ray's own driver-side object is an instance of it. So Ray is given a *host*: a class of ours, made at run
time too, that has the class's public methods and holds an instance of the very class. A host travels as the call that makes it.
"""

import atexit
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import envpickle
from envpickle import RuntimeType
from envpickle.errors import PickleRefused, UnknownClass

from .endings import begin, close, logged, loop_here
from .errors import NoActorClass

__all__ = ["Host", "HostType", "actor", "hosting"]


def actor(cls: type, /, **ray_options: Any) -> Any:
    """Return a Ray actor class whose actors each hold an instance of a class, a run-time class among others.

    Use it like what ``ray.remote(...)`` returns::

        Dock = envpickle_ray.actor(dock_env(TOOLS, URL), num_cpus=0.1)
        dock = Dock.remote()
        ray.get(dock.lift.remote(3))

    The actor holds an instance of the class itself, not of a subclass made by Ray, so it comes home as the same class. Handles
    have the public methods of the class, and may be passed to tasks and other actors. As in Ray, coroutine methods make an
    asyncio actor, and generator methods stream.

    The instance is closed when Ray ends the actor in an orderly way (the last handle is gone, or ``__ray_terminate__``), and
    when its owner is closed, in whichever process. ``ray.kill``, a lost node and the end of a job leave no time for that:
    connections drop.

    Args:
        cls: The class.
        **ray_options: Options of ``ray.remote`` for actors: ``num_cpus``, ``resources``, ``max_restarts``, ``runtime_env``, ...

    Raises:
        NoActorClass: It is not a class, or one that ``ray.remote`` made.
        PickleRefused: The class cannot travel without losing something.
    """
    import ray

    if why := _no_class(cls):
        raise NoActorClass(
            f"envpickle_ray.actor makes actors of a class, and {cls!r} is {why}. Pass the class itself: "
            f"envpickle_ray.actor(cls, num_cpus=1)."
        )
    with contextlib.suppress(UnknownClass):  # made by no builder: found by its name, or refused when it is sent
        envpickle.describe(cls)  # so that envpickle refuses it here, and not in the middle of Ray's sending
    host = hosting(cls)
    return ray.remote(**ray_options)(host) if ray_options else ray.remote(host)


def _no_class(given: Any) -> str:
    """What it is instead of a class; an empty text for a class."""
    if hasattr(given, "__ray_metadata__"):
        return "what ray.remote made of one"
    if isinstance(given, envpickle.Builder):
        return "a builder of classes: call it first"
    return "" if isinstance(given, type) else f"a {type(given).__qualname__}"


class HostType(RuntimeType):
    """The metaclass of hosts, of which Ray may make subclasses."""


class Host(metaclass=HostType):
    """What runs in a Ray actor: holds one instance, and closes it in the end."""

    _hosted: type
    _open = _owned = _runs = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the instance."""
        self._loop = loop_here()
        self._owned = _is_owned(self._hosted)  # asked now: a method may change the class, of which nothing is said then
        self._held = self._hosted(*args, **kwargs)
        self._open = self._runs = True
        atexit.register(self.__ray_shutdown__)

    def __repr__(self) -> str:
        return f"actor({self._hosted.__name__})"  # stands before the lines that Ray forwards

    def __ray_shutdown__(self) -> None:
        """Called by Ray where it ends an actor in order; the instance may have a method of this name, as Ray's actors may."""
        runs, self._runs = self._runs, False
        if runs and callable(its_own := getattr(self._held, "__ray_shutdown__", None)):
            with logged(self._hosted):
                its_own()
        if not self._owned:  # its owner closes it when this process ends
            _close_here(self)


def _close_here(self: Any) -> None:
    """Close the instance of a host, once."""
    is_open, self._open = self._open, False
    if is_open:
        with logged(self._hosted):
            close(self._held, self._loop)


async def _close_in_loop(self: Any) -> None:
    """The same as a method of an asyncio actor."""
    is_open, self._open = self._open, False
    if is_open:
        with logged(self._hosted):
            answer = begin(self._held)
            if inspect.isawaitable(answer):
                await answer


def _is_owned(cls: type) -> bool:
    try:
        return envpickle.describe(cls).owner is not None
    except PickleRefused:
        return False


@envpickle.builder
def hosting(cls: type) -> type:
    """Make the host of a class: the public methods of the class, each of which calls the held instance's."""
    namespace: dict[str, Any] = {"__doc__": cls.__doc__, "__module__": __name__, "_hosted": cls}
    namespace["__init__"] = _constructor(cls)
    methods = list(_methods(cls))
    namespace.update((name, _relay(name, method, as_seen)) for name, method, as_seen in methods)
    is_asyncio = any(_kind(method) in _ASYNCHRONOUS for _, method, _ in methods)
    namespace["_close_held"] = _seen(_close_in_loop if is_asyncio else _close_here, None)  # a pool calls it, and waits for it
    made: type = HostType(cls.__name__, (Host,), namespace)
    return made


def _constructor(cls: type) -> Callable[..., None]:
    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:  # noqa: N807 -- it becomes this method
        Host.__init__(self, *args, **kwargs)

    return _seen(__init__, _signature(cls, bound=True))


def _seen(function: Callable[..., Any], as_seen: inspect.Signature | None) -> Callable[..., Any]:
    """Say with which arguments a method of a host is called; Ray checks them by it, at home.

    Ray puts a signature on every function of an actor class. One that had none would not be as it was made after that.
    """
    function.__signature__ = as_seen or inspect.signature(function)  # type: ignore[attr-defined]
    return function


def _methods(cls: type) -> Iterator[tuple[str, Callable[..., Any], inspect.Signature | None]]:
    """The public methods of a class: name, function, and the signature with ``self``; None where Python knows none.

    A property, or another descriptor that is no method, is none: Ray would call its value.
    """
    for name in dir(cls):
        attribute = inspect.getattr_static(cls, name, None)
        if (name.startswith("_") and name != "__call__") or not _is_method(attribute):
            continue
        if isinstance(attribute, _DERIVED):
            yield name, attribute.func, _signature(attribute.__get__(None, cls), bound=False)
        else:
            function = attribute.__func__ if isinstance(attribute, staticmethod | classmethod) else attribute
            yield name, function, _signature(function, bound=isinstance(attribute, staticmethod | functools.partial))


_DERIVED = functools.partialmethod, functools.singledispatchmethod  # methods made of one in `func`


def _is_method(attribute: Any) -> bool:
    if isinstance(attribute, _DERIVED):
        return True
    if isinstance(attribute, staticmethod | classmethod):
        return callable(attribute.__func__)  # a class's property is none
    return isinstance(attribute, functools.partial) or (inspect.isroutine(attribute) and callable(attribute))


def _signature(function: Callable[..., Any], bound: bool) -> inspect.Signature | None:
    try:
        said = inspect.signature(function)
    except (TypeError, ValueError):  # written in C
        return None
    parameters = list(said.parameters.values())
    if not bound and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[1:]
    first = "self"
    while any(parameter.name == first for parameter in parameters):
        first = f"_{first}"
    return said.replace(parameters=[inspect.Parameter(first, inspect.Parameter.POSITIONAL_ONLY), *parameters])


def _relay(name: str, function: Callable[..., Any], as_seen: inspect.Signature | None) -> Callable[..., Any]:
    """A method that calls the held instance's of the same name, of the same kind: Ray looks at it to know how to run it."""
    relay = _RELAYS[_kind(function)](name)
    relay.__name__, relay.__doc__ = name, function.__doc__
    relay.__dict__.update(  # what @ray.method put there
        (key, value) for key, value in getattr(inspect.unwrap(function), "__dict__", {}).items() if key.startswith("__ray_")
    )
    return _seen(relay, as_seen)


def _kind(function: Callable[..., Any]) -> str:
    if inspect.isasyncgenfunction(function):
        return "asynchronous generator"
    if inspect.iscoroutinefunction(function):
        return "coroutine"
    return "generator" if inspect.isgeneratorfunction(function) else "function"


_ASYNCHRONOUS = ("asynchronous generator", "coroutine")  # a method of these kinds makes an asyncio actor


def _plain(name: str) -> Callable[..., Any]:
    def relay(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._held, name)(*args, **kwargs)

    return relay


def _coroutine(name: str) -> Callable[..., Any]:
    async def relay(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return await getattr(self._held, name)(*args, **kwargs)

    return relay


def _generator(name: str) -> Callable[..., Any]:
    def relay(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        for one in getattr(self._held, name)(*args, **kwargs):  # noqa: UP028 -- Ray sends, not all iterators take it
            yield one

    return relay


def _asynchronous_generator(name: str) -> Callable[..., Any]:
    async def relay(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        async for one in getattr(self._held, name)(*args, **kwargs):
            yield one

    return relay


_RELAYS = {
    "function": _plain,
    "coroutine": _coroutine,
    "generator": _generator,
    "asynchronous generator": _asynchronous_generator,
}
