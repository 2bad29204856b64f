"""The plugin manager: made when a hook is first needed, with the plugins that installed distributions name.

``ENVPICKLE_DISABLE=name,...`` keeps plugins out by the name of their entry point, ``ENVPICKLE_TRACE=1`` prints every hook
call to standard error.
"""

import os
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from . import hookspecs, makers
from .backends import Backend, cloudpickle_backend, copyreg_backend, dill_backend, msgpack_backend
from .errors import PluginError
from .makers import Recogniser
from .objects import Packed
from .plugin import hookimpl
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


def backends() -> dict[str, Backend]:
    """Every backend by its name, those switched off left out.

    Raises:
        PluginError: Two plugins offer a backend of one name.
    """
    found: dict[str, Backend] = {}
    for backend in [backend for answer in reversed(hooks().envpickle_backends()) for backend in answer]:
        if backend.name in found:
            raise PluginError(
                f"two plugins offer a backend named {backend.name!r}: {found[backend.name]!r} and {backend!r}. "
                f"Keep one of them out with ENVPICKLE_DISABLE."
            )
        found[backend.name] = backend
    return {name: backend for name, backend in found.items() if not is_disabled(name)}


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
            f"{source} cannot be used: {type(error).__name__}: {error}. "
            f"Install another version of it, or keep it out with ENVPICKLE_DISABLE={entry.name}.",
            plugin=entry.name,
        ) from error
