"""A circle that the registry alone cannot see: a build that waits for an import, which waits for that build.

Python lets one thread at a time import a module and has the others wait. A thread that calls a builder while it imports may
meet another thread that is running this very call and whose builder imports the same module: neither would go on.
"""

import sys
from types import FrameType
from typing import Any

from .refusals import import_circle

_IMPORT_SYSTEM = "importlib._bootstrap"
_BY_NAME = ("_find_and_load", "_lock_unlock_module")  # to import a module, and to wait for another thread that does


def refuse_import_circle(builder: object, thread: int, waiting: dict[int, Any]) -> None:
    """Refuse to wait on for a thread that waits for an import of this thread.

    Args:
        builder: The builder whose class is waited for.
        thread: Who is building it.
        waiting: Which thread waits for which build.

    Raises:
        BuildCycleError: It does, or who it waits for itself.
    """
    while thread in waiting:
        thread = waiting[thread].thread
    other = sys._current_frames().get(thread)
    if other is None or other.f_globals.get("__name__") != _IMPORT_SYSTEM:
        return
    wanted = _imported_by(other)
    if wanted and wanted[0] in _imported_by(sys._getframe()):
        raise import_circle(builder)


def _imported_by(frame: FrameType | None) -> list[str]:
    """Names of the modules a thread is importing, the innermost first."""
    found = []
    while frame is not None:
        if frame.f_globals.get("__name__") == _IMPORT_SYSTEM and frame.f_code.co_name in _BY_NAME:
            found.append(str(frame.f_locals.get("name")))
        frame = frame.f_back
    return found
