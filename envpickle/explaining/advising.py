"""Why a part is refused, and what to do next.

A remedy names something to change in the user's program. Plugins are asked first, by the hook ``envpickle_explain``.
"""

from __future__ import annotations

import abc
import functools
import types
import weakref
from typing import Any

from ..building import encode_call, signature_of
from ..classes import find, found_by_name, record_of
from ..errors import EnvpickleError, PluginError
from ..manager import hooks, makers_asked, spec_of
from ..runtime import MAIN, Builder
from .naming import of_class, title
from .parts import Part

_LATER = "make it where it is first used"
_OUT = "leave it out in __getstate__"
_WEAK = f"A weak reference leads nowhere in another process: hold the object itself, or a key to look it up by; or {_OUT}."
_HOMES = (
    (("_thread", "threading"), f"It belongs to one process: {_LATER}, or {_OUT} and make a new one in __setstate__."),
    (
        ("multiprocessing", "_multiprocessing"),
        "Pass it to Process(args=...) or to a pool's initializer: only these can send it. Or use one of a Manager's.",
    ),
    (("socket", "_socket", "ssl", "_ssl", "select"), f"Keep the address, and connect where it is first used; or {_OUT}."),
    (("httpx", "httpcore", "requests", "urllib3", "aiohttp", "websockets", "grpc", "openai"),
     f"Keep the URL, and {_LATER.replace('it', 'the client', 1)}; or {_OUT}."),
    (("_io", "io", "tempfile", "mmap"), f"Keep the path, and open the file where it is first used; or {_OUT}."),
    (("asyncio", "_asyncio", "contextvars", "_contextvars"), f"It belongs to one event loop: {_LATER}; or {_OUT}."),
    (("sqlite3", "_sqlite3", "psycopg", "sqlalchemy"), f"Keep the path or URL, and connect where it is first used; or {_OUT}."),
    (("subprocess", "concurrent"), f"It belongs to the process that made it: {_LATER}; or {_OUT}."),
    (("torch", "jax", "jaxlib", "cupy", "tensorflow"),
     "Send .detach().cpu(), or the path of a file, and move it to the device where it is used."),
)  # fmt: skip
_TYPES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((types.ModuleType,), "Import it inside the function that needs it, or keep its name and import that."),
    (
        (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType),
        "It has begun to run, and cannot be sent in the middle: pass the function, and call it there; or pass list(...) of it.",
    ),
    (
        (weakref.ReferenceType, weakref.ProxyType, weakref.CallableProxyType),
        _WEAK,
    ),
    ((types.MappingProxyType,), "Pass dict(...) of it."),
    ((memoryview,), "Pass bytes(...) of it."),
    ((type({}.keys()), type({}.values()), type({}.items())), "Pass list(...) of it."),
    ((types.FrameType, types.TracebackType), "Keep traceback.format_exc(), the text, instead."),
    ((types.CodeType,), "Pass the function's name, or its source; code belongs to one version of Python."),
    (
        (staticmethod, classmethod, property),
        "It is the wrapper itself: pass the class or an instance, and reach it from there.",
    ),
    ((functools.lru_cache(lambda: None).__class__,), "Cache a function at the top of a module, under its own name."),
)
_BY_PLUGIN = "a plugin"
_MOVE = "Move it to the top level of a module or of the script"
_FURTHER = (
    "Make it where it is used, in the other process, from plain data that you pass; or leave it out in __getstate__ and make "
    "it again in __setstate__."
)


