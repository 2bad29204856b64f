"""joblib has nothing to install: its backends carry a class and bring it home, and a cached function is found again."""

import tempfile
from pathlib import Path

import pytest
from voyage.fresh import run

PROGRAM = """
import os, sys
from harbour.docks import dock
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from voyage.fresh import report

def at_work(cls):
    return os.getpid(), cls(4).describe(), cls

if __name__ == "__main__":
    backend = sys.argv[1]
    Dock = dock(["lift"], "pool")
    found = []
    for _ in range(2):
        found += Parallel(n_jobs=2, backend=backend)(delayed(at_work)(Dock) for _ in range(4))
    report([all(back is Dock for *_, back in found), {words for _, words, _ in found} == {"pool 1 4"},
            os.getpid() not in {pid for pid, *_ in found}])
    if backend == "loky":
        get_reusable_executor().shutdown(wait=True)
"""

CACHED = """
import sys
from harbour.docks import dock
from joblib import Memory
from voyage.fresh import report
import cached

work = Memory(sys.argv[1], verbose=0).cache(cached.work)
words = [work(dock(["lift"], port)) for port in ("north", "south", "north")]
report([words, len(cached.RUNS)])
"""


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_a_backend_keeps_the_class(backend: str) -> None:
    """Twice over the same workers: the class works there, and the very object comes home."""
    assert run(PROGRAM, backend, quiet=False) == [True, True, backend != "threading"]


def test_memory_finds_what_another_process_kept() -> None:
    """The key of a class in joblib's cache is the same in every process, and differs between classes."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "cached.py").write_text("RUNS = []\n\ndef work(cls):\n    RUNS.append(1)\n    return cls(1).describe()\n")
        first, second = (run(f"import sys; sys.path.insert(0, {home!r})\n{CACHED}", home, quiet=False) for _ in range(2))

    words = ["north 1 1", "south 1 1", "north 1 1"]
    assert first == [words, 2]
    assert second == [words, 0]
