"""Pools and processes: a class goes in as an argument, in a task and back as a result."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from voyage.fresh import run

ROUTES = [(kind, method) for kind in ("process", "executor", "pool") for method in ("spawn", "forkserver", "fork")]
IMPORTABLE = "from harbour.docks import dock\n"
IN_SCRIPT = """
import envpickle

@envpickle.builder
def dock(tools: list, server: str = "sea") -> type:
    class Dock:
        def __init__(self, load=0):
            self.load = load
        def describe(self) -> "str":
            return f"{server} 1 {self.load}"
    for tool in tools:
        setattr(Dock, tool, lambda self, tool=tool: tool)
    return Dock
"""
MAIN = """
import sys
if __name__ == "__main__":
    from voyage import pools
    from voyage.fresh import report
    kind, method = sys.argv[1:]
    arguments = (["lift"], "pool")
    report(getattr(pools, kind)(method, dock(*arguments), dock, arguments))
"""


def sail(place: str, kind: str, method: str) -> Any:
    with tempfile.TemporaryDirectory() as home:
        script = Path(home, "train.py")
        script.write_text({"importable": IMPORTABLE, "script": IN_SCRIPT}[place] + MAIN)
        return run(script, kind, method, quiet=kind != "joblib")


EXPECTED = {
    "instance of ours": True,
    "elsewhere": True,
    "words": "pool 1 3",
    "as a dict": True,
    "agrees": True,
    "built there": True,
    "class called there": True,
    "bound method": "pool 1 3",
}


@pytest.mark.parametrize(("kind", "method"), ROUTES)
@pytest.mark.parametrize("place", ["importable", "script"])
def test_pools_keep_the_class(place: str, kind: str, method: str) -> None:
    """Through executors, pools, queues and process arguments a class arrives, works and comes home as itself."""
    assert sail(place, kind, method) == EXPECTED


@pytest.mark.parametrize("place", ["importable", "script"])
def test_joblib_keeps_the_class(place: str) -> None:
    """Joblib's workers get the class, also in a closure, from a module and from a script."""
    assert sail(place, "joblib", "loky") == {**EXPECTED, "closure": True}
