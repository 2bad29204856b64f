"""The errors of this plugin; each survives pickle."""

from envpickle.errors import EnvpickleError

__all__ = ["RayError"]


class RayError(EnvpickleError):
    """Something of a Ray cluster is not as it has to be."""
