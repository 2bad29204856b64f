"""Everything envpickle raises.

One root, :class:`EnvpickleError`. What is raised while pickling is also a :class:`pickle.PicklingError`, what is raised
while loading also a :class:`pickle.UnpicklingError`, so callers that catch pickle's own errors catch these. A message says
what happened, to which object, why, and what to do next. Every error survives being pickled itself: its attributes are
plain values.
"""

import pickle
from typing import Any

__all__ = [
    "AdoptionError",
    "BuildCycleError",
    "BuilderChanged",
    "BuilderError",
    "BuilderNotFound",
    "ClassChanged",
    "DescriptorError",
    "EnvpickleError",
    "InstanceRefused",
    "NotAllowed",
    "NotPlainData",
    "OwnerClosed",
    "PickleRefused",
    "PluginError",
    "RebuildError",
    "RebuildMismatch",
    "RegistrationError",
    "ScriptBuilderRefused",
    "ScriptMismatch",
    "SecretMissing",
    "UnknownClass",
    "UnsafePickle",
]


class EnvpickleError(Exception):
    """The root of all errors of envpickle.

    Args:
        message: The whole text.
        **attributes: Plain values (text, numbers, tuples of them) kept as attributes of the error.
    """

    def __init__(self, message: str, **attributes: Any) -> None:
        super().__init__(message)
        self.__dict__.update(attributes)


class BuilderError(EnvpickleError, TypeError):
    """A builder cannot be used: where it is defined, what it returned, or how the class was made."""


class AdoptionError(BuilderError):
    """A plain class that a builder returned cannot be given the metaclass :class:`envpickle.RuntimeType`."""


class BuildCycleError(EnvpickleError, RuntimeError):
    """Builders wait for each other (or one for itself), so waiting on would never end."""


class RegistrationError(EnvpickleError, ValueError):
    """``envpickle.register`` cannot say how a class is made, or the call is taken by another class.

    Attributes:
        path: Where in the class the thing is that cannot be sent by value, such as ``Shop.buy.<closure 'client'>.sock``.
    """

    path: str = ""


class PickleRefused(EnvpickleError, pickle.PicklingError):
    """Pickling was refused because something would be lost or could not be loaded."""


class NotPlainData(PickleRefused):
    """An argument of a builder holds something a spec may not hold.

    Attributes:
        path: Where the value is, such as ``dock_env(tools=[3]["handler"])``.
    """

    path: str = ""


class ClassChanged(PickleRefused):
    """A class differs from what its builder made: attributes were added, replaced, deleted or changed in place."""


class UnknownClass(PickleRefused):
    """A class made at run time that no builder made and no name finds, such as a subclass of a built class."""


class BuilderChanged(PickleRefused):
    """The builder found under the recorded name is not the one that made the class (a module reload, a new binding)."""


class ScriptBuilderRefused(PickleRefused):
    """A builder lives in a script at a place where a process that Python starts could not find it."""


class InstanceRefused(PickleRefused):
    """An instance would come back as another class, or with other constructor arguments."""


class RebuildError(EnvpickleError, pickle.UnpicklingError):
    """Loading was refused."""


class DescriptorError(RebuildError, ValueError):
    """Bytes that are no descriptor: corrupt, truncated, too large, or made by hand.

    Attributes:
        why: What is wrong with them, in a few words.
    """

    why: str = ""


class BuilderNotFound(RebuildError, LookupError):
    """The builder a descriptor names is not there, or what is there is not that builder."""


class NotAllowed(RebuildError):
    """A descriptor names something that is not on the allow-list it was to be checked against."""


class UnsafePickle(NotAllowed):
    """A pickle does something that the allow-listed unpickler lets no pickle do, or is no pickle at all.

    Attributes:
        reasons: All that speaks against it, as texts.
        names: The names in it that are not on the allow-list.
    """

    reasons: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class RebuildMismatch(RebuildError):
    """The builder here makes something other than the descriptor describes."""


class ScriptMismatch(RebuildError):
    """The script of this process is not the script whose builder the descriptor names."""


class OwnerClosed(EnvpickleError, RuntimeError):
    """A class was called whose owner has been closed."""


class SecretMissing(EnvpickleError, LookupError):
    """The environment variable that a :class:`envpickle.Secret` names is not set in this process."""


class PluginError(EnvpickleError, RuntimeError):
    """A plugin cannot be loaded or has answered a hook with something other than the hook asks for."""
