"""What the rules of both environments have in common (standard library only)."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

__all__ = ["RuleError", "Rules"]


class RuleError(ValueError):
    """A tool was called in a way the rules do not allow; the player is told the text."""


class Rules(Protocol):
    """One environment's rules, with no server in them.

    Attributes:
        name: What the environment is called, also the last part of its base URL.
        done: Whether the episode has ended.
    """

    name: str
    done: bool

    @property
    def reward(self) -> float:
        """The reward of the state as it is, 0 to 1."""

    @property
    def tools(self) -> Sequence[Callable[..., Any]]:
        """The bound methods that are served as tools."""

    @property
    def start(self) -> Callable[..., str]:
        """Begin an episode; takes ``seed`` and the environment's own task arguments."""
