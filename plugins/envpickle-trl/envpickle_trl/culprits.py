"""Why one object does not cross into a spawned process, and what to do instead."""

import functools
import types
from typing import Any

from envpickle.errors import EnvpickleError

__all__ = ["reason_and_remedy"]

_INSTEAD = (
    (("_thread", "threading", "multiprocessing", "_multiprocessing"), "Make the lock or queue where it is first used."),
    (("socket", "_socket", "ssl", "_ssl"), "Keep the address, and connect where it is first used."),
    (("httpx", "httpcore", "requests", "aiohttp", "websockets"), "Keep the URL, and make the client where it is first used."),
    (("_io", "io", "tempfile"), "Keep the path, and open the file where it is first used."),
    (("asyncio", "_asyncio"), "It belongs to one event loop: make it where it is first used."),
    (("sqlite3", "_sqlite3"), "Keep the path, and connect where it is first used."),
)
_FURTHER = "Make it where it is used, in the rollout process, or leave it out with __getstate__."


def reason_and_remedy(culprit: Any, error: BaseException) -> tuple[str, str]:
    """Say why an object does not cross, and what to do.

    Args:
        culprit: The object itself, not what holds it.
        error: What pickling it raised.

    Returns:
        The reason, a sentence about the object, and the remedy, a sentence of its own.
    """
    if isinstance(error, EnvpickleError):
        reason, _, remedy = str(error).rpartition(". ")
        return (f"{reason}.", remedy) if reason else (remedy, _FURTHER)
    if isinstance(error, RecursionError):
        return f"{describe(culprit)} is nested too deep for pickle.", "Pass the path of a file, or flatten it."
    if issubclass(type(culprit), types.FunctionType):
        return _function(culprit, error)
    if isinstance(culprit, type):
        return _class(culprit, error)
    if isinstance(culprit, types.ModuleType):
        return (
            f"it is the module {culprit.__name__}, and pickle sends no modules.",
            "Import it inside the function that needs it.",
        )
    if isinstance(culprit, types.GeneratorType | types.CoroutineType | types.AsyncGeneratorType):
        return (
            f"{describe(culprit)} has begun to run, which no process can hand over.",
            "Hand over the function, and call it there.",
        )
    return f"{describe(culprit)} cannot be pickled ({_shown(error)}).", _instead(culprit)


def describe(value: Any) -> str:
    """Name an object for a message, by its kind and its own name if it has one.

    Args:
        value: The object.

    Returns:
        A few words, such as ``a _thread.lock``.
    """
    if issubclass(type(value), types.FunctionType):
        return "a lambda" if value.__name__ == "<lambda>" else f"the function {value.__module__}.{value.__qualname__}"
    if isinstance(value, type):
        return f"the class {value.__module__}.{value.__qualname__}"
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _function(function: types.FunctionType, error: BaseException) -> tuple[str, str]:
    wrapper = "hand over envpickle_trl.portable(...) of it"
    if function.__name__ == "<lambda>":
        return "it is a lambda, and pickle sends functions by name.", f"Write it with def at the top of a module, or {wrapper}."
    if "<locals>" in function.__qualname__:
        outer = function.__qualname__.rpartition(".<locals>")[0]
        return (
            f"the function {function.__name__} is defined inside {outer}(), where no other process finds it by name.",
            f"Move it to the top of an importable module, or {wrapper}.",
        )
    return (
        f"{describe(function)} is not what its name leads to ({_shown(error)}): was it decorated, replaced or deleted?",
        f"Let the name lead to this very function (functools.wraps does not do that), or {wrapper}.",
    )


def _class(cls: type, error: BaseException) -> tuple[str, str]:
    if "<locals>" in cls.__qualname__:
        outer = cls.__qualname__.rpartition(".<locals>")[0]
        why = f"the class {cls.__name__} is made inside {outer}(), where no other process finds it by name."
    else:
        why = f"{describe(cls)} is not what its name leads to ({_shown(error)})."
    return why, "Move it to the top of an importable module, or make it in a function marked with @envpickle.builder."


def _instead(value: Any) -> str:
    home = type(value).__module__.partition(".")[0]
    if isinstance(value, functools.partial):
        return _FURTHER
    return next((f"{hint} Or leave it out with __getstate__." for homes, hint in _INSTEAD if home in homes), _FURTHER)


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]
