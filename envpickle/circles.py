"""A circle that the registry alone cannot see: a build that waits for an import, which waits for that build.

Python lets one thread at a time import a module and has the others wait. A thread that calls a builder while it imports may
meet another thread that is running this very call and whose builder imports the same module: neither would go on.
"""

import sys
from types import FrameType

from .refusals import import_circle

_IMPORT_SYSTEM = "importlib._bootstrap"


def refuse_import_circle(builder: object, thread: int) -> None:
    """Refuse to wait on for a thread that waits for an import, if this thread is importing.

    Args:
        builder: The builder whose class is waited for.
        thread: Who is building it.

    Raises:
        BuildCycleError: Both are so.
    """
    other = sys._current_frames().get(thread)
    if other is not None and other.f_globals.get("__name__") == _IMPORT_SYSTEM and _imports(sys._getframe()):
        raise import_circle(builder)


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") == _IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False
