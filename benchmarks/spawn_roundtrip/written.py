"""What is written before a run: compiled modules, and the tools of the server shape as modules.

Installed packages come compiled; a checkout whose sources were just edited, or an environment in which Python writes no
bytecode, must not count against those whose modules lie in it. An importable class would be written with its tools in
its module, so describing them must not count against the floor.
"""

import compileall
import importlib
import importlib.util
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from envpickle_openenv import Toolset

from .server_shape import MODULE, tools
from .shapes import toolset

__all__ = ["compile_packages", "written_tools"]

PACKAGES = ("envpickle", "envpickle_openenv", "benchmarks")


def compile_packages() -> None:
    """Compile the modules that children import."""
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        for place in (spec and spec.submodule_search_locations) or ():
            compileall.compile_dir(place, quiet=2)


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
        compileall.compile_dir(place, quiet=2)
        sys.path.insert(0, place)  # children inherit it
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(place)
            tools.cache_clear()
            for name in names:
                sys.modules.pop(name, None)
