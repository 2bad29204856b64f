"""What this plugin raises, all of it also an :class:`envpickle.errors.EnvpickleError`.

A process that only loads a class pays for this module and no more, so it imports nothing else.
"""

from envpickle.errors import EnvpickleError

__all__ = [
    "EnvironmentClosed",
    "ListingError",
    "OpenEnvError",
    "ServerRefused",
    "ServerSettingsError",
    "ServerUnavailable",
    "SessionError",
    "SessionLost",
    "ToolsetError",
]


class OpenEnvError(EnvpickleError):
    """The root of this plugin's errors."""


class ToolsetError(OpenEnvError, ValueError):
    """What a server lists cannot be made into a class: nothing, duplicates, or names that collide."""


class ServerSettingsError(OpenEnvError, ValueError):
    """A server's address or settings cannot be used, for example because they hold a password in clear."""


class ListingError(OpenEnvError, RuntimeError):
    """A server could not be asked for its tools or tasks."""


class SessionError(OpenEnvError, RuntimeError):
    """An episode could not be begun or gone on with."""


class ServerUnavailable(SessionError, ConnectionError):
    """The server could not be reached, or had no room, until the deadline."""


class ServerRefused(SessionError):
    """The server answered, but would not begin an episode.

    Attributes:
        code: The server's own code, such as ``EXECUTION_ERROR``, or the HTTP status as text.
    """

    code: str = ""


class SessionLost(SessionError, ConnectionError):
    """There is no episode to go on with: none was begun, or its connection broke or timed out."""


class EnvironmentClosed(OpenEnvError, RuntimeError):
    """An instance was used after it was closed."""
