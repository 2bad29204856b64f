"""Which plugins and optional backends are on: ``ENVPICKLE_DISABLE`` and :func:`envpickle.enable`, :func:`envpickle.disable`."""

import os

from .classes import later
from .errors import PluginError

_OPTIONAL = ("cloudpickle", "dill")
_ALWAYS = ("copyreg", "msgpack")

_said: dict[str, bool] = {}


def is_disabled(name: str) -> bool:
    """Whether a plugin or backend is switched off, by a call or else by ``ENVPICKLE_DISABLE=name,...``."""
    if name in _said:
        return not _said[name]
    return name in {part.strip() for part in os.environ.get("ENVPICKLE_DISABLE", "").split(",")}


def enable(name: str) -> None:
    """Switch an optional backend on in this process, whatever ``ENVPICKLE_DISABLE`` says.

    Args:
        name: ``"cloudpickle"`` or ``"dill"``.

    Raises:
        PluginError: There is no optional backend of that name.
    """
    _said[_known(name)] = True
    if name == "dill":
        later("backends.dill_backend").enter()  # a dill that is loaded already


def disable(name: str) -> None:
    """Switch an optional backend off in this process; undoes :func:`enable`.

    Without its backend, dill refuses run-time classes (it would write only their address), and the strict cloudpickle
    pickler is not available. The pickle module and cloudpickle itself work as before.

    Args:
        name: ``"cloudpickle"`` or ``"dill"``.

    Raises:
        PluginError: There is no optional backend of that name.
    """
    _said[_known(name)] = False


def _known(name: str) -> str:
    if name in _OPTIONAL:
        return name
    why = "it is always on" if name in _ALWAYS else "envpickle has none of that name"
    raise PluginError(
        f"the backend {name!r} cannot be switched: {why}. Name one that is optional: {', '.join(_OPTIONAL)}. "
        f"A plugin is kept out by ENVPICKLE_DISABLE, before it is first asked."
    )
