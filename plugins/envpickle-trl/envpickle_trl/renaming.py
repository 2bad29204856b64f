"""The builder that gives an environment class another name.

A rollout process imports this to build such a class, so it imports nothing but what that takes.
"""

from envpickle import builder

__all__ = ["renamed"]


@builder
def renamed(name: str, environment: type) -> type:
    """Build a class that differs from another one only in its name.

    TRL tells environments apart by their class and names the reward column after it, so the same class under two names
    would be a single column.

    Args:
        name: The class's name.
        environment: The class it derives from, and takes everything from.

    Returns:
        The class.
    """
    return type(environment)(name, (environment,), {"__doc__": environment.__doc__})
