"""How the instance in an actor is closed: by the closing method that its class has, in the loop that its calls run in."""

import asyncio
import inspect
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["CLOSERS", "begin", "close", "logged", "loop_here"]

CLOSERS = ("__envpickle_close__", "_close", "close", "aclose", "__exit__")  # as an owner looks for them
PATIENCE = 10.0  # seconds for what closes in a loop of another thread


def loop_here() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread: in the constructor, that of an asyncio actor."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def begin(held: Any) -> Any:
    """Call the closing method of an instance; what it gave back has to be awaited if it can be."""
    # by the dictionaries of the classes, as an owner does: a metaclass may answer for any name
    own = {name for base in type(held).__mro__ for name, value in vars(base).items() if name in CLOSERS and value is not None}
    name = next((name for name in CLOSERS if name in own), None)
    if name is None:
        return None
    return getattr(held, name)(*((None, None, None) if name == "__exit__" else ()))


def close(held: Any, loop: asyncio.AbstractEventLoop | None) -> None:
    """Close an instance, in the loop of its actor if it closes asynchronously: what it holds may belong to that."""
    answer = begin(held)
    if not inspect.isawaitable(answer):
        return
    if loop is None or loop.is_closed():
        asyncio.run(_awaited(answer))
    elif loop.is_running():
        asyncio.run_coroutine_threadsafe(_awaited(answer), loop).result(PATIENCE)
    else:  # Ray stops it before it ends an actor
        loop.run_until_complete(_awaited(answer))


async def _awaited(answer: Any) -> None:
    await answer


@contextmanager
def logged(cls: type) -> Iterator[None]:
    """What goes wrong while an instance is closed is logged: its actor ends all the same."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 -- as said
        logging.getLogger("envpickle").warning("closing the %s of an actor: %r", cls.__qualname__, error)