class Advice:
    """Judges refused parts for one pickler."""

    def __init__(self, by_value: bool) -> None:
        self._by_value = by_value

    def judge(self, part: Part, value: Any, error: BaseException) -> None:
        """Say why a part is refused and what to do; both are written into the part.

        Args:
            part: The refused part.
            value: The object.
            error: What asking for it raised.
        """
        part.reason, part.remedy = self._reason_and_remedy(value, error)
        if part.parent is not None and part.parent.kind.startswith("weakref."):  # a weak dictionary: nobody mends its insides
            part.remedy = _WEAK
        told = _plugins_say(value)
        if told:
            part.remedy = told

    def _reason_and_remedy(self, value: Any, error: BaseException) -> tuple[str, str]:
        if isinstance(error, EnvpickleError):
            reason, dot, remedy = str(error).rpartition(". ")
            reason = f"T{reason[1:]}" if reason.startswith(("the ", "this ")) else reason
            return (f"{reason}.", remedy) if dot else (remedy, _FURTHER)
        if isinstance(error, RecursionError):
            return (
                "It is nested deeper than pickle goes in this interpreter.",
                "Keep links as keys into a list or dict, or give the class a __reduce__ that writes it flat.",
            )
        if issubclass(type(value), types.FunctionType):
            return self._function(value, error)
        if issubclass(type(value), type):
            return self._class(value, error)
        return f"{_a(title(value))} cannot be pickled{_shown(error)}.", remedy_for(value)

    def _function(self, function: types.FunctionType, error: BaseException) -> tuple[str, str]:
        copied = "" if self._by_value else " (cloudpickle copies such functions)"
        if isinstance(error, LookupError):
            return f"The function {error}.", _to_where_it_is_found(function)
        if function.__name__ == "<lambda>":
            return (
                f"A lambda has no name that another process could find it by{copied}.",
                "Write it with def at the top level of a module or of the script, or as a functools.partial of one.",
            )
        builder = _builder_of(function)
        if builder:
            return (
                f"The function {function.__name__} is made by the builder {builder} and travels only with its class{copied}.",
                "Pass the class or an instance, and reach the function from there.",
            )
        if "<locals>" in function.__qualname__:
            return (
                f"The function {function.__name__} {error}{copied}.",
                f"{_MOVE}; bind what it closes over by functools.partial.",
            )
        return (
            f"The function {function.__name__} {error}: it was decorated, replaced or deleted{copied}.",
            "Pass what that name leads to, or keep this very function under a name of its own.",
        )

    def _class(self, cls: type, error: BaseException) -> tuple[str, str]:
        copied = "" if self._by_value else " (cloudpickle copies such classes)"
        name = of_class(cls, "__qualname__").rpartition(".")[2]
        register = f"{name} = envpickle.register({name})"
        if isinstance(error, LookupError):
            by_code = f" Or try to send its code: {register}." if of_class(cls, "__module__") not in MAIN else ""
            return f"The class {error}.", _to_where_it_is_found(cls) + by_code
        known, certain = ("", True) if self._by_value else _recognised(cls)
        if known:
            compared = "" if known is _BY_PLUGIN else ": it makes the class again and compares"
            remedy = f"Try {register}, once, right after it is made{compared}."
            return f"The class {name} {error}{copied}; {known} recognises how it was made.", remedy
        by_code = "" if certain or type(cls) not in (type, abc.ABCMeta) else f", or try to send its code: {register}"
        return f"The class {name} {error}{copied}.", f"{_MOVE}, make it in a function there marked @envpickle.builder{by_code}."


def _to_where_it_is_found(value: Any) -> str:
    module = of_class(value, "__module__") if issubclass(type(value), type) else value.__module__
    if module in MAIN:
        return "Move it to the top of the script, above the main guard, or into a module."
    return "Define it by a statement at the top level of that module."


def remedy_for(value: Any) -> str:
    """What to do instead of pickling an object of its kind."""
    kind = type(value)
    for kinds, remedy in _TYPES:
        if issubclass(kind, kinds):
            return remedy
    bases = of_class(kind, "__mro__")[:-1]
    for base in bases:
        module = of_class(base, "__module__")
        home = module.partition(".")[0] if type(module) is str else ""
        for homes, remedy in _HOMES:
            if home in homes:
                return remedy
    if any("device" in of_class(base, "__dict__") for base in bases):
        return "If it lies on a device, send a copy in main memory (.cpu()) or a file's path, and move it where it is used."
    return _FURTHER


def _recognised(cls: type) -> tuple[str, bool]:
    """What recognises a class, and whether a maker is certain that it cannot be registered; it is not made again here."""
    if found_by_name(cls) or record_of(cls) is not None:
        return "", False
    try:
        asked = [lambda: spec_of(cls), *makers_asked(cls)]
    except Exception:  # noqa: BLE001 -- a broken plugin must not hide what is wrong with the class
        return "", False
    for number, ask in enumerate(asked):
        try:
            builder, args, kwargs = ask() or (None, (), {})
            if builder is not None:
                encode_call(builder, signature_of(builder).bind(*args, **kwargs))
                return f"the maker {builder.qualname}" if number else _BY_PLUGIN, False
        except Exception as error:  # noqa: BLE001 -- a maker that is not certain says so by an error
            if getattr(error, "final", False):
                return "", True
    return "", False


def _plugins_say(value: Any) -> str:
    try:
        said = hooks().envpickle_explain(obj=value)
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(f"a plugin's envpickle_explain raised {error!r} for {_a(title(value))}. Mend it.") from error
    if said is not None and not isinstance(said, str):
        raise PluginError(f"a plugin's envpickle_explain answered {type(said).__name__}, not text. Return a sentence, or None.")
    return said or ""


def _builder_of(function: types.FunctionType) -> str:
    """Name of the builder that a function was made in, as the functions of built classes are; empty if in none."""
    outer = function.__qualname__.partition(".<locals>")[0]
    there = find(function.__module__, outer) if type(function.__module__) is str else None
    return outer if isinstance(there, Builder) and outer != function.__qualname__ else ""


def _a(name: str) -> str:
    return f"{'An' if name[:1] in 'aeiou' else 'A'} {name}"


def _shown(error: BaseException) -> str:
    """What an error adds to that the object cannot be pickled, after a colon."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 -- its __str__ is the user's
        text = "?"
    short = text if len(text) <= 160 else f"{text[:157]}..."
    short = short.rstrip(".")
    if type(error) is TypeError and short.startswith("cannot pickle"):  # Python's own words, which say no more
        return ""
    return f": {type(error).__name__}: {short}"
