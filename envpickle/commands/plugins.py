"""The command ``envpickle plugins``."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

import click

from ..cli import GROUP
from ..manager import listed, tried
from ..switches import is_disabled

__all__ = ["plugins"]

_OPTIONAL = ("cloudpickle", "dill")


@dataclass
class _Entry:
    """One thing that is there: what it is called, where it is from, whether it is off, and what is wrong with it."""

    name: str
    source: str
    disabled: bool = False
    error: str | None = None


@dataclass
class _Listing:
    """All that is there."""

    plugins: list[_Entry] = field(default_factory=list)
    backends: list[_Entry] = field(default_factory=list)
    makers: list[_Entry] = field(default_factory=list)
    commands: list[_Entry] = field(default_factory=list)

    @property
    def broken(self) -> bool:
        return any(entry.error for entry in (*self.plugins, *self.backends, *self.makers, *self.commands))


@click.command("plugins", short_help="List plugins, backends, makers and commands.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def plugins(as_json: bool) -> None:
    """List plugins, backends, makers and commands: what is there, what is off, what is broken.

    Plugins and commands are imported, to see whether they can be used. Exit status: 0 if everything that is on can be used, 1
    if not, 2 if the command was used wrongly.
    """
    found = _listing()
    click.echo(json.dumps(asdict(found), indent=2) if as_json else _shown(found))
    raise SystemExit(1 if found.broken else 0)


def _listing() -> _Listing:
    made, broken = tried()
    found = _Listing()
    for entry in sorted(entry_points(group="envpickle"), key=lambda entry: entry.name):
        error = str(broken[entry.name]) if entry.name in broken else None
        found.plugins.append(_Entry(entry.name, _source(entry), is_disabled(entry.name), error))
    for hook in made.hook.envpickle_backends.get_hookimpls():
        for backend in _answer(hook, found, listed):
            taken = {entry.name: entry.source for entry in found.backends}.get(backend.name)
            error = f"its name is taken by one of: {taken}" if taken else None
            found.backends.append(_backend(backend.name, hook.plugin_name, error))
    for hook in made.hook.envpickle_makers.get_hookimpls():
        found.makers += [_Entry(_title(maker), hook.plugin_name) for maker in _answer(hook, found)]
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        found.commands.append(_Entry(entry.name, _source(entry), error=_trouble(entry)))
    return found


def _answer(hook: Any, found: _Listing, checked: Callable[[Any], list[Any]] = list) -> list[Any]:
    try:
        return checked(hook.function())
    except Exception as error:  # noqa: BLE001 -- a plugin's code: said, and the others are still listed
        found.plugins.append(
            _Entry(hook.plugin_name, f"its {hook.function.__name__}", error=f"{type(error).__name__}: {error}")
        )
        return []


def _title(maker: Any) -> str:
    """A name for a recogniser: its own, or where it is a partial, what it was given."""
    if hasattr(maker, "__qualname__"):
        return f"{maker.__module__}:{maker.__qualname__}"
    return ", ".join(map(str, getattr(maker, "args", ()))) or repr(maker)


def _backend(name: str, plugin: str, error: str | None) -> _Entry:
    missing = name in _OPTIONAL and find_spec(name) is None
    return _Entry(name, f"{plugin} ({name} is not installed)" if missing else plugin, is_disabled(name), error)


def _source(entry: EntryPoint) -> str:
    return (
        f"{entry.dist.name} {entry.dist.version} ({entry.value})" if entry.dist else f"an unknown distribution ({entry.value})"
    )


def _trouble(entry: EntryPoint) -> str | None:
    try:
        entry.load()
    except Exception as error:  # noqa: BLE001 -- a plugin's code: said, and the others are still listed
        return f"{type(error).__name__}: {error}"
    return None


def _shown(found: _Listing) -> str:
    lines = []
    for title, entries in vars(found).items():
        lines.append(f"{title}: {len(entries)}")
        for entry in entries:
            state = f", BROKEN: {entry.error}" if entry.error else ", off" if entry.disabled else ""
            lines.append(f"  {entry.name}: {entry.source}{state}")
    return "\n".join(lines)
