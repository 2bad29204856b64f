"""What the port counts per environment (standard library only)."""

import threading
from typing import Any

__all__ = ["Counts"]


class Counts:
    """Counters of one environment, safe to use from any thread."""

    def __init__(self) -> None:
        """Start at zero."""
        self._lock = threading.Lock()
        self._asked = dict.fromkeys(("tools_listed", "resets", "tool_calls"), 0)
        self._made = self._closed = self._peak = self._refused = 0

    def ask(self, what: str) -> None:
        """Count one request.

        Args:
            what: ``"tools_listed"``, ``"resets"`` or ``"tool_calls"``.
        """
        with self._lock:
            self._asked[what] += 1

    def open(self) -> None:
        """Count a session that begins."""
        with self._lock:
            self._made += 1
            self._peak = max(self._peak, self._made - self._closed)

    def close(self) -> None:
        """Count a session that ends."""
        with self._lock:
            self._closed += 1

    def refuse(self) -> None:
        """Count a session refused for want of room."""
        with self._lock:
            self._refused += 1

    def to_dict(self) -> dict[str, Any]:
        """Return the counters as plain values."""
        with self._lock:
            sessions = {
                "made": self._made,
                "live": self._made - self._closed,
                "closed": self._closed,
                "peak": self._peak,
                "refused": self._refused,
            }
            return {"sessions": sessions, **self._asked}
