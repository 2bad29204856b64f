"""The plugin manager: made when a hook is first needed, with the plugins that installed distributions name.

``ENVPICKLE_DISABLE=name,...`` keeps plugins out by the name of their entry point, ``ENVPICKLE_TRACE=1`` prints every hook
call to standard error.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from . import hookspecs, makers
from .backends import Backend, cloudpickle_backend, copyreg_backend, dill_backend, msgpack_backend
from .errors import EnvpickleError, PluginError
from .makers import Recognised, Recogniser
from .objects import Packed
from .plugin import hookimpl
from .runtime import Builder
from .switches import is_disabled

_GROUP = "envpickle"
managers: list[pluggy.PluginManager] = []
"""The one plugin manager of this process, once it is made."""


class _BuiltIn:
    """envpickle's own backends, makers and packers come through the same door as anyone's."""

    @hookimpl
    def envpickle_backends(self) -> list[Backend]:
        return [copyreg_backend, msgpack_backend, cloudpickle_backend, dill_backend]

    @hookimpl
    def envpickle_makers(self) -> list[Recogniser]:
        return makers.recognisers()

    @hookimpl
    def envpickle_pack(self, value: Any) -> Packed | None:
        from .makers import annotations

        return annotations.pack(value) or makers.pack(value)


def manager() -> pluggy.PluginManager:
    """The plugin manager of this process, made on the first call.

    Raises:
        PluginError: A plugin cannot be loaded, or implements a hook that does not exist.
    """
    if not managers:
        managers.append(_made())
    return managers[0]


def hooks() -> Any:
    """The hooks, to be called by name with keyword arguments."""
    return manager().hook


def spec_of(cls: type) -> Recognised | None:
    """The call that a plugin's ``envpickle_spec`` gives for a class.

    Raises:
        PluginError: A plugin's hook failed, or its answer is no call.
    """
    return _asked("envpickle_spec", lambda cls: hooks().envpickle_spec(cls=cls), cls)


def makers_asked(cls: type) -> Iterator[Callable[[], Recognised | None]]:
    """What each maker says of a class, when it is called: the call that would make it, or None.

    Raises:
        PluginError: A plugin's ``envpickle_makers`` or one of its makers failed, or the answer is none.
    """
    for answer in hooks().envpickle_makers():
        if not isinstance(answer, list | tuple):
            raise PluginError(f"a plugin answered envpickle_makers with {answer!r}. Return a list of functions.")
        for maker in answer:
            yield partial(_asked, "a maker of envpickle_makers", maker, cls)


def _asked(hook: str, ask: Callable[[type], Any], cls: type) -> Recognised | None:
    try:
        answer = ask(cls)
    except EnvpickleError:
        raise  # a plugin may say why a class of its kind cannot travel
    except Exception as error:
        raise PluginError(f"a plugin's {hook} raised {error!r} for {cls!r}. Mend it.") from error
    fault = _fault(answer)
    if fault:
        raise PluginError(
            f"a plugin answered {hook} for {cls!r} with {answer!r}: {fault}. Return (builder, args, kwargs), the builder "
            f"marked with @envpickle.builder, or None."
        )
    return answer  # type: ignore[no-any-return] # looked at above


def _fault(answer: Any) -> str:
    """Why an answer is no call of a builder; empty if it is one, or None."""
    if answer is None:
        return ""
    if not isinstance(answer, tuple) or len(answer) != 3:
        return "that is no tuple of three"
    builder, args, kwargs = answer
    if not isinstance(builder, Builder):
        return "the first of the three is no builder"
    if not isinstance(args, tuple | list) or not isinstance(kwargs, Mapping):
        return "its arguments are not a tuple and a dict"
    try:
        inspect.signature(builder.fn).bind(*args, **kwargs)
    except TypeError as error:
        return f"the builder does not take these arguments ({error})"
    return ""


def backends() -> dict[str, Backend]:
    """Every backend by its name, those switched off left out.

    Raises:
        PluginError: Two plugins offer a backend of one name, or what one offers is no backend.
    """
    found: dict[str, Backend] = {}
    for backend in [backend for answer in reversed(hooks().envpickle_backends()) for backend in listed(answer)]:
        if backend.name in found:
            raise PluginError(
                f"two plugins offer a backend named {backend.name!r}: {found[backend.name]!r} and {backend!r}. "
                f"Keep one of them out with ENVPICKLE_DISABLE."
            )
        found[backend.name] = backend
    return {name: backend for name, backend in found.items() if not is_disabled(name)}


def listed(answer: Any) -> list[Backend]:
    """The backends that a plugin's ``envpickle_backends`` answered with.

    Raises:
        PluginError: That is no list, or holds something that is no backend.
    """
    if not isinstance(answer, list | tuple):
        raise PluginError(f"a plugin answered envpickle_backends with {answer!r}. Return a list of backends.")
    for backend in answer:
        missing = ", ".join(name for name in ("name", "teach", "dumps", "loads") if not hasattr(backend, name))
        if missing:
            raise PluginError(f"a plugin answered envpickle_backends with {backend!r}, which has no {missing}. Give it that.")
    return list(answer)


def tried() -> tuple[pluggy.PluginManager, dict[str, PluginError]]:
    """A manager with every plugin that can be used, and what is wrong with each other one, by its name; for a listing."""
    broken: dict[str, PluginError] = {}
    return _made(broken), broken


def _made(broken: dict[str, PluginError] | None = None) -> pluggy.PluginManager:
    made = pluggy.PluginManager("envpickle")
    made.add_hookspecs(hookspecs)
    if os.environ.get("ENVPICKLE_TRACE", "") not in ("", "0"):
        made.trace.root.setwriter(sys.stderr.write)
        made.enable_tracing()
    made.register(_BuiltIn(), "built-in")
    for entry in sorted(entry_points(group=_GROUP), key=lambda entry: entry.name):
        if is_disabled(entry.name):
            continue
        try:
            _enter(made, entry)
        except PluginError as error:
            if broken is None:
                raise
            broken[entry.name] = error
            made.unregister(name=entry.name)
    return made


def _enter(made: pluggy.PluginManager, entry: EntryPoint) -> None:
    source = f"the plugin {entry.name!r} of {entry.dist.name if entry.dist else 'an unknown distribution'} ({entry.value})"
    if made.has_plugin(entry.name):
        raise PluginError(f"{source} has a name that is taken. Keep one of the two out with ENVPICKLE_DISABLE={entry.name}.")
    try:
        made.register(entry.load(), entry.name)
        made.check_pending()
    except Exception as error:
        raise PluginError(
            f"{source} cannot be used: {type(error).__name__}: {str(error).rstrip('.')}. "
            f"Install another version of it, or keep it out with ENVPICKLE_DISABLE={entry.name}.",
            plugin=entry.name,
        ) from error
