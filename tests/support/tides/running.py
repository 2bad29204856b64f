"""Run the state machine in an interpreter of its own, against the library that stands first on the path."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from voyage.fresh import SUPPORT, end_group


def run_machine(*arguments: str, seconds: float, library: Path | None = None, python: str = sys.executable) -> tuple[int, str]:
    """The exit status of a run, and what it printed.

    Args:
        *arguments: Of `python -m tides`.
        seconds: How long it may take.
        library: A folder that holds the package `envpickle` to be tried; the installed one if None.
        python: The interpreter.
    """
    path = os.pathsep.join([*([str(library)] if library is not None else []), str(SUPPORT)])
    with tempfile.TemporaryDirectory(prefix="tides_") as empty:
        return _ended([python, "-W", "error", "-m", "tides", *arguments], Path(empty), path, seconds)


def _ended(command: list[str], cwd: Path, path: str, seconds: float) -> tuple[int, str]:
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=seconds)
        return process.returncode, printed
    finally:
        end_group(process)


def run_test(test: str, library: Path, seconds: float = 100) -> tuple[int, str]:
    """The exit status of one test, by its name below the repository, against a library, and what pytest printed."""
    root = SUPPORT.parents[1]
    path = os.pathsep.join([str(library), str(SUPPORT)])
    arguments = ["-p", "tides.which", "-p", "no:cacheprovider", "-o", f"pythonpath={library}", "--rootdir", str(root), "-x"]
    return _ended([sys.executable, "-m", "pytest", *arguments, str(root / test)], library, path, seconds)
