"""Options of the port, shared by the launcher and the server (standard library only)."""

from dataclasses import asdict, dataclass, fields
from typing import Any

__all__ = ["FIXED_AT_START", "Options"]

FIXED_AT_START = frozenset({"max_sessions", "session_timeout"})
"""Options that OpenEnv reads once; the others can be changed while the port runs."""


@dataclass(frozen=True)
class Options:
    """How one environment of the port behaves.

    Attributes:
        max_sessions: Sessions served at once; one more is refused with ``CAPACITY_REACHED``.
        session_timeout: Seconds of idleness after which OpenEnv reaps a session, socket open or
            not. OpenEnv looks every ``max(session_timeout / 4, 5)`` seconds. None never reaps.
        reset_seconds: Seconds every reset takes.
        tool_seconds: Seconds every tool call takes.
        fail_resets: The next resets that fail: a number, or -1 for all of them.
        tools_after_reset: List no tools before the session's first reset, as servers do that
            deploy their environment there.
    """

    max_sessions: int = 64
    session_timeout: float | None = None
    reset_seconds: float = 0.0
    tool_seconds: float = 0.0
    fail_resets: int = 0
    tools_after_reset: bool = False

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Options":
        """Make options from plain values.

        Args:
            values: Option names and values; names left out keep their default.

        Returns:
            The options.

        Raises:
            ValueError: For a name that is no option.
        """
        check_names(values)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values, fit for JSON."""
        return asdict(self)

    def changed(self, changes: dict[str, Any]) -> "Options":
        """Return these options with some changed while the port runs.

        Args:
            changes: Option names and new values.

        Returns:
            The new options.

        Raises:
            ValueError: For a name that is no option or is fixed at start.
        """
        check_names(changes)
        fixed = FIXED_AT_START & changes.keys()
        if fixed:
            raise ValueError(f"{sorted(fixed)} are fixed when the port starts: start another one")
        return Options(**{**self.to_dict(), **changes})


def check_names(values: dict[str, Any]) -> None:
    """Refuse names that are no options.

    Args:
        values: Option names and values.

    Raises:
        ValueError: Naming the unknown ones and the known ones.
    """
    known = {field.name for field in fields(Options)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise ValueError(f"unknown portsim options {unknown}; there are {sorted(known)}")
