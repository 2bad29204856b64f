"""What the contract for plugins asks plugins, processes and reports."""

import copy
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

import envpickle
from envpickle.manager import manager
from envpickle.plugin import Packed

GROUP = "envpickle"


def plugin_of(contract: object) -> Any:
    """The plugin, which must be installed and on."""
    name = getattr(contract, "name", None)
    assert name, f"{type(contract).__qualname__} has no name. Write name = ..., the key of the plugin's entry point."
    plugin = manager().get_plugin(name)
    installed = ", ".join(sorted(entry.name for entry in entry_points(group=GROUP))) or "none"
    assert plugin is not None, (
        f"there is no plugin {name!r} (installed: {installed}). Install the plugin, keep it out of ENVPICKLE_DISABLE, and say "
        f"name = ..., the key of its entry point in the group {GROUP!r}."
    )
    return plugin


def marked(plugin: Any) -> set[str]:
    """Names of the hooks that a plugin is asked for."""
    return {hook.name for hook in manager().get_hookcallers(plugin) or ()}


def named(function: Any) -> str:
    """What to call a function in a message."""
    return getattr(function, "__name__", None) or repr(function)


def derived_from(value: Any) -> Any:
    """A copy of a value, of a type that derives from its own; None where there can be none."""
    kind = type(value)
    try:
        derived = copy.copy(value)
        if derived is value:
            return None
        metaclass: Any = type(kind)
        derived.__class__ = metaclass("Heir", (kind,), {"__slots__": ()})
    except Exception:  # noqa: BLE001 -- a type that is final, built in, or cannot be copied
        return None
    return derived


def made_as(packed: Packed, kind: type) -> bool:
    """Whether the packed data of a value make one of this very type."""
    try:
        return type(packed.unpacker(packed.data)) is kind
    except Exception:  # noqa: BLE001 -- the plugin's code, which did not know this type
        return False


def said(program: str, cls: type) -> list[str]:
    """What a fresh process in an empty directory prints that is given a class on its standard input."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=pickle.dumps(cls).hex(),
            capture_output=True,
            text=True,
            cwd=empty,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def advice_given(plugin: Any, obj: Any) -> tuple[set[str], list[Any]]:
    """What a plugin says in the report on an object, and what it was asked about."""
    asked: list[Any] = []

    def note(hook: str, _: Any, given: Mapping[str, Any]) -> None:
        if hook == "envpickle_explain":
            asked.append(given["obj"])

    stop = manager().add_hookcall_monitoring(note, lambda *_: None)
    try:
        refused = envpickle.explain(obj).refused
    finally:
        stop()
    assert refused, f"pickle takes {obj!r}, so that nobody asks for advice on it"
    return {plugin.envpickle_explain(one) for one in asked} & {part.remedy for part in refused}, asked
