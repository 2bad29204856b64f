"""What this plugin raises, all of it also an :class:`envpickle.errors.EnvpickleError`.

A rollout process that only loads what it was sent may meet these, so this imports nothing else.
"""

from envpickle.errors import EnvpickleError, PickleRefused

__all__ = [
    "AlreadyTrained",
    "CrossingRefused",
    "EnvironmentsError",
    "NotPortable",
    "PreflightFailed",
    "RolloutProcessDied",
    "TrlError",
    "UnsupportedTrl",
    "WiringError",
]


class TrlError(EnvpickleError):
    """The root of this plugin's errors."""


class WiringError(TrlError, TypeError):
    """What was handed to `envpickle_trl.wire` is no trainer, or no owner, or the two do not fit."""


class UnsupportedTrl(TrlError, RuntimeError):
    """TRL is not there, is too old, or is not built as this plugin needs it.

    Attributes:
        version: The version that was found; an empty text if none was.
    """

    version: str = ""


class CrossingRefused(TrlError, TypeError):
    """Something handed to the rollout process would not get there; every fault is told, each with its remedy.

    Attributes:
        subjects: What would not get there, one text for each.
    """

    subjects: tuple[str, ...] = ()


class NotPortable(TrlError, PickleRefused):
    """A reward function or tool cannot be made to cross.

    Attributes:
        path: The way from the callable to what does not pickle.
    """

    path: str = ""


class RolloutProcessDied(TrlError, RuntimeError):
    """The rollout process ended by itself; its own exception, as far as it left one, is the cause of this one.

    Attributes:
        exitcode: How it ended: an exit status, or a signal's number below zero; None if that cannot be told.
    """

    exitcode: int | None = None


class AlreadyTrained(TrlError, RuntimeError):
    """A second ``train()`` on a trainer that cannot train twice."""


class EnvironmentsError(TrlError, ValueError):
    """Several environments cannot be put together: names that collide, or a class that cannot be told from another."""


class PreflightFailed(TrlError, RuntimeError):
    """A preflight found errors; the text is the whole report.

    Attributes:
        checks: The checks that found one, by name.
    """

    checks: tuple[str, ...] = ()
