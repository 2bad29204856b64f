"""Tools of the server shape, written to modules.

An importable class would be written with its tools in its module, so describing them must not count against the floor.
"""

import importlib
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from envpickle_openenv import Toolset

from .server_shape import MODULE, tools
from .shapes import toolset

__all__ = ["written_tools"]


@contextmanager
def written_tools(counts: Iterable[int]) -> Iterator[None]:
    """Write the modules, and let them be imported here and in children for the length of a ``with`` block.

    Args:
        counts: Numbers of tools.
    """
    with tempfile.TemporaryDirectory(prefix="spawn-roundtrip-") as place:
        names = {f"{MODULE}{count}": Toolset.from_listing(toolset(count)).plain() for count in counts}
        for name, described in names.items():
            (Path(place) / f"{name}.py").write_text(f"TOOLS = {described!r}\n", encoding="utf-8")
        sys.path.insert(0, place)  # children inherit it
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(place)
            tools.cache_clear()
            for name in names:
                sys.modules.pop(name, None)
