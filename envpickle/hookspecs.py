"""The hooks of envpickle, for plugins that an installed distribution names in the entry-point group ``envpickle``.

An implementation is a function of the same name and arguments, marked with :data:`envpickle.plugin.hookimpl`, in the module
or object that the entry point names. Hooks are asked on the sending side and when instances are closed; a process that only
loads classes asks none. One that makes instances asks for carriers, where it does not reach their owner by itself.
"""

from collections.abc import Callable
from typing import Any

import pluggy

from .backends import Backend
from .carriers import Carrier
from .objects import Packed
from .runtime import Builder

hookspec = pluggy.HookspecMarker("envpickle")


@hookspec(firstresult=True)
def envpickle_spec(cls: type) -> tuple[Builder, tuple[Any, ...], dict[str, Any]] | None:
    """Say which call makes a class.

    Called once for a class that ``envpickle.register(cls)`` was given without a builder, before the makers are asked. The
    answer is taken at its word: what the call makes is not compared with the class, so that anything the call does not say
    is lost. Answer None for a class that holds anything else, such as a method or a docstring that was added.

    Args:
        cls: The class.

    Returns:
        The builder, its positional and its keyword arguments; None if the plugin does not know the class. An
        :class:`~envpickle.errors.EnvpickleError` that is raised instead says why a class of its kind cannot travel.
    """


@hookspec(firstresult=True)
def envpickle_pack(value: Any) -> Packed | None:
    """Turn a value into plain data.

    Called for each value in a builder's arguments that is not plain data by itself. The answer names the function that
    makes the value again, which the other side calls without asking any hook.

    Args:
        value: The value.

    Returns:
        The unpacker and the plain data; None if the plugin does not know the value's type.
    """


@hookspec(firstresult=True)
def envpickle_close(cls: type) -> Callable[[Any], Any] | None:
    """Say how instances of a class are closed.

    Called once for each class whose instances an owner closes; without an answer the first of ``__envpickle_close__``,
    ``_close``, ``close``, ``aclose`` and ``__exit__`` that the class has is called.

    Args:
        cls: The class of the instances.

    Returns:
        A function that closes one instance. It may be called from any thread while a method of the instance runs; None if
        the plugin does not know the class.
    """


@hookspec
def envpickle_backends() -> list[Backend]:
    """Name backends.

    Called by ``envpickle plugins`` and the contracts of :mod:`envpickle.testing`, which look at them. A program imports a
    plugin's backend and calls it by itself.

    Returns:
        The backends of this plugin; their names must be new.
    """
    raise NotImplementedError


@hookspec
def envpickle_makers() -> list[Callable[[type], tuple[Builder, tuple[Any, ...], dict[str, Any]] | None]]:
    """Name makers: functions that recognise the classes a library's class maker made.

    Called whenever ``envpickle.register(cls)`` needs a maker. What a maker's call makes is compared with the class, attribute
    by attribute, and the class refused where they differ or cannot be compared. Objects that have no ``==`` of their own, as
    the descriptors of many libraries have none, cannot: answer from :func:`envpickle_spec` for classes that hold such.

    Returns:
        Functions that are given a class and answer as :func:`envpickle_spec` does.
    """
    raise NotImplementedError


@hookspec
def envpickle_carriers() -> list[Carrier]:
    """Name carriers: what carries an owner's end to processes that its local line does not reach.

    Called once, when a class of an owner of this process is first pickled, or when an instance is first made whose owner is
    not to be reached on this machine. Nobody knows then whether a carrier's framework will be in use here: look for it in
    ``sys.modules`` whenever a carrier is called, and import nothing of it.

    Returns:
        The carriers of this plugin.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def envpickle_explain(obj: Any) -> str | None:
    """Say what to do instead of pickling an object.

    Called once for each object that ``envpickle.explain`` finds refused, never when something is really pickled. Of an
    instance whose class cannot be found, that is the class, not the instance. The answer takes the place of envpickle's own
    advice. The object is the user's: look at its type, and call nothing of it.

    Args:
        obj: The object that cannot be pickled.

    Returns:
        What to do next, one sentence or two; None if the plugin has no better advice.
    """
